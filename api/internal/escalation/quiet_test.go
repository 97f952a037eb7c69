package escalation

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// byNight is 22:00 to 06:00 in UTC.
var byNight = []Quiet{{Windows: []oncall.Window{{From: 22 * 60, To: 6 * 60}}}}

// TestQuietTimes: what is due in a quiet time ends the paging; what was due before, and is late
// or was held, is paged when the quiet time ends; nobody is paged in it.
func TestQuietTimes(t *testing.T) {
	ten := noon.Add(10 * time.Hour)
	work := Hold{Window: uuid.UUID{9}, Until: ten.Add(time.Hour), Because: "Work"}
	for _, test := range []struct {
		name  string
		due   time.Duration // from 22:00
		quiet []Quiet
		hold  Hold
		at    []time.Duration
		want  []string
	}{
		{"due in it", 0, byNight, Hold{}, []time.Duration{0, 8 * time.Hour}, []string{"0.0 pages_nobody", ""}},
		{"due in it, and a sweep long after it", time.Hour, byNight, Hold{}, []time.Duration{9 * time.Hour}, []string{"0.0 pages_nobody"}},
		{
			"a step that comes to be due in it", -4 * time.Minute, byNight,
			Hold{},
			[]time.Duration{-4 * time.Minute, time.Minute, 8 * time.Hour},
			[]string{"0.0 A", "0.1 pages_nobody", ""},
		},
		{"a moment late", -time.Second, byNight, Hold{}, []time.Duration{30 * time.Second}, []string{"0.0 A"}},
		{
			"late by hours: when it ends", -4 * time.Minute, byNight,
			Hold{},
			[]time.Duration{time.Hour, 8*time.Hour - 1, 8 * time.Hour, 8*time.Hour + 5*time.Minute},
			[]string{"0.0 held", "", "0.0 A", "0.1 B"},
		},
		{
			"late by a night: not together with what would have been due in it", -4 * time.Minute, byNight,
			Hold{},
			[]time.Duration{9 * time.Hour, 9*time.Hour + 5*time.Minute},
			[]string{"0.0 A", "0.1 B"},
		},
		{"late by less: together", -10 * time.Minute, byNight, Hold{}, []time.Duration{8 * time.Hour}, []string{"0.0 A, 0.1 B"}},
		{
			"maintenance ends in it", -4 * time.Minute, byNight, work,
			[]time.Duration{-4 * time.Minute, time.Hour, 8 * time.Hour},
			[]string{"0.0 held", "0.0 held", "0.0 A"},
		},
		{
			"it begins to have no end while maintenance holds", -4 * time.Minute,
			[]Quiet{{}},
			Hold{},
			[]time.Duration{time.Hour},
			[]string{"0.0 pages_nobody"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{
				State:  State{Cycle: 1, Status: Active, NextDueAt: ten.Add(test.due)},
				Policy: policyOf(0, "A 5m, B 5m, C 5m"), Severity: alert.High,
			}
			snapshot.Policy.Quiet = test.quiet
			for i, after := range test.at {
				now := ten.Add(after)
				if snapshot.Hold = (Hold{}); test.hold.holds(now) {
					snapshot.Hold = test.hold
				}
				var effects []Effect
				snapshot.State, effects = Decide(snapshot, now)
				if got := words(effects); got != test.want[i] {
					t.Errorf("at %s: %q, want %q", now.Format("15:04"), got, test.want[i])
				}
			}
		})
	}
}

// TestARiseEndsTheWaitForAQuietTime that is not quiet for the new severity.
func TestARiseEndsTheWaitForAQuietTime(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m")
	policy.Quiet = []Quiet{{Severities: []alert.Severity{alert.Low}, Windows: byNight[0].Windows}}
	night := noon.Add(11 * time.Hour)
	waiting := State{Cycle: 1, Passed: passed(1), Status: Active, NextDueAt: noon.Add(18 * time.Hour), HeldBy: HeldByQuiet, Severity: alert.Low}
	snapshot := Snapshot{State: waiting, Policy: policy, Severity: alert.High, Paged: []Paged{{Kind: PagePerson, ID: who("A")}}}
	state, effects := Rise(snapshot, night)
	if riseWords(effects) != "rise A, 0.1 B" || state.HeldBy != uuid.Nil || !state.NextDueAt.Equal(night.Add(5*time.Minute)) {
		t.Errorf("%q and %+v", riseWords(effects), state)
	}
	if snapshot.Policy.Quiet = byNight; true {
		if state, effects = Rise(snapshot, night); slices.ContainsFunc(effects, Effect.Pages) || !reflect.DeepEqual(state, waiting) {
			t.Errorf("quiet for both: %q and %+v", riseWords(effects), state)
		}
	}
}

// TestARiseInAQuietTimeIsSaid: nobody is told before the next step, and the timeline says why.
func TestARiseInAQuietTimeIsSaid(t *testing.T) {
	policy := policyOf(0, "A 5m, B 5m")
	policy.Quiet = []Quiet{{Severities: []alert.Severity{alert.Critical}, Windows: []oncall.Window{{From: 12 * 60, To: 12*60 + 3}}}}
	snapshot := Snapshot{Policy: policy, Severity: alert.Low}
	state, effects := Start(snapshot, noon)
	snapshot.State, snapshot.Paged, snapshot.Severity = state, pagedBy(effects), alert.Critical
	state, effects = Rise(snapshot, noon.Add(time.Minute))
	if words(effects) != "0.1 pages_nobody" || effects[0].Message != "Default pages nobody for critical incidents at this time (Saturday 12:01 in UTC)." || !reflect.DeepEqual(state, snapshot.State) {
		t.Errorf("%+v and %+v", effects, state)
	}
	if _, effects = Decide(snapshot, noon.Add(5*time.Minute)); riseWords(effects) != "rise A, 0.1 B" {
		t.Errorf("with the next step: %q", riseWords(effects))
	}
}

// TestARiseReconsidersEveryStepThatWasPassed, whether it was skipped for severity, for hours
// or because nobody was on call; one that is not for these hours stays skipped.
func TestARiseReconsidersEveryStepThatWasPassed(t *testing.T) {
	always := policyOf(0, "A 30m, B 30m, C 30m, D 30m, E 30m")
	always.Steps[0].Windows = []oncall.Window{{From: 13 * 60, To: 14 * 60}}
	always.Steps[1].Windows, always.Steps[1].Severities = always.Steps[0].Windows, []alert.Severity{alert.Low, alert.Critical}
	always.Steps[2].Severities = []alert.Severity{alert.High, alert.Critical}
	always.Steps[3].Targets[0].People = nil // nobody is on call
	staffed := policyOf(0, "A 30m, B 30m, C 30m, D 30m, E 30m")
	staffed.Steps[0], staffed.Steps[1], staffed.Steps[2] = always.Steps[0], always.Steps[1], always.Steps[2]
	for after, want := range map[time.Duration]string{
		10 * time.Minute: "rise E, 0.2 C, 0.3 D",
		61 * time.Minute: "rise E, 0.0 A, 0.1 B, 0.2 C, 0.3 D, 0.4 last_resort, 0.4 O, 0.4 P",
	} {
		snapshot := Snapshot{Policy: always, Severity: alert.Low, Owners: owners}
		state, effects := Start(snapshot, noon)
		if words(effects) != "0.0 step_skipped, 0.1 step_skipped, 0.2 step_skipped, 0.3 nobody_on_call, 0.4 E" {
			t.Fatalf("%q", words(effects))
		}
		snapshot.State, snapshot.Paged, snapshot.Severity, snapshot.Policy = state, pagedBy(effects), alert.Critical, staffed
		if _, effects = Rise(snapshot, noon.Add(after)); riseWords(effects) != want {
			t.Errorf("after %s: %q, want %q", after, riseWords(effects), want)
		}
	}
}

// TestAPageCountsForTheRoundInWhoseNameItIsMade: a late sweep ends one round and begins the
// next. B was paged for the first of them, so that B joins a step of the second one pages B.
func TestAPageCountsForTheRoundInWhoseNameItIsMade(t *testing.T) {
	snapshot := Snapshot{Policy: policyOf(1, "A 5m, B 5m"), Owners: owners}
	state, effects := Start(snapshot, noon)
	var got []string
	for range 4 {
		snapshot.State, snapshot.Paged = state, append(snapshot.Paged, pagedBy(effects)...)
		now := state.NextDueAt
		if len(got) == 0 {
			now = noon.Add(time.Hour)
		} else if len(got) == 1 {
			snapshot.Policy.Revision = 1
			snapshot.Policy.Steps[0].ChangedIn, snapshot.Policy.Steps[0].Targets = 1, targetsOf("AB")
		}
		state, effects = Decide(snapshot, now)
		got = append(got, words(effects))
	}
	want := []string{"0.1 B, 1.0 A", "1.0 B", "1.1 B", "1.1 last_resort, 1.1 O, 1.1 P"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestARiseBetweenTwoRoundsIsTold: a late sweep that stops where the next round would repeat
// what it has just paged leaves the first round passed, so whoever was paged in it is told.
func TestARiseBetweenTwoRoundsIsTold(t *testing.T) {
	snapshot := Snapshot{Policy: policyOf(2, "A 5m"), Severity: alert.Low}
	state, effects := Start(snapshot, noon)
	snapshot.State, snapshot.Paged = state, pagedBy(effects)
	state, effects = Decide(snapshot, noon.Add(time.Hour))
	snapshot.State, snapshot.Paged, snapshot.Severity = state, append(snapshot.Paged, pagedBy(effects)...), alert.Critical
	if _, effects = Rise(snapshot, noon.Add(61*time.Minute)); riseWords(effects) != "rise A" {
		t.Errorf("%q", riseWords(effects))
	}
}

// TestPagingThatEndsInMaintenanceSaysSoInItsTime: nobody would be paged by it, so it waits for
// nothing; what still has somebody to page waits.
func TestPagingThatEndsInMaintenanceSaysSoInItsTime(t *testing.T) {
	work := Hold{Window: uuid.UUID{9}, Until: noon.Add(time.Hour), Because: "Work"}
	for name, test := range map[string]struct {
		passed []uuid.UUID
		want   string
	}{
		"the last resort was paged":  {append(passed(1), LastResortID), "0.0 exhausted"},
		"the last resort is to come": {passed(1), "0.0 held"},
	} {
		state := State{Cycle: 1, Passed: test.passed, Status: Active, NextDueAt: noon}
		if _, effects := Decide(Snapshot{State: state, Policy: policyOf(0, "A 5m"), Hold: work}, noon); words(effects) != test.want {
			t.Errorf("%s: %q, want %q", name, words(effects), test.want)
		}
	}
}
