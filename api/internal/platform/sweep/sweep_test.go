package sweep_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/sweep"
)

func run(t *testing.T, work sweep.Func) *sweep.Waker {
	t.Helper()
	waker := sweep.NewWaker()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go sweep.Loop(ctx, slog.New(slog.DiscardHandler), "test", waker, work)
	return waker
}

func TestLoopWorksAtTheTickWithoutAnyHint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int32
		run(t, func(context.Context) (bool, error) { rounds.Add(1); return false, nil })
		time.Sleep(5*sweep.Tick + time.Millisecond)
		if got := rounds.Load(); got != 6 {
			t.Errorf("%d rounds in five ticks and the start", got)
		}
	})
}

func TestLoopWorksAtOnceWhenWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int32
		waker := run(t, func(context.Context) (bool, error) { rounds.Add(1); return false, nil })
		synctest.Wait()
		waker.Wake()
		waker.Wake()
		synctest.Wait()
		if got := rounds.Load(); got < 2 || got > 3 {
			t.Errorf("%d rounds after two hints", got)
		}
	})
}

func TestLoopSurvivesErrorsAndPanicsAndDoesNotHammer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int32
		waker := run(t, func(context.Context) (bool, error) {
			if rounds.Add(1)%2 == 0 {
				panic("poison")
			}
			return true, errors.New("database is away")
		})
		for range 100 {
			waker.Wake()
			time.Sleep(10 * time.Millisecond)
		}
		if got := rounds.Load(); got < 1 || got > 2 {
			t.Errorf("%d rounds in one second of failures", got)
		}
		time.Sleep(3 * sweep.Tick)
		if rounds.Load() < 3 {
			t.Error("the loop ended")
		}
	})
}

func TestLoopTakesABreathInAStormOfHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rounds atomic.Int32
		waker := run(t, func(context.Context) (bool, error) { rounds.Add(1); return false, nil })
		for range 15 {
			synctest.Wait()
			waker.Wake()
		}
		synctest.Wait()
		if got := rounds.Load(); got != 16 {
			t.Errorf("%d rounds after the start and 15 hints, want one each, at once", got)
		}
		rounds.Store(0)
		for range 1000 {
			waker.Wake()
			time.Sleep(time.Millisecond)
		}
		if got := rounds.Load(); got < 40 || got > 60 {
			t.Errorf("%d rounds in a second of hints, want about 50", got)
		}
	})
}
