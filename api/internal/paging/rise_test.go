package paging_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// send lets an alert of the group arrive with a severity.
func (w *workspace) send(t *testing.T, key string, severity alert.Severity) {
	t.Helper()
	received := pagingtest.Firing(key, "db", pagingtest.Began)
	received.Severity = severity
	w.Accept(t, received)
}

// cycles gives "cycle.round.step whom" of each page in the order of decisions.
func (w *workspace) cycles(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT n.cycle || '.' || n.round || '.' || n.step || ' ' || u.name || CASE WHEN n.effect_key LIKE '%/critical/%' THEN ' rise' ELSE '' END
		FROM notification n JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 ORDER BY n.created_at, n.cycle, n.round, n.step, u.name`, w.Org)
}

// TestACriticalAlertAfterPagingRanOutPagesAgain: a low alert opened the incident and nobody
// answered; what joins it is critical.
func TestACriticalAlertAfterPagingRanOutPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	for range 4 {
		w.Later(t, 5*time.Minute)
	}
	equal(t, "for the low one", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob", "1.0.1 Ada")
	equal(t, "paging", w.Texts(t, `SELECT paging_status FROM incident WHERE org_id = $1`, w.Org), "exhausted")
	w.Clock.Advance(time.Hour)
	w.send(t, "down", alert.Critical)
	equal(t, "at once", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise")
	equal(t, "incident", w.Incidents(t), "triggered critical 2")
	w.Later(t, 5*time.Minute)
	equal(t, "five minutes later", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
	w.send(t, "down, too", alert.Critical)
	w.Sweep(t)
	equal(t, "for more of the same", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
}

// TestACriticalAlertBeforeTheSweepThatEndsPagingPagesAgain: the last resort had its time to
// answer, and the critical alert comes before the sweep that would say that paging ran out.
func TestACriticalAlertBeforeTheSweepThatEndsPagingPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Later(t, 5*time.Minute)
	w.Later(t, 5*time.Minute)
	equal(t, "for the low one", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob", "1.0.1 Ada")
	w.Clock.Advance(5 * time.Minute)
	w.send(t, "down", alert.Critical)
	w.Sweep(t)
	equal(t, "for the critical one", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise")
	w.Later(t, 5*time.Minute)
	equal(t, "five minutes later", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
}

// TestACriticalAlertTellsWhoeverWasPaged: the paging of a low incident is under way, and a
// step for critical ones was skipped.
func TestACriticalAlertTellsWhoeverWasPaged(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.AddPerson(t, "Eve")
	w.SetSteps(t,
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(eve)}, Severities: []string{"critical"}},
		page(user(w.Bob)), page(user(w.Ada)))
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	equal(t, "for the low one", w.cycles(t), "1.0.1 Bob")
	w.Clock.Advance(time.Minute)
	w.send(t, "slow", alert.Critical) // the same alert, with another severity
	equal(t, "at once", w.cycles(t)[1:], "1.0.0 Eve", "1.0.2 Bob rise")
	w.Later(t, 4*time.Minute)
	equal(t, "the next step in its time", w.cycles(t)[3:], "1.0.2 Ada")
}

// TestWhoeverAcknowledgedIsAskedAgain: an acknowledged incident becomes critical. Its
// responder is paged once, and the policy when that is not acknowledged in time.
func TestWhoeverAcknowledgedIsAskedAgain(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		confirmed bool
		timeout   int
		within    time.Duration
	}{
		{"and confirms", true, 0, 15 * time.Minute},
		{"and does not", false, 0, 15 * time.Minute},
		{"and does not, in the time of the policy", false, 2400, 40 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = $1`, test.timeout)
			w.Clock.Freeze(friday)
			w.send(t, "slow", alert.Low)
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
			w.Clock.Advance(time.Second)
			w.send(t, "down", alert.Critical)
			w.send(t, "down, too", alert.Critical)
			equal(t, "asked", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
			equal(t, "incident", w.Incidents(t), "acknowledged critical 3")
			if test.confirmed {
				w.tick(t, 10*time.Minute)
				w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
				w.tick(t, time.Hour)
				equal(t, "confirmed", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
				equal(t, "the severity that is acknowledged", w.Texts(t, `SELECT acknowledged_severity FROM incident WHERE org_id = $1`, w.Org), "critical")
				equal(t, "timers", w.timers(t))
				return
			}
			w.tick(t, test.within-2*time.Second)
			equal(t, "before the time is over", w.cycles(t)[2:])
			w.tick(t, 2*time.Second)
			equal(t, "paged again", w.cycles(t)[2:], "2.0.0 Ada")
			equal(t, "incident", w.Incidents(t), "triggered critical 3")
			w.tick(t, 5*time.Minute)
			equal(t, "the next step", w.cycles(t)[2:], "2.0.0 Ada", "2.0.1 Bob")
		})
	}
}

// TestAnAnswerThatDidNotSeeTheRise: the incident becomes critical while Bob, who looks at a low one,
// presses Acknowledge. The cycle stops, and Bob is asked; without his answer the policy pages again.
func TestAnAnswerThatDidNotSeeTheRise(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		then func(*workspace, incident.Acknowledge)
		want []string
	}{
		{"and nothing follows", func(*workspace, incident.Acknowledge) {}, []string{"2.0.0 Ada"}},
		{"and he presses again in the same sight", func(w *workspace, same incident.Acknowledge) { w.Respond(t, same) }, []string{"2.0.0 Ada"}},
		{"and he confirms", func(w *workspace, same incident.Acknowledge) { w.Respond(t, incident.Acknowledge{By: same.By}) }, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			w.send(t, "slow", alert.Low)
			w.Clock.Advance(time.Second)
			w.send(t, "down", alert.Critical)
			equal(t, "told of the rise", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise")
			seen := incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob"), Seen: map[uuid.UUID]alert.Severity{w.OnlyIncident(t): alert.Low}}
			w.Respond(t, seen)
			equal(t, "asked", w.cycles(t)[2:], "1.0.1 Bob rise")
			equal(t, "incident", w.Incidents(t), "acknowledged critical 2")
			equal(t, "said", w.Said(t, "acknowledged"), "Incident acknowledged, when it was low")
			w.tick(t, time.Minute)
			test.then(w, seen)
			w.tick(t, 20*time.Minute)
			equal(t, "paged after the time to confirm", w.cycles(t)[3:4][:min(1, len(w.cycles(t))-3)], test.want...)
		})
	}
}

// TestAQuestionOutlivesASnoozeThatDidNotSeeTheRise: its timer was taken away and nobody was asked again, so the
// incident slept as critical for as long as it was snoozed for as low.
func TestAQuestionOutlivesASnoozeThatDidNotSeeTheRise(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(incident.Snooze) incident.Command{
		"it was snoozed before":      func(same incident.Snooze) incident.Command { return same },
		"it was acknowledged before": func(same incident.Snooze) incident.Command { return incident.Acknowledge{By: same.By, Seen: same.Seen} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			w.send(t, "slow", alert.Low)
			w.Clock.Advance(time.Second)
			w.send(t, "down", alert.Critical)
			snooze := incident.Snooze{By: pagingtest.By(w.Bob, "Bob"), For: 8 * time.Hour, Seen: map[uuid.UUID]alert.Severity{w.OnlyIncident(t): alert.Low}}
			w.Respond(t, first(snooze))
			equal(t, "asked", w.cyclesAfter(t, 2), "1.0.1 Bob rise")
			w.tick(t, 5*time.Minute)
			w.Respond(t, snooze)
			w.tick(t, 10*time.Minute-time.Second)
			equal(t, "before the time to confirm", w.cyclesAfter(t, 3))
			w.tick(t, time.Second)
			equal(t, "after it", w.Incidents(t), "triggered critical 2")
			equal(t, "paged", w.cyclesAfter(t, 3)[:1], "2.0.0 Ada")
		})
	}
}

// TestConfirmingKeepsTheTimeOfTheFirstAcknowledgement, from which the time to acknowledge is
// measured, while the limit of the acknowledgement counts from the confirmation.
func TestConfirmingKeepsTheTimeOfTheFirstAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Clock.Advance(2 * time.Minute)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.tick(t, 18*time.Minute)
	w.send(t, "down", alert.Critical)
	w.tick(t, 10*time.Minute)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	equal(t, "acknowledged and confirmed", w.Texts(t, `SELECT u.name || ' ' || acknowledged_at - triggered_at || ' ' || confirmed_at - triggered_at
		FROM incident i JOIN users u ON u.id = i.acknowledged_by WHERE i.org_id = $1`, w.Org), "Ada 00:02:00 00:30:00")
	w.tick(t, 29*time.Minute)
	equal(t, "before the limit", w.Incidents(t), "acknowledged critical 2")
	w.tick(t, time.Minute)
	equal(t, "at the limit", w.Incidents(t), "triggered critical 2")
	equal(t, "said", w.Said(t, "ack_timeout"), "Acknowledged 30 minutes ago by Ada and not resolved: paging again.")
}

// TestNobodyIsAskedAgainWhileThePolicyIsQuiet: nobody is paged, and the incident stays with
// whoever has it.
func TestNobodyIsAskedAgainWhileThePolicyIsQuiet(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["critical"], "windows": []}]'`)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Clock.Advance(time.Second)
	w.send(t, "down", alert.Critical)
	equal(t, "timers", w.timers(t))
	equal(t, "said", w.Said(t, "pages_nobody"), "Default pages nobody for critical incidents at this time (Friday 22:00 in UTC).")
	w.tick(t, time.Hour)
	equal(t, "paged", w.cycles(t), "1.0.0 Ada")
	equal(t, "incident", w.Incidents(t), "acknowledged critical 2")
}

// TestNobodyToAskMeansThePolicy: who acknowledged was a program, then somebody without a
// contact; the assignee is asked, and without one the policy pages at once.
func TestNobodyToAskMeansThePolicy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		assignee bool
		want     string
	}{"an assignee": {true, "1.0.1 Bob rise"}, "nobody": {false, "2.0.0 Ada"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			w.send(t, "slow", alert.Low)
			if test.assignee {
				w.Respond(t, incident.Assign{By: pagingtest.By(w.Ada, "Ada"), To: w.Bob, ToName: "Bob"})
			}
			w.Respond(t, incident.Acknowledge{By: incident.Actor{Kind: incident.APIKey, ID: uuid.New(), Name: "deploy bot"}})
			w.Clock.Advance(time.Second)
			w.send(t, "down", alert.Critical)
			equal(t, "paged", w.cycles(t), "1.0.0 Ada", test.want)
		})
	}
}

// TestAPersonWhoRaisesTheSeverityPages: the command does what an alert does.
func TestAPersonWhoRaisesTheSeverityPages(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Clock.Advance(time.Minute)
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Bob, "Bob"), To: alert.Critical})
	equal(t, "told", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise")
}

// TestAnAlertThatCannotBeReadRaisesTheSeverity: the incident of such alerts was lowered
// since, and the next one makes it high again.
func TestAnAlertThatCannotBeReadRaisesTheSeverity(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	unreadable := func() {
		if err := w.Intake.AcceptUndecodable(t.Context(), w.Route, "prometheus", "not JSON", []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	unreadable()
	w.Exec(t, `UPDATE incident SET severity = 'low', urgency = 'low'`)
	w.Exec(t, `UPDATE incident SET paging_severity = 'low', paging_status = 'exhausted', paging_due_at = NULL`)
	w.Clock.Advance(time.Minute)
	unreadable()
	equal(t, "paged", w.cycles(t), "1.0.0 Ada", "2.0.0 Ada")
}

// TestAnEditUnderWayLeavesNobodyOut: Priya was paged, Wei is next, and the policy is edited.
func TestAnEditUnderWayLeavesNobodyOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit func(t *testing.T, w *workspace, priya, wei uuid.UUID)
		want []string
	}{
		{"[Priya, Wei] becomes [Wei]", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM escalation_step WHERE position = 0`)
			w.Exec(t, `UPDATE escalation_policy SET revision = revision + 1`)
		}, []string{"0.0 Priya", "0.0 Wei", "0.0 Ada"}},
		{"sent without ids", func(t *testing.T, w *workspace, priya, wei uuid.UUID) {
			w.SetSteps(t, page(user(wei)), page(user(priya)))
		}, []string{"0.0 Priya", "0.0 Wei", "0.1 Ada"}},
		{"somebody joins the step that was paged", func(t *testing.T, w *workspace, priya, wei uuid.UUID) {
			w.SetSteps(t, page(user(priya), user(w.Bob)), page(user(wei)))
		}, []string{"0.0 Priya", "0.0 Bob", "0.1 Wei", "0.1 Ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			priya, wei := w.AddPerson(t, "Priya"), w.AddPerson(t, "Wei")
			w.SetSteps(t, page(user(priya)), page(user(wei)))
			w.send(t, "db", alert.High)
			w.Clock.Advance(time.Minute)
			test.edit(t, w, priya, wei)
			for range 5 {
				w.Later(t, 5*time.Minute)
			}
			equal(t, "paged", w.Paged(t), test.want...)
		})
	}
}

// TestPagingThatRunsOutEndsWithTheLastResort, which is the owners, somebody else or nobody.
func TestPagingThatRunsOutEndsWithTheLastResort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  func(t *testing.T, w *workspace)
		want []string
	}{
		{"owners", func(*testing.T, *workspace) {}, []string{"0.0 Bob", "0.1 Ada"}},
		{"nobody", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
		}, []string{"0.0 Bob"}},
		{"somebody else", func(t *testing.T, w *workspace) {
			w.lastResort(t, w.AddPerson(t, "Zoe"))
		}, []string{"0.0 Bob", "0.1 Zoe"}},
		{"somebody else who has left", func(t *testing.T, w *workspace) {
			zoe := w.AddPerson(t, "Zoe")
			w.lastResort(t, zoe)
			w.Exec(t, `DELETE FROM membership WHERE user_id = $1`, zoe)
		}, []string{"0.0 Bob", "0.1 Ada"}},
		{"quiet for the severity", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["critical"], "windows": []}]'`)
		}, nil},
		{"quiet at these hours", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": [], "windows": [{"days": [], "from": 0, "to": 0}]}]'`)
		}, nil},
		{"quiet for another severity", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["low"], "windows": []}]'`)
		}, []string{"0.0 Bob", "0.1 Ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			w.SetSteps(t, page(user(w.Bob)), page()) // the second step means nobody
			test.set(t, w)
			w.send(t, "db", alert.Critical)
			for range 4 {
				w.Later(t, 5*time.Minute)
			}
			equal(t, "paged", w.Paged(t), test.want...)
			if got := pgtest.One[string](t, w.Database, `SELECT paging_status FROM incident`); got != "exhausted" {
				t.Errorf("paging is %s", got)
			}
		})
	}
}

func (w *workspace) lastResort(t *testing.T, person uuid.UUID) {
	t.Helper()
	w.Exec(t, `UPDATE escalation_policy SET last_resort = 'target'`)
	w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, -1, 300)`, w.Org, w.Policy)
	w.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id) VALUES ($1, $2, -1, 0, 'user', $3)`, w.Org, w.Policy, person)
}

// TestASeverityThatWasToldBeforeTheAcknowledgementIsAskedAgain: everybody was told that it is
// critical, somebody took that back, and Bob acknowledged a low incident. He was asked nothing when
// it became critical again, and a quarter of an hour later the policy paged everybody.
func TestASeverityThatWasToldBeforeTheAcknowledgementIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.send(t, "down", alert.Critical)
	equal(t, "told", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise")
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low})
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Clock.Advance(time.Second)
	w.send(t, "gone", alert.Critical) // what was down before says nothing new
	equal(t, "asked", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise", "1.0.1 Bob rise")
	w.send(t, "gone, too", alert.Critical)
	equal(t, "asked once until he answers", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise", "1.0.1 Bob rise")
	w.Clock.Advance(time.Second)
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low})
	w.send(t, "away", alert.Critical)
	equal(t, "somebody took it back, and it rose", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise", "1.0.1 Bob rise", "1.0.1 Bob rise")
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.tick(t, time.Hour)
	equal(t, "confirmed", w.Incidents(t), "acknowledged critical 5")
}

// TestAClockThatPagesAgainTellsEverybodyOfARise: only whoever had the incident was asked about it; those
// who were paged with it before know of less.
func TestAClockThatPagesAgainTellsEverybodyOfARise(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.AddPerson(t, "Eve")
	w.Clock.Freeze(friday)
	w.SetSteps(t, page(user(w.Bob)), page(user(eve)))
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 600`)
	w.send(t, "slow", alert.Low)
	w.Later(t, 5*time.Minute)
	equal(t, "as low", w.cycles(t), "1.0.0 Bob", "1.0.1 Eve")
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(5 * time.Minute)
	w.send(t, "down", alert.Critical)
	equal(t, "who has it is asked", w.cyclesAfter(t, 2), "1.0.1 Ada rise")
	w.tick(t, 10*time.Minute)
	equal(t, "and then everybody is told", w.cyclesAfter(t, 3), "2.0.0 Bob", "2.0.0 Eve rise")
}

// TestWhoeverWasAskedBeforeItWasLoweredIsToldOfTheNextRise: Bob was asked about a critical incident, Ada took it
// over and made it low. When it is critical again and she does not answer, Bob knows it as low.
func TestWhoeverWasAskedBeforeItWasLoweredIsToldOfTheNextRise(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Clock.Advance(time.Minute)
	w.send(t, "down", alert.Critical)
	equal(t, "Bob is asked", w.cyclesAfter(t, 1), "1.0.1 Bob rise")
	w.tick(t, time.Minute)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.tick(t, time.Minute)
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low})
	w.tick(t, time.Minute)
	w.send(t, "gone", alert.Critical)
	equal(t, "Ada is asked", w.cyclesAfter(t, 2), "1.0.1 Ada rise")
	w.tick(t, 15*time.Minute)
	equal(t, "nobody answered", w.cyclesAfter(t, 3), "2.0.0 Ada", "2.0.0 Bob rise")
}

// TestEscalatingByHandTellsEverybodyOfARise: whoever had the incident was asked about it, and asked for the
// next step instead of answering; those who were paged with it before know of less.
func TestEscalatingByHandTellsEverybodyOfARise(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.AddPerson(t, "Eve")
	w.Clock.Freeze(friday)
	w.SetSteps(t, page(user(w.Bob)), page(user(eve)))
	w.send(t, "slow", alert.Low)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(time.Minute)
	w.send(t, "down", alert.Critical)
	equal(t, "who has it is asked", w.cyclesAfter(t, 1), "1.0.1 Ada rise")
	w.Respond(t, incident.Escalate{By: pagingtest.By(w.Ada, "Ada")})
	equal(t, "the next step, and who knew it as low", w.cyclesAfter(t, 2), "2.0.1 Bob rise", "2.0.1 Eve")
}

// TestWhomNoPageReachesIsNobody: with a mail server, somebody whose only address is not confirmed would
// get no page, and those after them waited for one that had failed.
func TestWhomNoPageReachesIsNobody(t *testing.T) {
	t.Parallel()
	unconfirmed := func(t *testing.T) (*workspace, uuid.UUID) {
		t.Helper()
		w := newWorkspace(t)
		w.VerifiesMail()
		eve := w.AddPerson(t, "Eve")
		w.Exec(t, `UPDATE contact_method SET kind = 'email', verified_at = CASE WHEN user_id = $1 THEN NULL ELSE nightbell_now() END`, eve)
		w.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, w.Ada)
		w.Clock.Freeze(friday)
		return w, eve
	}
	t.Run("a step goes on at once, also in a repeat", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(eve)), page(user(w.Bob)))
		w.Exec(t, `UPDATE escalation_policy SET repeats = 1`)
		w.send(t, "down", alert.Critical)
		equal(t, "at once", w.cycles(t), "1.0.1 Bob")
		w.Later(t, 5*time.Minute)
		equal(t, "again", w.cyclesAfter(t, 1), "1.1.1 Bob")
	})
	t.Run("the last resort is the owners", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(w.Bob)))
		w.lastResort(t, eve)
		w.send(t, "down", alert.Critical)
		w.Later(t, 5*time.Minute)
		equal(t, "the last resort", w.cyclesAfter(t, 1), "1.0.0 Ada")
	})
	t.Run("escalating by hand pages the first step again", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(w.Bob)), page(user(eve)))
		w.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
		w.send(t, "down", alert.Critical)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
		w.Respond(t, incident.Escalate{By: pagingtest.By(w.Ada, "Ada")})
		if got := w.cyclesAfter(t, 1); len(got) != 1 || !strings.HasSuffix(got[0], " Bob") {
			t.Errorf("escalated by hand: %q", got)
		}
	})
}
