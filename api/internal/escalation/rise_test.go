package escalation

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// riseWords prints effects as words does, and "rise A" for those that tell of the severity.
func riseWords(effects []Effect) (text string) {
	for _, e := range effects {
		line := words([]Effect{e})
		if e.Rise != "" {
			line = "rise" + line[len("0.0"):]
		}
		text += ", " + line
	}
	return text[min(2, len(text)):]
}

// TestSeverityThatRisesReachesAPerson: a low alert was paged for, and then it is critical.
func TestSeverityThatRisesReachesAPerson(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m, C 5m")
	forCritical := policyOf(0, "A 5m, B 5m, C 5m")
	forCritical.Steps[0].Severities = []alert.Severity{alert.Critical}
	quiet := policyOf(0, "A 5m")
	quiet.Quiet = []Quiet{{Severities: []alert.Severity{alert.Low}}}
	work := Hold{Window: uuid.UUID{9}, Until: noon.Add(time.Hour), Because: "Work"}
	for _, test := range []struct {
		name   string
		policy Policy
		// decisions are how many there were, one each five minutes, when it rose at after.
		decisions int
		after     time.Duration
		stop      bool
		hold      Hold
		want      string
		cycle     int
		next      time.Duration
	}{
		{"paging ran out: from the first step", policy, 5, time.Hour, false, Hold{}, "0.0 A, rise B, rise C, rise O, rise P", 2, time.Hour + 5*time.Minute},
		{"paging stopped: from the first step", policy, 2, time.Hour, true, Hold{}, "0.0 A, rise B", 2, time.Hour + 5*time.Minute},
		{"under way: whoever was paged is told", policy, 2, 6 * time.Minute, false, Hold{}, "rise A, rise B", 1, 10 * time.Minute},
		{"the next step is due: that one, too", policy, 2, 10 * time.Minute, false, Hold{}, "rise A, rise B, 0.2 C", 1, 15 * time.Minute},
		{"a step was skipped: it is paged", forCritical, 1, time.Minute, false, Hold{}, "rise B, 0.0 A", 1, 5 * time.Minute},
		{"after the last step, too", forCritical, 2, 6 * time.Minute, false, Hold{}, "rise B, rise C, 0.0 A", 1, 10 * time.Minute},
		{"paging just ran out, and no sweep said so: from the first step", policy, 4, 20 * time.Minute, false, Hold{}, "0.2 exhausted, 0.0 A, rise B, rise C, rise O, rise P", 2, 25 * time.Minute},
		{"in maintenance: it waits, and the next step keeps its time", policy, 2, 6 * time.Minute, false, work, "", 1, 10 * time.Minute},
		{"nobody was paged for the low one", quiet, 1, time.Minute, false, Hold{}, "0.0 A", 2, 6 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{Policy: test.policy, Owners: owners, Severity: alert.Low}
			state, effects := Start(snapshot, noon)
			for n := range test.decisions {
				if n > 0 {
					state, effects = Decide(snapshot, noon.Add(time.Duration(n)*5*time.Minute))
				}
				snapshot.State, snapshot.Paged = state, append(snapshot.Paged, pagedBy(effects)...)
			}
			if test.stop {
				snapshot.State = Stop(state, "x")
			}
			now := noon.Add(test.after)
			snapshot.Severity, snapshot.Hold = alert.Critical, test.hold
			state, effects = Rise(snapshot, now)
			if got := riseWords(effects); got != test.want || state.Cycle != test.cycle || !state.NextDueAt.Equal(noon.Add(test.next)) || state.Status != Active {
				t.Errorf("%q and %+v, want %q in cycle %d, next %s", got, state, test.want, test.cycle, test.next)
			}
			if test.hold.Window != uuid.Nil {
				return
			}
			snapshot.State = state
			if again, effects := Rise(snapshot, now); !reflect.DeepEqual(again, state) || effects != nil {
				t.Errorf("told again: %s, %+v", words(effects), again)
			}
		})
	}
}

// TestWhoeverHasItIsAskedOnce pages the one who acknowledged, once for each severity.
func TestWhoeverHasItIsAskedOnce(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m")
	state, _ := Start(Snapshot{Policy: policy, Severity: alert.Low}, noon)
	snapshot := Snapshot{State: Stop(state, "acknowledged"), Policy: policy, Severity: alert.High}
	until := noon.Add(policy.ConfirmTimeout())
	question := Question{Person: who("B"), Acknowledged: alert.Low, Until: until}
	state, effects := AskToConfirm(snapshot, question, noon)
	want := "Acknowledged when it was low, and high now: unless it is acknowledged again, Default pages from its first step at 12:15 UTC."
	if riseWords(effects) != "rise B" || effects[0].Message != want || state.Status != Stopped || state.Severity != alert.High {
		t.Errorf("%q in %+v", riseWords(effects), state)
	}
	snapshot.State = state
	if again, effects := AskToConfirm(snapshot, question, noon); riseWords(effects) != "rise B" || !reflect.DeepEqual(again, state) {
		t.Errorf("not asked about a severity that was told before it was acknowledged: %v, %+v", effects, again)
	}
	question.Waits = true
	if _, effects = AskToConfirm(snapshot, question, noon); effects != nil {
		t.Errorf("asked twice: %v", effects)
	}
	if snapshot.Severity = alert.Critical; true {
		if _, effects = AskToConfirm(snapshot, question, noon); riseWords(effects) != "rise B" {
			t.Errorf("not asked about the next severity: %v", effects)
		}
	}
	question.Acknowledged = ""
	_, effects = AskToConfirm(snapshot, question, noon)
	if want := "Acknowledged when it was less severe, and critical now: unless"; len(effects) != 1 || !strings.HasPrefix(effects[0].Message, want) {
		t.Errorf("of what nobody knows: %+v", effects)
	}
	for timeout, want := range map[time.Duration]time.Duration{0: 15 * time.Minute, 5 * time.Minute: 5 * time.Minute, 24 * time.Hour: 15 * time.Minute} {
		if policy.AckTimeout = timeout; policy.ConfirmTimeout() != want {
			t.Errorf("a policy that waits %s for a resolution gives %s to confirm", timeout, policy.ConfirmTimeout())
		}
	}
}

// TestNobodyIsAskedWhileThePolicyIsQuiet for the severity that rose: it is by night only.
func TestNobodyIsAskedWhileThePolicyIsQuiet(t *testing.T) {
	policy := policyOf(0, "A 5m")
	policy.Quiet = []Quiet{{Severities: []alert.Severity{alert.Critical}, Windows: []oncall.Window{{From: 22 * 60, To: 6 * 60}}}}
	state, _ := Start(Snapshot{Policy: policy, Severity: alert.Low}, noon)
	snapshot := Snapshot{State: Stop(state, "acknowledged"), Policy: policy, Severity: alert.Critical}
	night := noon.Add(11 * time.Hour)
	after, effects := AskToConfirm(snapshot, Question{Person: who("B"), Until: night.Add(time.Hour)}, night)
	if effects != nil || !reflect.DeepEqual(after, snapshot.State) {
		t.Errorf("by night: %q and %+v", riseWords(effects), after)
	}
	if _, effects = AskToConfirm(snapshot, Question{Person: who("B"), Until: noon.Add(time.Hour)}, noon); riseWords(effects) != "rise B" {
		t.Errorf("by day: %q", riseWords(effects))
	}
	snapshot.Severity = alert.High
	if _, effects = AskToConfirm(snapshot, Question{Person: who("B"), Until: night.Add(time.Hour)}, night); riseWords(effects) != "rise B" {
		t.Errorf("for a severity that is paged by night: %q", riseWords(effects))
	}
}

// TestRiseInRandomPolicies lets the severity rise anywhere in random policies, by day and
// night: somebody hears of it before paging ends, everybody who was paged is told exactly
// once, nothing that was due is put off, and the same severity is never told twice.
func TestRiseInRandomPolicies(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for range *cases {
		p := randomProspect(random)
		p.Owners, p.Severity, p.Maintenance = []uuid.UUID{who("O")}, alert.Low, nil
		now := noon.Add(time.Duration(random.IntN(14*24*60)) * time.Minute)
		state, effects := Start(p.Snapshot(State{}, now), now)
		p.Paged = pagedBy(effects)
		for range random.IntN(12) {
			if state.Status != Active {
				break
			}
			now = state.NextDueAt
			state, effects = Decide(p.Snapshot(state, now), now)
			p.Paged = append(p.Paged, pagedBy(effects)...)
		}
		if random.IntN(4) == 0 {
			state = Stop(state, "acknowledged")
		}
		now = now.Add(time.Duration(random.IntN(300)) * time.Second)
		if state.Status == Active && !state.NextDueAt.After(now) {
			now = state.NextDueAt.Add(-time.Nanosecond)
		}
		p.Severity = alert.Critical
		after, effects := Rise(p.Snapshot(state, now), now)
		told := map[uuid.UUID]int{}
		for _, e := range effects {
			if e.Pages() {
				told[target(e)]++
			}
		}
		if len(told) == 0 || after.Severity != alert.Critical {
			t.Fatalf("nobody was told at %s in %+v: %+v\n%+v", now, state, after, p)
		}
		if state.Status == Active {
			if !after.NextDueAt.Equal(state.NextDueAt) || after.Cycle != state.Cycle {
				t.Fatalf("%+v became %+v", state, after)
			}
			for _, paged := range p.Paged {
				if told[paged.ID] != 1 {
					t.Fatalf("%s was paged, and then told %d times: %+v", paged.ID, told[paged.ID], effects)
				}
			}
		}
		if again, effects := Rise(p.Snapshot(after, now), now); effects != nil || !reflect.DeepEqual(again, after) {
			t.Fatalf("told twice: %+v", effects)
		}
		if slices.ContainsFunc(effects, func(e Effect) bool { return e.Rise != "" && e.Rise != alert.Critical }) {
			t.Fatalf("told of another severity: %+v", effects)
		}
	}
}
