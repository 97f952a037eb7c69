package email

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // also on a machine without zones

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

func handover(t *testing.T, incidents ...notify.Incident) notify.Handover {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	told := notify.Handover{
		ID: uuid.MustParse("01980000-0000-7000-8000-0000000000aa"), OrgName: "Acme", PersonName: "Mara Lindqvist",
		To: notify.Contact{Kind: notify.Email, Name: "Work mail", Address: "mara@acme.example"}, PersonZone: berlin,
		On: true, ScheduleName: "24/7 Support", Zone: berlin,
		Start:  time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC),
		End:    time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC),
		Others: []string{"Wei Chen"}, URL: "https://nightbell.example/oncall", Open: len(incidents),
		SentAt: time.Date(2026, 11, 23, 7, 0, 5, 0, time.UTC),
	}
	for n, one := range incidents {
		told.Incidents = append(told.Incidents, notify.OpenIncident{Incident: one})
		if n%2 == 1 {
			told.Incidents[n].Status, told.Incidents[n].Holder = "acknowledged", "Priya Raman"
		}
	}
	told.Incidents = told.Incidents[:min(len(told.Incidents), notify.MaxShown)]
	return told
}

func TestHandoverGolden(t *testing.T) {
	off := handover(t)
	off.On, off.End = false, time.Time{}
	for name, told := range map[string]notify.Handover{
		"handover": handover(t, many(23)...), "handover_quiet": handover(t), "handover_off": off,
	} {
		t.Run(name, func(t *testing.T) {
			rendered, err := RenderNotice(told, sender)
			if err != nil {
				t.Fatal(err)
			}
			head := fmt.Sprintf("From: %s\nTo: %s\nSubject: %s\nMessage-ID: %s\n\n", rendered.From.String(), rendered.To.String(), rendered.Subject, rendered.MessageID)
			golden(t, name+".txt", head+rendered.Text)
			golden(t, name+".html", rendered.HTML)
		})
	}
}

func TestHandoverHoldsNoForeignMarkup(t *testing.T) {
	const text = `"><script>alert(1)</script><a href="https://evil.example">x</a>`
	bad := incident(1, "low")
	bad.Title, bad.Description, bad.ServiceName = text, text, text
	told := handover(t, bad)
	told.OrgName, told.PersonName, told.ScheduleName, told.Others, told.Incidents[0].Holder = text, text, text, []string{text}, text
	rendered, err := RenderNotice(told, sender)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(rendered.HTML, "<script") || strings.Count(rendered.HTML, "<a ") != 2 {
		t.Errorf("markup survived:\n%s", rendered.HTML)
	}
}

func TestHandoverToNoAddressFailsForGood(t *testing.T) {
	told := handover(t)
	told.To.Address = "mara@acme.example, thief@example.com"
	if _, err := RenderNotice(told, sender); !errors.Is(err, notify.ErrPermanent) {
		t.Errorf("got %v", err)
	}
}
