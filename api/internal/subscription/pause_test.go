package subscription_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/subscription"
)

func TestPause(t *testing.T) {
	for _, c := range []struct{ failing, asked, want time.Duration }{
		{0, 0, 5 * time.Second},
		{time.Minute, 0, 30 * time.Second},
		{time.Hour, 0, 10 * time.Minute},
		{time.Minute, 2 * time.Minute, 2 * time.Minute},
		{time.Hour, time.Second, 10 * time.Minute},
		{0, 1000 * time.Hour, 24 * time.Hour},
	} {
		since := at.Add(-c.failing)
		if got := subscription.Pause(&since, at, c.asked); got != c.want {
			t.Errorf("failing for %s, asked for %s: %s, want %s", c.failing, c.asked, got, c.want)
		}
	}
	if got := subscription.Pause(nil, at, 0); got != 5*time.Second {
		t.Errorf("the first failure pauses %s", got)
	}
}
