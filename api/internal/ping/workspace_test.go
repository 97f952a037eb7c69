package ping_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/ping"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// workspace is one with a keeper of heartbeats, at a clock that stands still.
type workspace struct {
	*pagingtest.Workspace
	keeper *ping.Keeper

	mu       sync.Mutex
	verdicts map[heartbeat.Verdict]int
	overdue  time.Duration
}

func newWorkspace(t *testing.T) *workspace {
	t.Helper()
	w := &workspace{Workspace: pagingtest.New(t), verdicts: map[heartbeat.Verdict]int{}}
	w.Clock.Freeze(pagingtest.Began)
	w.keeper = w.replica()
	return w
}

// replica is the keeper of one more process.
func (w *workspace) replica() *ping.Keeper {
	return ping.New(w.DB, ping.Options{
		Logger:  slog.New(slog.DiscardHandler),
		Signals: paging.Signals{Pages: func(...notify.Kind) { w.PagesHinted.Add(1) }, Changed: func(uuid.UUID) { w.ChangesHinted.Add(1) }},
		Judged: func(v heartbeat.Verdict) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.verdicts[v]++
		},
		Overdue: func(d time.Duration) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.overdue = d
		},
	})
}

func seconds(n int) *time.Duration {
	d := time.Duration(n) * time.Second
	return &d
}

// minute is a ping of who comes every minute, with 30 s of grace.
func minute(signal heartbeat.Signal) heartbeat.Report {
	return heartbeat.Report{Ping: heartbeat.Ping{Signal: signal}, Every: seconds(60), Grace: seconds(30)}
}

func (w *workspace) ping(t *testing.T, name string, report heartbeat.Report) heartbeat.State {
	t.Helper()
	state, _, err := w.keeper.Take(t.Context(), w.Route, name, report)
	if err != nil {
		t.Fatalf("ping %s: %v", name, err)
	}
	return state
}

// look sweeps until nothing is left, as the loop does.
func (w *workspace) look(t *testing.T, keeper *ping.Keeper) {
	t.Helper()
	for again := true; again; {
		var err error
		if again, err = keeper.Sweep(context.WithoutCancel(t.Context())); err != nil {
			t.Fatalf("sweep: %v", err)
		}
	}
}

// pass lets time pass while somebody looks.
func (w *workspace) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for step := 4 * time.Second; d > 0; d -= step {
		w.Clock.Advance(min(step, d))
		w.look(t, w.keeper)
	}
}

// lapse lets time pass as if somebody looked every second: only the last look finds something.
func (w *workspace) lapse(t *testing.T, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	w.look(t, w.keeper)
}

// hold keeps every alert locked until release is closed.
func (w *workspace) hold(t *testing.T, locked, release chan struct{}) {
	err := w.InSystem(context.WithoutCancel(t.Context()), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT FROM alert FOR UPDATE`)
		close(locked)
		<-release
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
