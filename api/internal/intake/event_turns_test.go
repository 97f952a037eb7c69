package intake_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// said is an event about a problem, as POST /v1/events makes it.
func said(action alert.Action, key, title string) alert.Received {
	r := alert.Received{
		Key: key, Status: alert.Firing, Severity: alert.High, Source: "api", Title: title, Count: 1,
		Event: &alert.Event{ID: id.New(), Action: action, By: "Checkout", IncidentDetails: []byte(`{}`), AlertDetails: []byte(`{}`)},
	}
	if action == alert.Resolve {
		r.Status = alert.Resolved
	}
	return r
}

// acceptInOrder lets requests of one event each wait in their order before anything is stored, so
// that the first transaction takes all that it may.
func (w *workspace) acceptInOrder(t *testing.T, events ...alert.Received) {
	t.Helper()
	in := intake.NewIntake(w.DB, slog.New(slog.DiscardHandler), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	answers := make(chan error, len(events))
	for i, event := range events {
		go func() { answers <- in.Accept(t.Context(), w.Route, alert.Batch{Alerts: []alert.Received{event}}) }()
		for in.Queued() <= i {
			time.Sleep(time.Millisecond)
		}
	}
	go in.Run(t.Context())
	for range events {
		if err := <-answers; err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatal(err)
		}
	}
}

func statuses(events []alert.Received) (all []string) {
	for _, event := range events {
		all = append(all, string(event.Event.Outcome.Status))
	}
	return all
}

// TestATriggerAndItsResolveAtOnceAreBothOnTheTimeline: the incident tells what happened, and ends
// resolved with nobody left to be paged.
func TestATriggerAndItsResolveAtOnceAreBothOnTheTimeline(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	events := []alert.Received{said(alert.Trigger, "db", "Orders stopped"), said(alert.Resolve, "db", "Orders flow again")}
	w.acceptInOrder(t, events...)
	expect(t, "outcomes", statuses(events), "created", "resolved")
	expect(t, "incidents", w.Incidents(t), "resolved high 1")
	expect(t, "titles", w.Texts(t, `SELECT title FROM incident WHERE org_id = $1`, w.Org), "Orders stopped")
	expect(t, "timeline", w.Kinds(t), "declared", "resolved")
	expect(t, "pages", w.Pages(t), "Ada cancelled")
	w.Clock.Advance(time.Hour)
	w.Sweep(t)
	expect(t, "pages an hour later", w.Pages(t), "Ada cancelled")
}

// TestEventsAtOnceAreStoredInTheirOrder: what comes after an end is a new problem, and pages; an
// acknowledgement finds what was opened with it; others wait for none of that.
func TestEventsAtOnceAreStoredInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	events := []alert.Received{
		said(alert.Trigger, "db", "Down"), said(alert.Acknowledge, "db", "Down"), said(alert.Trigger, "db", "Down"),
		said(alert.Resolve, "db", "Up"), said(alert.Trigger, "db", "Down again"), said(alert.Trigger, "other", "Slow"),
	}
	w.acceptInOrder(t, events...)
	expect(t, "outcomes", statuses(events), "created", "acknowledged", "deduplicated", "resolved", "created", "created")
	expect(t, "incidents", w.Texts(t, `SELECT title || ' ' || status FROM incident WHERE org_id = $1 ORDER BY number`, w.Org),
		"Down resolved", "Slow triggered", "Down again triggered")
	expect(t, "pages", w.Texts(t, `SELECT i.title || ' ' || n.state FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id
		WHERE n.org_id = $1 ORDER BY 1`, w.Org), "Down again pending", "Down cancelled", "Slow pending")
}

// TestEventsOfAnIsolatedServiceAreStoredInTheirOrder: its requests are stored together, too.
func TestEventsOfAnIsolatedServiceAreStoredInTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	poison := said(alert.Trigger, "poison", "Poison")
	poison.Event.IncidentDetails = []byte(`not JSON`)
	events := []alert.Received{poison, said(alert.Trigger, "db", "Down"), said(alert.Resolve, "db", "Up"), said(alert.Trigger, "db", "Down again")}
	w.acceptInOrder(t, events...)
	expect(t, "outcomes", statuses(events[1:]), "created", "resolved", "created")
	expect(t, "incidents", w.Texts(t, `SELECT title || ' ' || status FROM incident WHERE org_id = $1 AND title LIKE 'Down%' ORDER BY number`, w.Org),
		"Down resolved", "Down again triggered")
}

// TestAnEventAcknowledgesWhatPagesAgainInTheSameBatch: an alert of what was merged into the incident is new trouble,
// and somebody's program has it.
func TestAnEventAcknowledgesWhatPagesAgainInTheSameBatch(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(pagingtest.Began)
	first := []alert.Received{said(alert.Trigger, "db", "Down"), said(alert.Trigger, "web", "Slow")}
	w.acceptInOrder(t, first...)
	one := func(i int) uuid.UUID { return first[i].Event.Outcome.IncidentID }
	if err := w.Responder.Merge(t.Context(), w.Org, one(1), one(0), pagingtest.By(w.Ada, "Ada")); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		w.Clock.Advance(5 * time.Minute)
		w.Sweep(t)
	}
	w.Clock.Advance(time.Hour)
	const state = `SELECT status || ' ' || paging_status FROM incident WHERE org_id = $1 AND merged_into_id IS NULL`
	expect(t, "before", w.Texts(t, state, w.Org), "triggered exhausted")
	w.acceptInOrder(t, said(alert.Resolve, "web", "Fast"))
	w.Clock.Advance(time.Minute)
	mine := said(alert.Acknowledge, "db", "Down")
	w.acceptInOrder(t, said(alert.Trigger, "web", "Slow again"), mine)
	if mine.Event.Outcome.Again { // as ingest tries it again
		w.acceptInOrder(t, mine)
	}
	expect(t, "after", w.Texts(t, state, w.Org), "acknowledged stopped")
}
