package flow_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func expect(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestAnAlertPagesEscalatesAndResolves(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", began))
	expect(t, "incidents", w.incidents(t), "triggered critical 1")
	expect(t, "pages", w.pages(t), "Ada pending")
	if w.pagesHinted.Load() == 0 || w.changesHinted.Load() == 0 {
		t.Error("no hint was given after the commit")
	}
	w.sweep(t)
	expect(t, "pages before the next step is due", w.pages(t), "Ada pending")
	w.Clock.Advance(301 * time.Second)
	w.sweep(t)
	expect(t, "pages after the first step's delay", w.pages(t), "Ada pending", "Bob pending")
	w.accept(t, ended("a", "g", began))
	expect(t, "incidents", w.incidents(t), "resolved critical 1")
	expect(t, "pages", w.pages(t), "Ada cancelled", "Bob cancelled")
	expect(t, "timeline", w.kinds(t), "declared", "resolved")
	w.Clock.Advance(time.Hour)
	w.sweep(t)
	expect(t, "pages after the end", w.pages(t), "Ada cancelled", "Bob cancelled")
}

func TestAnswerStopsThePaging(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", began))
	by := incident.Actor{Kind: incident.User, ID: w.ada, Name: "Ada"}
	if err := w.responder.Respond(t.Context(), w.org, []uuid.UUID{w.onlyIncident(t)}, incident.Acknowledge{By: by}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.sweep(t)
	expect(t, "incidents", w.incidents(t), "acknowledged critical 1")
	expect(t, "pages", w.pages(t), "Ada cancelled")
	if err := w.responder.Respond(t.Context(), w.org, []uuid.UUID{w.onlyIncident(t)}, incident.Escalate{By: by}); err != nil {
		t.Fatal(err)
	}
	expect(t, "pages after escalating by hand", w.pages(t), "Ada cancelled", "Bob pending")
	expect(t, "timeline", w.kinds(t), "declared", "acknowledged", "escalated")
}

func TestAGroupIsOneIncidentAndEachAlertItsOwnRow(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", began), firing("b", "g", began))
	w.accept(t, firing("c", "g", began), firing("a", "g", began))
	expect(t, "incidents", w.incidents(t), "triggered critical 3")
	expect(t, "pages", w.pages(t), "Ada pending")
	w.accept(t, ended("a", "g", began), ended("b", "g", began))
	expect(t, "incidents", w.incidents(t), "triggered critical 3")
	w.accept(t, ended("c", "g", began))
	expect(t, "incidents", w.incidents(t), "resolved critical 3")
	expect(t, "timeline", w.kinds(t), "declared", "alert_linked", "alert_resolved", "resolved")
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrence_count) FROM alert WHERE org_id = $1`, w.org); n != 7 {
		t.Errorf("%d occurrences of 7 messages", n)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrences) FROM alert_event WHERE org_id = $1`, w.org); n != 7 {
		t.Errorf("%d events of 7 messages", n)
	}
}

func TestGroupingByAlertOpensOneIncidentEach(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.route.Grouping = catalog.ByAlert
	w.accept(t, firing("a", "g", began), firing("b", "g", began))
	expect(t, "incidents", w.incidents(t), "triggered critical 1", "triggered critical 1")
}

// Alertmanager repeats a firing alert for hours.
func TestARepeatDoesNotReopenWhatAPersonResolved(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", began))
	by := incident.Actor{Kind: incident.User, ID: w.ada, Name: "Ada"}
	if err := w.responder.Respond(t.Context(), w.org, []uuid.UUID{w.onlyIncident(t)}, incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	w.accept(t, firing("a", "g", began))
	expect(t, "incidents after a repeat", w.incidents(t), "resolved critical 1")
	w.accept(t, firing("a", "g", began.Add(time.Hour)))
	expect(t, "incidents after a new start", w.incidents(t), "resolved critical 1", "triggered critical 1")
}

func TestALaterStartOfAnOpenIncidentIsAnsweredWithIt(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", began), firing("b", "g", began))
	later := began.Add(time.Hour)
	w.accept(t, ended("a", "g", began))
	w.accept(t, firing("a", "g", later))
	by := incident.Actor{Kind: incident.User, ID: w.ada, Name: "Ada"}
	if err := w.responder.Respond(t.Context(), w.org, []uuid.UUID{w.onlyIncident(t)}, incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	w.accept(t, firing("a", "g", later))
	expect(t, "incidents after a repeat of the later start", w.incidents(t), "resolved critical 2")
}

func TestASenderThatDoesNotSayWhenItStarted(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, firing("a", "g", time.Time{}))
	w.accept(t, firing("a", "g", time.Time{}))
	expect(t, "incidents after a repeat", w.incidents(t), "triggered critical 1")
	w.accept(t, ended("a", "g", time.Time{}))
	expect(t, "incidents after the end", w.incidents(t), "resolved critical 1")
	w.accept(t, firing("a", "g", time.Time{}))
	expect(t, "incidents when it is back", w.incidents(t), "resolved critical 1", "triggered critical 1")
}

func TestAResolveThatOvertakesItsFiringWins(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.accept(t, ended("a", "g", began))
	w.accept(t, firing("a", "g", began))
	expect(t, "incidents", w.incidents(t))
	w.accept(t, firing("a", "g", began.Add(time.Minute)))
	expect(t, "incidents of the next episode", w.incidents(t), "triggered critical 1")
	w.accept(t, ended("a", "g", began))
	expect(t, "incidents after a stale resolve", w.incidents(t), "triggered critical 1")
}

func TestAWorseAlertRaisesTheSeverity(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	mild := firing("a", "g", began)
	mild.Severity = alert.Low
	w.accept(t, mild)
	w.accept(t, firing("b", "g", began))
	expect(t, "incidents", w.incidents(t), "triggered critical 2")
	expect(t, "timeline", w.kinds(t), "declared", "alert_linked", "severity_change")
}

func TestNobodyOnCallPagesTheOwners(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `DELETE FROM escalation_step WHERE policy_id = $1`, w.policy)
	w.accept(t, firing("a", "g", began))
	expect(t, "pages", w.pages(t), "Ada pending")
	if !slices.Contains(w.kinds(t), "last_resort") {
		t.Errorf("the timeline does not say so: %q", w.kinds(t))
	}
}

func TestAnUnreachablePersonCostsNoTime(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = $1`, w.ada)
	w.accept(t, firing("a", "g", began))
	w.sweep(t)
	expect(t, "pages", w.pages(t), "Bob pending")
	expect(t, "timeline", w.kinds(t), "declared", "nobody_on_call")
}

// sendUntilAccepted does as Alertmanager: what was refused with a 503 is sent again.
// On a busy machine a row may stay locked for longer than Nightbell lets a sender wait.
func (w *workspace) sendUntilAccepted(ctx context.Context, received alert.Received) error {
	for {
		err := w.intake.Accept(ctx, w.route, alert.Batch{Alerts: []alert.Received{received}})
		if !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
}

// T03: 64 senders post one key at once, two replicas take them in, others resolve.
func TestRaceForOneKeyOpensOneIncident(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	replica := &workspace{Database: w.Database, org: w.org, route: w.route}
	replica.start(t)
	const senders, keys = 32, 20
	var wait sync.WaitGroup
	var accepted [2]int
	var mu sync.Mutex
	for sender := range senders {
		wait.Go(func() {
			for key := range keys {
				name := fmt.Sprintf("k%d", key)
				received := firing(name, name, began)
				if sender%8 == 7 {
					received = ended(name, name, began.Add(-time.Minute))
				}
				at := []*workspace{w, replica}[sender%2]
				if err := at.sendUntilAccepted(t.Context(), received); err != nil {
					t.Errorf("sender %d: %v", sender, err)
				}
				mu.Lock()
				accepted[sender%2]++
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE org_id = $1`, w.org); n != keys {
		t.Errorf("%d incidents for %d keys", n, keys)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(DISTINCT effect_key) FROM notification WHERE org_id = $1`, w.org); n != keys {
		t.Errorf("%d pages for %d incidents", n, keys)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrence_count) FROM alert WHERE org_id = $1`, w.org); n != accepted[0]+accepted[1] {
		t.Errorf("%d occurrences of %d accepted messages", n, accepted[0]+accepted[1])
	}
	if n := pgtest.One[int](t, w.Database, `SELECT max(number) FROM incident WHERE org_id = $1`, w.org); n < keys {
		t.Errorf("the last number is %d", n)
	}
}

// TestNewGroupsOfManyTenantsInOneBatch numbers the incidents of each organization by
// itself, although one transaction opens them.
func TestNewGroupsOfManyTenantsInOneBatch(t *testing.T) {
	w := newWorkspace(t)
	routes := []catalog.Route{w.route}
	for range 2 {
		w.fill(t)
		routes = append(routes, w.route)
	}
	var senders sync.WaitGroup
	done := w.intake.Expect() // keeps the batch open for a moment
	for n := range 30 {
		senders.Go(func() {
			key := fmt.Sprint("k", n)
			if err := w.intake.Accept(t.Context(), routes[n%3], alert.Batch{Alerts: []alert.Received{firing(key, key, began)}}); err != nil {
				t.Error(err)
			}
		})
	}
	senders.Wait()
	done()
	for _, route := range routes {
		numbers := pgtest.One[[]int32](t, w.Database, `SELECT array_agg(number ORDER BY number) FROM incident WHERE org_id = $1`, route.OrgID)
		linked := pgtest.One[int](t, w.Database, `SELECT count(*) FROM alert a JOIN incident i ON i.org_id = a.org_id AND i.id = a.incident_id
			WHERE a.org_id = $1 AND a.incident_starts_at = a.starts_at`, route.OrgID)
		if !slices.Equal(numbers, []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) || linked != 10 {
			t.Errorf("incidents have the numbers %v, %d alerts are theirs", numbers, linked)
		}
	}
}
