package ping_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestAnOutageOfNightbellIsNoSilenceOfASender: it repeats an alert every four minutes, and the database was away when the
// first repeat came. Timers are looked at before the outage is found, and no heartbeat is expected of anybody.
func TestAnOutageOfNightbellIsNoSilenceOfASender(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		policy              time.Duration
		before, away, after time.Duration
	}{
		"five minutes":                  {5 * time.Minute, 230 * time.Second, 80 * time.Second, 5 * time.Minute},
		"a restart that takes no time":  {5 * time.Minute, 230 * time.Second, 5 * time.Second, 65 * time.Second},
		"half a day at most, of a week": {7 * 24 * time.Hour, 6*24*time.Hour + 20*time.Hour, time.Minute, 12 * time.Hour},
		"long before the week is over":  {7 * 24 * time.Hour, 24 * time.Hour, time.Hour, 6*24*time.Hour - time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Exec(t, `UPDATE escalation_policy SET auto_resolve_seconds = $1`, int(c.policy.Seconds()))
			timers := paging.NewTimerSweeper(w.DB, postgres.Sweep, slog.New(slog.DiscardHandler), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
			sweep := func(want, when string) {
				t.Helper()
				for range 6 { // timers that wait for the keeper are tried again
					if _, err := timers.Sweep(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if got := w.Incidents(t); !slices.Equal(got, []string{want}) {
					t.Errorf("%s: %q, want %s", when, got, want)
				}
			}
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			w.look(t, w.keeper)
			w.lapse(t, c.before)
			w.Clock.Advance(c.away)
			sweep("triggered critical 1", "when the database is back")
			w.look(t, w.keeper)
			w.lapse(t, c.after-time.Second)
			sweep("triggered critical 1", "a second before the sender was silent for long enough")
			w.lapse(t, time.Second)
			sweep("resolved critical 1", "when it was")
		})
	}
}
