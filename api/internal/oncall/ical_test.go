package oncall

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"
	"github.com/google/uuid"
)

func nameOf(p uuid.UUID) string { return names[p] }

func TestCalendar(t *testing.T) {
	zone := zoneOf(t, "Europe/Berlin")
	s, from, _ := weekOfMarch(t)
	s.ID = uuid.UUID{0xc0}
	events := eventsOf(s, priya, from, from.AddDate(0, 0, 7), nameOf)
	for i := range events {
		events[i].URL = "https://nightbell.example/oncall"
	}
	want := strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Nightbell//On-call//EN", "CALSCALE:GREGORIAN", "METHOD:PUBLISH",
		"NAME:24/7 Support", "X-WR-CALNAME:24/7 Support", "REFRESH-INTERVAL;VALUE=DURATION:PT15M", "X-PUBLISHED-TTL:PT15M",
		"BEGIN:VEVENT",
		"UID:c0000000-0000-0000-0000-000000000000.aa000000-0000-0000-0000-0000000000",
		" 0e.1774551600@nightbell",
		"DTSTAMP:20260320T110000Z", "DTSTART:20260326T190000Z", "DTEND:20260327T070000Z",
		"SUMMARY:Priya on call: 24/7 Support", "DESCRIPTION:Priya is on call for 24/7 Support.",
		"URL:https://nightbell.example/oncall", "TRANSP:TRANSPARENT", "STATUS:CONFIRMED",
		"END:VEVENT", "END:VCALENDAR", "",
	}, "\r\n")
	if got := string(Calendar(s.Name, events, on(t, zone, "2026-03-20 12:00"))); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// An entry has the same UID however the window of the feed moves, and its true ends.
func TestCalendarEntriesStayTheSame(t *testing.T) {
	s, from, to := weekOfMarch(t)
	all := map[string]Event{}
	for _, event := range eventsOf(s, uuid.Nil, from.AddDate(0, 0, -5), to.AddDate(0, 0, 5), nameOf) {
		all[event.UID] = event
	}
	for first := from; first.Before(to); first = first.Add(7 * time.Hour) {
		events := eventsOf(s, uuid.Nil, first, first.Add(36*time.Hour), nameOf)
		if len(events) == 0 {
			t.Errorf("no entries from %s", first)
		}
		for _, event := range events {
			if all[event.UID] != event {
				t.Errorf("%v, before it was %v", event, all[event.UID])
			}
		}
	}
}

// Somebody who has always been on call, and will be, is one entry.
func TestCalendarOfAShiftWithoutEnds(t *testing.T) {
	s := single(time.UTC, Week, 1, 0, date(2000, 1, 1), mara)
	var uids []string
	for _, from := range []time.Time{date(2026, 1, 1), date(2026, 6, 1)} {
		for _, event := range eventsOf(s, uuid.Nil, from, from.AddDate(0, 6, 0), nameOf) {
			uids = append(uids, event.UID)
		}
	}
	if len(uids) != 2 || uids[0] != uids[1] || !strings.Contains(uids[0], "open") {
		t.Errorf("%q", uids)
	}
}

// Whatever people call things, the calendar has no other lines than its own.
func TestCalendarOfHostileNames(t *testing.T) {
	noon := date(2026, 11, 21)
	for _, name := range []string{
		"plain", `a\b;c,d:e"f`, "two\nlines", "two\r\nlines", "BEGIN:VEVENT\r\nX:1", "tab\tnul\x00bell\a", "\xff\xfe broken",
		strings.Repeat("ä", 100), strings.Repeat("🔔", 50), strings.Repeat("x", 75), strings.Repeat("z", 400), strings.Repeat("y", 74) + "é", "\u2028 separators \u0085", "",
	} {
		written := Calendar(name, []Event{{UID: "1@nightbell", Start: noon, End: noon.Add(time.Hour), Summary: name, Description: name}}, noon)
		wellFormed(t, written)
		calendar, err := ics.ParseCalendar(bytes.NewReader(written))
		if err != nil || len(calendar.Events()) != 1 {
			t.Fatalf("%q: %v, %d events", name, err, len(calendar.Events()))
		}
		want := strings.ReplaceAll(text(name), "\n", "⏎")
		got := strings.ReplaceAll(calendar.Events()[0].GetProperty(ics.ComponentPropertySummary).Value, "\n", "⏎")
		if got != want {
			t.Errorf("%q is read as %q", want, got)
		}
	}
}

// wellFormed checks lines as RFC 5545 wants them.
func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	if !bytes.HasSuffix(text, []byte("\r\n")) || bytes.Count(text, []byte("\n")) != bytes.Count(text, []byte("\r\n")) {
		t.Errorf("lines do not end in CRLF: %q", text)
	}
	for line := range bytes.SplitSeq(text, []byte("\r\n")) {
		if len(line) > 75 || !bytes.Equal(bytes.ToValidUTF8(line, nil), line) || bytes.ContainsAny(line, "\x00\a\r\t") {
			t.Errorf("%d octets: %q", len(line), line)
		}
	}
}

func TestCalendarLeavesOutWhatItCannotSay(t *testing.T) {
	noon := date(2026, 11, 21)
	text := string(Calendar("", []Event{{Start: noon, End: noon.Add(time.Millisecond)}, {Start: noon, End: noon}}, noon))
	if strings.Contains(text, "VEVENT") {
		t.Error(text)
	}
}

// eventsOf is Events without an end to its work.
func eventsOf(s Schedule, person uuid.UUID, from, to time.Time, name func(uuid.UUID) string) []Event {
	return Events(s, person, from, to, name, nil)
}

// TestEventsEndWithTheirBudget: a calendar whose schedule changes all the time says where it ends,
// and whoever hung up gets no more work done.
func TestEventsEndWithTheirBudget(t *testing.T) {
	zone := zoneOf(t, "Europe/Paris")
	from := on(t, zone, "2026-11-22 08:00")
	s, to := worstSchedule(zone, from), from.AddDate(0, 0, 92)
	budget := NewBudget(t.Context(), 100_000)
	got := Events(s, uuid.Nil, from, to, nameOf, budget)
	last := got[len(got)-1]
	if len(got) < 2 || budget.left > 0 || last.Summary != "Not shown from here: Worst" || !last.End.Equal(to) || last.Start.Before(got[len(got)-2].End) {
		t.Errorf("%d events, %d units are left, the last is %+v", len(got), budget.left, last)
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if got := Events(s, uuid.Nil, from, to, nameOf, NewBudget(left, 1e9)); len(got) != 1 || !got[0].Start.Equal(from) {
		t.Errorf("a client that has left still gets %d events", len(got))
	}
}
