//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// assertPaged asserts that the person is told of a new problem once by each channel.
func (s *story) assertPaged(t *testing.T, p problem) incident {
	t.Helper()
	mail := s.awaitMails(t, p, 1)[0]
	found := s.person.incidentTitled(t, p.name)
	if found.Status != "triggered" || found.Severity != "critical" || found.ServiceName != "Checkout API" || found.AlertCount != 1 {
		t.Errorf("the incident is %+v", found)
	}
	short := found.ID[len(found.ID)-4:]
	if want := fmt.Sprintf("[Critical] %s (#%s, Checkout API)", p.name, short); mail.Subject() != want {
		t.Errorf("the mail's subject is %q, want %q", mail.Subject(), want)
	}
	if !slices.Equal(mail.Recipients, []string{personEmail}) || mail.From != "nightbell@acme.example" {
		t.Errorf("the mail went from %s to %v", mail.From, mail.Recipients)
	}
	link := acknowledgeLink(t, s.url, mail.Text)
	if !strings.Contains(mail.HTML, link) || !strings.Contains(mail.HTML, p.summary) {
		t.Errorf("the mail's HTML lacks the link %s or the words %q:\n%s", link, p.summary, mail.HTML)
	}
	s.assertWebhook(t, p, found)
	s.assertSlack(t, p)
	s.person.awaitSent(t, found.ID, 3)
	return found
}

var linkInMail = regexp.MustCompile(`(?m)^Acknowledge: (\S+)$`)

// acknowledgeLink finds the link in a mail's text.
func acknowledgeLink(t *testing.T, url, text string) string {
	t.Helper()
	match := linkInMail.FindStringSubmatch(strings.ReplaceAll(text, "\r", ""))
	if match == nil || !strings.HasPrefix(match[1], url+"/ack/") {
		t.Fatalf("the mail has no acknowledge link:\n%s", text)
	}
	return match[1]
}

// assertWebhook asserts that the receiver was told, by a message it can trust.
func (s *story) assertWebhook(t *testing.T, p problem, about incident) {
	t.Helper()
	message := s.webhook.await(t, p.summary)
	if err := message.signedBy(s.signingSecret); err != nil {
		t.Error(err)
	}
	var payload struct {
		Type string
		Data struct {
			AcknowledgeURL string `json:"acknowledge_url"`
			IncidentCount  int    `json:"incident_count"`
			User           struct{ Name string }
			Organization   struct{ Name string }
			Incidents      []struct {
				ID, Title, Description, Severity, Status string
				ServiceName                              string `json:"service_name"`
				URL                                      string
			}
		}
	}
	message.decode(t, &payload)
	if payload.Type != "incident.page" || payload.Data.User.Name != personName || payload.Data.Organization.Name != "Acme" ||
		payload.Data.IncidentCount != 1 || !strings.HasPrefix(payload.Data.AcknowledgeURL, s.url+"/ack/") {
		t.Errorf("the webhook said %s", message.body)
	}
	got := fmt.Sprintf("%+v", payload.Data.Incidents)
	if want := fmt.Sprintf("[{ID:%s Title:%s Description:%s Severity:critical Status:triggered ServiceName:Checkout API URL:%s/incidents/%s}]",
		about.ID, p.name, p.summary+"\nGateway answers 503.", s.url, about.ID); got != want {
		t.Errorf("the webhook told of\n%s, want\n%s", got, want)
	}
}

// assertSlack asserts that the message has what Slack's incoming webhooks demand.
func (s *story) assertSlack(t *testing.T, p problem) {
	t.Helper()
	var message struct {
		Text   string
		Blocks []struct {
			Type     string
			Elements []json.RawMessage
		}
	}
	s.slack.await(t, p.summary).decode(t, &message)
	buttons := ""
	for _, block := range message.Blocks {
		if block.Type == "actions" {
			buttons = fmt.Sprintf("%s", block.Elements)
		}
	}
	if !strings.HasPrefix(message.Text, "[Critical] "+p.name) || !strings.Contains(buttons, s.url+"/ack/") {
		t.Errorf("the Slack message is %+v with the buttons %s", message, buttons)
	}
}
