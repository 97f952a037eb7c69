package notify

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

func incident(n int, severity alert.Severity, title string) Incident {
	return Incident{
		ID:          uuid.MustParse(fmt.Sprintf("01900000-0000-7000-8000-00000000%04x", n)),
		Number:      n,
		Title:       title,
		Severity:    severity,
		Status:      "triggered",
		ServiceName: "Checkout API",
		Reason:      "You are on call for 24/7 Support.",
		URL:         "https://nightbell.example/incidents/1",
		TriggeredAt: time.Date(2026, 11, 21, 3, 8, 14, 0, time.UTC),
		AlertCount:  2,
	}
}

func TestSubject(t *testing.T) {
	one := incident(0xc41e, alert.Critical, "Payments failing")
	bare := one
	bare.ServiceName, bare.Title = "", ""
	for _, c := range []struct {
		name      string
		incidents []Incident
		want      string
	}{
		{"one", []Incident{one}, "[Critical] Payments failing (#c41e, Checkout API)"},
		{"no service, no title", []Incident{bare}, "[Critical] Untitled incident (#c41e)"},
		{
			"three",
			[]Incident{one, incident(2, alert.High, "b"), incident(3, alert.Low, "c")},
			"[3 incidents] worst: Critical, Payments failing (#c41e, Checkout API)",
		},
		{
			"line breaks",
			[]Incident{incident(0xc41e, alert.Low, "a\r\nBcc: x@example.com")},
			"[Low] a Bcc: x@example.com (#c41e, Checkout API)",
		},
	} {
		if got := (Message{Incidents: c.incidents}).Subject(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCountsAreExact(t *testing.T) {
	var m Message
	for n := range 1234 {
		severity := []alert.Severity{alert.Critical, alert.High, alert.Medium}[n%3]
		m.Incidents = append(m.Incidents, incident(n, severity, fmt.Sprint("incident ", n)))
	}
	if got, want := m.Tally(), "412 critical, 411 high, 411 medium"; got != want {
		t.Errorf("Tally = %q, want %q", got, want)
	}
	shown, more := m.Shown()
	if len(shown) != 20 || more != 1214 {
		t.Errorf("shown %d and %d more", len(shown), more)
	}
	text := m.Text()
	if !strings.Contains(text, "1234 incidents") || !strings.Contains(text, "and 1214 more.") {
		t.Errorf("the text does not give the exact counts:\n%s", text)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"},
		{" a \t b\n\nc\r\n", "a b c"},
		{"to\u202egnp.exe", "tognp.exe"},
		{"zero\u200bwidth\ufeff", "zerowidth"},
		{"nul\x00 esc\x1b[31m", "nul esc[31m"},
		{"bad \xff\xfe utf8", "bad � utf8"},
		{"12345678901", "123456789…"},
		{"äöüäöüäöüäöü", "äöüäöüäöü…"},
		{"para\u2028graph", "para graph"},
	} {
		got := Line(c.in, 10)
		if len([]rune(c.in)) > 11 && !strings.HasSuffix(c.want, "…") {
			got = Line(c.in, 100)
		}
		if got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\r\nb", 3)
	f.Add("\u202eä\xff", 1)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = 1 + int(uint(limit)%500)
		line := Line(text, limit)
		if !utf8.ValidString(line) || utf8.RuneCountInString(line) > limit || strings.ContainsAny(line, "\r\n\x00") {
			t.Errorf("Line(%q, %d) = %q", text, limit, line)
		}
	})
}

func TestFailureMarks(t *testing.T) {
	cause := errors.New("HTTP 429")
	asked := fmt.Errorf("slack: %w", After(cause, 30*time.Second))
	if wait, ok := RetryAfter(asked); !ok || wait != 30*time.Second {
		t.Errorf("RetryAfter = %s, %t", wait, ok)
	}
	if !errors.Is(asked, cause) || errors.Is(asked, ErrPermanent) {
		t.Error("a wait must keep its cause and is not permanent")
	}
	if _, ok := RetryAfter(Permanent(cause)); ok {
		t.Error("a permanent failure asks for no wait")
	}
	if !errors.Is(fmt.Errorf("mail: %w", Permanent(cause)), ErrPermanent) {
		t.Error("the permanent mark is lost by wrapping")
	}
}
