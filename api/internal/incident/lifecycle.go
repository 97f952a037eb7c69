package incident

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Command is something that somebody wants done to an incident. The commands in
// commands.go are all there are.
type Command interface {
	// decide is asked with a known status only, and never returns the version grown.
	decide(current Incident, now time.Time) (Outcome, error)
}

// Decide says what command does to an incident at now; it is total (testdata/lifecycle.md has every answer). A repeat
// is no error: Changed is false, the first stays. A refusal is a Conflict (of the state) or Unprocessable (the command
// is wrong), with Next the incident as it was. Version grows by one exactly when Changed.
func Decide(current Incident, command Command, now time.Time) (Outcome, error) {
	if command == nil || !current.Status.known() {
		return unchanged(current, LeavePaging), fault.Newf(fault.Internal, "incident_rule_missing",
			"no rule for %T on an incident that is %q", command, current.Status)
	}
	outcome, err := command.decide(current, now)
	if err != nil {
		return unchanged(current, LeavePaging), err
	}
	if outcome.Changed {
		outcome.Next.Version++
	}
	return outcome, nil
}

func (s Status) known() bool { return s.Open() || s == Resolved }

func changed(next Incident, paging Paging, event Event) Outcome {
	return Outcome{Next: next, Changed: true, Paging: paging, Events: []Event{event}}
}

func unchanged(current Incident, paging Paging) Outcome {
	return Outcome{Next: current, Paging: paging}
}

// refuseResolved is the answer to whoever wants to change an incident that is over.
func refuseResolved(advice string) error {
	return fault.New(fault.Conflict, "incident_resolved", "This incident is already resolved. "+advice)
}
