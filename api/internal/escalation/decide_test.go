package escalation

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// who names people and channels by one letter.
func who(letter string) uuid.UUID { return uuid.UUID{15: letter[0]} }

// policyOf reads "A 5m, BC 10m, - 1m, #s 5m": steps with people (letters), a channel (#) or nobody (-).
func policyOf(repeats int, text string) Policy {
	policy := Policy{Name: "Default", Repeats: repeats}
	for step := range strings.SplitSeq(text, ", ") {
		targets, delay, found := strings.Cut(step, " ")
		if !found {
			continue
		}
		wait, err := time.ParseDuration(delay)
		if err != nil {
			panic(err)
		}
		policy.Steps = append(policy.Steps, Step{ID: stepID(len(policy.Steps)), Delay: wait, Targets: targetsOf(targets)})
	}
	return policy
}

// stepID is the identity of the step that was added as the nth, from 0.
func stepID(n int) uuid.UUID { return uuid.UUID{0: 1, 15: byte(n)} }

// passed are the first steps of a policy.
func passed(n int) (steps []uuid.UUID) {
	for i := range n {
		steps = append(steps, stepID(i))
	}
	return steps
}

func targetsOf(letters string) []Target {
	if name, isChannel := strings.CutPrefix(letters, "#"); isChannel {
		return []Target{{Name: "#" + name, Channel: who(name)}}
	}
	target := Target{Name: "Rota " + letters}
	for letter := range strings.SplitSeq(strings.Trim(letters, "-"), "") {
		target.People = append(target.People, who(letter))
	}
	return []Target{target}
}

// words prints effects as "0.1 A" for pages and "0.1 nobody_on_call" for the rest.
func words(effects []Effect) string {
	var lines []string
	for _, e := range effects {
		target := string(e.Kind)
		switch e.Kind {
		case PagePerson:
			target = string(e.UserID[15])
		case PageChannel:
			target = "#" + string(e.ContactMethodID[15])
		}
		lines = append(lines, fmt.Sprintf("%d.%d %s", e.Round, e.Step, target))
	}
	return strings.Join(lines, ", ")
}

var owners = []uuid.UUID{who("O"), who("P"), who("O")}

// TestARoundAfterOneThatReachedNobodyPagesTheLastResort once, and keeps the repeats for when
// somebody can be reached again.
func TestARoundAfterOneThatReachedNobodyPagesTheLastResort(t *testing.T) {
	quiet := policyOf(1, "A 5m")
	quiet.NoLastResort = true
	for _, test := range []struct {
		name   string
		policy Policy
		want   []string
	}{
		{"in the round that begins", policyOf(2, "A 5m, B 10m"), []string{
			"0.0 A", "0.1 B", "1.0 last_resort, 1.0 O, 1.0 P, 1.0 A", "1.1 B", "2.0 A", "2.1 B", "2.1 exhausted",
		}},
		{"an owner on call is paged as such", policyOf(1, "O 5m"), []string{"0.0 O", "1.0 last_resort, 1.0 O, 1.0 P", "1.0 exhausted"}},
		{"not when the policy wants none", quiet, []string{"0.0 A", "1.0 A", "1.0 exhausted"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{State: State{Cycle: 1, Status: Active, NextDueAt: noon}, Policy: test.policy, Owners: owners}
			for i, want := range test.want {
				var effects []Effect
				at := snapshot.State.NextDueAt
				snapshot.Unreached = NeedsReached(snapshot, at)
				snapshot.State, effects = Decide(snapshot, at)
				if got := words(effects); got != want {
					t.Errorf("decision %d: %q, want %q", i, got, want)
				}
			}
		})
	}
}

// TestStory decides one policy after another at given times and reads like their timelines.
func TestStory(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy Policy
		at     []string // minutes:seconds after noon, paging starts at the first
		want   []string
	}{
		{
			"one step after the other, then the owners, then nothing", policyOf(0, "A 5m, BC 10m"),
			[]string{"0s", "4m59s", "5m", "15m", "20m", "60m"},
			[]string{"0.0 A", "", "0.1 B, 0.1 C", "0.1 last_resort, 0.1 O, 0.1 P", "0.1 exhausted", ""},
		},
		{
			"rounds", policyOf(1, "A 5m, #s 5m"),
			[]string{"0s", "5m", "10m", "15m", "20m", "25m"},
			[]string{"0.0 A", "0.1 #s", "1.0 A", "1.1 #s", "1.1 last_resort, 1.1 O, 1.1 P", "1.1 exhausted"},
		},
		{
			"a step that means nobody is skipped at once", policyOf(0, "- 5m, B 5m"),
			[]string{"0s", "5m", "10m"},
			[]string{"0.0 nobody_on_call, 0.1 B", "0.1 last_resort, 0.1 O, 0.1 P", "0.1 exhausted"},
		},
		{
			"a skipped last step has no delay to wait for", policyOf(1, "A 5m, - 5m"),
			[]string{"0s", "5m", "10m", "15m"},
			[]string{"0.0 A", "0.1 nobody_on_call, 1.0 A", "1.1 nobody_on_call, 1.1 last_resort, 1.1 O, 1.1 P", "1.1 exhausted"},
		},
		{"nobody at all means the owners, once", policyOf(2, "- 5m, - 7m"), []string{"0s", "5m", "10m", "15m"}, []string{
			"0.0 nobody_on_call, 0.1 nobody_on_call, 0.1 last_resort, 0.1 O, 0.1 P",
			"1.0 nobody_on_call, 1.1 nobody_on_call", "2.0 nobody_on_call, 2.1 nobody_on_call, 2.1 exhausted", "",
		}},
		{
			"no policy means the owners",
			Policy{},
			[]string{"0s", "4m59s", "5m"},
			[]string{"0.0 last_resort, 0.0 O, 0.0 P", "", "0.0 exhausted"},
		},
		{
			"late: each missed person once, and the full delay after that", policyOf(2, "A 5m, AB 5m, C 10m"),
			[]string{"0s", "12m", "21m", "22m"},
			[]string{"0.0 A", "0.1 A, 0.1 B, 0.2 C", "", "1.0 A"},
		},
		{
			"days late: one round is used up, not the policy", policyOf(2, "A 5m, B 5m"),
			[]string{"0s", "72h", "72h5m", "72h10m"},
			[]string{"0.0 A", "0.1 B, 1.0 A", "1.1 B", "2.0 A"},
		},
		{
			"days late in the last round: still waits for an answer", policyOf(0, "A 5m, B 5m, C 5m"),
			[]string{"0s", "72h", "72h4m", "72h5m"},
			[]string{"0.0 A", "0.1 B, 0.2 C", "", "0.2 last_resort, 0.2 O, 0.2 P"},
		},
		{
			"the policy names another last resort",
			Policy{Steps: policyOf(0, "A 5m").Steps, LastResort: Step{Targets: targetsOf("Z")}},
			[]string{"0s", "5m", "10m"},
			[]string{"0.0 A", "0.0 last_resort, 0.0 Z", "0.0 exhausted"},
		},
		{
			"another last resort that means nobody is the owners",
			Policy{Steps: policyOf(0, "A 5m").Steps, LastResort: Step{Targets: targetsOf("-")}},
			[]string{"0s", "5m", "10m"},
			[]string{"0.0 A", "0.0 last_resort, 0.0 O, 0.0 P", "0.0 exhausted"},
		},
		{
			"the policy wants no last resort",
			Policy{Steps: policyOf(0, "A 5m").Steps, NoLastResort: true},
			[]string{"0s", "5m"},
			[]string{"0.0 A", "0.0 exhausted"},
		},
		{
			"the policy wants no last resort, and nobody is on call",
			Policy{Repeats: 2, Steps: policyOf(0, "- 5m").Steps, NoLastResort: true},
			[]string{"0s", "5m", "10m"},
			[]string{"0.0 nobody_on_call", "1.0 nobody_on_call", "2.0 nobody_on_call, 2.0 exhausted"},
		},
		{
			"a person twice in a step is paged once",
			Policy{Steps: []Step{{Targets: append(targetsOf("AB"), targetsOf("BC")...)}}},
			[]string{"0s"},
			[]string{"0.0 A, 0.0 B, 0.0 C"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{State: State{Cycle: 1, Status: Active, NextDueAt: noon}, Policy: test.policy, Owners: owners}
			for i, at := range test.at {
				after, _ := time.ParseDuration(at)
				var effects []Effect
				snapshot.State, effects = Decide(snapshot, noon.Add(after))
				if got := words(effects); got != test.want[i] {
					t.Errorf("at %s: %q, want %q", at, got, test.want[i])
				}
			}
		})
	}
}

func TestStartPagesTheFirstStep(t *testing.T) {
	state, effects := Start(Snapshot{State: State{Cycle: 2, Severity: alert.High}, Policy: policyOf(0, "A 5m, B 5m"), Owners: owners, Severity: alert.Critical}, noon)
	want := State{Cycle: 3, Passed: passed(1), Status: Active, NextDueAt: noon.Add(5 * time.Minute), Severity: alert.Critical}
	if !reflect.DeepEqual(state, want) || words(effects) != "0.0 A" {
		t.Errorf("%+v, %s", state, words(effects))
	}
}

func TestDecideLeavesWhatIsNotDue(t *testing.T) {
	policy := policyOf(0, "A 5m")
	for _, state := range []State{
		{Cycle: 1, Status: Stopped, Reason: "Acknowledged by Ada"},
		{Cycle: 1, Status: Exhausted, Passed: passed(1)},
		{Cycle: 1, Status: Active, NextDueAt: noon.Add(time.Nanosecond)},
	} {
		next, effects := Decide(Snapshot{State: state, Policy: policy}, noon)
		if !reflect.DeepEqual(next, state) || effects != nil {
			t.Errorf("%+v became %+v with %v", state, next, effects)
		}
	}
}

func TestNoDueTimeMeansNow(t *testing.T) {
	_, effects := Decide(Snapshot{State: State{Cycle: 1, Status: Active}, Policy: policyOf(0, "A 5m, B 5m")}, noon)
	if got := words(effects); got != "0.0 A" {
		t.Errorf("%q, want the first step only", got)
	}
}

func TestAdvance(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m")
	later := noon.Add(time.Minute)
	for _, test := range []struct {
		name  string
		state State
		want  string
		cycle int
	}{
		{"active: the next step now", State{Cycle: 1, Passed: passed(1), Status: Active, NextDueAt: later}, "0.1 B", 1},
		{"active but overdue: what was missed, too", State{Cycle: 1, Status: Active, NextDueAt: noon.Add(-time.Hour)}, "0.0 A, 0.1 B", 1},
		{"only the last resort follows", State{Cycle: 1, Passed: passed(2), Status: Active, NextDueAt: later}, "0.1 last_resort, 0.1 O, 0.1 P", 1},
		{"nothing would follow: from the start", State{Cycle: 1, Passed: append(passed(2), LastResortID), Status: Active, NextDueAt: later}, "0.0 A", 2},
		{"acknowledged: the next step, in a new cycle", State{Cycle: 4, Round: 2, Passed: passed(1), Status: Stopped, Reason: "x"}, "0.1 B", 5},
		{"acknowledged after the last step: from the start", State{Cycle: 4, Passed: append(passed(2), LastResortID), Status: Stopped, Reason: "x"}, "0.0 A", 5},
		{"exhausted: from the start", State{Cycle: 1, Passed: passed(2), Status: Exhausted, Reason: "x"}, "0.0 A", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			state, effects := Advance(Snapshot{State: test.state, Policy: policy, Owners: owners}, noon)
			if got := words(effects); got != test.want || state.Cycle != test.cycle {
				t.Errorf("%q in cycle %d, want %q in cycle %d", got, state.Cycle, test.want, test.cycle)
			}
			if state.Status != Active || !state.NextDueAt.Equal(noon.Add(5*time.Minute)) || state.Reason != "" {
				t.Errorf("%+v", state)
			}
		})
	}
}

func TestAdvancePagesSomebodyWhenTheNextStepMeansNobody(t *testing.T) {
	active := State{Cycle: 1, Passed: passed(1), Status: Active, NextDueAt: noon.Add(time.Minute)}
	policy := policyOf(0, "A 5m, - 5m")
	policy.NoLastResort = true
	state, effects := Advance(Snapshot{State: active, Policy: policy}, noon)
	if got := words(effects); got != "0.1 nobody_on_call, 0.0 A" || state.Cycle != 2 || state.Status != Active {
		t.Errorf("%q, %+v", got, state)
	}
}

func TestStopKeepsTheFirstReason(t *testing.T) {
	active := State{Cycle: 1, Passed: passed(1), Status: Active, NextDueAt: noon}
	stopped := Stop(active, "Acknowledged by Ada")
	want := State{Cycle: 1, Passed: passed(1), Status: Stopped, Reason: "Acknowledged by Ada"}
	if !reflect.DeepEqual(stopped, want) || !reflect.DeepEqual(Stop(stopped, "Resolved"), want) {
		t.Errorf("%+v, %+v", stopped, Stop(stopped, "Resolved"))
	}
	if got := Stop(State{Status: Exhausted, Reason: "ran out"}, "Resolved"); got.Status != Stopped || got.Reason != "Resolved" {
		t.Errorf("%+v", got)
	}
}

func TestMessages(t *testing.T) {
	messages := func(policy Policy, owners []uuid.UUID, state State) []string {
		state.Status, state.NextDueAt = Active, noon
		_, effects := Decide(Snapshot{State: state, Policy: policy, Owners: owners}, noon)
		var lines []string
		for _, effect := range effects {
			lines = append(lines, effect.Message)
		}
		return lines
	}
	for _, test := range []struct {
		got  []string
		want []string
	}{
		{messages(policyOf(1, "A 5m"), nil, State{Round: 1}), []string{"Named by the policy; step 1 of Default, round 2."}},
		{messages(Policy{Steps: []Step{{Targets: []Target{{Channel: who("s")}}}}}, nil, State{}), []string{"Shared channel; step 1."}},
		{messages(policyOf(0, "- 5m, B 5m"), nil, State{}), []string{
			"Step 1 of Default was skipped: nobody is on call for Rota -.", "Named by the policy; step 2 of Default.",
		}},
		{messages(Policy{Name: "Night", Steps: make([]Step, 1)}, owners[:1], State{}), []string{
			"Step 1 of Night was skipped: it has no targets.",
			"Nobody is on call for Night, so the owners of the workspace are paged.", "Owner of the workspace, because nobody is on call for Night.",
		}},
		{messages(Policy{}, nil, State{}), []string{"Nobody is on call, and no owner of the workspace can be reached."}},
		{messages(policyOf(0, "A 5m"), owners[:1], State{Passed: passed(1)}), []string{
			"Nobody answered Default, so the owners of the workspace are paged.", "Owner of the workspace, because nobody answered Default.",
		}},
		{messages(Policy{Name: "Night", LastResort: Step{Targets: targetsOf("Z")}}, nil, State{}), []string{
			"Nobody is on call for Night, so Rota Z is paged as the last resort.", "Named by the policy, the last resort, because nobody is on call for Night.",
		}},
		{messages(Policy{Name: "Night", Quiet: []Quiet{{}}}, nil, State{}), []string{"Night pages nobody for  incidents at this time (Saturday 12:00 in UTC)."}},
		{messages(policyOf(0, "A 5m"), nil, State{Passed: append(passed(1), LastResortID)}), []string{"Nobody answered, and Default has nobody left to page."}},
	} {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestKeysTellPagesApart(t *testing.T) {
	row, phone, mail := uuid.New(), uuid.New(), uuid.New()
	_, effects := Start(Snapshot{Policy: policyOf(0, "A 5m, A 5m"), Severity: alert.Low}, noon)
	first := effects[0]
	second, later, rise := first, first, first
	second.StepID, later.Round, rise.Rise = stepID(1), 1, alert.Critical
	keys := map[string]bool{}
	for _, key := range []string{
		first.Key(row, 1, phone, 0), first.Key(row, 1, phone, 1), first.Key(row, 1, mail, 0), first.Key(row, 2, phone, 0), first.Key(uuid.New(), 1, phone, 0),
		second.Key(row, 1, phone, 0), later.Key(row, 1, phone, 0), rise.Key(row, 1, phone, 0),
	} {
		keys[key] = true
	}
	if len(keys) != 8 {
		t.Errorf("%d keys of 8 pages: %v", len(keys), keys)
	}
}
