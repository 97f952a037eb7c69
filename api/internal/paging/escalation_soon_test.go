package paging_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// A step is not left to the next tick: the sweep before it says when it is due.
func TestTheSweepSaysWhenTheNextStepIsDue(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	var told []time.Duration
	escalator := paging.NewEscalator(w.DB, postgres.Sweep, slog.New(slog.DiscardHandler), paging.Signals{
		Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}, DueIn: func(after time.Duration) { told = append(told, after) },
	})
	soon := func(advance time.Duration) time.Duration {
		told = nil
		w.Clock.Advance(advance)
		if _, err := escalator.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(told) == 0 {
			return 0
		}
		return told[0]
	}
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began))
	w.Clock.Advance(300 * time.Millisecond)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	if got := soon(5*time.Minute - 1400*time.Millisecond); got != 0 {
		t.Errorf("1.1 s before the step: %s", got)
	}
	if got := soon(700 * time.Millisecond); got < 400*time.Millisecond || got > 500*time.Millisecond {
		t.Errorf("0.4 s before the step: %s", got)
	}
	if got := soon(500 * time.Millisecond); got != 0 {
		t.Errorf("the round that pages: %s", got)
	}
	if got := soon(0); got < 200*time.Millisecond || got > 300*time.Millisecond {
		t.Errorf("0.2 s before the other's step: %s", got)
	}
	equal(t, "paged", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.1 Bob")
}
