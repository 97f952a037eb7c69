package intake_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// A thousand unreadable messages at once used to open a transaction each.
func TestUnreadableMessagesShareTransactionsAndAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.owns(t, `CREATE TABLE opening (at bigint DEFAULT txid_current())`, `GRANT ALL ON opening TO PUBLIC`,
		`CREATE FUNCTION count_openings() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO opening DEFAULT VALUES; RETURN NULL; END $$`,
		`CREATE TRIGGER count_openings AFTER INSERT ON incident FOR EACH STATEMENT EXECUTE FUNCTION count_openings()`)
	other := &workspace{&pagingtest.Workspace{Database: w.Database, Intake: w.Intake}}
	other.Fill(t)
	const messages = 1_000
	body := []byte(strings.Repeat("?", 100<<10))
	var senders sync.WaitGroup
	for range messages {
		senders.Go(func() {
			for { // a sender that is told to come again does
				err := w.Intake.AcceptUndecodable(t.Context(), w.Route, "prometheus", "it is not JSON", body)
				if err == nil {
					return
				}
				if !fault.Is(err, fault.Unavailable) || t.Context().Err() != nil {
					t.Error(err)
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		})
	}
	other.acceptTogether(t, several("sound", 20)...)
	senders.Wait()
	expect(t, "pages", w.Pages(t), "Ada pending")
	// One that was answered too late is sent, and counted, again.
	expect(t, "what is kept and counted", w.Texts(t, `SELECT (count(*) <= 20) || ' ' || (count(*) + sum(not_kept) >= 1000) || ' ' || max(length(body))
		FROM undecodable_alert WHERE org_id = $1`, w.Org), "true true 65536")
	expect(t, "incident", w.Texts(t, `SELECT title || (alert_count = (SELECT count(*) + sum(not_kept) FROM undecodable_alert)) FROM incident WHERE org_id = $1`, w.Org),
		"Undecodable alert from prometheustrue")
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM opening`); n > messages/10 {
		t.Errorf("%d messages took %d transactions", messages, n)
	}
}

// Whoever was woken read "What it said is unknown", and nobody could see what was kept.
func TestAnUnreadableMessageIsShownToWhoeverIsWoken(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	body := "DB1 is down\u202e\x1b[31m " + strings.Repeat("x", 2_000)
	if err := w.Intake.AcceptUndecodable(t.Context(), w.Route, "prometheus", "It is not JSON.", []byte(body)); err != nil {
		t.Fatal(err)
	}
	told := w.Texts(t, `SELECT description FROM incident WHERE org_id = $1`, w.Org)[0]
	begins := w.Route.ServiceName + " was sent an alert that could not be read: It is not JSON. Look at the sender. It begins:\n\nDB1 is down"
	if !strings.HasPrefix(told, begins) || strings.ContainsAny(told, "\u202e\x1b") || len(told) > len(begins)+1_000 {
		t.Errorf("got %q", told)
	}
}

func TestUnreadableMessagesOpenOneIncidentEachHour(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	for range 2 {
		if err := w.Intake.AcceptUndecodable(t.Context(), w.Route, "prometheus", "it is not JSON", []byte("?")); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Hour)
	}
	expect(t, "incidents", w.Incidents(t), "triggered high 1", "triggered high 1")
}
