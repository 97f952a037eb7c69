package escalation

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
)

// edited is a policy after an edit: each "0:A 5m" keeps the identity of the step that was
// added as the nth, and "0*:B 5m" changes whom that one pages. Those without are new.
func edited(before Policy, repeats int, texts ...string) Policy {
	after := Policy{Name: before.Name, Repeats: repeats, Revision: before.Revision + 1}
	for i, text := range texts {
		var id, changes int
		var letters, delay string
		step := Step{ID: uuid.UUID{0: 2, 1: byte(after.Revision), 15: byte(i)}, ChangedIn: after.Revision}
		if n, _ := fmt.Sscanf(text, "%d:%s %s", &id, &letters, &delay); n == 3 {
			step.ID, step.ChangedIn = stepID(id), 0
		} else if n, _ := fmt.Sscanf(text, "%d*:%s %s", &changes, &letters, &delay); n == 3 {
			step.ID = stepID(changes)
		} else if n, _ := fmt.Sscanf(text, "%s %s", &letters, &delay); n != 2 {
			panic(text)
		}
		step.Delay, _ = time.ParseDuration(delay)
		step.Targets = targetsOf(letters)
		after.Steps = append(after.Steps, step)
	}
	return after
}

// TestEditsUnderWay edits a policy while its first step waits for an answer, or its last
// one, and tells everything that follows.
func TestEditsUnderWay(t *testing.T) {
	two, three := policyOf(0, "A 5m, B 5m"), policyOf(0, "A 5m, B 5m, C 5m")
	for _, test := range []struct {
		name   string
		before Policy
		paged  int // steps before the edit
		after  Policy
		want   string
	}{
		{"[Priya, Wei] becomes [Wei]", two, 1, edited(two, 0, "1:B 5m"), "0.0 B"},
		{"[Priya, Wei] becomes [Wei], sent without its id", two, 1, edited(two, 0, "B 5m"), "0.0 B"},
		{"longer at the end", two, 1, edited(two, 0, "0:A 5m", "1:B 5m", "C 5m"), "0.1 B, 0.2 C"},
		{"longer after the last step", two, 2, edited(two, 0, "0:A 5m", "1:B 5m", "C 5m"), "0.2 C"},
		{"somebody in front", two, 1, edited(two, 0, "C 5m", "0:A 5m", "1:B 5m"), "0.0 C, 0.2 B"},
		{"another order", three, 1, edited(three, 0, "2:C 5m", "0:A 5m", "1:B 5m"), "0.0 C, 0.2 B"},
		{"somebody joins a step that was paged", two, 1, edited(two, 0, "0*:AC 5m", "1:B 5m"), "0.0 C, 0.1 B"},
		{"somebody joins a step after the last one", two, 2, edited(two, 0, "0*:AC 5m", "1:B 5m"), "0.0 C"},
		{"the same people, sent without ids", two, 1, edited(two, 0, "A 5m", "B 5m"), "0.1 B"},
		{"the same people in one step", three, 2, edited(three, 0, "ABC 5m"), "0.0 C"},
		{"others", two, 2, edited(two, 0, "D 5m", "E 5m"), "0.0 D, 0.1 E"},
		{"a step that was skipped comes back with somebody", policyOf(0, "- 5m, B 5m"), 1, edited(policyOf(0, "- 5m, B 5m"), 0, "0*:A 5m", "1:B 5m"), "0.0 A"},
		{"the first step is gone, the last one pages its person again", policyOf(0, "A 5m, B 5m, A 5m"), 2, edited(two, 0, "1:B 5m", "2:A 5m"), "0.1 A"},
		{"more repeats", policyOf(0, "A 5m"), 1, edited(two, 1, "0:A 5m"), "1.0 A"},
		{"fewer repeats finish the round", two, 1, edited(two, 0, "0:A 5m", "1:B 5m"), "0.1 B"},
		{"emptied", two, 1, edited(two, 0), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot := Snapshot{Policy: test.before, Owners: owners}
			state, effects := Start(snapshot, noon)
			for {
				snapshot.Paged = append(snapshot.Paged, pagedBy(effects)...)
				if len(slices.DeleteFunc(slices.Clone(state.Passed), func(id uuid.UUID) bool { return id == LastResortID })) >= test.paged {
					snapshot.Policy = test.after
				}
				snapshot.State = state
				if state, effects = Decide(snapshot, state.NextDueAt); slices.ContainsFunc(effects, func(e Effect) bool { return e.Kind == LastResort }) {
					break
				}
				if snapshot.Policy.Revision == test.after.Revision {
					test.want = trimFirst(t, test.want, words(effects))
				}
			}
			if test.want != "" {
				t.Errorf("%q was not paged", test.want)
			}
		})
	}
}

// trimFirst takes the effects that came from those that are expected.
func trimFirst(t *testing.T, want, got string) string {
	t.Helper()
	if len(want) < len(got) || want[:len(got)] != got {
		t.Fatalf("%q, want %q", got, want)
	}
	return want[min(len(want), len(got)+len(", ")):]
}

// pagedBy are the pages among effects, as they are read from the database later.
func pagedBy(effects []Effect) (paged []Paged) {
	for _, e := range effects {
		if e.Pages() {
			paged = append(paged, Paged{Round: e.Round, Kind: e.Kind, ID: target(e), ChannelKind: e.ChannelKind})
		}
	}
	return paged
}

// TestNobodyIsLeftOutByEdits edits random policies at random moments, with late wake-ups:
// everybody of the final policy is paged in the cycle, and in a round nobody is paged more
// often than a policy of that round named them.
func TestNobodyIsLeftOutByEdits(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 29))
	edits := 0
	for range *cases {
		snapshot := Snapshot{Policy: randomPolicy(random), Owners: []uuid.UUID{who("O")}, Severity: randomSeverity(random)}
		state, effects := Start(snapshot, noon)
		round, most, often, inCycle := -1, map[uuid.UUID]int{}, map[uuid.UUID]int{}, map[uuid.UUID]bool{}
		for {
			for _, e := range effects {
				if e.Round != round {
					round, most, often = e.Round, map[uuid.UUID]int{}, map[uuid.UUID]int{}
				}
				for id, n := range named(snapshot.Policy) {
					most[id] = max(most[id], n)
				}
				if e.Pages() && e.StepID != LastResortID {
					id := target(e)
					inCycle[id] = true
					if often[id]++; often[id] > max(1, most[id]) {
						t.Fatalf("paged %d times in round %d, named %d times: %s", often[id], round, most[id], words(effects))
					}
				}
			}
			snapshot.Paged = append(snapshot.Paged, pagedBy(effects)...)
			if state.Status != Active {
				break
			}
			if snapshot.State = state; random.IntN(3) == 0 {
				edits++
				snapshot.Policy = randomEdit(random, snapshot.Policy)
			}
			state, effects = Decide(snapshot, state.NextDueAt.Add(time.Duration(random.IntN(2))*lateness(random)))
		}
		for id := range named(snapshot.Policy) {
			if !inCycle[id] {
				t.Fatalf("%s of the final policy was never paged: %+v", id, snapshot.Policy)
			}
		}
	}
	t.Logf("%d edits", edits)
}

// named counts how many steps of a policy name each person and channel.
func named(policy Policy) map[uuid.UUID]int {
	count := map[uuid.UUID]int{}
	for _, step := range policy.Steps {
		inStep := map[uuid.UUID]bool{}
		for _, target := range step.Targets {
			for to := range target.destinations() {
				if !inStep[to.id] {
					count[to.id]++
				}
				inStep[to.id] = true
			}
		}
	}
	return count
}

// randomEdit adds, removes, moves or changes steps, or sends the same ones without ids.
func randomEdit(random *rand.Rand, policy Policy) Policy {
	policy.Revision++
	policy.Steps = slices.Clone(policy.Steps)
	for range 1 + random.IntN(3) {
		n := len(policy.Steps)
		switch random.IntN(5) {
		case 0:
			at := random.IntN(n + 1)
			step := Step{ID: uuid.New(), ChangedIn: policy.Revision, Delay: 5 * time.Minute, Targets: []Target{randomTarget(random)}}
			policy.Steps = slices.Insert(policy.Steps, at, step)
		case 1:
			if n > 0 {
				at := random.IntN(n)
				policy.Steps = slices.Delete(policy.Steps, at, at+1)
			}
		case 2:
			random.Shuffle(n, func(i, j int) { policy.Steps[i], policy.Steps[j] = policy.Steps[j], policy.Steps[i] })
		case 3:
			if n > 0 {
				at := random.IntN(n)
				policy.Steps[at].ChangedIn = policy.Revision
				policy.Steps[at].Targets = append(slices.Clone(policy.Steps[at].Targets), randomTarget(random))
			}
		case 4:
			for i := range policy.Steps {
				policy.Steps[i].ID, policy.Steps[i].ChangedIn = uuid.New(), policy.Revision
			}
		}
	}
	policy.Repeats = random.IntN(4)
	return policy
}
