package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Handover tells one person that they come on call, or go off. It is no page: nobody has
// to act on it, and it never delays one.
type Handover struct {
	// ID is the same for every try to deliver it.
	ID      uuid.UUID
	OrgID   uuid.UUID
	OrgName string
	To      Contact

	PersonName string
	// PersonZone is where the person's own clock hangs. Never nil.
	PersonZone *time.Location

	// On is true for who comes on call, false for who goes off.
	On           bool
	ScheduleName string
	// Zone is that of the schedule. Never nil.
	Zone *time.Location
	// Start is when the hand-over was; End is when the person goes off again, and zero
	// when nobody knows or for who goes off.
	Start, End time.Time
	// Others are the names of who had it before, for who comes on, or of who has it now,
	// for who goes off; none is nobody.
	Others []string
	// Incidents are the open ones that the schedule is paged for, as far as they are
	// shown, most severe first. Open counts all of them.
	Incidents []OpenIncident
	Open      int
	// URL is where the schedule is shown.
	URL    string
	SentAt time.Time
}

// OpenIncident is what a hand-over says of one incident.
type OpenIncident struct {
	Incident

	// Holder is the name of who acknowledged it; empty when nobody has.
	Holder string
}

// State is how it stands, in words: "triggered", "acknowledged by Priya Raman".
func (i OpenIncident) State() string {
	if holder := Line(i.Holder, maxName); holder != "" {
		return i.Status + " by " + holder
	}
	return i.Status
}

// Envelope is to whom it goes.
func (h Handover) Envelope() Envelope { return Envelope{h.ID, h.OrgID, h.To, h.PersonName, h.SentAt} }

// Subject says in one line what changed, in the time of the reader:
// "[Nightbell] You are on call for 24/7 Support until Mon 30 Nov 08:00", or
// "[Nightbell] Wei Chen is on call for 24/7 Support now".
func (h Handover) Subject() string {
	schedule := Line(h.ScheduleName, maxName)
	switch {
	case h.On && h.End.IsZero():
		return fmt.Sprintf("[Nightbell] You are on call for %s", schedule)
	case h.On:
		return fmt.Sprintf("[Nightbell] You are on call for %s until %s", schedule, h.short(h.End))
	case len(h.Others) == 0:
		return fmt.Sprintf("[Nightbell] Nobody is on call for %s now", schedule)
	default:
		return fmt.Sprintf("[Nightbell] %s on call for %s now", h.others("is", "are"), schedule)
	}
}

// Headline is the first line of the message: "You are on call for 24/7 Support".
func (h Handover) Headline() string {
	if h.On {
		return "You are on call for " + Line(h.ScheduleName, maxName)
	}
	return "You are off call for " + Line(h.ScheduleName, maxName)
}

// Lead is the sentence under the headline.
func (h Handover) Lead() string {
	switch {
	case h.On && h.End.IsZero():
		return "Until somebody changes the schedule."
	case h.On:
		return "Until " + h.Moment(h.End) + "."
	case len(h.Others) == 0:
		return "Nobody has it now: what pages this schedule goes to the next step."
	default:
		return h.others("has", "have") + " it now."
	}
}

// Before says who had it, for who comes on; empty for who goes off.
func (h Handover) Before() string {
	switch {
	case !h.On:
		return ""
	case len(h.Others) == 0:
		return "nobody"
	default:
		return h.names()
	}
}

// Moment is a time in the zone of the schedule, and on the person's own clock when that
// shows another: "Mon 30 Nov 08:00 (Europe/Berlin), 12:30 your time (Asia/Kolkata)".
func (h Handover) Moment(t time.Time) string {
	there, here := t.In(h.Zone), t.In(h.PersonZone)
	text := fmt.Sprintf("%s (%s)", day(there, h.Start)+there.Format(" 15:04"), h.Zone)
	switch {
	case there.Format(time.DateTime) == here.Format(time.DateTime):
		return text
	case there.Format(time.DateOnly) == here.Format(time.DateOnly):
		return fmt.Sprintf("%s, %s your time (%s)", text, here.Format("15:04"), h.PersonZone)
	default:
		return fmt.Sprintf("%s, %s your time (%s)", text, day(here, h.Start)+here.Format(" 15:04"), h.PersonZone)
	}
}

// short is a time on the person's own clock, with the name of its time where the
// schedule's clock shows another.
func (h Handover) short(t time.Time) string {
	there, here := t.In(h.Zone), t.In(h.PersonZone)
	text := day(here, h.Start) + here.Format(" 15:04")
	if there.Format(time.DateTime) != here.Format(time.DateTime) {
		text += here.Format(" MST")
	}
	return text
}

// day names a day; with the year when it is not within months of since.
func day(t, since time.Time) string {
	if t.Sub(since) > 180*24*time.Hour {
		return t.Format("Mon 2 Jan 2006")
	}
	return t.Format("Mon 2 Jan")
}

// OpenIncidents is how many there are: "No open incidents", "3 open incidents".
func (h Handover) OpenIncidents() string {
	if h.Open == 0 {
		return "No open incidents"
	}
	return plural(h.Open, "open incident")
}

// More is how many incidents are counted and not shown.
func (h Handover) More() int { return max(0, h.Open-len(h.Incidents)) }

// mostNames is how many people a message names before it counts the others.
const mostNames = 5

func (h Handover) names() string {
	var names []string
	for _, name := range h.Others[:min(len(h.Others), mostNames)] {
		names = append(names, Line(name, maxName))
	}
	if more := len(h.Others) - mostNames; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func (h Handover) others(one, several string) string {
	if len(h.Others) == 1 {
		return h.names() + " " + one
	}
	return h.names() + " " + several
}

// Text is the whole message as plain text.
func (h Handover) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n%s\n\n", h.Headline(), h.Lead())
	if h.On {
		fmt.Fprintf(&b, "Since      %s\nBefore you %s\n\n", h.Moment(h.Start), h.Before())
		h.writeIncidents(&b)
	}
	fmt.Fprintf(&b, "Schedule: %s\n\n%s\n", h.URL, h.Footer())
	return b.String()
}

func (h Handover) writeIncidents(b *strings.Builder) {
	if h.Open == 0 {
		b.WriteString("No open incidents.\n\n")
		return
	}
	fmt.Fprintf(b, "%s:\n\n", h.OpenIncidents())
	for _, incident := range h.Incidents {
		fmt.Fprintf(b, "%s: %s %s\n", SeverityWord(incident.Severity), incident.ShortID(), incident.CleanTitle())
		fmt.Fprintf(b, "  %s, %s, open since %s\n", incident.Service(), incident.State(), incident.Since())
		fmt.Fprintf(b, "  %s\n\n", incident.URL)
	}
	if more := h.More(); more > 0 {
		fmt.Fprintf(b, "and %d more.\n\n", more)
	}
}

// Footer says who sent this to whom, in one sentence.
func (h Handover) Footer() string {
	return fmt.Sprintf("Nightbell told %s of a hand-over at %s.", Line(h.PersonName, maxName), Line(h.OrgName, maxName))
}
