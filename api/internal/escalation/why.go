package escalation

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Why is the record of why somebody is paged, as it was when it was decided. It is
// stored with the page, in JSON, and never changed.
type Why struct {
	// Sentence is the whole reason for people: "On call for 24/7 Support (Day) until 20:00 CET;
	// step 1 of Payments."
	Sentence   string    `json:"sentence"`
	PolicyID   uuid.UUID `json:"policy_id,omitzero"`
	PolicyName string    `json:"policy_name,omitzero"`
	// Step and Round count from 1.
	Step       int        `json:"step"`
	Round      int        `json:"round"`
	TargetKind TargetKind `json:"target_kind"`
	TargetID   uuid.UUID  `json:"target_id,omitzero"`
	TargetName string     `json:"target_name,omitzero"`
	// Because and BecauseName say what of a schedule decided; the shift is the time in which
	// the same people are on call. They are empty for other targets.
	Because       oncall.SourceKind `json:"because,omitzero"`
	BecauseName   string            `json:"because_name,omitzero"`
	ShiftStartsAt time.Time         `json:"shift_starts_at,omitzero"`
	ShiftEndsAt   time.Time         `json:"shift_ends_at,omitzero"`
	Severity      alert.Severity    `json:"severity,omitzero"`
	DecidedAt     time.Time         `json:"decided_at"`
}

// why is the reason for which a target of the step at the position is paged.
func (w *walk) why(step Step, target Target) Why {
	why := w.whyHere(target.Kind)
	why.TargetID, why.TargetName = target.ID, target.Name
	if target.shift != nil {
		why.Because, why.BecauseName = target.Because.Kind, target.Because.Name
		why.ShiftStartsAt, why.ShiftEndsAt = target.shift.times()
	}
	reason := why.reason(target)
	if step.RoundRobin && len(step.Targets) > 1 {
		reason += ", whose turn it is"
	}
	why.Sentence = capitalized(reason) + "; " + w.place() + "."
	return why
}

// whyLastResort is the reason for which a target of the last resort is paged.
func (w *walk) whyLastResort(target Target) Why {
	why := w.whyHere(target.Kind)
	if target.Kind == Owner {
		why.Sentence = "Owner of the workspace, because " + w.nobodyElse()
	} else {
		why.TargetID, why.TargetName = target.ID, target.Name
		why.Sentence = capitalized(why.reason(target)) + ", the last resort, because " + w.nobodyElse()
	}
	if w.state.Round > 0 {
		why.Sentence += fmt.Sprintf("; round %d", w.state.Round+1)
	}
	why.Sentence += "."
	return why
}

// whyRise is the reason for which somebody is paged again who was paged with a severity.
func (w *walk) whyRise(paged Paged, before alert.Severity) Why {
	kind := User
	switch {
	case paged.Kind == PageChannel:
		kind = Channel
	case paged.AsOwner:
		kind = Owner
	}
	why := w.whyHere(kind)
	why.TargetID = paged.ID
	why.Sentence = fmt.Sprintf("Paged before for this incident, which was %s and is %s now.", before, w.severity)
	return why
}

func (w *walk) whyHere(kind TargetKind) Why {
	return Why{
		PolicyID: w.policy.ID, PolicyName: w.policy.Name, Step: max(1, min(w.at+1, len(w.policy.Steps))), Round: w.state.Round + 1,
		TargetKind: kind, Severity: w.severity, DecidedAt: w.now,
	}
}

// askedShift is the time in which the same people are on call around an instant. To find
// it may take as long as a thousand decisions, so it is asked once, and only for pages.
type askedShift struct {
	schedule   *oncall.Schedule
	at         time.Time
	asked      bool
	start, end time.Time
}

// ShiftKnown is how far back a policy is read with what was overridden, so that a storm reads no year of it.
const ShiftKnown = 14 * 24 * time.Hour

// times are its beginning, which is zero when it is earlier than is known, and its end, which is
// zero when nothing changes in a year.
func (s *askedShift) times() (start, end time.Time) {
	if !s.asked {
		shift, _, ends := oncall.Next(*s.schedule, s.at)
		if shift.Start.After(s.at.Add(-ShiftKnown)) {
			s.start = shift.Start
		}
		if ends {
			s.end = shift.End
		}
		s.asked = true
	}
	return s.start, s.end
}

// reason says in words what makes the target the one: "on call for 24/7 Support (Day) until 20:00 CET".
func (why Why) reason(target Target) string {
	switch {
	case target.Schedule != nil:
		text := "on call for " + target.Name
		switch {
		case why.Because == oncall.FromOverride:
			text += " (override)"
		case why.BecauseName != "":
			text += " (" + why.BecauseName + ")"
		}
		if !why.ShiftEndsAt.IsZero() {
			text += " until " + clockOf(why.ShiftEndsAt, why.DecidedAt, target.Schedule.Zone) + " " + zoneName(why.ShiftEndsAt, target.Schedule.Zone)
		}
		return text
	case target.Kind == Team:
		return "member of " + target.Name
	case target.Channel != uuid.Nil:
		return strings.TrimSpace("shared channel " + target.Name)
	default:
		return "named by the policy"
	}
}

// zoneName tells somebody elsewhere whose clock it is: "CET", or "-03" where it has no name.
func zoneName(t time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("MST")
}

// clockOf is a time as people of the zone say it from now: "20:00", "Mon 08:00" within a
// week, else with the date.
func clockOf(t, now time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	t, now = t.In(zone), now.In(zone)
	switch {
	case t.Year() == now.Year() && t.YearDay() == now.YearDay():
		return t.Format("15:04")
	case t.Sub(now).Abs() < 6*24*time.Hour:
		return t.Format("Mon 15:04")
	case t.Year() == now.Year():
		return t.Format("Mon 2 Jan 15:04")
	default:
		return t.Format("Mon 2 Jan 2006 15:04")
	}
}
