package flow_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/flow"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func (w *workspace) timekeeper() *flow.Timekeeper {
	return flow.NewTimekeeper(w.DB, slog.New(slog.DiscardHandler), flow.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
}

// tick moves the clock and carries out the timers, then the steps.
func (w *workspace) tick(t *testing.T, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	if _, err := w.timekeeper().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.sweep(t)
}

func (w *workspace) timers(t *testing.T) []string {
	t.Helper()
	return w.texts(t, `SELECT kind FROM incident_timer WHERE org_id = $1 ORDER BY kind`, w.org)
}

func (w *workspace) by(person uuid.UUID, name string) incident.Actor {
	_ = w
	return incident.Actor{Kind: incident.User, ID: person, Name: name}
}

func TestForgottenAcknowledgementsPageAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	w.later(t, 5*time.Minute)
	equal(t, "before the answer", w.timers(t))
	w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
	equal(t, "after it", w.timers(t), "ack_timeout")
	w.tick(t, 29*time.Minute)
	w.respond(t, incident.Acknowledge{By: w.by(w.bob, "Bob")}) // a repeat keeps the first one's time
	equal(t, "paged", w.paged(t), "0.0 Ada", "0.1 Bob")
	w.tick(t, time.Minute)
	equal(t, "paged again", w.paged(t), "0.0 Ada", "0.1 Bob", "0.0 Ada")
	equal(t, "said", w.said(t, "ack_timeout"), "Acknowledged 30 minutes ago by Ada and not resolved: paging again.")
	equal(t, "incident", w.incidents(t), "triggered critical 1")
	equal(t, "timers", w.timers(t))
	w.later(t, 5*time.Minute)
	equal(t, "the steps follow", w.paged(t), "0.0 Ada", "0.1 Bob", "0.0 Ada", "0.1 Bob")

	w.respond(t, incident.Acknowledge{By: w.by(w.bob, "Bob")})
	w.respond(t, incident.Escalate{By: w.by(w.bob, "Bob")})
	equal(t, "handed on", w.timers(t))
	w.respond(t, incident.Acknowledge{By: w.by(w.bob, "Bob")})
	w.respond(t, incident.Resolve{By: w.by(w.bob, "Bob")})
	equal(t, "resolved", w.timers(t))
	before := len(w.paged(t))
	w.tick(t, time.Hour)
	if got := w.paged(t); len(got) != before {
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
			w.accept(t, firing("cpu", "", began))
			w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
			w.Exec(t, test.edit)
			w.tick(t, 30*time.Minute)
			w.tick(t, test.at-30*time.Minute)
			equal(t, "incident", w.incidents(t), test.want)
		})
	}
}

func TestWhatBringsNoNewsResolvesItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600, ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	equal(t, "timers", w.timers(t), "auto_resolve")
	w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
	w.Clock.Advance(50 * time.Minute)
	w.accept(t, firing("cpu", "", began)) // a repeat is news
	w.tick(t, 10*time.Minute)             // and the acknowledgement has timed out
	equal(t, "an hour after it opened", w.incidents(t), "triggered critical 1")
	w.tick(t, 50*time.Minute)
	equal(t, "an hour after the repeat", w.incidents(t), "resolved critical 1")
	equal(t, "timers", w.timers(t))
	if said := w.said(t, "resolved"); len(said) != 1 || said[0] != "Resolved by itself: nothing new for 1 hour." {
		t.Errorf("said %q", said)
	}
	before := w.paged(t)

	// The very same episode is still firing: it must not be taken for one that a person answered.
	w.accept(t, firing("cpu", "", began))
	equal(t, "when it repeats", w.incidents(t), "resolved critical 1", "triggered critical 1")
	if got := w.paged(t); len(got) != len(before)+1 {
		t.Errorf("paged %q before and %q after the repeat", before, got)
	}
}

func TestARepeatOfWhatAPersonResolvedStaysQuiet(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	w.respond(t, incident.Resolve{By: w.by(w.ada, "Ada")})
	w.tick(t, 2*time.Hour)
	w.accept(t, firing("cpu", "", began))
	equal(t, "incidents", w.incidents(t), "resolved critical 1")
}

func TestDowntimeResolvesBeforeItPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 86400, ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
	w.tick(t, 72*time.Hour)
	equal(t, "incidents", w.incidents(t), "resolved critical 1")
	equal(t, "paged", w.paged(t), "0.0 Ada")
}

func TestHeldPagesOfAnAcknowledgementTimeout(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
	w.addMaintenance(t, friday, friday.Add(time.Hour), "Work", w.service)
	w.tick(t, 10*time.Minute)
	equal(t, "paged", w.paged(t), "0.0 Ada")
	w.tick(t, 50*time.Minute)
	equal(t, "paged when the work is over", w.paged(t), "0.0 Ada", "0.0 Ada")
}

func TestTheAuditorNoticesForgottenTimers(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 600`)
	w.Clock.Freeze(friday)
	w.accept(t, firing("cpu", "", began))
	w.respond(t, incident.Acknowledge{By: w.by(w.ada, "Ada")})
	w.Clock.Advance(10*time.Minute + 20*time.Second)
	found, left := w.audit(t)
	if want := (flow.Overdue{Timers: 1, Oldest: 20 * time.Second}); found != want || left.Any() {
		t.Errorf("found %+v, left %+v", found, left)
	}
	equal(t, "paged", w.paged(t), "0.0 Ada", "0.0 Ada")
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
		w.accept(t, firing(key, key, began))
	}
	var ids []uuid.UUID
	for _, one := range w.texts(t, `SELECT id::text FROM incident WHERE org_id = $1 ORDER BY number`, w.org) {
		ids = append(ids, uuid.MustParse(one))
	}
	if err := w.responder.Respond(t.Context(), w.org, ids, incident.Acknowledge{By: w.by(w.ada, "Ada")}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(5 * time.Minute)
	var all sync.WaitGroup
	for range 2 {
		keeper := w.timekeeper()
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
			commands := []incident.Command{incident.Resolve{By: w.by(w.bob, "Bob")}, incident.Acknowledge{By: w.by(w.bob, "Bob")}, incident.Escalate{By: w.by(w.bob, "Bob")}}
			err := w.responder.Respond(t.Context(), w.org, []uuid.UUID{incidentID}, commands[n%3])
			<-atOnce
			if err != nil && !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
			key := fmt.Sprint("alert", n)
			w.accept(t, firing(key, key, began))
		})
	}
	all.Wait()
	w.tick(t, 0)
}

func (w *workspace) checkRacedTimers(t *testing.T) {
	t.Helper()
	if wrong := w.texts(t, `SELECT i.number || ' ' || i.status || ' ' || e.status FROM incident i JOIN escalation_state e ON e.incident_id = i.id
		WHERE i.org_id = $1 AND (i.status = 'triggered') <> (e.status IN ('active', 'exhausted'))`, w.org); len(wrong) > 0 {
		t.Errorf("incident and paging disagree: %q", wrong)
	}
	if open := pgtest.One[int](t, w.Database, `SELECT count(*) FROM (SELECT FROM incident WHERE status <> 'resolved' GROUP BY incident_key HAVING count(*) > 1) twice`); open > 0 {
		t.Errorf("%d keys have two open incidents", open)
	}
	// Whatever resolved itself while its alert went on firing has opened again.
	lost := w.texts(t, `SELECT a.alert_key FROM alert a JOIN incident i ON i.id = a.incident_id
		WHERE a.org_id = $1 AND a.status = 'firing' AND i.status = 'resolved' AND i.resolved_by IS NULL AND a.last_seen_at > i.resolved_at`, w.org)
	if len(lost) > 0 {
		t.Errorf("these fire, and nobody has them: %q", lost)
	}
	if stale := w.texts(t, `SELECT i.number || ' ' || i.status || ' ' || m.kind FROM incident_timer m JOIN incident i ON i.id = m.incident_id
		WHERE m.org_id = $1 AND (i.status = 'resolved' OR m.kind = 'ack_timeout' AND i.status <> 'acknowledged')`, w.org); len(stale) > 0 {
		t.Errorf("timers were left behind: %q", stale)
	}
	if bare := w.texts(t, `SELECT i.number::text FROM incident i JOIN escalation_policy p ON p.id = i.escalation_policy_id
		WHERE i.org_id = $1 AND i.status = 'acknowledged' AND p.ack_timeout_seconds > 0
		  AND NOT EXISTS (SELECT FROM incident_timer m WHERE m.incident_id = i.id AND m.kind = 'ack_timeout')`, w.org); len(bare) > 0 {
		t.Errorf("acknowledged, and no timer runs: %q", bare)
	}
	t.Logf("%v", w.texts(t, `SELECT count(*) || ' ' || status FROM incident WHERE org_id = $1 GROUP BY status`, w.org))
}
