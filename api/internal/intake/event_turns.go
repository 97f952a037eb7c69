package intake

import (
	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// eventTurns admits to one transaction only events that want the same of a problem: a trigger and its resolve, stored
// together, would be one alert that never fired. A request that wants something else waits for the next transaction,
// and so does every later one about its problems: the order of arrival stays.
type eventTurns map[problem]alert.Action

// problem is what events with one dedup key are about.
type problem struct {
	service uuid.UUID
	key     string
}

// waits stands for a problem of a request that is not in this transaction.
const waits alert.Action = "waits"

// admit reports whether a request may be stored in this transaction.
func (t eventTurns) admit(s *submission) bool {
	admitted := true
	for _, r := range s.batch.Alerts {
		if r.Event != nil {
			action, taken := t[problemOf(s, r)]
			admitted = admitted && (!taken || action == r.Event.Action)
		}
	}
	for _, r := range s.batch.Alerts {
		switch {
		case r.Event == nil:
		case admitted:
			t[problemOf(s, r)] = r.Event.Action
		default:
			t[problemOf(s, r)] = waits
		}
	}
	return admitted
}

func problemOf(s *submission, r alert.Received) problem {
	return problem{s.route.ServiceID, alert.BoundKey(r.Key)}
}
