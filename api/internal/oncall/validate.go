package oncall

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/org"
)

// What a schedule may have, so that every question about it is answered quickly.
const (
	MostRotations = 20
	MostTurns     = 100
	MostPeople    = 20 // in a turn
	MostWindows   = 20 // of a rotation
	longestName   = 200
	longestReason = 500
)

// refusals gathers the broken rules of a request.
type refusals []fault.Field

// unless notes a broken rule of a field, with the sentence that says what to do.
func (r *refusals) unless(kept bool, path, sentence string, args ...any) {
	if !kept {
		*r = append(*r, fault.Field{Path: path, Message: fmt.Sprintf(sentence, args...)})
	}
}

// err is nil when every rule is kept, else a fault with all broken ones.
func (r *refusals) err() error {
	if len(*r) == 0 {
		return nil
	}
	refusal := fault.New(fault.Unprocessable, "invalid_field", (*r)[0].Message)
	refusal.Fields = *r
	return refusal
}

// Validate checks the rotations of a schedule before they are stored. The refusal is
// of kind Unprocessable and names every field that breaks a rule, as the API spells it
// ("rotations[0].turns[1].user_ids"). A valid schedule is resolved as it reads; an
// invalid one would only mean nobody.
func Validate(s Schedule) error {
	var broken refusals
	broken.unless(s.Zone != nil, "timezone", "Choose the time zone of the schedule.")
	broken.unless(len(s.Rotations) <= MostRotations, "rotations", "Use at most %d rotations.", MostRotations)
	for i, rotation := range s.Rotations {
		rotation.check(fmt.Sprintf("rotations[%d].", i), &broken)
	}
	return broken.err()
}

func (r Rotation) check(path string, broken *refusals) {
	name := strings.TrimSpace(r.Name)
	broken.unless(name != "", path+"name", "Give the rotation a name.")
	broken.unless(utf8.RuneCountInString(name) <= longestName, path+"name", "Shorten the name of the rotation to %d characters.", longestName)
	broken.unless(org.IsPlainText(r.Name), path+"name", "Remove the control characters from the name of the rotation.")
	r.checkCadence(path, broken)
	broken.unless(!r.Start.IsZero(), path+"starts_at", "Say when the rotation starts.")
	broken.unless(r.End.IsZero() || r.End.After(r.Start), path+"ends_at", "Let the rotation end after its start, or never.")
	r.checkTurns(path, broken)
	broken.unless(len(r.Windows) <= MostWindows, path+"windows", "Use at most %d windows.", MostWindows)
	for i, window := range r.Windows {
		window.check(fmt.Sprintf("%swindows[%d].", path, i), broken)
	}
}

func (r Rotation) checkCadence(path string, broken *refusals) {
	most := r.Unit.longest()
	broken.unless(most > 0, path+"unit", `Choose "hour", "day" or "week".`)
	if most > 0 {
		broken.unless(1 <= r.Length && r.Length <= most, path+"length", "Let a turn last 1 to %d %ss.", most, r.Unit)
	}
	broken.unless(r.Handover.valid(), path+"handover", "Use a time of day from 00:00 to 23:59.")
	broken.unless(isWeekday(r.Weekday), path+"weekday", "Choose a day of the week.")
}

func (r Rotation) checkTurns(path string, broken *refusals) {
	broken.unless(len(r.Turns) > 0, path+"turns", "Add who takes turns: at least one turn.")
	broken.unless(len(r.Turns) <= MostTurns, path+"turns", "Use at most %d turns.", MostTurns)
	for i, turn := range r.Turns {
		field := fmt.Sprintf("%sturns[%d].user_ids", path, i)
		broken.unless(len(turn.People) <= MostPeople, field, "Put at most %d people in a turn.", MostPeople)
		broken.unless(len(distinct(turn.People)) == len(turn.People), field, "Name each person once in a turn.")
	}
}

func (o Window) check(path string, broken *refusals) {
	broken.unless(o.From.valid(), path+"from", "Use a time of day from 00:00 to 23:59.")
	broken.unless(o.To.valid(), path+"to", "Use a time of day from 00:00 to 23:59.")
	for i, weekday := range o.Days {
		broken.unless(isWeekday(weekday), fmt.Sprintf("%sdays[%d]", path, i), "Choose a day of the week.")
	}
}

// ValidateOverride checks an override before it is stored, and refuses as Validate does.
func ValidateOverride(o Override) error {
	var broken refusals
	switch o.Kind {
	case TakeOver, Cover:
		broken.unless(o.Person != uuid.Nil, "user_id", "Choose who comes on call.")
	case Vacant:
		broken.unless(o.Person == uuid.Nil, "user_id", "Leave out the person: nobody is on call then.")
	default:
		broken.unless(false, "kind", `Choose "take_over", "cover" or "vacant".`)
	}
	if o.Kind == Cover {
		broken.unless(o.Replaces != uuid.Nil, "replaces_user_id", "Choose who is covered.")
		broken.unless(o.Replaces != o.Person || o.Person == uuid.Nil, "replaces_user_id", "Choose two different people.")
	} else {
		broken.unless(o.Replaces == uuid.Nil, "replaces_user_id", "Leave out who is covered, or make it a cover.")
	}
	broken.unless(!o.Start.IsZero(), "starts_at", "Say when the override starts.")
	broken.unless(o.End.After(o.Start), "ends_at", "Let the override end after its start.")
	broken.unless(utf8.RuneCountInString(o.Reason) <= longestReason, "reason", "Shorten the reason to %d characters.", longestReason)
	return broken.err()
}

func isWeekday(d time.Weekday) bool { return time.Sunday <= d && d <= time.Saturday }
