package escalation

import (
	"testing"
	"time"
)

// TestAnIncidentWithoutNewsIsSparedForHalfADay: outages that follow each other more closely than the policy's time do
// not keep it open for good.
func TestAnIncidentWithoutNewsIsSparedForHalfADay(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct{ policy, outage, want time.Duration }{ // since due
		{time.Hour, -2 * time.Hour, 0},
		{time.Hour, -10 * time.Minute, 50 * time.Minute},
		{time.Hour, 50 * time.Minute, 110 * time.Minute},
		{time.Hour, 20 * time.Hour, mostSpared + time.Hour},
		{48 * time.Hour, 20 * time.Hour, 2 * mostSpared},
	} {
		if got := (Policy{AutoResolve: test.policy}).AfterOutage(due, due.Add(test.outage)); got.Sub(due) != test.want {
			t.Errorf("after %s, with an outage that ended %s after it was due: %s later, want %s", test.policy, test.outage, got.Sub(due), test.want)
		}
	}
	if got := (Policy{AutoResolve: time.Hour}).AfterOutage(due, time.Time{}); !got.Equal(due) {
		t.Errorf("without an outage: %s", got)
	}
}
