package intake_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// warningCount counts the warnings that are logged: one for each batch that is taken apart.
type warningCount struct {
	slog.Handler

	n atomic.Int64
}

func (w *warningCount) Enabled(context.Context, slog.Level) bool { return true }
func (w *warningCount) Handle(_ context.Context, record slog.Record) error {
	if record.Level == slog.LevelWarn {
		w.n.Add(1)
	}
	return nil
}

// faultyWorkspace has a database that fails on alerts called poison with the SQLSTATE, and an
// intake that counts the batches it takes apart.
func faultyWorkspace(t *testing.T, code string) (*workspace, *warningCount) {
	t.Helper()
	w := newWorkspace(t)
	w.owns(t, fmt.Sprintf(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'fails' USING ERRCODE = '%s'; END $$`, code),
		`CREATE TRIGGER fail BEFORE INSERT ON alert FOR EACH ROW WHEN (NEW.alert_key = 'poison') EXECUTE FUNCTION fail()`)
	tookApart := &warningCount{Handler: slog.DiscardHandler}
	w.Intake = intake.NewIntake(w.DB, slog.New(tookApart), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.Intake.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return w, tookApart
}

func (w *workspace) poison(t *testing.T) {
	t.Helper()
	if err := w.Intake.Accept(t.Context(), w.Route, alert.Batch{Alerts: []alert.Received{pagingtest.Firing("poison", "g", pagingtest.Began)}}); err == nil {
		t.Error("what cannot be stored was accepted")
	}
}

// TestAServiceAtFaultTakesNoMoreBatchesApart lets one request after the other fail: for a
// statement's error, for its content, for the time it takes. Only the first one takes a batch
// apart; what the service sends besides is stored.
func TestAServiceAtFaultTakesNoMoreBatchesApart(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{"a statement's error": "P0001", "refused content": "22021", "a slow statement": "57014"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, tookApart := faultyWorkspace(t, code)
			other := &workspace{&pagingtest.Workspace{Database: w.Database, Intake: w.Intake}}
			other.Fill(t)
			for round := range 5 {
				done := make(chan struct{})
				go func() { defer close(done); w.poison(t) }()
				other.acceptTogether(t, several(fmt.Sprint("r", round, "-"), 10)...)
				<-done
			}
			w.acceptTogether(t, several("sound", 10)...)
			if got := tookApart.n.Load(); got != 1 {
				t.Errorf("%d batches were taken apart for five requests of one service at fault, want 1", got)
			}
			w.Intake.Advance(2 * time.Minute)
			w.acceptTogether(t, several("later", 10)...)
			w.poison(t)
			if got := tookApart.n.Load(); got != 2 {
				t.Errorf("%d batches were taken apart: want the service back in them after two sound minutes", got)
			}
		})
	}
}

// TestAServiceAtFaultKeepsNobodyElseWaiting: it is its own organization's, too.
func TestAServiceAtFaultKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	w, tookApart := faultyWorkspace(t, "P0001")
	w.poison(t)
	sound := w.Route
	w.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) SELECT org_id, gen_random_uuid(), 'Sound', created_at, created_at FROM service WHERE id = $1`, sound.ServiceID)
	sound.ServiceID = uuid.MustParse(w.Texts(t, `SELECT id::text FROM service WHERE name = 'Sound'`)[0])
	for n := range 20 {
		for _, route := range []catalog.Route{sound, w.Route} {
			received := pagingtest.Firing(fmt.Sprint(route.ServiceID, n), "g", pagingtest.Began)
			if err := w.Intake.Accept(t.Context(), route, alert.Batch{Alerts: []alert.Received{received}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := tookApart.n.Load(); got != 1 {
		t.Errorf("%d batches were taken apart", got)
	}
}
