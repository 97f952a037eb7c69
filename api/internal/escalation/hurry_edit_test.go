package escalation

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// TestADecisionEndsWhereAnEditLeavesAPutOffStepNobodyToPage: the day's step was put off and Cid was paged after it. An
// edit gives the day's step to Cid as well, and the sweep is away until the day has begun.
func TestADecisionEndsWhereAnEditLeavesAPutOffStepNobodyToPage(t *testing.T) {
	began := noon.Add(-10 * time.Minute)
	for _, test := range []struct {
		name    string
		repeats int
		last    bool
		want    string
	}{
		{"in the last round", 0, false, "0.1 step_skipped, 0.1 exhausted"},
		{"before the last resort", 0, true, "0.1 step_skipped, 0.1 last_resort, 0.1 O, 0.1 P"},
		{"before another round", 1, false, "0.1 step_skipped, 1.0 A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{Policy: policyOf(test.repeats, "A 30m, B 5m, C 5m"), Owners: owners}
			snapshot.Policy.Steps[1].Windows = []oncall.Window{{From: 12 * 60, To: 20 * 60}}
			snapshot.Policy.NoLastResort = !test.last
			state, first := Start(snapshot, began)
			snapshot.State = Hurry(state, began)
			state, next := Decide(snapshot, began)
			if got, want := words(next), "0.1 step_skipped, 0.2 C"; got != want {
				t.Fatalf("%q, want %q", got, want)
			}
			snapshot.State, snapshot.Paged = state, append(pagedBy(first), pagedBy(next)...)
			snapshot.Policy.Revision = 1
			snapshot.Policy.Steps[1].ChangedIn, snapshot.Policy.Steps[1].Targets = 1, targetsOf("C")
			decided := make(chan string, 1)
			go func() {
				_, effects := Decide(snapshot, began.Add(31*time.Minute))
				decided <- words(effects)
			}()
			select {
			case got := <-decided:
				if got != test.want {
					t.Errorf("%q, want %q", got, test.want)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the decision does not end")
			}
		})
	}
}
