package ping_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestAMissPagesOnceAndALatePingResolves(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "orders-worker", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	w.pass(t, 89*time.Second)
	if got := w.Incidents(t); len(got) != 0 {
		t.Fatalf("before the deadline: %q", got)
	}
	w.pass(t, time.Second)
	if got := w.Incidents(t); !slices.Equal(got, []string{"triggered high 1"}) {
		t.Fatalf("at the deadline: %q", got)
	}
	if got := w.Paged(t); !slices.Equal(got, []string{"0.0 Ada"}) || w.PagesHinted.Load() == 0 {
		t.Errorf("paged %q, %d hints", got, w.PagesHinted.Load())
	}
	w.pass(t, 20*time.Second)
	state := w.ping(t, "orders-worker", minute(heartbeat.Lives))
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1"}) || state.Status != heartbeat.OK {
		t.Errorf("after the late ping: %q, %s", got, state.Status)
	}
	w.pass(t, 95*time.Second)
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1", "triggered high 1"}) {
		t.Errorf("the next miss: %q", got)
	}
	if got := w.Said(t, "heartbeat_missed"); len(got) != 2 || !strings.Contains(got[0], `"orders-worker" was expected at`) {
		t.Errorf("said of the misses: %q", got)
	}
	if got := w.Said(t, "heartbeat_recovered"); len(got) != 1 {
		t.Errorf("said of being back: %q", got)
	}
	if w.verdicts[heartbeat.WentMissing] != 2 || w.verdicts[heartbeat.Recovered] != 1 {
		t.Errorf("counted %v", w.verdicts)
	}
}

func TestFailPagesAtOnceAndAgainAfterSomebodyResolvedIt(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "nightly", minute(heartbeat.Fails))
	if got := w.Incidents(t); !slices.Equal(got, []string{"triggered high 1"}) {
		t.Fatalf("%q", got)
	}
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(time.Second)
	w.ping(t, "nightly", minute(heartbeat.Fails))
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1", "triggered high 1"}) {
		t.Errorf("%q", got)
	}
	w.ping(t, "nightly", minute(heartbeat.Fails)) // the same moment: it joins
	w.ping(t, "nightly", minute(heartbeat.Lives))
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1", "resolved high 1"}) {
		t.Errorf("%q", got)
	}
}

// TestAllMissesOfOneServiceAreNoticedInOneTurn: more of them than one transaction holds.
func TestAllMissesOfOneServiceAreNoticedInOneTurn(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h0", minute(heartbeat.Lives))
	w.Exec(t, `INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, status, due_at, deadline_at, created_at, updated_at)
		SELECT org_id, gen_random_uuid(), service_id, 'h' || n, every_seconds, severity, status, due_at, deadline_at, created_at, updated_at
		FROM heartbeat, generate_series(1, 249) n`)
	w.look(t, w.keeper)
	w.lapse(t, 100*time.Second)
	if got := len(w.Incidents(t)); got != 250 {
		t.Errorf("%d of 250 incidents after one turn of the loop", got)
	}
}

// TestManyReplicasOpenOneIncidentForEachMiss: they look at the same moment, again and again.
func TestManyReplicasOpenOneIncidentForEachMiss(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	const many = 30
	for i := range many {
		w.ping(t, fmt.Sprintf("h%d", i), minute(heartbeat.Lives))
	}
	w.look(t, w.keeper)
	w.Clock.Advance(100 * time.Second)
	w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	var replicas sync.WaitGroup
	for range 4 {
		keeper := w.replica()
		replicas.Go(func() {
			for range 3 {
				w.look(t, keeper)
			}
		})
	}
	replicas.Wait()
	if got := pgtest.One[string](t, w.Database, `SELECT count(*) || ' ' || sum(alert_count) || ' ' || (SELECT count(*) FROM notification) FROM incident`); got != "30 30 30" {
		t.Errorf("incidents, alerts, pages: %s, want 30 of each", got)
	}
}

func TestAnOutageOfNightbellOpensNoFalseMisses(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	for i := range 20 {
		w.ping(t, fmt.Sprintf("h%d", i), minute(heartbeat.Lives))
	}
	w.ping(t, "dead", minute(heartbeat.Lives))
	w.pass(t, 40*time.Second)
	for i := range 20 {
		w.ping(t, fmt.Sprintf("h%d", i), minute(heartbeat.Lives))
	}
	w.Exec(t, `UPDATE heartbeat SET deadline_at = nightbell_now() - interval '1 second' WHERE name = 'dead'`) // it died, and nobody has looked yet
	w.Clock.Advance(10 * time.Minute)
	w.look(t, w.replica())
	w.look(t, w.keeper)
	if got := w.Texts(t, `SELECT title FROM incident WHERE org_id = $1`, w.Org); !slices.Equal(got, []string{`Heartbeat "dead" is missing`}) {
		t.Fatalf("after the outage: %q", got)
	}
	for i := range 19 {
		w.ping(t, fmt.Sprintf("h%d", i), minute(heartbeat.Lives))
	}
	w.pass(t, 88*time.Second)
	if got := w.Incidents(t); len(got) != 1 {
		t.Errorf("before the one that is really gone could be told: %q", got)
	}
	w.pass(t, 2*time.Second)
	if got := w.Texts(t, `SELECT title FROM incident WHERE org_id = $1 ORDER BY number`, w.Org); len(got) != 21 || !slices.Contains(got, `Heartbeat "h19" is missing`) {
		t.Errorf("%q", got)
	}
}

// TestAHeartbeatThatIsHeldAfterAnOutageDelaysNoOther, and is given more time, too.
func TestAHeartbeatThatIsHeldAfterAnOutageDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "dead", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	w.Clock.Advance(40 * time.Second)
	w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	w.ping(t, "held", minute(heartbeat.Lives))
	w.Exec(t, `UPDATE heartbeat SET deadline_at = nightbell_now() - interval '1 second' WHERE name = 'dead'`)
	w.Clock.Advance(10 * time.Minute)
	release, locked := make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		err := w.InSystem(context.WithoutCancel(t.Context()), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `SELECT FROM heartbeat WHERE name = 'held' FOR UPDATE`)
			close(locked)
			<-release
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-locked
	_, err := w.keeper.Sweep(t.Context())
	opened := w.Texts(t, `SELECT title FROM incident WHERE org_id = $1`, w.Org)
	close(release)
	holder.Wait()
	if err != nil || !slices.Equal(opened, []string{`Heartbeat "dead" is missing`}) {
		t.Errorf("while one is held: %q, %v", opened, err)
	}
	w.pass(t, 88*time.Second)
	if got := w.Incidents(t); len(got) != 1 {
		t.Errorf("what was held is called missing, though no ping could come: %q", got)
	}
	w.pass(t, 4*time.Second)
	if got := w.Incidents(t); len(got) != 2 {
		t.Errorf("what was held is not missed at all: %q", got)
	}
}

// TestAKilledServerOpensWhatWasDueWhenItStartsAgain: neither half of opening an incident is stored
// without the other.
func TestAKilledServerOpensWhatWasDueWhenItStartsAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Lives))
	w.pass(t, 88*time.Second)
	w.Clock.Advance(3 * time.Second) // killed before its deadline, started after it
	w.look(t, w.replica())
	if got := w.Incidents(t); !slices.Equal(got, []string{"triggered high 1"}) {
		t.Errorf("%q", got)
	}
}

// fails makes the database refuse the incident of a heartbeat, until mend is called.
func (w *workspace) fails(t *testing.T, name string) (mend func()) {
	t.Helper()
	owner := func(sql string) {
		t.Helper()
		if _, err := w.Owner(t).Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	owner(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON incident FOR EACH ROW WHEN (NEW.title LIKE '%` + name + `%') EXECUTE FUNCTION refuse()`)
	return func() { owner(`DROP TRIGGER refuse ON incident`) }
}

func TestAHeartbeatAtFaultDelaysNoOther(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	for _, name := range []string{"a", "poison", "z"} {
		w.ping(t, name, minute(heartbeat.Lives))
	}
	w.look(t, w.keeper)
	mend := w.fails(t, "poison")
	w.lapse(t, 91*time.Second)
	if got := w.Texts(t, `SELECT title FROM incident WHERE org_id = $1 ORDER BY title`, w.Org); !slices.Equal(got, []string{`Heartbeat "a" is missing`, `Heartbeat "z" is missing`}) {
		t.Fatalf("%q", got)
	}
	mend()
	w.lapse(t, 31*time.Second)
	if got := w.Incidents(t); len(got) != 3 {
		t.Errorf("once it can be stored: %q", got)
	}
}

// TestALockedServiceDelaysNoOtherOrganization: somebody holds the row of an alert of the one that
// is overdue longest.
func TestALockedServiceDelaysNoOtherOrganization(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Fails))
	w.Clock.Advance(time.Second)
	w.ping(t, "h", minute(heartbeat.Lives))
	held := func() int {
		return pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident WHERE org_id <> $1`, w.Org)
	}
	w.Fill(t)
	w.ping(t, "other", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	release := make(chan struct{})
	locked := make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() { w.hold(t, locked, release) })
	<-locked
	w.lapse(t, 100*time.Second)
	if got := w.Incidents(t); !slices.Equal(got, []string{"triggered high 1"}) {
		t.Errorf("the other organization: %q", got)
	}
	if got := held(); got != 1 {
		t.Errorf("what is held has %d incidents", got)
	}
	close(release)
	holder.Wait()
	w.lapse(t, 3*time.Second)
	if got := held(); got != 2 {
		t.Errorf("once it is released it has %d incidents", got)
	}
}

func TestWhatIsToldOfPings(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	refused := func(name string, report heartbeat.Report, code string) {
		t.Helper()
		_, _, err := w.keeper.Take(t.Context(), w.Route, name, report)
		if known, ok := fault.Of(err); !ok || known.Code != code {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
	lives := heartbeat.Report{Ping: heartbeat.Ping{Signal: heartbeat.Lives}}
	refused("unknown", lives, "heartbeat_not_found")
	refused("two\nlines", minute(heartbeat.Lives), "invalid_fields")
	berlin := "Europe/Berlin"
	refused("bad", heartbeat.Report{Ping: lives.Ping, Every: seconds(60), TimeZone: &berlin}, "invalid_fields")
	w.Exec(t, `INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, created_at, updated_at)
		SELECT $1, gen_random_uuid(), $2, 'h' || n, 60, 'high', nightbell_now(), nightbell_now() FROM generate_series(1, $3::integer) n`, w.Org, w.Service, heartbeat.MostOfOrg)
	refused("one too many", minute(heartbeat.Lives), "too_many_heartbeats")
	w.ping(t, "h1", lives)
}

func TestFirstPingsAtOnceMakeOneHeartbeat(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	var together sync.WaitGroup
	for range 8 {
		together.Go(func() { w.ping(t, "h", minute(heartbeat.Lives)) })
	}
	together.Wait()
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM heartbeat`); n != 1 {
		t.Errorf("%d heartbeats", n)
	}
}

// TestAPingThatIsSentAgainChangesNothing: the first failure was resolved by a person meanwhile.
func TestAPingThatIsSentAgainChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	failed := minute(heartbeat.Fails)
	failed.Key = uuid.NewString()
	w.ping(t, "h", failed)
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(time.Second)
	w.ping(t, "h", failed)
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1"}) {
		t.Errorf("%q", got)
	}
}

func TestAPingSaysWhatIsExpectedFromNowOn(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Lives))
	slower := minute(heartbeat.Lives)
	slower.Every = seconds(600)
	w.ping(t, "h", slower)
	w.lapse(t, 629*time.Second)
	if got := w.Incidents(t); len(got) != 0 {
		t.Errorf("%q", got)
	}
	schedule, zone := "0 3 * * *", "Europe/Berlin"
	state := w.ping(t, "h", heartbeat.Report{Ping: heartbeat.Ping{Signal: heartbeat.Lives}, Schedule: &schedule, TimeZone: &zone})
	if got := pgtest.One[string](t, w.Database, `SELECT schedule || ' ' || time_zone || ' ' || (every_seconds IS NULL) FROM heartbeat`); got != "0 3 * * * Europe/Berlin true" || state.DueAt.Minute() != 0 {
		t.Errorf("%s, due %s", got, state.DueAt)
	}
}

func TestMaintenanceOpensAndPagesNobody(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.AddMaintenance(t, pagingtest.Began, pagingtest.Began.Add(time.Hour), "Work", w.Service)
	w.ping(t, "h", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	w.lapse(t, 91*time.Second)
	if incidents, paged := w.Incidents(t), w.Paged(t); len(incidents) != 1 || len(paged) != 0 {
		t.Errorf("%q, paged %q", incidents, paged)
	}
}

func TestADeletedHeartbeatLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Fails))
	anyway := func(heartbeatdb.Row, time.Time) error { return nil }
	heartbeatID := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM heartbeat`)
	if err := w.keeper.Delete(t.Context(), uuid.New(), heartbeatID, anyway); !fault.Is(err, fault.NotFound) {
		t.Errorf("from another organization: %v", err)
	}
	if err := w.keeper.Delete(t.Context(), w.Org, heartbeatID, anyway); err != nil {
		t.Fatal(err)
	}
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1"}) {
		t.Errorf("%q", got)
	}
	if err := w.keeper.Delete(t.Context(), w.Org, heartbeatID, anyway); !fault.Is(err, fault.NotFound) {
		t.Errorf("again: %v", err)
	}
}

// TestAHeartbeatOfADeletedServiceCanBeDeleted: one that was made while its service was deleted.
func TestAHeartbeatOfADeletedServiceCanBeDeleted(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Fails))
	w.Exec(t, `UPDATE service SET deleted_at = nightbell_now()`)
	heartbeatID := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM heartbeat`)
	if err := w.keeper.Delete(t.Context(), w.Org, heartbeatID, func(heartbeatdb.Row, time.Time) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1"}) {
		t.Errorf("%q", got)
	}
}

// TestNoHeartbeatIsMadeOfAServiceThatIsBeingDeleted: its first ping comes in that moment.
func TestNoHeartbeatIsMadeOfAServiceThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	pinged := make(chan error, 1)
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE service SET deleted_at = nightbell_now() WHERE id = $1`, w.Service); err != nil {
			return err
		}
		go func() {
			_, _, err := w.keeper.Take(t.Context(), w.Route, "h", minute(heartbeat.Lives))
			pinged <- err
		}()
		// Until the ping waits for the service, or was stored without.
		for pgtest.One[int](t, w.Database, `SELECT (SELECT count(*) FROM heartbeat) + (SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')`) == 0 {
			time.Sleep(time.Millisecond)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-pinged; !fault.Is(err, fault.NotFound) {
		t.Errorf("the ping: %v", err)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM heartbeat`); n != 0 {
		t.Errorf("%d heartbeats of a service that is no more", n)
	}
}

func TestHeartbeatsOfADeletedServiceOpenNothing(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.ping(t, "h", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	w.Exec(t, `UPDATE service SET deleted_at = nightbell_now()`)
	w.lapse(t, 91*time.Second)
	w.lapse(t, time.Second)
	if got := w.Incidents(t); len(got) != 0 || w.overdue != 0 {
		t.Errorf("%q, overdue %s", got, w.overdue)
	}
}

// TestTheFirstHeartbeatOfAllEndsTheRest: sweeps are left out while nothing is expected, which delays
// a miss by six ticks at most, also where another replica took the ping in.
func TestTheFirstHeartbeatOfAllEndsTheRest(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	other := w.replica()
	w.look(t, w.keeper)
	w.look(t, other)
	brief := heartbeat.Report{Ping: heartbeat.Ping{Signal: heartbeat.Lives}, Every: seconds(1), Grace: seconds(0)}
	w.ping(t, "first", brief)
	w.look(t, w.keeper)
	w.Clock.Advance(2 * time.Second)
	if w.look(t, w.keeper); len(w.Incidents(t)) != 1 {
		t.Error("who took the ping in rests all the same")
	}
	w.ping(t, "first", brief)
	w.Clock.Advance(2 * time.Second)
	w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	for range 6 {
		w.look(t, other)
	}
	if got := w.Incidents(t); !slices.Equal(got, []string{"resolved high 1", "triggered high 1"}) {
		t.Errorf("another replica, six ticks later: %q", got)
	}
}

// TestAMissedHeartbeatDoesNotResolveItself: nothing repeats it, and it is still missing.
func TestAMissedHeartbeatDoesNotResolveItself(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = 3600`)
	timers := paging.NewTimerSweeper(w.DB, postgres.Sweep, slog.New(slog.DiscardHandler), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	w.ping(t, "backup", minute(heartbeat.Lives))
	w.look(t, w.keeper)
	w.pass(t, 92*time.Second)
	for range 6 {
		w.lapse(t, time.Hour)
		if _, err := timers.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if open := w.Incidents(t); !slices.Equal(open, []string{"triggered high 1"}) {
		t.Errorf("missing for six hours: %v", open)
	}
}
