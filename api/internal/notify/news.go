package notify

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
)

// IncidentNews is the mail to a subscriber of an incident: what happened to it since the last one.
type IncidentNews struct {
	ID, OrgID               uuid.UUID
	OrgName                 string
	To                      Contact
	PersonName              string
	PersonZone              string
	IncidentID              uuid.UUID
	Title, Severity, Status string
	ServiceName             string
	// Lines are the oldest first, at least one.
	Lines []NewsLine
	// URL is the incident's page.
	URL    string
	SentAt time.Time
}

// NewsLine is one thing that happened.
type NewsLine struct {
	// Kind is that of the timeline entry.
	Kind string
	// By is who did it; empty for nobody.
	By, Message string
	At          time.Time
}

// maxNews is how many lines one mail has; the newest are kept.
const maxNews = 20

// Envelope is to whom it goes.
func (n IncidentNews) Envelope() Envelope {
	return Envelope{n.ID, n.OrgID, n.To, n.PersonName, n.SentAt}
}

// Subject names the incident and what it is now.
func (n IncidentNews) Subject() string {
	return fmt.Sprintf("[Nightbell] #%s is %s: %s", id.Last4(n.IncidentID), n.Status, Line(n.Title, maxName))
}

// Headline is the incident.
func (n IncidentNews) Headline() string {
	return "#" + id.Last4(n.IncidentID) + " " + Line(n.Title, maxName)
}

// Lead is what it is now.
func (n IncidentNews) Lead() string {
	lead := "It is " + n.Status + ", with severity " + n.Severity
	if n.ServiceName != "" {
		lead += ", on " + Line(n.ServiceName, maxName)
	}
	return lead + "."
}

// Shown are the lines of the mail, in the person's time zone.
func (n IncidentNews) Shown() (lines []string) {
	zone, err := org.Zone("timezone", n.PersonZone)
	if err != nil {
		zone = time.UTC
	}
	shown := n.Lines
	if left := len(shown) - maxNews; left > 0 {
		lines, shown = append(lines, fmt.Sprintf("%d things happened before, see the incident's page.", left)), shown[left:]
	}
	for _, line := range shown {
		text := Line(line.Message, 500)
		if line.Kind == "comment" {
			text = "“" + text + "”"
		}
		if line.By != "" {
			text = Line(line.By, maxName) + ": " + text
		}
		lines = append(lines, line.At.In(zone).Format("2 Jan 15:04 MST")+"  "+text)
	}
	return lines
}

// Note is why it came.
func (n IncidentNews) Note() string {
	return "You get this because you are subscribed to the incident; unsubscribe on its page. Organization: " + Line(n.OrgName, maxName) + "."
}

// Text is the whole mail.
func (n IncidentNews) Text() string {
	return n.Headline() + "\n" + n.Lead() + "\n\n" + strings.Join(n.Shown(), "\n") + "\n\n" + n.URL + "\n\n" + n.Note() + "\n"
}
