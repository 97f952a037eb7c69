package auth

import (
	"testing"
	"time"
)

func TestTallyForgetsFailuresOneByOne(t *testing.T) {
	start := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	three := Allowance{Free: 3, Forget: time.Minute}
	var tally Tally
	for i, step := range []struct {
		after time.Duration
		free  bool
	}{
		{0, true},
		{0, true},
		{0, true},
		{0, false},
		{30 * time.Second, false},
		{3 * time.Minute, true}, // 4.5 were left at 30 s, 2 are now, and this one
		{10 * time.Minute, true},
	} {
		var free bool
		if tally, free = tally.Count(three, start.Add(step.after)); free != step.free {
			t.Errorf("attempt %d after %s: free=%v, want %v", i+1, step.after, free, step.free)
		}
	}
	for range 1000 {
		tally, _ = tally.Count(three, start)
	}
	if _, free := tally.Count(three, start.Add(6*time.Minute)); !free {
		t.Error("a thousand failures are remembered for longer than six")
	}
}

func TestTurnsAreOneAfterTheOther(t *testing.T) {
	start := time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	var tally Tally
	for i, want := range []time.Duration{0, time.Second, 2 * time.Second} {
		var wait time.Duration
		if tally, wait = tally.Turn(time.Second, start); wait != want {
			t.Errorf("turn %d waits %s, want %s", i+1, wait, want)
		}
	}
	if _, wait := tally.Turn(time.Second, start.Add(time.Hour)); wait != 0 {
		t.Errorf("nobody is waiting any more, and yet this one waits %s", wait)
	}
}
