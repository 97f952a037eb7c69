package intake_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// acceptTogether sends one request for each alert, all at once, and returns when all of
// them were accepted.
func (w *workspace) acceptTogether(t *testing.T, alerts ...alert.Received) {
	t.Helper()
	done := w.Intake.Expect() // keeps the batch open for a moment
	var senders sync.WaitGroup
	for _, received := range alerts {
		senders.Go(func() {
			if err := w.sendUntilAccepted(t.Context(), received); err != nil {
				t.Errorf("%s: %v", received.Key, err)
			}
		})
	}
	senders.Wait()
	done()
}

// lockAlert holds the row of an alert, as a forgotten transaction would, until release.
func (w *workspace) lockAlert(t *testing.T, key string) (release func()) {
	t.Helper()
	tx, err := w.Owner(t).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SET LOCAL ROLE nightbell_system"); err != nil { // the owner sees no tenant's rows
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), `SELECT FROM alert WHERE org_id = $1 AND alert_key = $2 FOR UPDATE`, w.Org, key)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%d rows are locked: %v", tag.RowsAffected(), err)
	}
	return sync.OnceFunc(func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) })
}

// TestAnEditUnderWayDelaysNoAlert: the editor's transaction hangs, with what it locks, while alerts
// open incidents that refer to the service and its policy.
func TestAnEditUnderWayDelaysNoAlert(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	err := w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := catalogdb.New(tx).LockService(ctx, w.Org, w.Service); err != nil {
			return err
		}
		policy := uuid.MustParse(w.Texts(t, `SELECT id::text FROM escalation_policy WHERE org_id = $1`, w.Org)[0])
		if _, err := escalationdb.New(tx).LockPolicy(ctx, w.Org, policy); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE service SET name = name || ' 2' WHERE id = $1`, w.Service); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE escalation_policy SET name = name || ' 2' WHERE id = $1`, policy); err != nil {
			return err
		}
		w.Accept(t, pagingtest.Firing("a", "g", pagingtest.Began))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "pages", w.Pages(t), "Ada pending")
}

// restartIntake gives the workspace an intake that tells when it takes a batch apart.
func (w *workspace) restartIntake(t *testing.T) (tookApart <-chan struct{}) {
	t.Helper()
	warned := make(warnings, 1)
	w.Intake = intake.NewIntake(w.DB, slog.New(warned), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.Intake.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return warned
}

// warnings tells of the first warning that is logged.
type warnings chan struct{}

func (w warnings) Enabled(context.Context, slog.Level) bool { return true }
func (w warnings) WithAttrs([]slog.Attr) slog.Handler       { return w }
func (w warnings) WithGroup(string) slog.Handler            { return w }
func (w warnings) Handle(_ context.Context, record slog.Record) error {
	if record.Level >= slog.LevelWarn {
		select {
		case w <- struct{}{}:
		default:
		}
	}
	return nil
}

func several(prefix string, n int) []alert.Received {
	alerts := make([]alert.Received, n)
	for i := range alerts {
		alerts[i] = pagingtest.Firing(fmt.Sprint(prefix, i), "g", pagingtest.Began)
	}
	return alerts
}

// One lock used to send every later request of its service alone.
func TestRequestsBesideALockAreStoredTogether(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("locked", "other", pagingtest.Began))
	w.acceptTogether(t, pagingtest.Firing("first", "g", pagingtest.Began)) // opens the incident that the others join
	release := w.lockAlert(t, "locked")
	defer release()
	tookApart := w.restartIntake(t)
	blocked := make(chan error, 1)
	go func() {
		blocked <- w.sendUntilAccepted(t.Context(), pagingtest.Firing("locked", "other", pagingtest.Began))
	}()
	<-tookApart
	const requests = 60
	w.acceptTogether(t, several("free", requests)...) // returns while the lock is held
	transactions := pgtest.One[int](t, w.Database, `SELECT count(DISTINCT xmin::text) FROM alert WHERE org_id = $1 AND alert_key LIKE 'free%'`, w.Org)
	if transactions > requests/2 {
		t.Errorf("%d requests beside a lock took %d transactions: they are stored one by one", requests, transactions)
	}
	release()
	if err := <-blocked; err != nil {
		t.Errorf("the request that met the lock: %v", err)
	}
	w.acceptTogether(t, several("after", requests)...)
}

// A batch that fails for one service is stored for the others at once.
func TestALockOfOneServiceHoldsNoOther(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("locked", "g", pagingtest.Began))
	release := w.lockAlert(t, "locked")
	defer release()
	own := w.Route
	other := &workspace{&pagingtest.Workspace{Database: w.Database, Intake: w.Intake}}
	other.Fill(t)
	var blocked sync.WaitGroup
	done := w.Intake.Expect()
	for range 20 {
		blocked.Go(func() {
			for {
				err := w.Intake.Accept(t.Context(), own, alert.Batch{Alerts: []alert.Received{pagingtest.Firing("locked", "g", pagingtest.Began)}})
				if !fault.Is(err, fault.Unavailable) {
					return
				}
			}
		})
	}
	done()
	other.acceptTogether(t, several("free", 60)...)
	release()
	blocked.Wait()
	if n := pgtest.One[int](t, w.Database, `SELECT occurrence_count FROM alert WHERE org_id = $1`, own.OrgID); n < 21 {
		t.Errorf("%d messages of 21 were counted", n)
	}
}

// Nothing takes requests off this intake's queue, so that all of them wait.
func TestQueuedRequestsAreBoundedByBytes(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	idle := intake.NewIntake(w.DB, nil, paging.Signals{})
	ctx, leave := context.WithCancel(t.Context())
	text := strings.Repeat("x", 8<<20) // one copy, however many requests hold it
	accept := func(route catalog.Route) error {
		received := pagingtest.Firing("a", "g", pagingtest.Began)
		received.Description = text
		return idle.Accept(ctx, route, alert.Batch{Alerts: []alert.Received{received}})
	}
	const requests = 20 // 160 MiB
	refused := make(chan error, requests)
	for range requests {
		go func() { refused <- accept(w.Route) }()
	}
	for range requests - 8 { // 64 MiB fit, if the text were all
		if err := <-refused; !isOverloaded(err) {
			t.Errorf("a request that should not fit was answered: %v", err)
		}
	}
	leave()
	if err := accept(catalog.Route{OrgID: id.New(), ServiceID: id.New()}); isOverloaded(err) && ctx.Err() == nil {
		t.Errorf("another organization's request was refused: %v", err)
	}
}

func isOverloaded(err error) bool {
	known, ok := fault.Of(err)
	return ok && known.Code == "overloaded"
}

// owns runs statements as the owner of the schema.
func (w *workspace) owns(t *testing.T, statements ...string) {
	t.Helper()
	owner := w.Owner(t)
	for _, statement := range statements {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// limitPages refuses an INSERT of more pages than fit into a statement's time.
const limitPages = `CREATE FUNCTION count_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) FROM made) > 5000 THEN
        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
    END IF;
    RETURN NULL;
END $$`

// Ten thousand alerts for a team of twenty are 200,000 pages: more than one statement
// can store, or one transaction while others wait for it.
func TestManyAlertsForALargeTeamAreStoredInPieces(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Route.Grouping = catalog.ByAlert
	const team, alerts = 20, 1_100
	var members []pagingtest.Target
	for n := range team {
		members = append(members, pagingtest.User(w.AddPerson(t, fmt.Sprint("Member ", n))))
	}
	w.SetSteps(t, pagingtest.Page(members...))
	w.owns(t, limitPages,
		`CREATE TRIGGER count_pages AFTER INSERT ON notification REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_pages()`)
	for {
		err := w.Intake.Accept(t.Context(), w.Route, alert.Batch{Alerts: several("a", alerts)})
		if err == nil {
			break
		}
		if known, ok := fault.Of(err); !ok || known.Code != "database_unavailable" || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
	if n := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification WHERE org_id = $1`, w.Org); n != team*alerts {
		t.Errorf("%d pages for %d alerts and %d people", n, alerts, team)
	}
	if n := pgtest.One[int](t, w.Database, `SELECT max(n) FROM (SELECT count(*) AS n FROM notification WHERE org_id = $1 GROUP BY xmin::text) t`, w.Org); n > 5_000 {
		t.Errorf("one transaction stored %d pages", n)
	}
}

// A statement that takes too long is not a database that is away: others are stored.
func TestASlowStatementIsNotADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.owns(t, `CREATE FUNCTION too_slow() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$`, `
		CREATE TRIGGER too_slow BEFORE INSERT ON alert FOR EACH ROW WHEN (NEW.alert_key = 'slow') EXECUTE FUNCTION too_slow()`)
	slow, sound := make(chan error, 1), make(chan error, 1)
	done := w.Intake.Expect()
	go func() {
		slow <- w.Intake.Accept(t.Context(), w.Route, alert.Batch{Alerts: []alert.Received{pagingtest.Firing("slow", "g", pagingtest.Began)}})
	}()
	go func() {
		sound <- w.Intake.Accept(t.Context(), w.Route, alert.Batch{Alerts: []alert.Received{pagingtest.Firing("sound", "g", pagingtest.Began)}})
	}()
	err := <-slow
	if known, ok := fault.Of(err); !ok || known.Code != "alerts_too_slow" || known.RetryAfterSeconds == 0 {
		t.Errorf("the slow request was answered: %v", err)
	}
	if err := <-sound; err != nil {
		t.Errorf("the other request was answered: %v", err)
	}
	done()
}
