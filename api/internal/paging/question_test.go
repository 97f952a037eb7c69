package paging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

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
		{"and does not, in the time of the policy", false, 600, 10 * time.Minute},
		{"and does not, while the policy gives a day to resolve it", false, 86400, 15 * time.Minute},
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
