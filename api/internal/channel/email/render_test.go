package email

import (
	"flag"
	"fmt"
	"net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

var update = flag.Bool("update", false, "write the golden files again")

var sender = mail.Address{Name: "Nightbell", Address: "nightbell@acme.example"}

func page(incidents ...notify.Incident) notify.Message {
	return notify.Message{
		ID:         uuid.MustParse("01980000-0000-7000-8000-0000000000aa"),
		DeliveryID: uuid.MustParse("01980000-0000-7000-8000-0000000000dd"),
		OrgName:    "Acme",
		PersonName: "Mara Lindqvist",
		To:         notify.Contact{Kind: notify.Email, Name: "Work mail", Address: "mara@acme.example"},
		Incidents:  incidents,
		AckURL:     "https://nightbell.example/ack/token",
		SentAt:     time.Date(2026, 11, 21, 3, 8, 15, 0, time.UTC),
	}
}

func incident(n int, severity alert.Severity) notify.Incident {
	key := fmt.Sprintf("01900000-0000-7000-8000-00000000%04x", n)
	return notify.Incident{
		ID:          uuid.MustParse(key),
		Number:      n,
		Title:       "Checkout payments failing in eu-west-1",
		Description: "38% of payment attempts fail.\nGateway answers 503.",
		Severity:    severity,
		Status:      "triggered",
		ServiceName: "Checkout API",
		Reason:      "You are on call for 24/7 Support.",
		URL:         "https://nightbell.example/incidents/" + key,
		TriggeredAt: time.Date(2026, 11, 21, 3, 8, 14, 0, time.UTC),
		AlertCount:  3,
	}
}

func many(n int) []notify.Incident {
	var incidents []notify.Incident
	for i := range n {
		severity := []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}[min(3, i/6)]
		incidents = append(incidents, incident(0x1000+i, severity))
	}
	return incidents
}

func TestGolden(t *testing.T) {
	hostile := incident(0xbad, alert.High)
	hostile.Title = "</h1><script>alert(1)</script>\r\nBcc: thief@example.com \u202egnp.exe"
	hostile.Description = `<a href="https://evil.example">click</a> {{.AckURL}} ` + strings.Repeat("long ", 400)
	hostile.ServiceName = `"><img src=x onerror=alert(1)>`
	shared := page(incident(0xc41e, alert.Critical))
	shared.PersonName, shared.AckURL, shared.To.Name = "", "", "Operations list"
	for _, c := range []struct {
		name    string
		message notify.Message
	}{
		{"one", page(incident(0xc41e, alert.Critical))},
		{"many", page(many(23)...)},
		{"hostile", page(hostile)},
		{"shared", shared},
	} {
		t.Run(c.name, func(t *testing.T) {
			rendered, err := Render(c.message, sender)
			if err != nil {
				t.Fatal(err)
			}
			head := fmt.Sprintf("From: %s\nTo: %s\nSubject: %s\nMessage-ID: %s\n\n", rendered.From.String(), rendered.To.String(), rendered.Subject, rendered.MessageID)
			golden(t, c.name+".txt", head+rendered.Text)
			golden(t, c.name+".html", rendered.HTML)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run the test with -update and look at the change:\n%s", path, got)
	}
}

func TestHTMLHoldsNoForeignMarkup(t *testing.T) {
	for _, text := range []string{`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<a href="https://evil.example">x</a>`, `javascript:alert(1)`} {
		bad := incident(1, alert.Low)
		bad.Title, bad.Description, bad.ServiceName, bad.Reason = text, text, text, text
		message := page(bad)
		message.OrgName, message.PersonName = text, text
		rendered, err := Render(message, sender)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(rendered.HTML, "Zgotmpl") || strings.Contains(rendered.HTML, "<script") || strings.Contains(rendered.HTML, "<img") || strings.Count(rendered.HTML, "<a ") != 2 {
			t.Errorf("markup of %q survived", text)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, bad := range []string{"", "mara", "mara@acme.example, thief@example.com", "Mara <mara@acme.example>", "mara@acme.example\r\nBcc: thief@example.com", "@acme.example"} {
		message := page(incident(1, alert.Low))
		message.To.Address = bad
		if _, err := Render(message, sender); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	if got, err := ParseSender("pager@acme.example"); err != nil || got.String() != `"Nightbell" <pager@acme.example>` {
		t.Errorf("ParseSender: %v, %v", got, err)
	}
	if _, err := ParseSender("pager"); err == nil {
		t.Error("a sender without a domain was accepted")
	}
}

// A test page must never read like a page: somebody would get up for it.
func TestATestPageSaysThatItIsOne(t *testing.T) {
	rendered, err := Render(notify.Message{
		ID: uuid.New(), OrgName: "Acme", PersonName: "Mara", Test: true, SignInURL: "https://nightbell.example/settings#contacts",
		To: notify.Contact{Kind: notify.Email, Name: "Work mail", Address: "mara@acme.example"},
	}, sender)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{rendered.Text, rendered.HTML} {
		if !strings.Contains(text, "Pages for Acme reach you here: Work mail.") || !strings.Contains(text, notify.TestNote) || strings.Contains(text, "incident") {
			t.Errorf("the mail says:\n%s", text)
		}
	}
	if rendered.Subject != notify.TestPageSubject || !rendered.Urgent {
		t.Errorf("subject %q, urgent %v", rendered.Subject, rendered.Urgent)
	}
}
