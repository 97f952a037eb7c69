package escalation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// TestForeseeMatchesTheRules compares what is foreseen with an interpreter of the rules
// that is written down the plain way: minute by minute windows, one step at a time, no
// state but three counters.
func TestForeseeMatchesTheRules(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 5))
	total := 0
	for range *cases / 10 {
		p := randomProspect(random)
		p.Policy.Quiet = randomQuiet(random)
		at := noon.Add(time.Duration(random.IntN(14*24*60)) * time.Minute)
		ahead, ends := p.Foresee(at)
		var got []string
		for _, decision := range ahead {
			for _, effect := range decision.Effects {
				got = append(got, decision.At.Format("02 15:04:05 ")+words([]Effect{effect}))
			}
		}
		want := plainly(p, at)
		if !ends {
			want = want[:min(len(got), len(want))]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("at %s: %+v\ngot  %q\nwant %q", at, p, got, want)
		}
		total += len(got)
	}
	t.Logf("%d effects", total)
}

// randomProspect is a policy with everything that a policy may ask for, on schedules that
// hand over within its steps, with planned work.
func randomProspect(random *rand.Rand) Prospect {
	p := Prospect{
		Policy: randomTurns(random, randomPolicy(random)), Owners: []uuid.UUID{who("O"), who("P")}[:random.IntN(3)],
		Severity: randomSeverity(random), Service: uuid.UUID{1},
		Reachable: func(person uuid.UUID) bool { return person != who("F") },
	}
	p.Policy.Zone = []*time.Location{nil, time.FixedZone("east", 20700), time.FixedZone("west", -12600)}[random.IntN(3)]
	p.Policy.NextTurn = random.IntN(9)
	for i := range p.Policy.Steps {
		step := &p.Policy.Steps[i]
		for range max(0, random.IntN(4)-1) {
			step.Windows = append(step.Windows, randomWindow(random))
		}
		for range max(0, random.IntN(4)-2) {
			step.Targets = append(step.Targets, Target{Kind: Schedule, Name: "schedule", Schedule: randomSchedule(random)})
		}
		if random.IntN(4) == 0 {
			step.Targets = append(step.Targets, Target{Kind: Team, Name: "team", People: []uuid.UUID{who("D"), who("F"), who("E")}})
		}
	}
	for n := range random.IntN(4) {
		start := noon.Add(time.Duration(random.IntN(14*24*60)) * time.Minute)
		p.Maintenance = append(p.Maintenance, Maintenance{
			ID: uuid.UUID{byte(n + 1)}, Start: start, End: start.Add(time.Duration(1+random.IntN(3000)) * time.Minute),
			Services: []uuid.UUID{{byte(1 + random.IntN(2))}}, Description: "work",
		})
	}
	return p
}

func randomWindow(random *rand.Rand) oncall.Window {
	w := oncall.Window{From: oncall.Clock(random.IntN(1440)), To: oncall.Clock(random.IntN(1440))}
	for range random.IntN(3) {
		w.Days = append(w.Days, time.Weekday(random.IntN(7)))
	}
	return w
}

// randomQuiet is mostly nothing, else some severities, hours or both.
func randomQuiet(random *rand.Rand) (quiet []Quiet) {
	for range max(0, random.IntN(4)-1) {
		q := Quiet{Severities: severities[random.IntN(4) : 4-random.IntN(2)]}
		for range random.IntN(3) {
			q.Windows = append(q.Windows, randomWindow(random))
		}
		quiet = append(quiet, q)
	}
	return quiet
}

// randomSchedule hands over every few hours, with a vacant seat now and then.
func randomSchedule(random *rand.Rand) *oncall.Schedule {
	s := &oncall.Schedule{Zone: time.UTC, Active: random.IntN(8) > 0, Rotations: []oncall.Rotation{{
		Unit: oncall.Hour, Length: 1 + random.IntN(5), Start: noon.AddDate(0, 0, -random.IntN(9)),
	}}}
	for range 1 + random.IntN(4) {
		var turn oncall.Turn
		for range random.IntN(3) {
			turn.People = append(turn.People, who(string(rune('A'+random.IntN(6)))))
		}
		s.Rotations[0].Turns = append(s.Rotations[0].Turns, turn)
	}
	return s
}

// plainly interprets the rules of Decide's comment for an incident that nobody answers.
func plainly(p Prospect, at time.Time) (lines []string) {
	steps, repeats := p.Policy.Steps, p.Policy.Repeats
	round, step, lastResort, heldBy := 0, 0, false, uuid.Nil
	tell := func(step int, what string) {
		lines = append(lines, fmt.Sprintf("%s %d.%d %s", at.Format("02 15:04:05"), round, max(0, min(step, len(steps)-1)), what))
	}
	nextRound := func() { round, step = round+1, 0 }
	if len(steps) == 0 {
		repeats = 0
	}
	anybody := func() bool {
		return slices.ContainsFunc(steps, func(s Step) bool { return len(meant(p, s, round, at)) > 0 })
	}
	wait := func(steps []Step, i int) time.Duration {
		if len(steps) == 0 || steps[i].Delay <= 0 {
			return DefaultDelay
		}
		return steps[i].Delay
	}
	for len(lines) < 10_000 {
		if step == len(steps) && round == repeats && lastResort {
			tell(step, "exhausted")
			return lines
		}
		if window := longestAt(p, at); window != nil {
			if heldBy != window.ID {
				tell(step, "held")
			}
			at, heldBy = window.End, window.ID
			continue
		}
		if quietPlainly(p, at) {
			end := at
			for quietPlainly(p, end) && end.Before(at.AddDate(0, 0, 8)) {
				end = end.Add(time.Minute).Truncate(time.Minute)
			}
			if heldBy == uuid.Nil || quietPlainly(p, end) {
				tell(step, "pages_nobody")
				return lines
			}
			tell(step, "held")
			at = end
			continue
		}
		heldBy = uuid.Nil
		if step == len(steps) && round < repeats {
			nextRound()
		}
		paged := false
		for !paged {
			if step == len(steps) {
				if round == repeats || !anybody() {
					break
				}
				nextRound()
			}
			whom := meant(p, steps[step], round, at)
			for _, one := range whom {
				tell(step, one)
			}
			if paged = len(whom) > 0; paged {
				at = at.Add(wait(steps, step))
			} else {
				tell(step, skippedAs(p, steps[step], at))
			}
			step++
		}
		if paged {
			continue
		}
		if lastResort && round == repeats {
			tell(step, "exhausted")
			return lines
		}
		if !lastResort {
			tell(step, "last_resort")
			for _, owner := range p.Owners {
				tell(step, string(owner[15]))
			}
		}
		at, lastResort = at.Add(wait(steps, 0)), true
	}
	return lines
}

func quietPlainly(p Prospect, at time.Time) bool {
	return slices.ContainsFunc(p.Policy.Quiet, func(q Quiet) bool { return isForPlainly(p, Step{Severities: q.Severities, Windows: q.Windows}, at) })
}

func longestAt(p Prospect, at time.Time) (longest *Maintenance) {
	for i, w := range p.Maintenance {
		under := !at.Before(w.Start) && at.Before(w.End) && w.Services[0] == p.Service
		if under && (longest == nil || w.End.After(longest.End) || w.End.Equal(longest.End) && w.ID[0] > longest.ID[0]) {
			longest = &p.Maintenance[i]
		}
	}
	return longest
}

func skippedAs(p Prospect, s Step, at time.Time) string {
	if isForPlainly(p, s, at) {
		return "nobody_on_call"
	}
	return "step_skipped"
}

func isForPlainly(p Prospect, s Step, at time.Time) bool {
	if len(s.Severities) > 0 && !slices.Contains(s.Severities, p.Severity) {
		return false
	}
	zone := p.Policy.Zone
	if zone == nil {
		zone = time.UTC
	}
	// Each minute at which a window that is still open may have begun. Minutes are
	// counted from Thursday, 1 January 1970 in the policy's zone: time.Time is ten times slower.
	_, offset := at.In(zone).Zone()
	last := (int(at.Unix()) + offset) / 60
	for _, w := range s.Windows {
		length := (int(w.To) - int(w.From) + 24*60) % (24 * 60)
		if length == 0 {
			length = 24 * 60
		}
		for back := range length {
			begin := last - back
			weekday := (time.Thursday + time.Weekday(begin/(24*60))) % 7
			if begin%(24*60) == int(w.From) && (len(w.Days) == 0 || slices.Contains(w.Days, weekday)) {
				return true
			}
		}
	}
	return len(s.Windows) == 0
}

// meant is whom a step pages at an instant.
func meant(p Prospect, s Step, round int, at time.Time) (whom []string) {
	if !isForPlainly(p, s, at) {
		return nil
	}
	var candidates [][]string
	for _, target := range s.Targets {
		people := target.People
		if target.Schedule != nil {
			people = oncall.At(*target.Schedule, at).People
		}
		var names []string
		for _, person := range people {
			name := []string{string(person[15])}
			if person == who("F") {
				name = nil
			}
			if s.RoundRobin && target.Kind == Team {
				candidates = append(candidates, name)
			}
			names = append(names, name...)
		}
		if target.Channel != uuid.Nil {
			names = append(names, "#"+string(target.Channel[15]))
		}
		if !s.RoundRobin || target.Kind != Team || len(people) == 0 {
			candidates = append(candidates, names)
		}
	}
	if s.RoundRobin && len(candidates) > 0 {
		for ahead := range candidates {
			if whom = candidates[(p.Policy.NextTurn+round+ahead)%len(candidates)]; len(whom) > 0 {
				break
			}
		}
		candidates = [][]string{whom}
	}
	whom = nil
	for _, names := range candidates {
		for _, name := range names {
			if !slices.Contains(whom, name) {
				whom = append(whom, name)
			}
		}
	}
	return whom
}
