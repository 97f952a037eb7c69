package intake_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// event is about one problem of a program.
func event(action alert.Action, at time.Time) alert.Received {
	r := alert.Received{Key: "db", Status: alert.Firing, Severity: alert.High, Source: "api", Title: "Slow", StartsAt: at, Count: 1}
	if action == alert.Resolve {
		r.Status = alert.Resolved
	}
	r.Event = &alert.Event{ID: id.New(), Action: action, IncidentDetails: []byte("{}"), AlertDetails: []byte("{}")}
	return r
}

// TestAnEventWithoutATimeIsNewerThanOneThatCameLate: both are stored together, and the incident of
// their problem was resolved between them.
func TestAnEventWithoutATimeIsNewerThanOneThatCameLate(t *testing.T) {
	t.Parallel()
	trigger, resolve := alert.Trigger, alert.Resolve
	now := pagingtest.Began
	for _, test := range []struct {
		name     string
		together []alert.Received
		want     string
	}{
		{"after a late trigger", []alert.Received{event(trigger, now.Add(-2*time.Hour)), event(trigger, time.Time{})}, "triggered high 1"},
		{"before a late trigger", []alert.Received{event(trigger, time.Time{}), event(trigger, now.Add(-2*time.Hour))}, "triggered high 1"},
		{"before a late resolve", []alert.Received{event(trigger, time.Time{}), event(resolve, now.Add(-30*time.Minute))}, "triggered high 1"},
		{"after a late resolve", []alert.Received{event(resolve, now.Add(-30*time.Minute)), event(trigger, time.Time{})}, "triggered high 1"},
		{"a late trigger alone", []alert.Received{event(trigger, now.Add(-2*time.Hour))}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(now.Add(-time.Hour))
			w.Accept(t, event(trigger, time.Time{}))
			w.Clock.Advance(time.Second)
			w.Accept(t, event(resolve, time.Time{}))
			w.Clock.Freeze(now)
			w.Accept(t, test.together...)
			got := w.Texts(t, `SELECT status || ' ' || severity || ' ' || alert_count FROM incident WHERE org_id = $1 AND status <> 'resolved'`, w.Org)
			if test.want == "" && len(got) != 0 || test.want != "" && (len(got) != 1 || got[0] != test.want) {
				t.Errorf("open: %q, want %q", got, test.want)
			}
		})
	}
}
