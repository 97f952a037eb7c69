//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
)

const (
	personName  = "Mara Lindqvist"
	personEmail = "mara@acme.example"
	backupEmail = "backup@acme.example"
	password    = "nine lamps under the bridge"
)

// stepDelay is how long the first step waits for an answer. No story ever does: the
// clock is moved, and in real time a story is over long before.
const stepDelay = 600

// register makes an organization and signs its first person in.
func register(t *testing.T, url string) (c *caller, userID string) {
	t.Helper()
	c = &caller{url: url}
	c.post(t, "/v1/auth/register", map[string]string{
		"user_type": "organization", "name": personName, "email": personEmail, "password": password,
		"org_name": "Acme", "timezone": "Europe/Stockholm",
	}, nil)
	var in struct {
		User   struct{ ID string }
		Tokens struct {
			AccessToken string `json:"access_token"`
		}
	}
	c.post(t, "/v1/auth/login", map[string]string{"email": personEmail, "password": password}, &in)
	c.token = in.Tokens.AccessToken
	return c, in.User.ID
}

// confirmAddress opens the link that was mailed to the address: as a mail scanner does, and
// then as the person, who presses the button.
func confirmAddress(t *testing.T, mail *smtpcatcher.Catcher, address string) {
	t.Helper()
	var link string
	eventually(t, "the mail with the link for "+address, func() error {
		for _, m := range mail.Mails() {
			if slices.Equal(m.Recipients, []string{address}) && strings.HasPrefix(m.Subject(), "Confirm this e-mail address") {
				link = regexp.MustCompile(`https?://\S+/verify/\S+`).FindString(m.Text)
				return nil
			}
		}
		return errors.New("there is none")
	})
	scan(t, http.MethodGet, link)
	pressed, err := http.NewRequestWithContext(t.Context(), http.MethodPost, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	pressed.Header.Set("Sec-Fetch-Site", "same-origin")
	response, err := http.DefaultClient.Do(pressed)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK { // after the redirect to the page
		t.Fatalf("confirming %s: HTTP %d", address, response.StatusCode)
	}
}

// addContact adds a contact method that the person is told by at once, and returns the
// secret that signs its messages, if it has one.
func (c *caller) addContact(t *testing.T, kind, address string) (signingSecret string) {
	t.Helper()
	var made struct {
		SigningSecret string `json:"signing_secret"`
	}
	c.post(t, "/v1/contact-methods", map[string]any{"kind": kind, "name": "My " + kind, "address": address}, &made)
	return made.SigningSecret
}

// addPolicy pages the person first, then a shared mailbox and the person again.
func (c *caller) addPolicy(t *testing.T, userID string) (policyID string) {
	t.Helper()
	var shared struct {
		ContactMethod struct{ ID string } `json:"contact_method"`
	}
	c.post(t, "/v1/contact-methods", map[string]any{
		"kind": "email", "name": "Backup", "address": backupEmail, "shared": true,
	}, &shared)
	person := map[string]string{"kind": "user", "id": userID}
	backup := map[string]string{"kind": "channel", "id": shared.ContactMethod.ID}
	var made struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	c.post(t, "/v1/escalation-policies", map[string]any{"name": "Checkout at night", "steps": []map[string]any{
		{"delay_seconds": stepDelay, "targets": []any{person}},
		{"delay_seconds": stepDelay, "targets": []any{backup, person}},
	}}, &made)
	return made.Policy.ID
}

// addService makes a service that pages by the policy (the organization's own when it
// is empty), and returns its key.
func (c *caller) addService(t *testing.T, name, policyID string) (serviceKey string) {
	t.Helper()
	var made struct {
		ServiceKey string `json:"service_key"`
	}
	c.post(t, "/v1/services", map[string]string{"name": name, "escalation_policy_id": policyID}, &made)
	if made.ServiceKey == "" {
		t.Fatal("the new service came without a key")
	}
	return made.ServiceKey
}

// incident is what these stories look at of one.
type incident struct {
	ID, Title, Status, Severity string
	ServiceName                 string                 `json:"service_name"`
	AlertCount                  int                    `json:"alert_count"`
	AcknowledgedBy              *struct{ Name string } `json:"acknowledged_by"`
	ResolvedAt                  string                 `json:"resolved_at"`
	Escalation                  struct {
		Status, Reason string
		Step           int
		NextDueAt      string `json:"next_due_at"`
	}
}

func (c *caller) incident(t *testing.T, id string) incident {
	t.Helper()
	var answer struct{ Incident incident }
	c.get(t, "/v1/incidents/"+id, &answer)
	return answer.Incident
}

// incidentTitled finds the one incident of that title.
func (c *caller) incidentTitled(t *testing.T, title string) incident {
	t.Helper()
	var answer struct{ Incidents []incident }
	c.get(t, "/v1/incidents?limit=100", &answer)
	answer.Incidents = slices.DeleteFunc(answer.Incidents, func(i incident) bool { return i.Title != title })
	if len(answer.Incidents) != 1 {
		t.Fatalf("%d incidents are titled %q, want one", len(answer.Incidents), title)
	}
	return c.incident(t, answer.Incidents[0].ID)
}

// page is one notification of an incident.
type page struct {
	Step            int
	Channel, Status string
	ContactHint     string `json:"contact_hint"`
}

func (p page) String() string {
	return fmt.Sprintf("step %d %s %s %s", p.Step, p.Channel, p.ContactHint, p.Status)
}

func (c *caller) pages(t *testing.T, incidentID string) []page {
	t.Helper()
	var answer struct{ Notifications []page }
	c.get(t, "/v1/incidents/"+incidentID+"/notifications", &answer)
	return answer.Notifications
}

// awaitSent waits until the incident has n pages and each was sent. Only then may the
// clock be moved: to a page under way, it would look as if its lease had run out.
func (c *caller) awaitSent(t *testing.T, incidentID string, n int) {
	t.Helper()
	eventually(t, "the pages of "+incidentID, func() error {
		pages := c.pages(t, incidentID)
		if len(pages) != n {
			return fmt.Errorf("want %d, got %v", n, pages)
		}
		if slices.ContainsFunc(pages, func(p page) bool { return p.Status != "sent" }) {
			return errors.New(fmt.Sprint("not all sent: ", pages))
		}
		return nil
	})
}

// awaitStatus waits until the incident stands so.
func (c *caller) awaitStatus(t *testing.T, incidentID, status string) incident {
	t.Helper()
	var seen incident
	eventually(t, "incident "+incidentID, func() error {
		if seen = c.incident(t, incidentID); seen.Status != status {
			return fmt.Errorf("is %s, want %s", seen.Status, status)
		}
		return nil
	})
	return seen
}
