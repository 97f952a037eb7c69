package oncall

import (
	"fmt"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Event is one entry of a calendar: one person on call for a while.
type Event struct {
	// UID is the same whenever the same shift is asked for, so that calendars move an
	// entry instead of adding another.
	UID    string
	Person uuid.UUID
	// Start is included, End is not; calendars know whole seconds.
	Start, End           time.Time
	Summary, Description string
	// URL is where more is told; may be empty.
	URL string
}

// Events is the shifts of a schedule that touch [from, to), one event for each unbroken time of a person, with their
// true ends (as far as the Horizon): of one person or, for uuid.Nil, of the whole team. name tells who a person is.
// Where the budget ends, one more event says that the rest is not shown.
func Events(s Schedule, person uuid.UUID, from, to time.Time, name func(uuid.UUID) string, budget *Budget) (events []Event) {
	from, to = toUTC(from), toUTC(to)
	first, last := from.Add(-Horizon), to.Add(Horizon)
	p := newResolver(&s, first, last).withWindowEdges()
	p.budget = budget
	shifts, complete := p.shifts(from, to)
	for _, shift := range joinByPerson(shifts) {
		if person != uuid.Nil && person != shift.Person {
			continue
		}
		stays := func(people []uuid.UUID) bool { return slices.Contains(people, shift.Person) }
		if shift.Start.Equal(from) {
			shift.Start = p.since(from, first, stays)
		}
		if shift.End.Equal(to) {
			shift.End = p.until(to, last, stays)
		}
		event := shift.event(s, name(shift.Person))
		if shift.Start.Equal(first) { // it moves with every look, so it cannot name the shift
			event.UID = fmt.Sprintf("%s.%s.open@nightbell", s.ID, shift.Person)
		}
		events = append(events, event)
	}
	if !complete {
		end := from
		if n := len(shifts); n > 0 {
			end = shifts[n-1].End
		}
		events = append(events, s.notShown(end, to))
	}
	return events
}

func (s Schedule) notShown(from, to time.Time) Event {
	return Event{
		UID: fmt.Sprintf("%s.rest@nightbell", s.ID), Start: from, End: to,
		Summary:     "Not shown from here: " + s.Name,
		Description: s.Name + " changes too often for a calendar. See Nightbell for who is on call.",
	}
}

func (p PersonShift) event(s Schedule, name string) Event {
	return Event{
		UID:    fmt.Sprintf("%s.%s.%d@nightbell", s.ID, p.Person, p.Start.Unix()),
		Person: p.Person, Start: p.Start, End: p.End,
		Summary:     name + " on call: " + s.Name,
		Description: fmt.Sprintf("%s is on call for %s.", name, s.Name),
	}
}

// refresh is how often calendars are asked to look again, as RFC 5545 spells 15 minutes.
const refresh = "PT15M"

// Calendar writes events as an RFC 5545 calendar to subscribe to. now stamps them: when it was made, or the schedule
// was changed. Events of less than a second are left out, because such a calendar cannot say them. Times are UTC, so
// that no reader has to agree with us about the rules of a zone.
func Calendar(name string, events []Event, now time.Time) []byte {
	c := ics.NewCalendar()
	c.SetProductId("-//Nightbell//On-call//EN")
	c.SetCalscale("GREGORIAN")
	c.SetMethod(ics.MethodPublish)
	c.SetName(text(name))
	c.SetRefreshInterval(refresh)
	c.SetXPublishedTTL(refresh)
	for _, event := range events {
		if event.Start.Unix() < event.End.Unix() {
			event.addTo(c, now)
		}
	}
	return []byte(c.Serialize(ics.WithNewLineWindows)) // the default is that of the host
}

func (e Event) addTo(c *ics.Calendar, now time.Time) {
	entry := c.AddEvent(text(e.UID))
	entry.SetDtStampTime(now)
	entry.SetStartAt(e.Start)
	entry.SetEndAt(e.End)
	entry.SetSummary(text(e.Summary))
	if e.Description != "" {
		entry.SetDescription(text(e.Description))
	}
	if e.URL != "" {
		entry.SetURL(strings.ReplaceAll(text(e.URL), "\n", "")) // a URL is not escaped
	}
	// Being on call is no appointment: others may still be made.
	entry.SetTimeTransparency(ics.TransparencyTransparent)
	entry.SetStatus(ics.ObjectStatusConfirmed)
}

// text drops what no calendar may hold: the library escapes line feeds and nothing else
// that could end a line. Broken UTF-8 becomes U+FFFD.
func text(s string) string {
	return strings.ReplaceAll(plaintext.Text(strings.ReplaceAll(s, "\r", "\n")), "\t", " ")
}
