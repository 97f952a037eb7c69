package escalation

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

var (
	seeded = flag.Uint64("seed", 0, "run the same random cases again; 0 chooses new ones")
	cases  = flag.Int("cases", 20_000, "how many random policies")
)

// TestAnyWakeUpPattern runs random policies to their end three times: woken exactly on
// time, woken at random within each step, and woken whenever, up to three days late.
func TestAnyWakeUpPattern(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 0))
	total := 0
	for range *cases {
		snapshot := Snapshot{
			State:  State{Cycle: 1, Status: Active, NextDueAt: noon},
			Policy: randomTurns(random, randomPolicy(random)),
			Owners: owners[:1+random.IntN(2)], Severity: randomSeverity(random),
		}
		snapshot.State.Turn = random.IntN(7)
		punctual := history(t, snapshot, func(State, time.Time) time.Duration { return 0 })
		within := history(t, snapshot, func(state State, _ time.Time) time.Duration {
			return time.Duration(random.Int64N(int64(waits(forSeverity(snapshot), state))))
		})
		whenever := history(t, snapshot, func(State, time.Time) time.Duration { return lateness(random) })

		sameEffects(t, punctual, within)
		nothingEarlyNothingNew(t, punctual, within)
		nothingEarlyNothingNew(t, punctual, whenever)
		everybodyTried(t, punctual, whenever)
		total += len(punctual)
		if t.Failed() {
			t.Fatalf("policy %+v", snapshot.Policy)
		}
	}
	t.Logf("%d policies, %d effects", *cases, total)
}

// identity is an effect without its message.
type identity struct {
	kind        EffectKind
	round, step int
	target      uuid.UUID
}

func identify(e Effect) identity {
	return identity{e.Kind, e.Round, e.Step, target(e)}
}

func isPage(e Effect) bool { return e.Kind == PagePerson || e.Kind == PageChannel }

func target(e Effect) uuid.UUID {
	if e.Kind == PageChannel {
		return e.ContactMethodID
	}
	return e.UserID
}

// history decides until nothing follows, each time late by what late says, and tells
// when each effect came. It checks every decision on the way.
func history(t *testing.T, snapshot Snapshot, late func(State, time.Time) time.Duration) map[identity]time.Time {
	t.Helper()
	when := map[identity]time.Time{}
	for decisions := 0; snapshot.State.Status == Active; decisions++ {
		early := snapshot.State.NextDueAt.Add(-time.Second)
		if state, effects := Decide(snapshot, early); !reflect.DeepEqual(state, snapshot.State) || effects != nil {
			t.Fatalf("woken early, %+v became %+v with %v", snapshot.State, state, effects)
		}
		now := snapshot.State.NextDueAt.Add(late(snapshot.State, snapshot.State.NextDueAt))
		state, effects := Decide(snapshot, now)
		checkDecision(t, snapshot, now, state, effects)
		for _, effect := range effects {
			if _, twice := when[identify(effect)]; twice {
				t.Fatalf("twice: %+v", effect)
			}
			when[identify(effect)] = now
		}
		snapshot.State = state
		if decisions > (maxRepeats+1)*(len(snapshot.Policy.Steps)+2) {
			t.Fatalf("no end in sight: %+v", state)
		}
	}
	return when
}

// checkDecision holds for every decision about an active, due snapshot, whatever happened before.
func checkDecision(t *testing.T, before Snapshot, now time.Time, state State, effects []Effect) {
	t.Helper()
	pages, once := 0, map[uuid.UUID]bool{}
	for _, effect := range effects {
		if effect.Message == "" {
			t.Fatalf("no words for %+v", effect)
		}
		if !isPage(effect) {
			continue
		}
		pages++
		if id := target(effect); id == uuid.Nil || once[id] {
			t.Fatalf("nobody, or twice at once: %+v", effects)
		}
		once[target(effect)] = true
	}
	switch state.Status {
	case Active:
		if wait := waited(forSeverity(before), state); !state.NextDueAt.Equal(now.Add(wait)) {
			t.Fatalf("next step at %s, want the full %s after %s", state.NextDueAt, wait, now)
		}
		if pages == 0 && len(before.Owners) > 0 && !slices.Contains(before.State.Passed, LastResortID) {
			t.Fatalf("goes on without having paged anybody: %+v", effects)
		}
	case Exhausted:
		last := effects[len(effects)-1]
		if state.Reason == "" || !state.NextDueAt.IsZero() || pages > 0 || last.Kind != RanOut {
			t.Fatalf("exhausted as %+v with %+v", state, effects)
		}
	default:
		t.Fatalf("%+v became %+v", before.State, state)
	}
	if len(effects) > mostEffects(before) {
		t.Fatalf("%d effects of one decision", len(effects))
	}
}

func mostEffects(snapshot Snapshot) int {
	most := len(snapshot.Owners) + 2
	for _, step := range snapshot.Policy.Steps {
		most++
		for _, target := range step.Targets {
			most += len(target.People) + 1
		}
	}
	return 2 * most // skipped in two rounds
}

// waited is how long the state waits for an answer: the delay of the step that was passed
// last and means somebody, found the slow way.
func waited(policy Policy, state State) time.Duration {
	first := DefaultDelay
	if len(policy.Steps) > 0 {
		first = policy.Steps[0].delay()
	}
	if slices.Contains(state.Passed, LastResortID) {
		return first
	}
	for _, id := range slices.Backward(state.Passed) {
		for _, step := range policy.Steps {
			if step.ID == id && step.meansSomebody() {
				return step.delay()
			}
		}
	}
	for _, step := range slices.Backward(policy.Steps) {
		if step.meansSomebody() { // paged late, in the round before
			return step.delay()
		}
	}
	return first
}

// waits is how long the step that is paged next will wait: a wake-up less late than
// that misses no other step.
func waits(policy Policy, state State) time.Duration {
	for ahead := range policy.Steps {
		if step := policy.Steps[(len(state.Passed)+ahead)%len(policy.Steps)]; step.meansSomebody() {
			return step.delay()
		}
	}
	return DefaultDelay
}

func sameEffects(t *testing.T, punctual, within map[identity]time.Time) {
	t.Helper()
	if len(punctual) != len(within) {
		t.Errorf("%d effects on time, %d when woken within each step", len(punctual), len(within))
	}
}

func nothingEarlyNothingNew(t *testing.T, punctual, other map[identity]time.Time) {
	t.Helper()
	for effect, at := range other {
		due, known := punctual[effect]
		if !known {
			t.Errorf("new: %+v", effect)
		}
		if at.Before(due) {
			t.Errorf("early: %+v at %s, due %s", effect, at, due)
		}
	}
}

func everybodyTried(t *testing.T, punctual, late map[identity]time.Time) {
	t.Helper()
	if want, got := targetsIn(punctual), targetsIn(late); !maps.Equal(want, got) {
		t.Errorf("paged on time %v, paged late %v", want, got)
	}
}

func targetsIn(effects map[identity]time.Time) map[string]bool {
	found := map[string]bool{}
	for effect := range effects {
		if effect.kind == PagePerson || effect.kind == PageChannel || effect.kind == RanOut {
			found[fmt.Sprint(effect.kind, effect.target)] = true
		}
	}
	return found
}

// FuzzDecide throws positions and policies that no sane history leads to at Decide.
func FuzzDecide(f *testing.F) {
	f.Add(uint64(1), 0, 0, 0, int64(0), int64(300))
	f.Add(uint64(2), 1, 3, 20, int64(1<<40), int64(-1))
	f.Add(uint64(3), -1, 1<<62, 1<<62, int64(-5), int64(0))
	f.Fuzz(func(t *testing.T, shape uint64, round, step, repeats int, late, delay int64) {
		random := rand.New(rand.NewPCG(shape, 0))
		policy := randomPolicy(random)
		policy.Repeats = repeats
		if len(policy.Steps) > 0 {
			policy.Steps[0].Delay = time.Duration(delay)
		}
		snapshot := Snapshot{Policy: policy, Owners: owners[:random.IntN(3)]}
		snapshot.State = State{Cycle: 1, Round: round, Passed: passed(min(max(step, 0), 9)), Status: Active, NextDueAt: noon}
		if step > 9 {
			snapshot.State.Passed = append(snapshot.State.Passed, LastResortID)
		}
		now := noon.Add(time.Duration(max(late, 0)))
		policyBefore := fmt.Sprint(snapshot.Policy)

		state, effects := Decide(snapshot, now)
		checkDecision(t, snapshot, now, state, effects)
		state, effects = Advance(snapshot, now)
		if !slices.ContainsFunc(effects, isPage) && len(snapshot.Owners) > 0 {
			t.Fatalf("asked for the next step, nobody paged: %+v", effects)
		}
		if state.Status != Active || !state.NextDueAt.After(now) {
			t.Fatalf("asked for the next step, got %+v", state)
		}
		if fmt.Sprint(snapshot.Policy) != policyBefore {
			t.Fatal("the policy was changed")
		}
	})
}
