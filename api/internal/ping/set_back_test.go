package ping_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
)

// TestAMissIsNoticedInTimeThoughTheClockIsSetBack: a job dies after its last ping, and the clock goes back.
func TestAMissIsNoticedInTimeThoughTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	hourly, run := "0 * * * *", minute(heartbeat.Starts)
	run.MaxRuntime = seconds(600)
	for name, c := range map[string]struct {
		ping         heartbeat.Report
		before, back time.Duration // an hour that the clock was ahead, and by how much it goes back
		missed       time.Duration // after that
	}{
		"each minute":                 {minute(heartbeat.Lives), 0, time.Hour, 90 * time.Second},
		"ten seconds back":            {minute(heartbeat.Lives), 0, 10 * time.Second, 90 * time.Second},
		"a run":                       {run, 0, time.Hour, 600 * time.Second},
		"each hour":                   {heartbeat.Report{Ping: heartbeat.Ping{Signal: heartbeat.Lives}, Schedule: &hourly, Grace: seconds(30)}, 0, 5 * time.Hour, time.Hour + 30*time.Second},
		"the clock had jumped before": {minute(heartbeat.Lives), time.Hour, time.Hour - 10*time.Second, 90 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			if c.ping.Schedule != nil {
				w.Clock.Freeze(w.Clock.Now().Truncate(time.Hour))
			}
			w.ping(t, "job", c.ping)
			w.look(t, w.keeper)
			if c.before > 0 {
				w.Clock.Advance(c.before)
				w.look(t, w.keeper)
			}
			w.Clock.Advance(-c.back)
			w.look(t, w.keeper)
			w.pass(t, c.missed-2*time.Second)
			if got := w.Incidents(t); len(got) != 0 {
				t.Fatalf("called missing too early: %q", got)
			}
			w.pass(t, 4*time.Second)
			if got := w.Incidents(t); len(got) != 1 {
				t.Errorf("not noticed in time: %q", got)
			}
		})
	}
}
