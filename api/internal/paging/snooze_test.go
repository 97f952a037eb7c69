package paging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

func TestASnoozedIncidentPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ada, bob := pagingtest.By(w.Ada, "Ada"), pagingtest.By(w.Bob, "Bob")
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Sweep(t)
	w.Respond(t, incident.Snooze{By: ada, For: 2 * time.Hour})
	equal(t, "snoozed", w.Incidents(t), "acknowledged critical 1")
	w.tick(t, time.Hour)
	w.Respond(t, incident.Snooze{By: bob, For: 90 * time.Minute}) // begins again
	w.tick(t, 89*time.Minute)
	equal(t, "until then nobody is paged", w.Paged(t), "0.0 Ada")
	w.tick(t, time.Minute)
	equal(t, "paged again from the first step", w.Paged(t), "0.0 Ada", "0.0 Ada")
	equal(t, "said", w.Said(t, "ack_timeout"), "Snoozed 1 hour and 30 minutes ago by Bob and not resolved: paging again.")
	equal(t, "timers", w.timers(t))

	// A shorter snooze ends sooner than a longer one before it.
	w.Respond(t, incident.Snooze{By: ada, For: 24 * time.Hour})
	w.Respond(t, incident.Snooze{By: ada, For: 10 * time.Minute})
	w.tick(t, 10*time.Minute)
	equal(t, "paged after the shorter one", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.0 Ada")

	// Neither a program nor whoever snoozed it ends the snooze by acknowledging once more.
	w.Respond(t, incident.Snooze{By: ada, For: 10 * time.Minute})
	w.Respond(t, incident.Acknowledge{By: ada})
	w.Respond(t, incident.Acknowledge{By: incident.Actor{Kind: incident.APIKey, Name: "bot"}})
	w.tick(t, 10*time.Minute)
	equal(t, "paged all the same", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.0 Ada", "0.0 Ada")

	// Whoever acknowledges has it: without a limit of the policy it is theirs for good.
	w.Respond(t, incident.Snooze{By: ada, For: 10 * time.Minute})
	w.Respond(t, incident.Acknowledge{By: bob})
	w.tick(t, time.Hour)
	equal(t, "acknowledged", w.Incidents(t), "acknowledged critical 1")
	w.Respond(t, incident.Snooze{By: ada, For: 10 * time.Minute})
	w.Respond(t, incident.Resolve{By: ada})
	equal(t, "timers of what is resolved", w.timers(t))
}

func TestASnoozeAndTheLimitOfAnAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(friday)
	ada := pagingtest.By(w.Ada, "Ada")
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Respond(t, incident.Acknowledge{By: ada})
	w.Respond(t, incident.Snooze{By: ada, For: 3 * time.Hour})
	w.tick(t, 170*time.Minute)
	equal(t, "snoozed for longer than the limit", w.Incidents(t), "acknowledged critical 1")
	// The limit counts from the acknowledgement that ends the snooze, and not from the end it had.
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.tick(t, 29*time.Minute)
	equal(t, "within the limit", w.Incidents(t), "acknowledged critical 1")
	w.tick(t, time.Minute)
	equal(t, "after it", w.Incidents(t), "triggered critical 1")

	w.Respond(t, incident.Snooze{By: ada, For: 24 * time.Hour})
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.tick(t, 30*time.Minute)
	equal(t, "the limit after a snooze that would have ended later", w.Incidents(t), "triggered critical 1")
}

func TestASnoozeWithoutAPolicyEnds(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Exec(t, `UPDATE org SET default_policy_id = NULL; DELETE FROM escalation_policy`)
	w.Respond(t, incident.Snooze{By: pagingtest.By(w.Ada, "Ada"), For: time.Hour})
	w.tick(t, time.Hour)
	equal(t, "incident", w.Incidents(t), "triggered critical 1")
}

func TestARiseWakesASnoozedIncident(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	low := pagingtest.Firing("cpu", "", pagingtest.Began)
	low.Severity = alert.Low
	w.Accept(t, low)
	w.Sweep(t)
	w.Respond(t, incident.Snooze{By: pagingtest.By(w.Ada, "Ada"), For: 24 * time.Hour})
	before := len(w.Paged(t))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	if got := w.Paged(t); len(got) != before+1 {
		t.Fatalf("whoever snoozed it as low was not told that it is critical: %q", got)
	}
	w.tick(t, 15*time.Minute)
	equal(t, "without an answer the policy pages", w.Incidents(t), "triggered critical 1")
}

// TestALoweredSeverityHoldsAgainstRepeats: a monitoring system says the same every few minutes, and
// raised what a person had just lowered. What is new raises it.
func TestALoweredSeverityHoldsAgainstRepeats(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ada := pagingtest.By(w.Ada, "Ada")
	high := pagingtest.Firing("cpu", "", pagingtest.Began)
	high.Severity = alert.High
	w.Accept(t, high)
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Low})
	w.Accept(t, high)
	equal(t, "a repeat", w.Incidents(t), "triggered low 1")
	worse := high
	worse.Severity = alert.Critical
	w.Accept(t, worse)
	equal(t, "the alert became worse", w.Incidents(t), "triggered critical 1")
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Medium})
	w.Accept(t, worse)
	equal(t, "a repeat of that", w.Incidents(t), "triggered medium 1")
	// A person who raises it again means it, and lowering from there is lowering too.
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Critical})
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Low})
	w.Accept(t, worse)
	equal(t, "a repeat after up and down", w.Incidents(t), "triggered low 1")
}

// TestAnAlertThatEndedAndFiresAgainIsNoRepeat: somebody lowered the incident of two alerts, one of them
// ended, and was back as critical six hours later. Nobody was told.
func TestAnAlertThatEndedAndFiresAgainIsNoRepeat(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ada := pagingtest.By(w.Ada, "Ada")
	again := pagingtest.Firing("cpu", "node", pagingtest.Began)
	w.Accept(t, again, pagingtest.Firing("disk", "node", pagingtest.Began))
	w.Sweep(t)
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Low})
	w.Respond(t, incident.Acknowledge{By: ada})
	ended := again
	ended.Status, ended.EndsAt = alert.Resolved, pagingtest.Began.Add(time.Hour)
	w.Accept(t, ended)
	before := len(w.Paged(t))
	again.StartsAt = pagingtest.Began.Add(6 * time.Hour)
	w.Clock.Advance(6 * time.Hour)
	w.Accept(t, again)
	equal(t, "incident", w.Incidents(t), "acknowledged critical 2")
	if got := w.Paged(t); len(got) != before+1 {
		t.Errorf("nobody was told: %q", got)
	}
}

// TestWhatWasSnoozedAsLowIsToldAsCritical, also when somebody had acknowledged it as critical before.
func TestWhatWasSnoozedAsLowIsToldAsCritical(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ada, bob := pagingtest.By(w.Ada, "Ada"), pagingtest.By(w.Bob, "Bob")
	w.Accept(t, pagingtest.Firing("cpu", "node", pagingtest.Began))
	w.Sweep(t)
	w.Respond(t, incident.Acknowledge{By: ada})
	w.Respond(t, incident.ChangeSeverity{By: ada, To: alert.Low})
	w.Respond(t, incident.Snooze{By: bob, For: 7 * 24 * time.Hour})
	before := len(w.Paged(t))
	w.Accept(t, pagingtest.Firing("disk", "node", pagingtest.Began))
	if got := w.Paged(t); len(got) != before+1 {
		t.Errorf("nobody was told: %q", got)
	}
	// A program that acknowledges the rise does not let it sleep for good.
	w.Respond(t, incident.Acknowledge{By: incident.Actor{Kind: incident.APIKey, Name: "bot"}})
	w.tick(t, 7*24*time.Hour)
	equal(t, "after the snooze", w.Incidents(t), "triggered critical 2")
}

// TestALoweredSeverityHoldsAgainstTheSameEvent: a program that sends the same event every few minutes
// raised what a person had just lowered. Each event has a time of its own, and so looked like new trouble.
func TestALoweredSeverityHoldsAgainstTheSameEvent(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	send := func(action alert.Action, severity alert.Severity) {
		event := alert.Received{
			Key: "orders", Status: alert.Firing, Severity: severity, Source: "api", Title: "Orders stopped", Count: 1,
			Event: &alert.Event{ID: uuid.New(), Action: action, IncidentDetails: []byte("{}"), AlertDetails: []byte("{}")},
		}
		if action == alert.Resolve {
			event.Status = alert.Resolved
		}
		w.Clock.Advance(time.Minute)
		w.Accept(t, event)
	}
	send(alert.Trigger, alert.High)
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low})
	send(alert.Trigger, alert.High)
	send(alert.Trigger, alert.High)
	equal(t, "the same", w.Incidents(t), "triggered low 1")
	equal(t, "paged", w.cycles(t), "1.0.0 Ada")
	send(alert.Trigger, alert.Critical)
	equal(t, "a worse one", w.Incidents(t), "triggered critical 1")
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Ada, "Ada"), To: alert.Low})
	send(alert.Trigger, alert.Critical)
	equal(t, "the same again", w.Incidents(t), "triggered low 1")
}
