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
	"time"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
)

const (
	joinerName  = "Nia Okoro"
	joinerEmail = "nia@acme.example"
)

// startMail starts a mail server and gives the settings that lead there.
func startMail(t *testing.T) (*smtpcatcher.Catcher, []string) {
	t.Helper()
	mail, err := smtpcatcher.Start(smtpcatcher.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mail.Close() })
	return mail, []string{
		"NIGHTBELL_SMTP_HOST=" + mail.Host(), fmt.Sprintf("NIGHTBELL_SMTP_PORT=%d", mail.Port()),
		"NIGHTBELL_SMTP_FROM=Nightbell <nightbell@acme.example>",
	}
}

// awaitMail waits for a mail to an address whose subject begins with some words.
func awaitMail(t *testing.T, mail *smtpcatcher.Catcher, address, subject string) (found smtpcatcher.Mail) {
	t.Helper()
	eventually(t, subject+" to "+address, func() error {
		for _, m := range mail.Mails() {
			if slices.Equal(m.Recipients, []string{address}) && strings.HasPrefix(m.Subject(), subject) {
				found = m
				return nil
			}
		}
		return errors.New("there is none")
	})
	return found
}

// signIn logs in on the front page as a person does.
func (p *tab) signIn(t *testing.T, url, email, password string) {
	t.Helper()
	p.open(t, url+"/")
	p.do(t, "press", map[string]any{"text": "Log in", "first": true})
	p.fillIn(t, "Log in", "Email", email)
	p.fillIn(t, "Log in", "Password", password)
	p.pressIn(t, "Log in", "Log in")
	p.see(t, "h1", "Dashboard")
}

// TestSomebodyJoinsAndIsPaged follows an invitation from the mail to the first page acknowledged, with
// the owner at a desk and the new person on a phone, and then their removal while their page is open.
func TestSomebodyJoinsAndIsPaged(t *testing.T) {
	clearOutDir(t)
	mail, settings := startMail(t)
	n := serve(t, emptyDataDir(t), freeAddress(t), settings...)
	owner, ownerID := register(t, n.url)
	confirmAddress(t, mail, personEmail)
	browser := startBrowser(t)
	desk, phone := browser.desk(), browser.phone()

	// 1. The owner invites; the mail's link opens on the phone and makes an account.
	desk.signIn(t, n.url, personEmail, password)
	desk.open(t, n.url+"/users")
	desk.press(t, "Invite people")
	desk.fillIn(t, "Invite people", "E-mail addresses", joinerEmail)
	desk.pressIn(t, "Invite people", "Send invitation")
	invitation := awaitMail(t, mail, joinerEmail, "You are invited to Nightbell")
	phone.open(t, regexp.MustCompile(`https?://\S+/invitation#\S+`).FindString(invitation.Text))
	phone.see(t, "h1", "Join Acme")
	phone.do(t, "fill", map[string]any{"label": "Name", "text": joinerName})
	phone.do(t, "fill", map[string]any{"label": "Password, 12 characters or more", "text": password})
	phone.press(t, "Join Acme")
	phone.see(t, "h1", "Dashboard")

	// 2. They are put on a schedule, which a service pages.
	joiner := owner.userCalled(t, joinerName)
	serviceKey := owner.addScheduledService(t, joiner)
	desk.open(t, n.url+"/users")
	desk.see(t, "tr", joinerName)
	desk.see(t, "tr", "Nights")
	desk.shoot(t, "users-with-the-new-person")

	// 3. A test page says that it is one, and its receipt is shown.
	phone.open(t, n.url+"/settings")
	phone.press(t, "Send me a test page")
	phone.see(t, "[role=status]", "Accepted at")
	test := awaitMail(t, mail, joinerEmail, "[Test]")
	if !strings.Contains(test.Text, "Nobody else was told") {
		t.Errorf("the test page says: %s", test.Text)
	}
	phone.shoot(t, "test-page-receipt")

	// 4. An alert pages them by mail; the mail's link acknowledges, and the owner's screen shows who has it.
	curl(t, n.url+"/v1/webhooks/prometheus/"+serviceKey)
	about := owner.incidentTitled(t, "Checkout is slow: p99 4.1 s")
	desk.open(t, n.url+"/incidents/"+about.ID)
	desk.see(t, "h1", about.Title)
	desk.mark(t)
	page := awaitMail(t, mail, joinerEmail, "[Critical]")
	phone.open(t, acknowledgeLink(t, n.url, page.Text))
	phone.press(t, "Acknowledge")
	phone.see(t, "h1", "You have it")
	desk.see(t, "dl, [aria-label]", joinerName)
	desk.stillMarked(t)
	owner.awaitStatus(t, about.ID, "acknowledged")
	owner.do(t, http.MethodPost, "/v1/incidents/"+about.ID+"/resolve", map[string]string{"message": "Incident resolved"}, nil)

	// 5. They are removed while their page is open, which is over within five seconds.
	phone.open(t, n.url+"/incidents")
	phone.see(t, "h1", "Incidents")
	desk.open(t, n.url+"/users")
	desk.press(t, "Remove "+joinerName)
	desk.see(t, "dialog dd", "Nights")
	desk.do(t, "choose", map[string]any{"dialog": "Remove " + joinerName, "label": "Replace by", "text": personName})
	removed := time.Now()
	desk.pressIn(t, "Remove "+joinerName, "Remove "+joinerName)
	phone.see(t, "dialog", "Authentication expired. Please log in again.")
	took := time.Since(removed)
	t.Logf("signed out %.1f s after the press", took.Seconds())
	if took > 5*time.Second {
		t.Errorf("an open page of somebody who was removed ended after %v", took)
	}
	// 6. The past incident keeps the name of who acted, and the owner has taken the place.
	var kept struct {
		Incident struct {
			AcknowledgedBy struct{ Name string } `json:"acknowledged_by"`
		}
	}
	owner.get(t, "/v1/incidents/"+about.ID, &kept)
	if kept.Incident.AcknowledgedBy.Name != joinerName {
		t.Errorf("the past incident was acknowledged by %q", kept.Incident.AcknowledgedBy.Name)
	}
	var duties struct{ Schedules []struct{ Name string } }
	owner.get(t, "/v1/users/"+ownerID+"/duties", &duties)
	if len(duties.Schedules) != 1 || duties.Schedules[0].Name != "Nights" {
		t.Errorf("the owner took over %v", duties.Schedules)
	}
	if complaints := slices.DeleteFunc(browser.complaints(t), func(said string) bool { return strings.Contains(said, "401") }); len(complaints) > 0 {
		t.Errorf("the browser complained: %q", complaints)
	}
	n.stop(t)
	n.assertQuiet(t)
}

// TestAForgottenPasswordIsReplacedByMail asks on the front page, follows the mail, and logs in; another
// page of the account is signed out by it.
func TestAForgottenPasswordIsReplacedByMail(t *testing.T) {
	clearOutDir(t)
	mail, settings := startMail(t)
	n := serve(t, emptyDataDir(t), freeAddress(t), settings...)
	register(t, n.url)
	confirmAddress(t, mail, personEmail)
	browser := startBrowser(t)
	desk, phone := browser.desk(), browser.phone()
	desk.signIn(t, n.url, personEmail, password)
	phone.open(t, n.url+"/")
	phone.do(t, "press", map[string]any{"text": "Log in", "first": true})
	phone.fillIn(t, "Log in", "Email", personEmail)
	phone.pressIn(t, "Log in", "Forgot password?")
	phone.pressIn(t, "Forgotten password", "Send the link")
	phone.see(t, "dialog", "a mail with a link is on its way")
	reset := awaitMail(t, mail, personEmail, "Set a new password")
	phone.open(t, regexp.MustCompile(`https?://\S+/reset-password#\S+`).FindString(reset.Text))
	phone.do(t, "fill", map[string]any{"label": "New password, 12 characters or more", "text": "harbour lantern moss seven"})
	phone.press(t, "Set password")
	phone.see(t, "h1", "Password changed")
	desk.see(t, "dialog", "Authentication expired. Please log in again.")
	phone.signIn(t, n.url, personEmail, "harbour lantern moss seven")
	n.stop(t)
}

// userCalled finds a member by name.
func (c *caller) userCalled(t *testing.T, name string) (id string) {
	t.Helper()
	var list struct{ Users []struct{ ID, Name string } }
	c.get(t, "/v1/users", &list)
	for _, user := range list.Users {
		if user.Name == name {
			return user.ID
		}
	}
	t.Fatalf("there is no %s among %v", name, list.Users)
	return ""
}

// addScheduledService makes a service whose policy pages whoever is on call at night: always this person.
func (c *caller) addScheduledService(t *testing.T, userID string) (serviceKey string) {
	t.Helper()
	var schedule struct{ Schedule struct{ ID string } }
	c.post(t, "/v1/schedules", map[string]any{"name": "Nights", "rotations": []map[string]any{{
		"name": "Weeks", "unit": "week", "length": 1, "handover": "08:00", "turns": []map[string]any{{"user_ids": []string{userID}}},
	}}}, &schedule)
	var policy struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	c.post(t, "/v1/escalation-policies", map[string]any{"name": "By night", "steps": []map[string]any{
		{"delay_seconds": stepDelay, "targets": []map[string]string{{"kind": "schedule", "id": schedule.Schedule.ID}}},
	}}, &policy)
	return c.addService(t, "Checkout API", policy.Policy.ID)
}
