package paging_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationrpc"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// quietFrom makes the policy quiet for critical incidents from a minute of the day to another.
func (w *workspace) quietFrom(t *testing.T, from, to int) {
	t.Helper()
	w.Exec(t, `UPDATE escalation_policy SET quiet = jsonb_build_array(jsonb_build_object('severities', jsonb_build_array('critical'),
		'windows', jsonb_build_array(jsonb_build_object('days', jsonb_build_array(), 'from', $1::integer, 'to', $2::integer))))`, from, to)
}

// acknowledgedLow opens a low incident at 22:00 that Bob acknowledges.
func (w *workspace) acknowledgedLow(t *testing.T) {
	t.Helper()
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
	w.Clock.Advance(time.Second)
}

// TestMaintenanceHoldsTheQuestionToConfirm: an acknowledged incident becomes critical while
// maintenance holds the pages of its service. Whoever has it is asked when that is over.
func TestMaintenanceHoldsTheQuestionToConfirm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		then func(t *testing.T, w *workspace)
		want []string
	}{
		{"until it ends", func(t *testing.T, w *workspace) {
			w.tick(t, time.Hour-time.Second)
		}, []string{"1.0.0 Ada", "1.0.1 Bob rise"}},
		{"until another one ends", func(t *testing.T, w *workspace) {
			w.AddMaintenance(t, friday.Add(30*time.Minute), friday.Add(2*time.Hour), "More", w.Service)
			w.tick(t, time.Hour-time.Second)
			equal(t, "after the first one", w.cycles(t), "1.0.0 Ada")
			w.tick(t, time.Hour)
		}, []string{"1.0.0 Ada", "1.0.1 Bob rise"}},
		{"and is ended early", func(t *testing.T, w *workspace) {
			w.tick(t, 20*time.Minute)
			equal(t, "before", w.cycles(t), "1.0.0 Ada")
			for _, window := range w.Texts(t, `SELECT id::text FROM maintenance_window WHERE org_id = $1`, w.Org) {
				w.endMaintenance(t, uuidOf(t, window))
			}
			w.tick(t, time.Second)
		}, []string{"1.0.0 Ada", "1.0.1 Bob rise"}},
		{"and is confirmed before anybody asks", func(t *testing.T, w *workspace) {
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
			equal(t, "timers", w.timers(t))
			w.tick(t, 3*time.Hour)
		}, []string{"1.0.0 Ada"}},
		{"and is handed on", func(t *testing.T, w *workspace) {
			w.Respond(t, incident.Escalate{By: pagingtest.By(w.Bob, "Bob")})
			equal(t, "timers", w.timers(t))
		}, []string{"1.0.0 Ada", "2.0.1 Ada rise", "2.0.1 Bob"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.acknowledgedLow(t)
			w.AddMaintenance(t, friday, friday.Add(time.Hour), "Moving the disks", w.Service)
			w.send(t, "down", alert.Critical)
			equal(t, "in maintenance", w.cycles(t), "1.0.0 Ada")
			equal(t, "timers", w.timers(t), "confirm_request")
			equal(t, "said", w.Said(t, "held"), "Pages are held until 23:00 UTC: Moving the disks.")
			test.then(t, w)
			equal(t, "paged", w.cycles(t), test.want...)
		})
	}
}

// TestNobodyAnswersAfterMaintenance: the time to confirm begins when somebody is asked.
func TestNobodyAnswersAfterMaintenance(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.acknowledgedLow(t)
	w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work", w.Service)
	w.send(t, "down", alert.Critical)
	w.tick(t, time.Hour-time.Second)
	w.tick(t, 15*time.Minute-time.Second)
	equal(t, "in time", w.Incidents(t), "acknowledged critical 2")
	w.tick(t, time.Second)
	equal(t, "too late", w.Incidents(t), "triggered critical 2")
	equal(t, "paged", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise", "2.0.0 Ada")
}

// TestARiseInAQuietTimeIsAskedAboutWhenItEnds: by night the policy pages nobody for critical
// incidents, and the timeline says when somebody is asked.
func TestARiseInAQuietTimeIsAskedAboutWhenItEnds(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 22*60, 6*60)
	w.acknowledgedLow(t)
	w.send(t, "down", alert.Critical)
	equal(t, "said", w.Said(t, "held"), "Pages are held until Sat 06:00 UTC: Default pages nobody for critical incidents until then.")
	w.tick(t, 8*time.Hour-2*time.Second)
	equal(t, "by night", w.cycles(t), "1.0.0 Ada")
	w.tick(t, time.Second)
	equal(t, "in the morning", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
	w.tick(t, 15*time.Minute)
	equal(t, "nobody confirmed", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise", "2.0.0 Ada")
}

// TestTimersThatPageWaitForTheEndOfAQuietTime: one that was set by an earlier rise, and that of
// a forgotten acknowledgement, fire while the policy is quiet. Until it ends the incident stays
// with whoever has it; then the policy pages, and it does not end with nobody.
func TestTimersThatPageWaitForTheEndOfAQuietTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		timeout   int
		severity  alert.Severity
		before    []string
		paging    []string
		timesHeld int
	}{
		{"nobody confirmed a rise", 0, alert.High, []string{"1.0.0 Ada", "1.0.1 Bob"}, []string{"1.0.0 Ada", "1.0.1 Bob", "2.0.0 Ada", "2.0.0 Bob rise"}, 2},
		{"nobody resolved it", 900, alert.Low, []string{"1.0.0 Ada"}, []string{"1.0.0 Ada", "2.0.0 Ada"}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.quietFrom(t, 22*60+10, 6*60)
			w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = $1`, test.timeout)
			w.acknowledgedLow(t)
			if test.severity != alert.Low {
				w.send(t, "worse", test.severity)
			}
			equal(t, "asked", w.cycles(t), test.before...)
			w.tick(t, 12*time.Minute)
			w.send(t, "down", alert.Critical) // in the quiet time
			w.tick(t, 4*time.Minute)          // the timer fires
			equal(t, "by night", w.cycles(t), test.before...)
			if got := w.Incidents(t)[0][:21]; got != "acknowledged critical" {
				t.Errorf("by night it is %s", got)
			}
			if held := w.Said(t, "held"); len(held) != test.timesHeld || held[0] != "Pages are held until Sat 06:00 UTC: Default pages nobody for critical incidents until then." {
				t.Errorf("said %q", held)
			}
			w.tick(t, 8*time.Hour)
			equal(t, "in the morning", w.cycles(t), test.paging...)
			if got := w.Incidents(t)[0][:18]; got != "triggered critical" {
				t.Errorf("in the morning it is %s", got)
			}
			w.tick(t, 5*time.Minute)
			equal(t, "the steps follow", w.cycles(t)[len(test.paging):], "2.0.1 Bob")
		})
	}
}

// TestARiseOfATriggeredIncidentInAQuietTimeIsSaid: nobody is told, and the timeline says why.
func TestARiseOfATriggeredIncidentInAQuietTimeIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 22*60, 22*60+3)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.tick(t, time.Minute)
	w.send(t, "down", alert.Critical)
	equal(t, "in the quiet time", w.cycles(t), "1.0.0 Ada")
	equal(t, "said", w.Said(t, "pages_nobody"), "Default pages nobody for critical incidents at this time (Friday 22:01 in UTC).")
	w.tick(t, 4*time.Minute)
	equal(t, "with the next step", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise", "1.0.1 Bob")
}

// TestWhatMaintenanceHeldIntoAQuietTimeIsPagedWhenThatEnds and not given up.
func TestWhatMaintenanceHeldIntoAQuietTimeIsPagedWhenThatEnds(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 23*60, 6*60)
	w.Clock.Freeze(friday)
	w.AddMaintenance(t, friday, friday.Add(2*time.Hour), "Work", w.Service)
	w.send(t, "down", alert.Critical)
	w.tick(t, 2*time.Hour)
	equal(t, "by night", w.cycles(t))
	equal(t, "said", w.Said(t, "held"), "Pages are held until Sat 00:00 UTC: Work.",
		"Pages are held until 06:00 UTC: Default pages nobody for critical incidents until then.")
	w.tick(t, 6*time.Hour)
	equal(t, "in the morning", w.cycles(t), "1.0.0 Ada")
}

// TestEditedQuietTimesReleaseWhatWaitedForTheOldOnes: somebody who finds that the policy is quiet
// too long takes the quiet time away, and what was to be paged in the morning is paged now.
func TestEditedQuietTimesReleaseWhatWaitedForTheOldOnes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 23*60, 6*60)
	w.Clock.Freeze(friday)
	w.AddMaintenance(t, friday, friday.Add(2*time.Hour), "Work", w.Service)
	w.send(t, "down", alert.Critical)
	w.tick(t, 2*time.Hour)
	equal(t, "by night", w.cycles(t))
	w.editQuiet(t)
	w.tick(t, time.Second)
	equal(t, "once it is not quiet", w.cycles(t), "1.0.0 Ada")
}

// TestEditedQuietTimesReleaseTheQuestionToConfirm: the same for an incident that somebody has.
func TestEditedQuietTimesReleaseTheQuestionToConfirm(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 22*60, 6*60)
	w.acknowledgedLow(t)
	w.send(t, "down", alert.Critical)
	w.tick(t, time.Hour)
	equal(t, "by night", w.cycles(t), "1.0.0 Ada")
	w.editQuiet(t, &nightbellv1.EscalationQuiet{Severities: []string{"critical"}, Windows: []*nightbellv1.TimeWindow{{From: "22:00", To: "23:30"}}})
	w.tick(t, time.Second)
	equal(t, "still quiet", w.cycles(t), "1.0.0 Ada")
	w.tick(t, 30*time.Minute)
	equal(t, "at the new end", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
}

// editQuiet sends the policy with other quiet times, as its editor does.
func (w *workspace) editQuiet(t *testing.T, quiet ...*nightbellv1.EscalationQuiet) {
	t.Helper()
	ctx := auth.WithActor(t.Context(), auth.Actor{Kind: auth.User, UserID: w.Ada, OrgID: w.Org, Role: auth.Owner})
	_, err := escalationrpc.New(w.DB, true).UpdateEscalationPolicy(ctx, &nightbellv1.UpdateEscalationPolicyRequest{
		Id: w.Texts(t, `SELECT id::text FROM escalation_policy WHERE org_id = $1`, w.Org)[0], Quiet: quiet,
		UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"quiet"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func uuidOf(t *testing.T, text string) uuid.UUID {
	t.Helper()
	id, err := uuid.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestMediumInWorkingHoursOnly is the row of the documentation's table (concepts/escalation.mdx): hours of a step
// alone leave the other hours to the last resort.
func TestMediumInWorkingHoursOnly(t *testing.T) {
	t.Parallel()
	const otherHours = `[{"severities": ["medium"], "windows": [{"days": [], "from": 1020, "to": 540}, {"days": [6, 0], "from": 540, "to": 1020}]}]`
	monday, saturday := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), friday.Add(14*time.Hour)
	for _, test := range []struct {
		name     string
		quiet    string
		at       time.Time
		severity alert.Severity
		want     string
	}{
		{"at night, by the step alone", "[]", friday, alert.Medium, "[0.1 Ada] and 1 times the last resort"},
		{"at night", otherHours, friday, alert.Medium, "[] and 0 times the last resort"},
		{"on Saturday at noon", otherHours, saturday, alert.Medium, "[] and 0 times the last resort"},
		{"on Monday at nine", otherHours, monday, alert.Medium, "[0.1 Bob] and 0 times the last resort"},
		{"worse, at night", otherHours, friday, alert.High, "[0.0 Bob] and 0 times the last resort"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET quiet = $1`, test.quiet)
			high, medium := page(user(w.Bob)), page(user(w.Bob))
			high.Severities, medium.Severities = []string{"critical", "high"}, []string{"medium"}
			medium.Windows = []pagingtest.Window{{Days: []int{1, 2, 3, 4, 5}, From: 540, To: 1020}}
			w.SetSteps(t, high, medium)
			w.Clock.Freeze(test.at)
			w.send(t, "disk", test.severity)
			w.tick(t, time.Second)
			if got := fmt.Sprint(w.Paged(t), " and ", len(w.Said(t, "last_resort")), " times the last resort"); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
