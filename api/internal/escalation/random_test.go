package escalation

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// lateness is mostly little, sometimes hours, rarely days.
func lateness(random *rand.Rand) time.Duration {
	longest := []time.Duration{time.Second, 10 * time.Minute, 6 * time.Hour, 72 * time.Hour}
	return time.Duration(random.Int64N(int64(longest[min(random.IntN(8), random.IntN(8), 3)])))
}

func randomPolicy(random *rand.Rand) Policy {
	policy := Policy{Name: "Random", Repeats: random.IntN(4), Steps: make([]Step, random.IntN(6))}
	for i := range policy.Steps {
		policy.Steps[i].ID = stepID(i)
		policy.Steps[i].Delay = time.Duration(random.IntN(121)) * 15 * time.Second
		for range random.IntN(4) {
			policy.Steps[i].Targets = append(policy.Steps[i].Targets, randomTarget(random))
		}
	}
	return policy
}

// forSeverity is the policy without the steps that are for other severities: they mean
// nobody for this incident.
func forSeverity(snapshot Snapshot) Policy {
	policy := snapshot.Policy
	policy.Steps = slices.Clone(policy.Steps)
	for i, step := range policy.Steps {
		if !step.isFor(snapshot.Severity) {
			policy.Steps[i].Targets = nil
		}
	}
	return policy
}

var severities = []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}

func randomSeverity(random *rand.Rand) alert.Severity { return severities[random.IntN(4)] }

// randomTurns makes some steps round robins, and some only for some severities.
func randomTurns(random *rand.Rand, policy Policy) Policy {
	for i := range policy.Steps {
		policy.Steps[i].RoundRobin = random.IntN(3) == 0
		if random.IntN(3) == 0 {
			policy.Steps[i].Severities = severities[random.IntN(3) : 3+random.IntN(2)]
		}
	}
	return policy
}

func randomTarget(random *rand.Rand) Target {
	letters := []string{"A", "B", "C", "D", "E", "F"}
	switch random.IntN(4) {
	case 0:
		return Target{Name: "empty rota"}
	case 1:
		return Target{Name: "#channel", Channel: who([]string{"s", "w"}[random.IntN(2)])}
	default:
		target := Target{Name: "rota"}
		for range 1 + random.IntN(2) {
			target.People = append(target.People, who(letters[random.IntN(len(letters))]))
		}
		return target
	}
}
