package notify

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// MaxShown is how many incidents a message describes; the rest are counted.
const MaxShown = 20

// Longest texts of a message, in characters. Senders may send a megabyte.
const (
	maxTitle       = 200
	maxName        = 100
	maxDescription = 1000
)

// MaxDescription is how many characters of a description are read for a message: all of it for programs. People read
// maxDescription, before which some may be left out that cannot be seen.
func (k Kind) MaxDescription() int {
	if k == Webhook {
		return math.MaxInt32
	}
	return 4 * maxDescription
}

// Shown returns the incidents that a message describes one by one, and how many
// more it only counts.
func (m Message) Shown() (shown []Incident, more int) {
	n := min(len(m.Incidents), MaxShown)
	return m.Incidents[:n], len(m.Incidents) - n
}

// Envelope is to whom it goes.
func (m Message) Envelope() Envelope { return Envelope{m.ID, m.OrgID, m.To, m.PersonName, m.SentAt} }

// Subject says in one line what is broken and how bad it is:
// "[Critical] Payments failing (#c41e, Checkout API)", or
// "[3 incidents] worst: Critical, Payments failing (#c41e, Checkout API)".
func (m Message) Subject() string {
	if m.Test {
		return TestPageSubject
	}
	worst := m.Incidents[0]
	if len(m.Incidents) == 1 {
		return fmt.Sprintf("[%s] %s", SeverityWord(worst.Severity), worst.Headline())
	}
	return fmt.Sprintf("[%s] worst: %s, %s", m.Count(), SeverityWord(worst.Severity), worst.Headline())
}

// Count is "1 incident" or "3 incidents".
func (m Message) Count() string { return plural(len(m.Incidents), "incident") }

// Tally counts the incidents by severity, the worst first: "2 critical, 1 high".
func (m Message) Tally() string {
	counts := map[alert.Severity]int{}
	for _, incident := range m.Incidents {
		counts[incident.Severity]++
	}
	var parts []string
	for _, severity := range []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low} {
		if n := counts[severity]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	return strings.Join(parts, ", ")
}

// Headline names the incident for people: "Payments failing (#c41e, Checkout API)".
func (i Incident) Headline() string {
	if i.ServiceName == "" {
		return fmt.Sprintf("%s (#%s)", i.CleanTitle(), id.Last4(i.ID))
	}
	return fmt.Sprintf("%s (#%s, %s)", i.CleanTitle(), id.Last4(i.ID), i.Service())
}

// ShortID is the name people see, "#c41e".
func (i Incident) ShortID() string { return "#" + id.Last4(i.ID) }

// CleanTitle is the title on one line, without what could disturb it.
func (i Incident) CleanTitle() string {
	if title := Line(i.Title, maxTitle); title != "" {
		return title
	}
	return "Untitled incident"
}

// Service names the service for people.
func (i Incident) Service() string {
	if name := Line(i.ServiceName, maxName); name != "" {
		return name
	}
	return "No service"
}

// Summary is the description, cut to what a message can carry.
func (i Incident) Summary() string { return Paragraph(i.Description, maxDescription) }

// Since says when it began, in the one zone that every reader can convert from.
func (i Incident) Since() string { return i.TriggeredAt.UTC().Format("2006-01-02 15:04 MST") }

// Alerts is "1 alert" or "12 alerts".
func (i Incident) Alerts() string { return plural(i.AlertCount, "alert") }

// SeverityWord is the severity as people read it: "Critical".
func SeverityWord(severity alert.Severity) string { return capital(string(severity)) }

// StatusWord is the status as people read it: "Triggered".
func (i Incident) StatusWord() string { return capital(i.Status) }

// Line is plaintext.Line with at most limit characters.
func Line(text string, limit int) string { return plaintext.Cut(plaintext.Line(text), limit) }

// Paragraph is plaintext.Text with at most limit characters, cut where a character ends.
func Paragraph(text string, limit int) string {
	return plaintext.Cut(strings.TrimSpace(plaintext.Text(text)), limit)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func capital(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + word[size:]
}

// MessageID names the message that carries these pages, whatever their order: the
// same pages give the same id, so that a copy can be recognised.
func MessageID(pages []uuid.UUID) uuid.UUID {
	sorted := slices.Clone(pages)
	slices.SortFunc(sorted, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	var data []byte
	for _, page := range sorted {
		data = append(data, page[:]...)
	}
	return uuid.NewHash(sha256.New(), uuid.NameSpaceOID, data, 8)
}
