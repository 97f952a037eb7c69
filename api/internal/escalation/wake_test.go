package escalation

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestWhoeverAsksGetsSomebody asks for the next step anywhere in random policies, by day
// and night, in maintenance or not: somebody is paged, and paging goes on.
func TestWhoeverAsksGetsSomebody(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 6))
	for range *cases {
		p := randomProspect(random)
		p.Owners = []uuid.UUID{who("O")}
		now := noon.Add(time.Duration(random.IntN(14*24*60)) * time.Minute)
		state := State{
			Cycle: 1 + random.IntN(3), Round: random.IntN(5), Passed: passed(random.IntN(8)), Turn: random.IntN(50), Reason: "x",
			Status: []Status{Active, Stopped, Exhausted}[random.IntN(3)],
		}
		if random.IntN(3) == 0 {
			state.Passed = append(state.Passed, LastResortID)
		}
		if state.Status == Active {
			state.NextDueAt, state.Reason = now.Add(time.Duration(random.IntN(7200)-3600)*time.Second), ""
		}
		after, effects := Advance(p.Snapshot(state, now), now)
		if !slices.ContainsFunc(effects, Effect.Pages) || after.Status != Active || !after.NextDueAt.After(now) || after.HeldBy != uuid.Nil {
			t.Fatalf("asked at %s in %+v: %+v and %+v\n%+v", now, state, after, effects, p)
		}
	}
}

// TestLateWakeUpsWithEveryRule wakes random prospects whenever, up to days late: each
// decision pages somebody, is held or ends, or the last resort was paged before; nobody is
// paged in maintenance, in a quiet time by a step that is late, twice for one step, or
// before a step that was due earlier.
func TestLateWakeUpsWithEveryRule(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 8))
	for range *cases {
		p := randomProspect(random)
		p.Owners, p.Policy.Quiet = []uuid.UUID{who("O")}, randomQuiet(random)
		now := noon.Add(time.Duration(random.IntN(14*24*60)) * time.Minute)
		due := now
		state, effects := Start(p.Snapshot(State{}, now), now)
		once, last, decisions := map[identity]bool{}, -1, 0
		for {
			held := HoldAt(p.Maintenance, p.Service, now).Window != uuid.Nil
			quiet := p.Policy.quietAt(p.Severity, now)
			pages := 0
			for _, effect := range effects {
				if !effect.Pages() {
					continue
				}
				pages++
				place := effect.Round*1000 + effect.Step
				if held || quiet && now.Sub(due) > onTime || once[identify(effect)] || place < last {
					t.Fatalf("at %s (held: %t) %+v after %d\n%+v", now, held, effect, last, p)
				}
				once[identify(effect)], last = true, place
			}
			idle := pages == 0 && !held && !quiet && !slices.Contains(state.Passed, LastResortID)
			if state.Status == Active && (idle || !state.NextDueAt.After(now)) {
				t.Fatalf("at %s (held: %t) %d pages, then %+v\n%+v", now, held, pages, state, p)
			}
			if decisions++; state.Status != Active || decisions > 1000 {
				break
			}
			due = state.NextDueAt
			now = due.Add(lateness(random))
			state, effects = Decide(p.Snapshot(state, now), now)
		}
		if state.Status != Exhausted {
			t.Fatalf("no end in sight: %+v", state)
		}
	}
}
