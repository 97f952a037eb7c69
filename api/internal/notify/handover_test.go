package notify

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // also on a machine without zones

	"github.com/nightbell/nightbell/api/internal/alert"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loaded, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

func handover(t *testing.T) Handover {
	return Handover{
		OrgName: "Acme", PersonName: "Mara Lindqvist", PersonZone: zone(t, "Europe/Berlin"),
		On: true, ScheduleName: "24/7 Support", Zone: zone(t, "Europe/Berlin"),
		Start: time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC),
		Others: []string{"Wei Chen"}, URL: "https://nightbell.example/oncall",
	}
}

func TestHandoverSubject(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Handover)
		want   string
	}{
		{"on", func(*Handover) {}, "[Nightbell] You are on call for 24/7 Support until Mon 30 Nov 08:00"},
		{"for good", func(h *Handover) { h.End = time.Time{} }, "[Nightbell] You are on call for 24/7 Support"},
		{
			"the clock of the reader", func(h *Handover) { h.PersonZone = zone(t, "America/New_York") },
			"[Nightbell] You are on call for 24/7 Support until Mon 30 Nov 02:00 EST",
		},
		{
			"the same time by another name", func(h *Handover) { h.PersonZone = zone(t, "Europe/Paris") },
			"[Nightbell] You are on call for 24/7 Support until Mon 30 Nov 08:00",
		},
		{
			"next year", func(h *Handover) { h.End = h.End.AddDate(0, 8, 0) },
			"[Nightbell] You are on call for 24/7 Support until Fri 30 Jul 2027 09:00",
		},
		{"off", func(h *Handover) { h.On = false }, "[Nightbell] Wei Chen is on call for 24/7 Support now"},
		{
			"off, several", func(h *Handover) { h.On, h.Others = false, []string{"Wei Chen", "Amira Haddad", "Jonas Okafor"} },
			"[Nightbell] Wei Chen, Amira Haddad and Jonas Okafor are on call for 24/7 Support now",
		},
		{"off, a gap", func(h *Handover) { h.On, h.Others = false, nil }, "[Nightbell] Nobody is on call for 24/7 Support now"},
		{
			"no other headers", func(h *Handover) { h.ScheduleName = "24/7\r\nBcc: x@example.com" },
			"[Nightbell] You are on call for 24/7 Bcc: x@example.com until Mon 30 Nov 08:00",
		},
	} {
		h := handover(t)
		test.change(&h)
		if got := h.Subject(); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestHandoverMoments(t *testing.T) {
	for person, want := range map[string]string{
		"Europe/Berlin":    "Mon 30 Nov 08:00 (Europe/Berlin)",
		"Europe/Paris":     "Mon 30 Nov 08:00 (Europe/Berlin)",
		"Asia/Kolkata":     "Mon 30 Nov 08:00 (Europe/Berlin), 12:30 your time (Asia/Kolkata)",
		"Pacific/Honolulu": "Mon 30 Nov 08:00 (Europe/Berlin), Sun 29 Nov 21:00 your time (Pacific/Honolulu)",
	} {
		h := handover(t)
		h.PersonZone = zone(t, person)
		if got := h.Moment(h.End); got != want {
			t.Errorf("%s: got %q, want %q", person, got, want)
		}
	}
}

func TestHandoverCountsAreExact(t *testing.T) {
	h := handover(t)
	if got := h.Text(); !strings.Contains(got, "No open incidents.") || !strings.Contains(got, "Before you Wei Chen") {
		t.Errorf("the text is\n%s", got)
	}
	for n := range MaxShown {
		h.Incidents = append(h.Incidents, OpenIncident{Incident: incident(n, alert.High, "Trouble"), Holder: "Priya Raman"})
	}
	h.Open = 1234
	for _, want := range []string{"1234 open incidents:", "and 1214 more.", "Checkout API, triggered by Priya Raman, open since"} {
		if got := h.Text(); !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
