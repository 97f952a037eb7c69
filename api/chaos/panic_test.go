//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestT66Panics lets one alert, one page and one escalation panic whenever they are
// touched. The program lives on, others notice nothing, and the page is put aside.
func TestT66Panics(t *testing.T) {
	begin(t, "T66")
	w := together(t, 1)
	o := w.newTenant("panicking", step{60, []string{"first"}}, step{aDay, []string{"second"}})
	n, clock := w.nodes[0], w.clock()
	n.stop()
	n.binary = fromEnvironment(t, "NIGHTBELL_FAILPOINTS_BIN")
	alert, page, escalation := o.alertKey(1), o.alertKey(2), o.alertKey(3)
	n.start("NIGHTBELL_FAILPOINTS=storing=panic@" + alert + ";sending=panic@" + page + ";deciding=panic@" + escalation)
	pid := n.pid()

	if status := w.post(n, o, alert, firing(alert)); status != http.StatusServiceUnavailable {
		t.Errorf("an alert that panics was answered with %d, want 503", status)
	}
	w.insist(0, o, page, firing(page))
	// What a panic spoils is tried alone with growing pauses, and given up after five tries.
	w.await("the page that panics is put aside", patience, func() error {
		clock.Advance(time.Minute)
		if state := w.pageState(page); state != "failed" {
			return fmt.Errorf("it is %s", state)
		}
		return nil
	})
	healthy := length(200, 40)
	w.insist(0, o, escalation, firing(escalation))
	for i := range healthy {
		key := o.alertKey(100 + i)
		w.insist(0, o, key, firing(key))
	}
	w.await("everybody's first page", patience, func() error {
		if told := w.told(o)["first"]; told < healthy+1 {
			return fmt.Errorf("%d of %d incidents", told, healthy+1)
		}
		return nil
	})
	clock.Advance(2 * time.Minute)
	took := w.await("everybody's second page", patience, func() error {
		if told := w.told(o)["second"]; told < healthy {
			return fmt.Errorf("%d of %d incidents", told, healthy)
		}
		return nil
	})
	if !n.running() || n.pid() != pid {
		t.Error("the program did not survive")
	}
	panics := n.logged("level=ERROR")

	// The mistake is fixed: everything goes on by itself.
	n.stop()
	n.binary = fromEnvironment(t, "NIGHTBELL_BIN")
	n.start()
	w.insist(0, o, alert, firing(alert))
	clock.Advance(2 * time.Minute)
	w.await("the alert and the escalation that panicked", patience, func() error {
		if told := w.told(o)["second"]; told < healthy+2 {
			return fmt.Errorf("the second person was told of %d incidents, want %d", told, healthy+2)
		}
		return nil
	})
	v := w.check()
	measured(t, "T66", "errors logged; the program lived on", panics, "")
	measured(t, "T66", fmt.Sprintf("%d others: escalated beside the panics after", healthy), took, "2 min asserted")
	w.measureKept("T66", v)
}

func (w *world) pageState(key string) string {
	w.t.Helper()
	states := rows(w, pgx.RowTo[string], `SELECT n.state FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id WHERE i.title = $1 ORDER BY n.created_at`, key)
	if len(states) == 0 {
		return "missing"
	}
	return states[0]
}
