package oncall

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// What a schedule may have, so that every question about it is answered quickly.
const (
	MaxRotations = 20
	MaxTurns     = 100
	MaxPeople    = 20 // in a turn
	MaxWindows   = 20 // of a rotation
	maxName      = 200
	maxReason    = 500
)

// violations gathers the broken rules of a request.
type violations []fault.Field

// require notes a broken rule of a field, with the sentence that says what to do.
func (r *violations) require(kept bool, path string, code fault.FieldCode, sentence string, args ...any) {
	if !kept {
		*r = append(*r, fault.Field{Path: path, Code: code, Message: fmt.Sprintf(sentence, args...)})
	}
}

// err is nil when every rule is kept, else a fault with all broken ones.
func (r *violations) err() error {
	if len(*r) == 0 {
		return nil
	}
	return fault.InvalidFields((*r)[0].Message, *r...)
}

// Validate checks the rotations of a schedule before they are stored. The refusal is of kind Unprocessable and names
// every field that breaks a rule, as the API spells it ("rotations[0].turns[1].user_ids"). A valid schedule is resolved
// as it reads; an invalid one would only mean nobody.
func Validate(s Schedule) error {
	var found violations
	found.require(s.Zone != nil, "timezone", fault.Required, "Choose the time zone of the schedule.")
	found.require(len(s.Rotations) <= MaxRotations, "rotations", fault.TooLong, "Use at most %d rotations.", MaxRotations)
	for i, rotation := range s.Rotations {
		rotation.check(fmt.Sprintf("rotations[%d].", i), &found)
	}
	return found.err()
}

func (r Rotation) check(path string, found *violations) {
	name := strings.TrimSpace(r.Name)
	found.require(name != "", path+"name", fault.Required, "Give the rotation a name.")
	found.require(utf8.RuneCountInString(name) <= maxName, path+"name", fault.TooLong, "Shorten the name of the rotation to %d characters.", maxName)
	found.require(plaintext.Check(r.Name) == "", path+"name", fault.BadFormat, "Remove the control and invisible characters from the name of the rotation.")
	r.checkCadence(path, found)
	found.require(!r.Start.IsZero(), path+"starts_at", fault.Required, "Say when the rotation starts.")
	found.require(r.End.IsZero() || r.End.After(r.Start), path+"ends_at", fault.OutOfRange, "Let the rotation end after its start, or never.")
	r.checkTurns(path, found)
	found.require(len(r.Windows) <= MaxWindows, path+"windows", fault.TooLong, "Use at most %d windows.", MaxWindows)
	for i, window := range r.Windows {
		window.check(fmt.Sprintf("%swindows[%d].", path, i), found)
	}
}

func (r Rotation) checkCadence(path string, found *violations) {
	most := r.Unit.longest()
	found.require(most > 0, path+"unit", fault.NotOneOf, `Choose "hour", "day" or "week".`)
	if most > 0 {
		found.require(1 <= r.Length && r.Length <= most, path+"length", fault.OutOfRange, "Let a turn last 1 to %d %ss.", most, r.Unit)
	}
	found.require(r.Handover.valid(), path+"handover", fault.BadFormat, "Use a time of day from 00:00 to 23:59.")
	found.require(isWeekday(r.Weekday), path+"weekday", fault.NotOneOf, "Choose a day of the week.")
}

func (r Rotation) checkTurns(path string, found *violations) {
	found.require(len(r.Turns) > 0, path+"turns", fault.Required, "Add who takes turns: at least one turn.")
	found.require(len(r.Turns) <= MaxTurns, path+"turns", fault.TooLong, "Use at most %d turns.", MaxTurns)
	for i, turn := range r.Turns {
		field := fmt.Sprintf("%sturns[%d].user_ids", path, i)
		found.require(len(turn.People) <= MaxPeople, field, fault.TooLong, "Put at most %d people in a turn.", MaxPeople)
		found.require(len(distinct(turn.People)) == len(turn.People), field, fault.BadFormat, "Name each person once in a turn.")
	}
}

func (o Window) check(path string, found *violations) {
	found.require(o.From.valid(), path+"from", fault.BadFormat, "Use a time of day from 00:00 to 23:59.")
	found.require(o.To.valid(), path+"to", fault.BadFormat, "Use a time of day from 00:00 to 23:59.")
	for i, weekday := range o.Days {
		found.require(isWeekday(weekday), fmt.Sprintf("%sdays[%d]", path, i), fault.NotOneOf, "Choose a day of the week.")
	}
}

// ValidateOverride checks an override before it is stored, and refuses as Validate does.
func ValidateOverride(o Override) error {
	var found violations
	switch o.Kind {
	case TakeOver, Cover:
		found.require(o.Person != uuid.Nil, "user_id", fault.Required, "Choose who comes on call.")
	case Vacant:
		found.require(o.Person == uuid.Nil, "user_id", fault.BadFormat, "Leave out the person: nobody is on call then.")
	default:
		found.require(false, "kind", fault.NotOneOf, `Choose "take_over", "cover" or "vacant".`)
	}
	if o.Kind == Cover {
		found.require(o.Replaces != uuid.Nil, "replaces_user_id", fault.Required, "Choose who is covered.")
		found.require(o.Replaces != o.Person || o.Person == uuid.Nil, "replaces_user_id", fault.BadFormat, "Choose two different people.")
	} else {
		found.require(o.Replaces == uuid.Nil, "replaces_user_id", fault.BadFormat, "Leave out who is covered, or make it a cover.")
	}
	found.require(!o.Start.IsZero(), "starts_at", fault.Required, "Say when the override starts.")
	found.require(o.End.After(o.Start), "ends_at", fault.OutOfRange, "Let the override end after its start.")
	found.require(utf8.RuneCountInString(o.Reason) <= maxReason, "reason", fault.TooLong, "Shorten the reason to %d characters.", maxReason)
	return found.err()
}

func isWeekday(d time.Weekday) bool { return time.Sunday <= d && d <= time.Saturday }
