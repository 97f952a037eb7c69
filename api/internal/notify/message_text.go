package notify

import (
	"fmt"
	"strings"
)

// Text is the whole message as plain text, for readers without HTML and for
// channels that have nothing better.
func (m Message) Text() string {
	var b strings.Builder
	if m.Test {
		return m.TestLead() + "\n\n" + TestNote + "\n"
	}
	if len(m.Incidents) > 1 {
		fmt.Fprintf(&b, "%s: %s\n\n", m.Count(), m.Tally())
	}
	if m.AckURL != "" {
		fmt.Fprintf(&b, "Acknowledge: %s\n", m.AckURL)
		b.WriteString("Opening the link changes nothing; the page has the button. It works for 24 hours.\n\n")
	}
	shown, more := m.Shown()
	for _, incident := range shown {
		incident.writeText(&b)
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more.\n\n", more)
	}
	b.WriteString(m.Footer() + "\n")
	return b.String()
}

func (i Incident) writeText(b *strings.Builder) {
	fmt.Fprintf(b, "%s: %s %s\n", SeverityWord(i.Severity), i.ShortID(), i.CleanTitle())
	fmt.Fprintf(b, "  Service  %s\n", i.Service())
	fmt.Fprintf(b, "  Status   %s since %s\n", i.StatusWord(), i.Since())
	if i.AlertCount > 0 {
		fmt.Fprintf(b, "  Alerts   %d\n", i.AlertCount)
	}
	if i.Reason != "" {
		fmt.Fprintf(b, "  Why      %s\n", Line(i.Reason, maxTitle))
	}
	fmt.Fprintf(b, "  Open     %s\n", i.URL)
	if i.RunbookURL != "" {
		fmt.Fprintf(b, "  Runbook  %s\n", i.RunbookURL)
	}
	if summary := i.Summary(); summary != "" {
		fmt.Fprintf(b, "\n  %s\n", strings.ReplaceAll(summary, "\n", "\n  "))
	}
	b.WriteString("\n")
}

// Footer says who sent this to whom, in one sentence.
func (m Message) Footer() string {
	org := Line(m.OrgName, maxName)
	if m.PersonName == "" {
		return fmt.Sprintf("Nightbell told the channel %s of %s.", Line(m.To.Name, maxName), org)
	}
	return fmt.Sprintf("Nightbell paged %s for %s.", Line(m.PersonName, maxName), org)
}
