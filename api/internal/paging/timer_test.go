package paging_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func (w *workspace) timerSweeper() *paging.TimerSweeper {
	return paging.NewTimerSweeper(w.DB, postgres.Sweep, slog.New(slog.DiscardHandler), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
}

// tick moves the clock and carries out the timers, then the steps.
func (w *workspace) tick(t *testing.T, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	if _, err := w.timerSweeper().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Sweep(t)
}

func (w *workspace) timers(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT kind FROM incident_timer WHERE org_id = $1 ORDER BY kind`, w.Org)
}

func TestForgottenAcknowledgementsPageAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Later(t, 5*time.Minute)
	equal(t, "before the answer", w.timers(t))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	equal(t, "after it", w.timers(t), "ack_timeout")
	w.tick(t, 29*time.Minute)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")}) // a repeat keeps the first one's time
	equal(t, "paged", w.Paged(t), "0.0 Ada", "0.1 Bob")
	w.tick(t, time.Minute)
	equal(t, "paged again", w.Paged(t), "0.0 Ada", "0.1 Bob", "0.0 Ada")
	equal(t, "said", w.Said(t, "ack_timeout"), "Acknowledged 30 minutes ago by Ada and not resolved: paging again.")
	equal(t, "incident", w.Incidents(t), "triggered critical 1")
	equal(t, "timers", w.timers(t))
	w.Later(t, 5*time.Minute)
	equal(t, "the steps follow", w.Paged(t), "0.0 Ada", "0.1 Bob", "0.0 Ada", "0.1 Bob")

	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Respond(t, incident.Escalate{By: pagingtest.By(w.Bob, "Bob")})
	equal(t, "handed on", w.timers(t))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Bob, "Bob")})
	equal(t, "resolved", w.timers(t))
	before := len(w.Paged(t))
	w.tick(t, time.Hour)
	if got := w.Paged(t); len(got) != before {
		t.Errorf("paged for what is resolved: %q", got)
	}
}

func TestTimersFollowThePolicyAsItIsNow(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit string
		at   time.Duration
		want string
	}{
		{"longer", `UPDATE escalation_policy SET ack_timeout_seconds = 3600`, time.Hour, "triggered critical 1"},
		{"not longer yet", `UPDATE escalation_policy SET ack_timeout_seconds = 3600`, 59 * time.Minute, "acknowledged critical 1"},
		{"never", `UPDATE escalation_policy SET ack_timeout_seconds = 0`, 100 * time.Hour, "acknowledged critical 1"},
		{"deleted", `UPDATE org SET default_policy_id = NULL; DELETE FROM escalation_policy`, 100 * time.Hour, "acknowledged critical 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
			w.Clock.Freeze(friday)
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
			w.Exec(t, test.edit)
			w.tick(t, 30*time.Minute)
			w.tick(t, test.at-30*time.Minute)
			equal(t, "incident", w.Incidents(t), test.want)
		})
	}
}

func TestWhatBringsNoNewsResolvesItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600, ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "timers", w.timers(t), "auto_resolve")
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(50 * time.Minute)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began)) // a repeat is news
	w.tick(t, 10*time.Minute)                                   // and the acknowledgement has timed out
	equal(t, "an hour after it opened", w.Incidents(t), "triggered critical 1")
	w.tick(t, 50*time.Minute)
	equal(t, "an hour after the repeat", w.Incidents(t), "resolved critical 1")
	equal(t, "timers", w.timers(t))
	if said := w.Said(t, "resolved"); len(said) != 1 || said[0] != "Resolved by itself: nothing new for 1 hour." {
		t.Errorf("said %q", said)
	}
	before := w.Paged(t)

	// The very same episode is still firing: it must not be taken for one that a person answered.
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "when it repeats", w.Incidents(t), "resolved critical 1", "triggered critical 1")
	if got := w.Paged(t); len(got) != len(before)+1 {
		t.Errorf("paged %q before and %q after the repeat", before, got)
	}
}

// TestWhatNobodyHasHeardOfDoesNotResolveItself: one alert comes in a maintenance that is longer than alerts without
// news stay open. At its end there was nothing left to page for.
func TestWhatNobodyHasHeardOfDoesNotResolveItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	w.Clock.Freeze(friday)
	w.AddMaintenance(t, friday, friday.Add(6*time.Hour), "Moving the database", w.Service)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.tick(t, 2*time.Hour)
	w.tick(t, 4*time.Hour-time.Second)
	equal(t, "in the maintenance", w.Incidents(t), "triggered critical 1")
	w.tick(t, time.Second)
	equal(t, "paged at its end", w.Paged(t), "0.0 Ada")
	w.tick(t, time.Hour-time.Second)
	equal(t, "just under its time later", w.Incidents(t), "triggered critical 1")
	w.tick(t, time.Second)
	equal(t, "and then", w.Incidents(t), "resolved critical 1")
}

func TestARepeatOfWhatAPersonResolvedStaysQuiet(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
	w.tick(t, 2*time.Hour)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "incidents", w.Incidents(t), "resolved critical 1")
}

func TestDowntimeResolvesBeforeItPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 86400, ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.tick(t, 72*time.Hour)
	equal(t, "incidents", w.Incidents(t), "resolved critical 1")
	equal(t, "paged", w.Paged(t), "0.0 Ada")
}

func TestHeldPagesOfAnAcknowledgementTimeout(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work", w.Service)
	w.tick(t, 10*time.Minute)
	equal(t, "paged", w.Paged(t), "0.0 Ada")
	w.tick(t, 50*time.Minute)
	equal(t, "paged when the work is over", w.Paged(t), "0.0 Ada", "0.0 Ada")
}

// TestAnswersRaceTimers answers incidents at the moment at which their timers are due
// (T14), while their alerts repeat: every answer counts, each incident ends as the last
// word says, nobody waits for a deadlock, and nothing that fires is left without an
// incident.
func TestAnswersRaceTimers(t *testing.T) {
	t.Parallel()
	for name, columns := range map[string]string{
		"acknowledgements": "ack_timeout_seconds = 60", "news": "auto_resolve_seconds = 300", "both": "ack_timeout_seconds = 60, auto_resolve_seconds = 300",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET `+columns)
			w.raceTimers(t, 60)
			w.checkRacedTimers(t)
		})
	}
}

// raceTimers lets two timekeepers, people and senders loose on acknowledged incidents.
func (w *workspace) raceTimers(t *testing.T, incidents int) {
	t.Helper()
	for n := range incidents {
		key := fmt.Sprint("alert", n)
		w.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
	}
	var ids []uuid.UUID
	for _, one := range w.Texts(t, `SELECT id::text FROM incident WHERE org_id = $1 ORDER BY number`, w.Org) {
		ids = append(ids, uuid.MustParse(one))
	}
	if err := w.Responder.Respond(t.Context(), w.Org, ids, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(5 * time.Minute)
	var all sync.WaitGroup
	for range 2 {
		keeper := w.timerSweeper()
		all.Go(func() {
			for range 20 {
				if _, err := keeper.Sweep(t.Context()); err != nil {
					t.Error(err)
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	atOnce := make(chan struct{}, 3) // fewer than the pool has connections
	for n, incidentID := range ids {
		wait := time.Duration(rand.IntN(100)) * time.Millisecond
		all.Go(func() {
			time.Sleep(wait)
			atOnce <- struct{}{}
			commands := []incident.Command{incident.Resolve{By: pagingtest.By(w.Bob, "Bob")}, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")}, incident.Escalate{By: pagingtest.By(w.Bob, "Bob")}}
			err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{incidentID}, commands[n%3])
			<-atOnce
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
			key := fmt.Sprint("alert", n)
			w.Accept(t, pagingtest.Firing(key, key, pagingtest.Began))
		})
	}
	all.Wait()
	w.tick(t, 15*time.Second) // a sweep that waited in vain for an incident looks at its timer again by then
}

func (w *workspace) checkRacedTimers(t *testing.T) {
	t.Helper()
	if wrong := w.Texts(t, `SELECT number || ' ' || status || ' ' || paging_status FROM incident
		WHERE org_id = $1 AND (status = 'triggered') <> (paging_status IN ('active', 'exhausted'))`, w.Org); len(wrong) > 0 {
		t.Errorf("incident and paging disagree: %q", wrong)
	}
	if open := pgtest.One[int](t, w.Database, `SELECT count(*) FROM (SELECT FROM incident WHERE status <> 'resolved' GROUP BY incident_key HAVING count(*) > 1) twice`); open > 0 {
		t.Errorf("%d keys have two open incidents", open)
	}
	// Whatever resolved itself while its alert went on firing has opened again.
	lost := w.Texts(t, `SELECT a.alert_key FROM alert a JOIN incident i ON i.id = a.incident_id
		WHERE a.org_id = $1 AND a.status = 'firing' AND i.status = 'resolved' AND i.resolved_by IS NULL AND a.last_seen_at > i.resolved_at`, w.Org)
	if len(lost) > 0 {
		t.Errorf("these fire, and nobody has them: %q", lost)
	}
	if stale := w.Texts(t, `SELECT i.number || ' ' || i.status || ' ' || m.kind FROM incident_timer m JOIN incident i ON i.id = m.incident_id
		WHERE m.org_id = $1 AND (i.status = 'resolved' OR m.kind = 'ack_timeout' AND i.status <> 'acknowledged')`, w.Org); len(stale) > 0 {
		t.Errorf("timers were left behind: %q", stale)
	}
	if bare := w.Texts(t, `SELECT i.number::text FROM incident i JOIN escalation_policy p ON p.id = i.escalation_policy_id
		WHERE i.org_id = $1 AND i.status = 'acknowledged' AND p.ack_timeout_seconds > 0
		  AND NOT EXISTS (SELECT FROM incident_timer m WHERE m.incident_id = i.id AND m.kind = 'ack_timeout')`, w.Org); len(bare) > 0 {
		t.Errorf("acknowledged, and no timer runs: %q", bare)
	}
	t.Logf("%v", w.Texts(t, `SELECT count(*) || ' ' || status FROM incident WHERE org_id = $1 GROUP BY status`, w.Org))
}

// TestWhoCallsItselfAHeartbeatResolvesItself: the source, and the key, are words of the sender.
func TestWhoCallsItselfAHeartbeatResolvesItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	w.Clock.Freeze(friday)
	for _, key := range []string{"worker", "heartbeat:worker", "heartbeat:" + w.Service.String()} {
		received := pagingtest.Firing(key, key, pagingtest.Began)
		received.Source = "heartbeat"
		w.Accept(t, received)
	}
	w.tick(t, time.Hour+time.Minute)
	equal(t, "an hour without news later", w.Incidents(t), "resolved critical 1", "resolved critical 1", "resolved critical 1")
}
