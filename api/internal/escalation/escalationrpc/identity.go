package escalationrpc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// identity is what of a step survives an edit.
type identity struct {
	id uuid.UUID
	// changedIn is the revision in which it was added, or last changed whom it pages.
	changedIn int32
	// pages is whom the step pages and when, as text that is equal for equal steps.
	pages string
}

// identify gives the steps of an edit their identities: by the id that was sent back, or
// else by paging exactly as a step of before. Others are new. The refusal names an id that
// is none of this policy's, or that is sent twice.
func identify(before []identity, sent []*nightbellv1.EscalationStep, revision int32) ([]identity, error) {
	after, taken := make([]identity, len(sent)), make([]bool, len(before))
	take := func(step *identity, place int) {
		taken[place] = true
		step.id, step.changedIn = before[place].id, before[place].changedIn
		if before[place].pages != step.pages {
			step.changedIn = revision
		}
	}
	for i, step := range sent {
		after[i].pages = pagesOf(step)
		if step.GetId() == "" {
			continue
		}
		stepID, ok := id.Parse(step.GetId())
		place := slices.IndexFunc(before, func(old identity) bool { return ok && old.id == stepID })
		path := fmt.Sprintf("steps[%d].id", i)
		if place < 0 {
			return nil, fault.InvalidField(path, fault.Missing, "This policy has no such step. Leave the id empty for a new one.")
		}
		if taken[place] {
			return nil, fault.InvalidField(path, fault.BadFormat, "Another step has this id already. Leave it out for a new step.")
		}
		take(&after[i], place)
	}
	for i := range after {
		if after[i].id != uuid.Nil {
			continue
		}
		if place := samePages(before, taken, after[i].pages); place >= 0 {
			take(&after[i], place)
		} else {
			after[i].id, after[i].changedIn = id.New(), revision
		}
	}
	return after, nil
}

// samePages is the place of a step that is not taken and pages the same, or -1.
func samePages(before []identity, taken []bool, pages string) int {
	for place, old := range before {
		if !taken[place] && old.pages == pages {
			return place
		}
	}
	return -1
}

// pagesOf is the text of whom a step pages and when, its delay aside.
func pagesOf(step *nightbellv1.EscalationStep) string {
	lines := make([]string, 0, len(step.GetTargets()))
	for _, target := range step.GetTargets() {
		lines = append(lines, target.GetKind()+" "+strings.ToLower(target.GetId()))
	}
	if step.GetAssignment() != roundRobin {
		slices.Sort(lines)
	}
	severities := slices.Sorted(slices.Values(step.GetSeverities()))
	return fmt.Sprintf("%t %v %v %v", step.GetAssignment() == roundRobin, lines, severities, windowsOf(step.GetWindows()))
}

// identitiesOf are those of the steps of a stored policy.
func identitiesOf(rows []escalationdb.ListTargetsRow) (list []identity) {
	for _, group := range groups(rows) {
		list = append(list, identity{id: group.row.StepID, changedIn: group.row.ChangedIn, pages: pagesOf(group.step)})
	}
	return list
}
