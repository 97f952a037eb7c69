package oncall

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
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

// Events is the shifts of a schedule that touch [from, to), one event for each unbroken
// time of a person, with their true beginnings and ends (as far as the Horizon). With a
// person it is that one's alone; uuid.Nil means the whole team. name tells who a person
// is.
func Events(s Schedule, person uuid.UUID, from, to time.Time, name func(uuid.UUID) string) (events []Event) {
	from, to = plain(from), plain(to)
	first, last := from.Add(-Horizon), to.Add(Horizon)
	p := planOf(&s, first, last).walking()
	shifts, _ := p.shifts(from, to)
	for _, shift := range personal(shifts) {
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
	return events
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

// Calendar writes events as a calendar of RFC 5545 that others subscribe to. now is the
// stamp of the events: when the calendar was made, or when the schedule was changed.
// Events of less than a second are left out, because such a calendar cannot say them.
func Calendar(name string, events []Event, now time.Time) []byte {
	var c calendar
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.line("PRODID", "-//Nightbell//On-call//EN")
	c.line("CALSCALE", "GREGORIAN")
	c.line("METHOD", "PUBLISH")
	c.line("NAME", escape(name))
	c.line("X-WR-CALNAME", escape(name))
	c.line("REFRESH-INTERVAL;VALUE=DURATION", refresh)
	c.line("X-PUBLISHED-TTL", refresh)
	for _, event := range events {
		if event.Start.Unix() < event.End.Unix() {
			c.event(event, now)
		}
	}
	c.line("END", "VCALENDAR")
	return c.text.Bytes()
}

// calendar is lines of RFC 5545.
type calendar struct{ text bytes.Buffer }

func (c *calendar) event(e Event, now time.Time) {
	c.line("BEGIN", "VEVENT")
	c.line("UID", escape(e.UID))
	c.line("DTSTAMP", stamp(now))
	c.line("DTSTART", stamp(e.Start))
	c.line("DTEND", stamp(e.End))
	c.line("SUMMARY", escape(e.Summary))
	if e.Description != "" {
		c.line("DESCRIPTION", escape(e.Description))
	}
	if e.URL != "" {
		c.line("URL", withoutControls(e.URL))
	}
	// Being on call is no appointment: others may still be made.
	c.line("TRANSP", "TRANSPARENT")
	c.line("STATUS", "CONFIRMED")
	c.line("END", "VEVENT")
}

// longestLine is how many octets a line may have without its end.
const longestLine = 75

// line writes a property, folded between characters where it is too long.
func (c *calendar) line(name, value string) {
	length := 0
	for _, char := range name + ":" + value {
		size := utf8.RuneLen(char)
		if length+size > longestLine {
			c.text.WriteString("\r\n ")
			length = 1
		}
		c.text.WriteRune(char)
		length += size
	}
	c.text.WriteString("\r\n")
}

// stamp is an instant in UTC.
func stamp(t time.Time) string { return t.UTC().Format("20060102T150405Z") }

var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`)

// escape makes a text a value: no character of it can end the line or begin another.
func escape(text string) string { return withoutControls(escapes.Replace(text)) }

// withoutControls drops what no calendar may hold. Broken UTF-8 becomes U+FFFD.
func withoutControls(text string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsControl(char) {
			return -1
		}
		return char
	}, text)
}
