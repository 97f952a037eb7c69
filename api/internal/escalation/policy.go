package escalation

import (
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// At is the policy as it stands at an instant: schedules mean who is on call then, a team in a round robin is as many
// targets as it has members, and people who cannot be reached are left out. Who is paged and who is explained both come
// through here. The policy itself stays as it is.
func (p Policy) At(now time.Time, reachable func(person uuid.UUID) bool) Policy {
	steps := make([]Step, len(p.Steps))
	for i, step := range p.Steps {
		steps[i] = step.at(now, reachable)
	}
	p.Steps, p.LastResort = steps, p.LastResort.at(now, reachable)
	return p
}

func (s Step) at(now time.Time, reachable func(person uuid.UUID) bool) Step {
	targets := make([]Target, 0, len(s.Targets))
	for _, target := range s.Targets {
		targets = append(targets, s.parts(target.at(now))...)
	}
	for i := range targets {
		targets[i].keep(reachable)
	}
	s.Targets = targets
	return s
}

// at is the target with the people that its schedule means at an instant.
func (t Target) at(now time.Time) Target {
	if t.Schedule != nil {
		duty := oncall.At(*t.Schedule, now)
		t.People, t.Because = duty.People, duty.Because
		t.shift = &askedShift{schedule: t.Schedule, at: now}
	}
	return t
}

// parts are the candidates of a target: in a round robin each member of a team is one,
// also those who cannot be reached, so that turns stay where they are.
func (s Step) parts(target Target) []Target {
	if !s.RoundRobin || target.Kind != Team || len(target.People) == 0 {
		return []Target{target}
	}
	parts := make([]Target, len(target.People))
	for i, person := range target.People {
		parts[i] = target
		parts[i].People = []uuid.UUID{person}
	}
	return parts
}

// keep drops people who cannot be reached. When nobody is left the target means nobody,
// and is remembered as unreachable.
func (t *Target) keep(reachable func(uuid.UUID) bool) {
	meant := len(t.People)
	people := make([]uuid.UUID, 0, meant)
	for _, person := range t.People {
		if reachable(person) {
			people = append(people, person)
		}
	}
	t.People = people
	t.unreachable = meant > 0 && len(people) == 0
}

// Everybody is all whom the policy may ever mean, each once, in no particular order:
// everybody whom a schedule knows, on call or not.
func (p Policy) Everybody() []uuid.UUID {
	var all []uuid.UUID
	for _, step := range append([]Step{p.LastResort}, p.Steps...) {
		for _, target := range step.Targets {
			all = append(all, target.People...)
			if target.Schedule != nil {
				all = append(all, target.Schedule.People()...)
			}
		}
	}
	slices.SortFunc(all, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(all)
}

// TakesTurns reports whether a step is a round robin.
func (p Policy) TakesTurns() bool {
	return slices.ContainsFunc(p.Steps, func(step Step) bool { return step.RoundRobin })
}

func (p Policy) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

func (s Step) delay() time.Duration {
	if s.Delay <= 0 {
		return DefaultDelay
	}
	return s.Delay
}

func (s Step) meansSomebody() bool { return slices.ContainsFunc(s.Targets, Target.meansSomebody) }

// meansUnreachable reports whether a target means people of whom none can be paged.
func (s Step) meansUnreachable() bool {
	return slices.ContainsFunc(s.Targets, func(t Target) bool { return t.unreachable })
}

// isFor reports whether the step is for incidents of this severity.
func (s Step) isFor(severity alert.Severity) bool {
	return len(s.Severities) == 0 || slices.Contains(s.Severities, severity)
}

// isOn reports whether the step pages at an instant.
func (s Step) isOn(zone *time.Location, at time.Time) bool {
	return oncall.InWindow(s.Windows, zone, at)
}

// paged are the targets whose turn it is: everyone's, or in a round robin the first at or
// after the turn that means somebody.
func (s Step) paged(turn int) []Target {
	if !s.RoundRobin || len(s.Targets) == 0 {
		return s.Targets
	}
	n := len(s.Targets)
	for ahead := range n {
		candidate := s.Targets[((turn+ahead)%n+n)%n]
		if candidate.meansSomebody() {
			return []Target{candidate}
		}
	}
	return nil
}

func (t Target) meansSomebody() bool {
	return t.Channel != uuid.Nil || slices.ContainsFunc(t.People, func(person uuid.UUID) bool { return person != uuid.Nil })
}

// destinations are the people of the target and its channel.
func (t Target) destinations() iter.Seq[destination] {
	return func(yield func(destination) bool) {
		for _, person := range t.People {
			if person != uuid.Nil && !yield(destination{PagePerson, person}) {
				return
			}
		}
		if t.Channel != uuid.Nil {
			yield(destination{PageChannel, t.Channel})
		}
	}
}
