package escalation

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // also on a machine without zones

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// byDay is 09:00 to 17:00 on the wall clock of the policy; noon is a Saturday.
var byDay = []oncall.Window{{From: 9 * 60, To: 17 * 60}}

// decided tells the effects of decisions about one incident at times after noon.
func decided(snapshot Snapshot, after ...string) (lines []string) {
	snapshot.State = State{Cycle: 1, Turn: snapshot.State.Turn, Status: Active, NextDueAt: noon}
	for _, text := range after {
		wait, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		var effects []Effect
		snapshot.State, effects = Decide(snapshot, noon.Add(wait))
		lines = append(lines, words(effects))
	}
	return lines
}

func TestStepsForSeveritiesAndHours(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m, C 5m")
	policy.Steps[0].Severities = []alert.Severity{alert.Critical, alert.High}
	policy.Steps[1].Windows = byDay
	night := policy
	night.Zone = time.FixedZone("night", 9*3600) // 21:00 there
	onlyCritical := policyOf(0, "A 5m")
	onlyCritical.Steps[0].Severities = []alert.Severity{alert.Critical}
	evening := policyOf(0, "A 5m, B 5m")
	evening.Zone = time.FixedZone("evening", int((4*time.Hour + 58*time.Minute).Seconds())) // 16:58 there
	evening.Steps[1].Windows = byDay
	for _, test := range []struct {
		name     string
		snapshot Snapshot
		at       []string
		want     []string
	}{
		{"critical by day: everyone", Snapshot{Policy: policy, Severity: alert.Critical}, []string{"0s", "5m", "10m"}, []string{"0.0 A", "0.1 B", "0.2 C"}},
		{"low by day", Snapshot{Policy: policy, Severity: alert.Low}, []string{"0s", "5m", "10m"}, []string{"0.0 step_skipped, 0.1 B", "0.2 C", "0.2 last_resort"}},
		{"high by night", Snapshot{Policy: night, Severity: alert.High}, []string{"0s", "5m"}, []string{"0.0 A", "0.1 step_skipped, 0.2 C"}},
		{"low by night", Snapshot{Policy: night, Severity: alert.Low}, []string{"0s"}, []string{"0.0 step_skipped, 0.1 step_skipped, 0.2 C"}},
		{
			"for no step: the owners",
			Snapshot{Policy: onlyCritical, Severity: alert.Low, Owners: owners},
			[]string{"0s", "5m"},
			[]string{"0.0 step_skipped, 0.0 last_resort, 0.0 O, 0.0 P", "0.0 exhausted"},
		},
		{"hours end before the step is due", Snapshot{Policy: evening, Owners: owners}, []string{"0s", "5m"}, []string{"0.0 A", "0.1 step_skipped, 0.1 last_resort, 0.1 O, 0.1 P"}},
		{"a late wake-up asks of the time it was due", Snapshot{Policy: policy, Severity: alert.High}, []string{"0s", "20h", "20h5m"}, []string{"0.0 A", "0.1 B, 0.2 C", "0.2 last_resort"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := decided(test.snapshot, test.at...); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestRoundRobin(t *testing.T) {
	policy := Policy{Repeats: 3, Steps: []Step{{
		ID: stepID(0), Delay: 5 * time.Minute, RoundRobin: true,
		Targets: append(append(targetsOf("A"), targetsOf("-")...), Target{Kind: Team, Name: "Squad", People: []uuid.UUID{who("C"), who("D")}}),
	}}}
	everyone := func(uuid.UUID) bool { return true }
	for turn, want := range [][]string{
		{"0.0 A", "1.0 C", "2.0 C", "3.0 D"}, // the vacant one passes its turn on
		{"0.0 C", "1.0 C", "2.0 D", "3.0 A"},
		{"0.0 C", "1.0 D", "2.0 A", "3.0 C"},
		{"0.0 D", "1.0 A", "2.0 C", "3.0 C"},
	} {
		snapshot := Snapshot{State: State{Turn: turn}, Policy: policy.At(noon, everyone)}
		if got := decided(snapshot, "0s", "5m", "10m", "15m"); !slices.Equal(got, want) {
			t.Errorf("turn %d: %q, want %q", turn, got, want)
		}
	}
	// One who cannot be reached keeps the place in the line.
	unreachable := policy.At(noon, func(person uuid.UUID) bool { return person != who("C") })
	if got := decided(Snapshot{State: State{Turn: 2}, Policy: unreachable}, "0s", "5m"); !slices.Equal(got, []string{"0.0 D", "1.0 D"}) {
		t.Errorf("without C: %q", got)
	}
}

func TestFirstPagingTakesTheNextTurn(t *testing.T) {
	policy := policyOf(0, "A 5m")
	policy.NextTurn = 7
	first, _ := Start(Snapshot{Policy: policy}, noon)
	again, _ := Start(Snapshot{State: Stop(first, "x"), Policy: Policy{NextTurn: 9}}, noon)
	advanced, _ := Advance(Snapshot{State: Stop(first, "x"), Policy: policy}, noon)
	if first.Turn != 7 || again.Turn != 7 || again.Cycle != 2 || advanced.Turn != 7 {
		t.Errorf("%+v, %+v, %+v", first, again, advanced)
	}
}

func TestHold(t *testing.T) {
	work := Hold{Window: uuid.UUID{9}, Until: noon.Add(time.Hour), Because: "Moving house."}
	longer := Hold{Window: uuid.UUID{8}, Until: noon.Add(2 * time.Hour), Because: "More"}
	snapshot := Snapshot{Policy: policyOf(0, "A 5m, B 5m"), Hold: work}
	state, effects := Start(snapshot, noon)
	want := State{Cycle: 1, Status: Active, NextDueAt: work.Until, HeldBy: work.Window}
	if !reflect.DeepEqual(state, want) || words(effects) != "0.0 held" || effects[0].Message != "Pages are held until 13:00 UTC: Moving house." {
		t.Errorf("%+v, %+v", state, effects)
	}
	// The same window says nothing twice, another one does.
	snapshot.State = state
	snapshot.State.NextDueAt = noon
	if again, effects := Decide(snapshot, noon); !reflect.DeepEqual(again, want) || effects != nil {
		t.Errorf("%+v, %v", again, effects)
	}
	snapshot.Hold = longer
	if state, effects = Decide(snapshot, noon); state.HeldBy != longer.Window || words(effects) != "0.0 held" {
		t.Errorf("%+v, %v", state, effects)
	}
	// At the end of work nothing is held.
	snapshot.State = state
	if state, effects = Decide(snapshot, longer.Until); words(effects) != "0.0 A" || state.HeldBy != uuid.Nil {
		t.Errorf("%+v, %v", state, effects)
	}
	// In the middle of the policy it waits where it is; what has nothing left ends.
	snapshot = Snapshot{State: State{Cycle: 1, Passed: passed(1), Status: Active, NextDueAt: noon}, Policy: snapshot.Policy, Hold: work}
	if state, _ = Decide(snapshot, noon); len(state.Passed) != 1 || !state.NextDueAt.Equal(work.Until) {
		t.Errorf("%+v", state)
	}
	snapshot.State.Passed = append(passed(2), LastResortID)
	if state, _ = Decide(snapshot, noon); state.Status != Exhausted {
		t.Errorf("%+v", state)
	}
	// Whoever asks for the next step gets it.
	snapshot.State = want
	if state, effects = Advance(snapshot, noon); words(effects) != "0.0 A" || state.HeldBy != uuid.Nil || !state.NextDueAt.Equal(noon.Add(5*time.Minute)) {
		t.Errorf("%+v, %v", state, effects)
	}
	if stopped := Stop(want, "x"); stopped.HeldBy != uuid.Nil {
		t.Errorf("%+v", stopped)
	}
}

func TestHoldAt(t *testing.T) {
	service := uuid.UUID{1}
	windows := []Maintenance{
		{ID: uuid.UUID{11}, Start: noon.Add(-time.Hour), End: noon.Add(time.Hour), Services: []uuid.UUID{service}},
		{ID: uuid.UUID{12}, Start: noon, End: noon.Add(2 * time.Hour), Services: []uuid.UUID{{2}, service}},
		{ID: uuid.UUID{13}, Start: noon.Add(time.Minute), End: noon.Add(3 * time.Hour), Services: []uuid.UUID{service}},
		{ID: uuid.UUID{14}, Start: noon.Add(-time.Hour), End: noon, Services: []uuid.UUID{service}},
		{ID: uuid.UUID{15}, Start: noon.Add(-time.Hour), End: noon.Add(time.Hour * 9), Services: []uuid.UUID{{2}, uuid.Nil}},
	}
	for service, want := range map[uuid.UUID]byte{service: 12, {2}: 15, {3}: 0, uuid.Nil: 0} {
		if got := HoldAt(windows, service, noon); got.Window[0] != want {
			t.Errorf("%s is held by %d, want %d", service, got.Window[0], want)
		}
	}
	if got := HoldAt(windows[3:4], service, noon); got != (Hold{}) {
		t.Errorf("held by what has ended: %+v", got)
	}
	slices.Reverse(windows)
	if got := HoldAt(windows, service, noon); got.Window[0] != 12 || !got.Until.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("in another order: %+v", got)
	}
}

func TestWhy(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	day := oncall.Schedule{Zone: berlin, Active: true, Rotations: []oncall.Rotation{
		{Name: "Nights", Unit: oncall.Week, Length: 1, Handover: 480, Weekday: time.Monday, Turns: []oncall.Turn{{People: []uuid.UUID{who("B")}}}, Start: noon.AddDate(0, -1, 0)},
		{
			Name: "Day", Unit: oncall.Week, Length: 1, Handover: 480, Weekday: time.Monday, Turns: []oncall.Turn{{People: []uuid.UUID{who("A")}}},
			Start: noon.AddDate(0, -1, 0), Windows: []oncall.Window{{From: 480, To: 20 * 60}},
		},
	}}
	always := day
	always.Rotations = day.Rotations[:1]
	covered := day
	covered.Overrides = []oncall.Override{{Kind: oncall.TakeOver, Person: who("C"), Start: noon, End: noon.AddDate(0, 0, 3)}}
	sentence := func(target Target, roundRobin bool, rounds int) string {
		policy := Policy{Name: "Payments", Steps: []Step{{Targets: []Target{target}, RoundRobin: roundRobin}}, Repeats: 3}
		if roundRobin {
			policy.Steps[0].Targets = append(policy.Steps[0].Targets, targetsOf("Z")...)
		}
		state := State{Cycle: 1, Round: rounds, Status: Active, NextDueAt: noon}
		_, effects := Decide(Snapshot{State: state, Policy: policy.At(noon, func(uuid.UUID) bool { return true })}, noon)
		return effects[0].Why.Sentence
	}
	for _, test := range []struct{ got, want string }{
		{sentence(Target{Kind: Schedule, Name: "24/7 Support", Schedule: &day}, false, 0), "On call for 24/7 Support (Day) until 20:00 CET; step 1 of Payments."},
		{sentence(Target{Kind: Schedule, Name: "24/7 Support", Schedule: &covered}, false, 1), "On call for 24/7 Support (override) until Tue 13:00 CET; step 1 of Payments, round 2."},
		{sentence(Target{Kind: Schedule, Name: "Nights", Schedule: &always}, false, 0), "On call for Nights (Nights); step 1 of Payments."},
		{sentence(Target{Kind: Team, Name: "Platform", People: []uuid.UUID{who("A")}}, false, 0), "Member of Platform; step 1 of Payments."},
		{sentence(Target{Kind: User, Name: "Ada", People: []uuid.UUID{who("A")}}, true, 0), "Named by the policy, whose turn it is; step 1 of Payments."},
		{sentence(Target{Kind: Channel, Name: "#ops", Channel: who("s")}, false, 0), "Shared channel #ops; step 1 of Payments."},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	for after, want := range map[time.Duration]string{
		time.Minute: "12:01", 13 * time.Hour: "Sun 01:00", 100 * time.Hour: "Wed 16:00", 160 * time.Hour: "Sat 28 Nov 04:00", 1000 * time.Hour: "Sat 2 Jan 2027 04:00",
	} {
		if got := clockOf(noon.Add(after), noon, nil); got != want {
			t.Errorf("in %s it is %q, want %q", after, got, want)
		}
	}
	if got := strings.Join([]string{listed(nil), listed([]string{"a"}), listed([]string{"a", "b", "c"})}, "|"); got != "|a|a, b and c" {
		t.Error(got)
	}
}
