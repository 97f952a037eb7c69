package alert

import (
	"testing"
	"time"
)

// TestAWrongClockKeepsTheOrderOfWhatItTells, however long each message waits before it is stored, and says when things
// happened by ours.
func TestAWrongClockKeepsTheOrderOfWhatItTells(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, wrong := range map[string]time.Duration{
		"right": 0, "behind": -10 * time.Minute, "ahead": 30 * time.Minute, "never set": time.Unix(30, 0).Sub(noon),
	} {
		sent := func(status Status, happened, sent, waited time.Duration) Received {
			r := Received{Status: status, StartsAt: noon.Add(happened + wrong), SentAt: noon.Add(sent + wrong), Event: &Event{}}
			return r.ByOurClock(noon.Add(sent+waited), waited)
		}
		end, again := sent(Resolved, 0, 0, 3*time.Second), sent(Firing, time.Second, 2*time.Second, 60*time.Millisecond)
		if !again.StartsAt.After(end.StartsAt) {
			t.Errorf("a clock that is %s: what fired at %s ended at %s", name, again.StartsAt, end.StartsAt)
		}
		late := sent(Firing, -90*time.Minute, 0, time.Second)
		if want := noon.Add(-90 * time.Minute); !late.StartsAt.Equal(want) || !late.IsLate(noon) {
			t.Errorf("a clock that is %s: what was kept back happened at %s, want %s", name, late.StartsAt, want)
		}
	}
}
