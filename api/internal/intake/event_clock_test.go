package intake_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// send stores an event that a host tells of whose clock is ten minutes behind.
func (w *workspace) send(t *testing.T, action alert.Action, occurred, sent, arrives time.Time) {
	t.Helper()
	w.Clock.Freeze(arrives)
	r := event(action, occurred.Add(-10*time.Minute))
	r.SentAt, r.ArrivedAt = sent.Add(-10*time.Minute), time.Now()
	w.Accept(t, r)
}

func (w *workspace) incidents(t *testing.T) string {
	t.Helper()
	return w.Texts(t, `SELECT count(*) || ' incidents, ' || count(*) FILTER (WHERE status <> 'resolved') || ' open' FROM incident WHERE org_id = $1`, w.Org)[0]
}

// TestAWrongClockIsReadBeforeLocksAreWaitedFor: the resolve's row is still locked when the next problem arrives. What it
// waits there is no part of how long ago it happened.
func TestAWrongClockIsReadBeforeLocksAreWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.send(t, alert.Trigger, pagingtest.Began, pagingtest.Began, pagingtest.Began)
	w.Clock.SetNow(pagingtest.Began.Add(time.Minute))
	w.Accept(t, event(alert.Resolve, time.Time{})) // another host's, which says no time
	release := w.lockAlert(t, event(alert.Trigger, time.Time{}).Key)
	time.AfterFunc(40*time.Millisecond, release)
	next := event(alert.Trigger, time.Now().Add(-10*time.Minute))
	next.SentAt, next.ArrivedAt = next.StartsAt, time.Now()
	w.Accept(t, next)
	if got := w.incidents(t); got != "2 incidents, 1 open" {
		t.Errorf("after the second problem: %s", got)
	}
}

// TestWhatAHostWithAWrongClockSendsByTwoLanesKeepsItsOrder: a resolve is on its way for three seconds.
func TestWhatAHostWithAWrongClockSendsByTwoLanesKeepsItsOrder(t *testing.T) {
	t.Parallel()
	at := func(seconds float64) time.Time {
		return pagingtest.Began.Add(time.Duration(seconds * float64(time.Second)))
	}
	for _, test := range []struct {
		name string
		send func(t *testing.T, w *workspace)
		want string
	}{
		{"the trigger overtakes it", func(t *testing.T, w *workspace) {
			t.Helper()
			w.send(t, alert.Trigger, at(61), at(61), at(61.05))
			w.send(t, alert.Resolve, at(60), at(60), at(63))
		}, "1 incidents, 1 open"},
		{"the trigger waits for its answer", func(t *testing.T, w *workspace) {
			t.Helper()
			w.send(t, alert.Resolve, at(60), at(60), at(63))
			w.send(t, alert.Trigger, at(61), at(63.1), at(63.2))
		}, "2 incidents, 1 open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.send(t, alert.Trigger, at(0), at(0), at(0.1))
			test.send(t, w)
			if got := w.incidents(t); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			w.send(t, alert.Resolve, at(90), at(90), at(90.1))
			if got := w.incidents(t); got != test.want[:len("1 incidents, ")]+"0 open" {
				t.Errorf("after the end: %s", got)
			}
		})
	}
}

// TestEventsCountAfterTheDatabasesClockWasSetBack, by fifty minutes.
func TestEventsCountAfterTheDatabasesClockWasSetBack(t *testing.T) {
	t.Parallel()
	began := pagingtest.Began
	for name, send := range map[string]func(*testing.T, *workspace, alert.Action, time.Time){
		"with a time": func(t *testing.T, w *workspace, action alert.Action, now time.Time) {
			t.Helper()
			w.send(t, action, now, now, now.Add(50*time.Millisecond))
		},
		"without": func(t *testing.T, w *workspace, action alert.Action, now time.Time) {
			t.Helper()
			w.Clock.Freeze(now)
			w.Accept(t, event(action, time.Time{}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			says := func(action alert.Action, minute int, want string) {
				t.Helper()
				send(t, w, action, began.Add(time.Duration(minute)*time.Minute))
				if got := w.incidents(t); got != want {
					t.Errorf("%s in minute %d: %s, want %s", action, minute, got, want)
				}
			}
			says(alert.Trigger, 110, "1 incidents, 1 open")
			says(alert.Resolve, 111, "1 incidents, 0 open")
			says(alert.Trigger, 61, "2 incidents, 1 open")
			says(alert.Trigger, 120, "2 incidents, 1 open")
			says(alert.Resolve, 71, "2 incidents, 0 open")
			says(alert.Trigger, 130, "3 incidents, 1 open")
			open := w.Texts(t, `SELECT incident_id::text FROM alert WHERE org_id = $1`, w.Org)
			if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{uuid.MustParse(open[0])}, incident.Resolve{By: incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}}); err != nil {
				t.Fatal(err)
			}
			says(alert.Trigger, 81, "4 incidents, 1 open")
			says(alert.Resolve, 82, "4 incidents, 0 open")
		})
	}
}
