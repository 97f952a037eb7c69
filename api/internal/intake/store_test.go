package intake_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
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
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "triggered critical 1")
	expect(t, "pages", w.Pages(t), "Ada pending")
	if w.PagesHinted.Load() == 0 || w.ChangesHinted.Load() == 0 {
		t.Error("no hint was given after the commit")
	}
	w.Sweep(t)
	expect(t, "pages before the next step is due", w.Pages(t), "Ada pending")
	w.Clock.Advance(301 * time.Second)
	w.Sweep(t)
	expect(t, "pages after the first step's delay", w.Pages(t), "Ada pending", "Bob pending")
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "resolved critical 1")
	expect(t, "pages", w.Pages(t), "Ada cancelled", "Bob cancelled")
	expect(t, "timeline", w.Kinds(t), "declared", "escalated", "resolved")
	w.Clock.Advance(time.Hour)
	w.Sweep(t)
	expect(t, "pages after the end", w.Pages(t), "Ada cancelled", "Bob cancelled")
}

func TestAnswerStopsThePaging(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	by := incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{w.OnlyIncident(t)}, incident.Acknowledge{By: by}); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	w.Sweep(t)
	expect(t, "incidents", w.Incidents(t), "acknowledged critical 1")
	expect(t, "pages", w.Pages(t), "Ada cancelled")
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{w.OnlyIncident(t)}, incident.Escalate{By: by}); err != nil {
		t.Fatal(err)
	}
	expect(t, "pages after escalating by hand", w.Pages(t), "Ada cancelled", "Bob pending")
	expect(t, "timeline", w.Kinds(t), "declared", "acknowledged", "escalated")
}

func TestAGroupIsOneIncidentAndEachAlertItsOwnRow(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began), pagingtest.Firing("b", "g", pagingtest.Began))
	w.Accept(t, pagingtest.Firing("c", "g", pagingtest.Began), pagingtest.Firing("a", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "triggered critical 3")
	expect(t, "pages", w.Pages(t), "Ada pending")
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began), pagingtest.Ended("b", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "triggered critical 3")
	w.Accept(t, pagingtest.Ended("c", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "resolved critical 3")
	expect(t, "timeline", w.Kinds(t), "declared", "alert_linked", "alert_resolved", "resolved")
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrence_count) FROM alert WHERE org_id = $1`, w.Org); n != 7 {
		t.Errorf("%d occurrences of 7 messages", n)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrences) FROM alert_event WHERE org_id = $1`, w.Org); n != 7 {
		t.Errorf("%d events of 7 messages", n)
	}
}

// TestAnAlertWhoseClockWasHoursAheadIsHeardAgain: its start was local time sent as UTC, and the clock was set right while
// it fired. Whatever its host said for the next five hours was taken for old, and no incident told of it.
func TestAnAlertWhoseClockWasHoursAheadIsHeardAgain(t *testing.T) {
	t.Parallel()
	after := func(minutes int) time.Time { return pagingtest.Began.Add(time.Duration(minutes) * time.Minute) }
	began := func(t *testing.T) *workspace {
		t.Helper()
		w := newWorkspace(t)
		w.Clock.Freeze(pagingtest.Began)
		w.Accept(t, pagingtest.Firing("a", "g", after(300)))
		w.Clock.Freeze(after(10))
		w.Accept(t, pagingtest.Firing("a", "g", after(10)))
		expect(t, "incidents while it fires", w.Incidents(t), "triggered critical 1")
		return w
	}
	t.Run("after it ended", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Clock.Freeze(after(16))
		w.Accept(t, pagingtest.Ended("a", "g", after(10)))
		w.Accept(t, pagingtest.Firing("a", "g", after(10)))
		expect(t, "incidents after its end", w.Incidents(t), "resolved critical 1")
		w.Clock.Freeze(after(60))
		w.Accept(t, pagingtest.Firing("a", "g", after(59)))
		expect(t, "incidents", w.Incidents(t), "resolved critical 1", "triggered critical 1")
	})
	t.Run("after a person resolved it", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
		w.Clock.Freeze(after(16))
		w.Accept(t, pagingtest.Firing("a", "g", after(10)))
		w.Accept(t, pagingtest.Firing("a", "g", after(300)))
		expect(t, "incidents while it fires on", w.Incidents(t), "resolved critical 1")
		w.Clock.Freeze(after(60))
		w.Accept(t, pagingtest.Firing("a", "g", after(59)))
		w.Accept(t, pagingtest.Firing("a", "g", after(59)))
		expect(t, "incidents", w.Incidents(t), "resolved critical 1", "triggered critical 1")
	})
}

// TestACountThatIsFullRefusesNothing: the sum of what the events about a problem stand for left PostgreSQL's integer,
// and each further event about it was refused as undecodable.
func TestACountThatIsFullRefusesNothing(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	triggered := func() alert.Received {
		r := event(alert.Trigger, time.Time{})
		r.Count = 1_000_000
		return r
	}
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, triggered())
	w.Exec(t, `UPDATE alert SET occurrence_count = 2147000000 WHERE org_id = $1`, w.Org)
	for _, later := range []alert.Received{triggered(), event(alert.Resolve, time.Time{}), triggered()} {
		w.Clock.Advance(time.Hour)
		w.Accept(t, later)
	}
	expect(t, "incidents", w.Incidents(t), "resolved high 1", "triggered high 1")
	if n := pgtest.One[int](t, w.Database, `SELECT occurrence_count FROM alert WHERE org_id = $1`, w.Org); n != 2_147_483_647 {
		t.Errorf("%d occurrences, want as many as the column can say", n)
	}
}

func TestGroupingByAlertOpensOneIncidentEach(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Route.Grouping = catalog.ByAlert
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began), pagingtest.Firing("b", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "triggered critical 1", "triggered critical 1")
}

// Alertmanager repeats a firing alert for hours.
func TestARepeatDoesNotReopenWhatAPersonResolved(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	by := incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{w.OnlyIncident(t)}, incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	expect(t, "incidents after a repeat", w.Incidents(t), "resolved critical 1")
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began.Add(time.Hour)))
	expect(t, "incidents after a new start", w.Incidents(t), "resolved critical 1", "triggered critical 1")
}

// TestAnAlertThatFiresAgainWithItsOldStart: Alertmanager ended it for want of news from Prometheus, and when the
// two had found each other again said once more that it fires. It was taken for a copy from before its end.
func TestAnAlertThatFiresAgainWithItsOldStart(t *testing.T) {
	t.Parallel()
	fires := func(key string) alert.Received { return pagingtest.Firing(key, "g", pagingtest.Began) }
	ends := func(key string) alert.Received { return pagingtest.Ended(key, "g", pagingtest.Began) }
	began := func(t *testing.T) *workspace {
		t.Helper()
		w := newWorkspace(t)
		w.Clock.Freeze(pagingtest.Began.Add(time.Minute))
		w.Accept(t, fires("a"), fires("b"))
		return w
	}
	t.Run("after the incident resolved with it", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Accept(t, ends("a"), ends("b"))
		w.Clock.Advance(25 * time.Second)
		w.Accept(t, ends("a"))
		w.Accept(t, fires("a"))
		expect(t, "incidents after a copy", w.Incidents(t), "resolved critical 2")
		w.Clock.Advance(time.Second)
		w.Accept(t, fires("a"))
		expect(t, "incidents", w.Incidents(t), "resolved critical 2", "triggered critical 1")
		w.Accept(t, fires("b"))
		expect(t, "incidents with the other one", w.Incidents(t), "resolved critical 2", "triggered critical 2")
	})
	t.Run("while others keep the incident open", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Accept(t, ends("a"))
		w.Clock.Advance(time.Minute)
		w.Accept(t, fires("a"))
		w.Accept(t, ends("b"))
		expect(t, "incidents", w.Incidents(t), "triggered critical 2")
	})
	t.Run("after a message named another group for it", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		regrouped := func(received alert.Received, group string) alert.Received { received.Group = group; return received }
		w.Accept(t, regrouped(fires("b"), "h"))
		w.Accept(t, regrouped(ends("a"), "h"))
		expect(t, "incidents while it goes on", w.Incidents(t), "triggered critical 2")
		w.Clock.Advance(time.Minute)
		w.Accept(t, regrouped(fires("a"), "h"))
		expect(t, "incidents", w.Incidents(t), "triggered critical 2", "triggered critical 1")
		w.Accept(t, regrouped(fires("a"), "h"))
		w.Accept(t, pagingtest.Firing("c", "h", pagingtest.Began))
		expect(t, "incidents with another of the new group", w.Incidents(t), "triggered critical 2", "triggered critical 2")
	})
	t.Run("after a person resolved it while it fired", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
		w.Clock.Advance(time.Minute)
		w.Accept(t, ends("a"), ends("b"))
		w.Clock.Advance(time.Minute)
		w.Accept(t, fires("a"))
		expect(t, "incidents", w.Incidents(t), "resolved critical 2")
	})
	t.Run("after a person resolved what was left of it", func(t *testing.T) {
		t.Parallel()
		w := began(t)
		w.Accept(t, ends("a"))
		w.Clock.Advance(time.Minute)
		w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
		w.Clock.Advance(time.Minute)
		w.Accept(t, fires("a"))
		expect(t, "incidents", w.Incidents(t), "resolved critical 2", "triggered critical 1")
	})
}

// TestAnEndWithAnEarlierStart: an Alertmanager that was restarted during an outage told the start of the younger
// Prometheus, and at the end that of the older. The incident stayed open for good, and took in the next outage.
func TestAnEndWithAnEarlierStart(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(pagingtest.Began.Add(time.Hour))
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began.Add(20*time.Second)))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began)) // forty seconds after the later one
	expect(t, "incidents after the end", w.Incidents(t), "resolved critical 1")
	w.Clock.Advance(time.Hour)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began.Add(time.Hour+59*time.Minute)))
	expect(t, "incidents after the next outage", w.Incidents(t), "resolved critical 1", "triggered critical 1")
}

// TestAnAlertThatFiresAgainWhileTheIncidentResolves: the end of the last alert that fired is being stored by
// another transaction, so the incident that the one that fires again belongs to is open only for a moment more.
func TestAnAlertThatFiresAgainWhileTheIncidentResolves(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began), pagingtest.Firing("b", "g", pagingtest.Began))
	w.Accept(t, pagingtest.Ended("b", "g", pagingtest.Began))
	watching, done := w.Owner(t), make(chan struct{})
	err := w.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE alert SET status = 'resolved', last_seen_at = nightbell_now() WHERE org_id = $1 AND alert_key = 'a'`, w.Org); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now(), paging_status = 'stopped', paging_due_at = NULL WHERE org_id = $1`, w.Org); err != nil {
			return err
		}
		go func() {
			defer close(done)
			w.Accept(t, pagingtest.Firing("b", "g", pagingtest.Began.Add(time.Hour)))
		}()
		for waits := false; !waits; {
			select {
			case <-done:
				return nil
			default:
			}
			err := watching.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
			if err != nil {
				return err
			}
		}
		return nil
	})
	<-done
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "incidents", w.Incidents(t), "resolved critical 2", "triggered critical 1")
}

func TestALaterStartOfAnOpenIncidentIsAnsweredWithIt(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began), pagingtest.Firing("b", "g", pagingtest.Began))
	later := pagingtest.Began.Add(time.Hour)
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began))
	w.Accept(t, pagingtest.Firing("a", "g", later))
	by := incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{w.OnlyIncident(t)}, incident.Resolve{By: by}); err != nil {
		t.Fatal(err)
	}
	w.Accept(t, pagingtest.Firing("a", "g", later))
	expect(t, "incidents after a repeat of the later start", w.Incidents(t), "resolved critical 2")
}

func TestASenderThatDoesNotSayWhenItStarted(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("a", "g", time.Time{}))
	w.Accept(t, pagingtest.Firing("a", "g", time.Time{}))
	expect(t, "incidents after a repeat", w.Incidents(t), "triggered critical 1")
	w.Accept(t, pagingtest.Ended("a", "g", time.Time{}))
	expect(t, "incidents after the end", w.Incidents(t), "resolved critical 1")
	w.Accept(t, pagingtest.Firing("a", "g", time.Time{}))
	expect(t, "incidents when it is back", w.Incidents(t), "resolved critical 1", "triggered critical 1")
}

func TestAResolveThatOvertakesItsFiringWins(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began))
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t))
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began.Add(time.Minute)))
	expect(t, "incidents of the next episode", w.Incidents(t), "triggered critical 1")
	w.Accept(t, pagingtest.Ended("a", "g", pagingtest.Began))
	expect(t, "incidents after a stale resolve", w.Incidents(t), "triggered critical 1")
}

func TestAWorseAlertRaisesTheSeverity(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	mild := pagingtest.Firing("a", "g", pagingtest.Began)
	mild.Severity = alert.Low
	w.Accept(t, mild)
	w.Accept(t, pagingtest.Firing("b", "g", pagingtest.Began))
	expect(t, "incidents", w.Incidents(t), "triggered critical 2")
	expect(t, "timeline", w.Kinds(t), "declared", "alert_linked", "severity_change")
}

func TestNobodyOnCallPagesTheOwners(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `DELETE FROM escalation_step WHERE policy_id = $1`, w.Policy)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	expect(t, "pages", w.Pages(t), "Ada pending")
	if !slices.Contains(w.Kinds(t), "last_resort") {
		t.Errorf("the timeline does not say so: %q", w.Kinds(t))
	}
}

func TestAnUnreachablePersonCostsNoTime(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = $1`, w.Ada)
	w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
	w.Sweep(t)
	expect(t, "pages", w.Pages(t), "Bob pending")
	expect(t, "timeline", w.Kinds(t), "declared", "nobody_on_call")
}

// sendUntilAccepted does as Alertmanager: what was refused with a 503 is sent again.
// On a busy machine a row may stay locked for longer than Nightbell lets a sender wait.
func (w *workspace) sendUntilAccepted(ctx context.Context, received alert.Received) error {
	for {
		err := w.Intake.Accept(ctx, w.Route, alert.Batch{Alerts: []alert.Received{received}})
		if !fault.Is(err, fault.Unavailable) {
			return err
		}
	}
}

// T03: 64 senders post one key at once, two replicas take them in, others resolve.
func TestRaceForOneKeyOpensOneIncident(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	replica := &workspace{&pagingtest.Workspace{Database: w.Database, Org: w.Org, Route: w.Route}}
	replica.Start(t)
	const senders, keys = 32, 20
	var wait sync.WaitGroup
	var accepted [2]int
	var mu sync.Mutex
	for sender := range senders {
		wait.Go(func() {
			for key := range keys {
				name := fmt.Sprintf("k%d", key)
				received := pagingtest.Firing(name, name, pagingtest.Began)
				if sender%8 == 7 {
					received = pagingtest.Ended(name, name, pagingtest.Began.Add(-time.Minute))
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
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE org_id = $1`, w.Org); n != keys {
		t.Errorf("%d incidents for %d keys", n, keys)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(DISTINCT effect_key) FROM notification WHERE org_id = $1`, w.Org); n != keys {
		t.Errorf("%d pages for %d incidents", n, keys)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT sum(occurrence_count) FROM alert WHERE org_id = $1`, w.Org); n != accepted[0]+accepted[1] {
		t.Errorf("%d occurrences of %d accepted messages", n, accepted[0]+accepted[1])
	}
	if n := pgtest.One[int](t, w.Database, `SELECT max(number) FROM incident WHERE org_id = $1`, w.Org); n < keys {
		t.Errorf("the last number is %d", n)
	}
}

// TestAnAlertThatAnotherReplicaStoresMeanwhileIsARepeat: the batch has read that the alert
// is new when the other's insert commits, so its own breaks the unique index and it reads again.
func TestAnAlertThatAnotherReplicaStoresMeanwhileIsARepeat(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	accepted := make(chan error, 1)
	err := w.InSystem(t.Context(), postgres.Background, func(ctx context.Context, other pgx.Tx) error {
		_, err := other.Exec(ctx, `INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, starts_at, start_known, first_seen_at, last_seen_at)
			VALUES ($1, gen_random_uuid(), $2, 'cpu', 'resolved', 'high', 'prometheus', 'Latency', '2020-01-01', true, nightbell_now(), nightbell_now())`, w.Org, w.Service)
		if err != nil {
			return err
		}
		go func() {
			batch := alert.Batch{Alerts: []alert.Received{pagingtest.Firing("cpu", "cpu", pagingtest.Began)}}
			accepted <- w.Intake.Accept(t.Context(), w.Route, batch)
		}()
		for w.Waiting(t) == 0 {
			select {
			case err := <-accepted:
				return fmt.Errorf("it did not wait for the other replica: %w", err)
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	expect(t, "alerts", w.Texts(t, `SELECT status || ' ' || occurrence_count FROM alert WHERE org_id = $1`, w.Org), "firing 2")
	expect(t, "incidents", w.Incidents(t), "triggered critical 1")
}

// TestNewGroupsOfManyTenantsInOneBatch numbers the incidents of each organization by
// itself, although one transaction opens them.
func TestNewGroupsOfManyTenantsInOneBatch(t *testing.T) {
	w := newWorkspace(t)
	routes := []catalog.Route{w.Route}
	for range 2 {
		w.Fill(t)
		routes = append(routes, w.Route)
	}
	var senders sync.WaitGroup
	done := w.Intake.Expect() // keeps the batch open for a moment
	for n := range 30 {
		senders.Go(func() {
			key := fmt.Sprint("k", n)
			if err := w.Intake.Accept(t.Context(), routes[n%3], alert.Batch{Alerts: []alert.Received{pagingtest.Firing(key, key, pagingtest.Began)}}); err != nil {
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
