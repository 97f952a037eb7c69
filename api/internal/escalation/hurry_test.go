package escalation

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// TestAHurriedStepIsAskedAgainAtItsOwnTime: Ada, whom the first step pages ten minutes before the day begins, cannot be
// reached. The day's step comes half an hour later as ever, whoever is paged before it.
func TestAHurriedStepIsAskedAgainAtItsOwnTime(t *testing.T) {
	began := noon.Add(-10 * time.Minute)
	day := []oncall.Window{{From: 12 * 60, To: 20 * 60}}
	schedule := &oncall.Schedule{Zone: time.UTC, Active: true, Rotations: []oncall.Rotation{{
		Unit: oncall.Day, Length: 1, Start: noon, Turns: []oncall.Turn{{People: targetsOf("B")[0].People}},
	}}}
	for _, test := range []struct {
		name   string
		policy func(Policy) Policy
		rule   func(Snapshot, time.Time) (State, []Effect)
		at     []time.Duration // after it began
		want   []string
	}{
		{
			"of a step for other hours", func(p Policy) Policy { p.Steps[1].Windows = day; return p }, nil,
			[]time.Duration{0, 30 * time.Minute, 35 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped, 0.1 last_resort, 0.1 O, 0.1 P", "0.1 B", "0.1 exhausted"},
		},
		{
			"also without a last resort", func(p Policy) Policy { p.Steps[1].Windows, p.NoLastResort = day, true; return p }, nil,
			[]time.Duration{0, 30 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped", "0.1 B"},
		},
		{
			"of a schedule that has nobody before", func(p Policy) Policy {
				p.Steps[1].Targets = []Target{{Kind: Schedule, Name: "Day", Schedule: schedule}}
				return p
			}, nil,
			[]time.Duration{0, 30 * time.Minute},
			[]string{"0.0 A", "0.1 nobody_on_call, 0.1 last_resort, 0.1 O, 0.1 P", "0.1 B"},
		},
		{
			"though a later step is paged before", func(p Policy) Policy {
				p.Steps[1].Windows = day
				p.Steps = append(p.Steps, Step{ID: stepID(2), Delay: time.Hour, Targets: targetsOf("C")})
				return p
			}, nil,
			[]time.Duration{0, 30 * time.Minute, 35 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped, 0.2 C", "0.1 B", "0.2 last_resort, 0.2 O, 0.2 P"},
		},
		{
			"sooner, when another step has waited by then", func(p Policy) Policy {
				p.Steps[1].Windows = day
				p.Steps = append(p.Steps, Step{ID: stepID(2), Delay: 12 * time.Minute, Targets: targetsOf("C")})
				return p
			}, nil,
			[]time.Duration{0, 12 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped, 0.2 C", "0.1 B"},
		},
		{
			"before the policy repeats", func(p Policy) Policy { p.Steps[1].Windows, p.Repeats, p.NoLastResort = day, 1, true; return p }, nil,
			[]time.Duration{0, 30 * time.Minute, 35 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped", "0.1 B", "1.0 A"},
		},
		{
			"where it was hurried into a quiet time", func(p Policy) Policy {
				p.Quiet = []Quiet{{Windows: []oncall.Window{{From: 11*60 + 51, To: 12 * 60}}}}
				return p
			}, nil,
			[]time.Duration{5 * time.Minute, 30 * time.Minute},
			[]string{"0.0 A", "", "0.1 B"},
		},
		{
			"by a sweep that is late", func(p Policy) Policy { p.Steps[1].Windows = day; return p }, nil,
			[]time.Duration{time.Hour},
			[]string{"0.0 A", "0.1 step_skipped, 0.1 B"},
		},
		{
			"when somebody asked for the next step", func(p Policy) Policy { p.Steps[1].Windows = day; return p }, Advance,
			[]time.Duration{0, 30 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped, 0.1 last_resort, 0.1 O, 0.1 P", "0.1 B"},
		},
		{
			"when it was left", func(p Policy) Policy { p.Steps[1].Windows = day; return p }, GoOn,
			[]time.Duration{0, 30 * time.Minute},
			[]string{"0.0 A", "0.1 step_skipped, 0.1 last_resort, 0.1 O, 0.1 P", "0.1 B"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := Prospect{Policy: test.policy(policyOf(0, "A 30m, B 5m")), Owners: owners, Reachable: func(uuid.UUID) bool { return true }}
			state, effects := Start(p.Snapshot(State{}, began), began)
			got := []string{words(effects)}
			for i, after := range test.at {
				now := began.Add(after)
				switch {
				case i == 0 && test.rule != nil:
					state, effects = test.rule(p.Snapshot(state, now), now)
				case i == 0:
					hurried := began
					if after < 30*time.Minute {
						hurried = now
					}
					state, effects = Decide(p.Snapshot(Hurry(state, hurried), now), now)
				default:
					if !state.NextDueAt.Equal(now) {
						t.Errorf("due after %s, want %s", state.NextDueAt.Sub(began), after)
					}
					state, effects = Decide(p.Snapshot(state, now), now)
				}
				got = append(got, words(effects))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
