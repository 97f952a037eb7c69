package escalation

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// MostForeseen is how many decisions ahead a foresight goes.
const MostForeseen = 50

// Prospect is all that decides about the pages of an incident that nobody answers.
type Prospect struct {
	// Policy is as it was read: schedules are asked at the time of each step.
	Policy   Policy
	Owners   []uuid.UUID
	Severity alert.Severity
	// Service is the incident's; Nil when it has none.
	Service     uuid.UUID
	Maintenance []Maintenance
	// Paged are who was paged in the cycle under way.
	Paged []Paged
	// Unreached is set when no page of the cycle under way has got through so far.
	Unreached bool
	// Reachable tells whether a person can be paged.
	Reachable func(person uuid.UUID) bool
}

// Foreseen is one decision ahead.
type Foreseen struct {
	At      time.Time
	Effects []Effect
}

// Snapshot is what a decision at an instant depends on.
func (p Prospect) Snapshot(state State, now time.Time) Snapshot {
	return Snapshot{
		State: state, Policy: p.Policy.At(now, p.Reachable), Owners: p.Owners, Paged: p.Paged, Unreached: p.Unreached,
		Severity: p.Severity, Hold: HoldAt(p.Maintenance, p.Service, now),
	}
}

// Foresee is what would happen to an incident that opens at an instant and that nobody
// answers, with every sweep on time and pages that get through: Start and then Decide, until
// paging ends or after MostForeseen decisions. ends is false for the latter.
func (p Prospect) Foresee(at time.Time) (ahead []Foreseen, ends bool) {
	state, effects := Start(p.Snapshot(State{}, at), at)
	ahead = append(ahead, Foreseen{at, effects})
	for state.Status == Active && len(ahead) < MostForeseen {
		at = state.NextDueAt
		state, effects = Decide(p.Snapshot(state, at), at)
		ahead = append(ahead, Foreseen{at, effects})
	}
	return ahead, state.Status != Active
}

// Next is the pages that follow a state if nobody answers and every sweep is on time;
// none when nobody follows. Steps that are overdue are paged at now.
func (p Prospect) Next(state State, now time.Time) (pages []Effect) {
	for range MostForeseen {
		if state.Status != Active {
			return nil
		}
		if state.NextDueAt.After(now) {
			now = state.NextDueAt
		}
		var effects []Effect
		state, effects = Decide(p.Snapshot(state, now), now)
		for _, effect := range effects {
			if effect.Pages() {
				pages = append(pages, effect)
			}
		}
		if len(pages) > 0 {
			return pages
		}
	}
	return nil
}
