//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
)

// TestAlertmanager is the story that everything else exists for: an alert of a stock
// Alertmanager pages a person, who answers from the mail in a browser. Escalation
// stops, and when Alertmanager says that all is well the open page says so too.
func TestAlertmanager(t *testing.T) {
	s := newStory(t)
	payments := s.fire(t, "PaymentsFailing", "Payments fail in eu-west-1")
	incident := s.assertPaged(t, payments)
	s.acknowledgeByMail(t, payments, incident)
	s.openSignedIn(t, incident)

	unanswered := s.fire(t, "DiskFull", "Disk of db-3 is full")
	s.assertPaged(t, unanswered)
	s.assertOnlyUnansweredEscalates(t, payments, unanswered)

	s.resolve(t, payments, incident)
	s.pageWithoutGroups(t)
	s.measureLatency(t)
	if complaints := s.browser.complaints(t); len(complaints) > 0 {
		t.Errorf("the browser complained:\n%s", strings.Join(complaints, "\n"))
	}
	s.stopAndStartAgain(t)
	s.figures.print(t)
}

// story is a Nightbell with everything around it.
type story struct {
	*nightbell

	mail           *smtpcatcher.Catcher
	webhook, slack *receiver
	relay          *receiver
	hook           string
	am             *alertmanager
	person         *caller
	signingSecret  string
	browser        *browser
	signedIn       *tab
	settings       []string
	figures        figures
}

func newStory(t *testing.T) *story {
	t.Helper()
	clearOutDir(t)
	alertmanagerBinary(t) // said at once when it is missing
	s := &story{webhook: newReceiver(t, `{}`), slack: newReceiver(t, "ok")}
	var err error
	if s.mail, err = smtpcatcher.Start(smtpcatcher.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.mail.Close() })
	s.settings = []string{
		"NIGHTBELL_SMTP_HOST=" + s.mail.Host(), "NIGHTBELL_SMTP_PORT=" + strconv.Itoa(s.mail.Port()),
		"NIGHTBELL_SMTP_FROM=Nightbell <nightbell@acme.example>", "NIGHTBELL_EGRESS_ALLOW=127.0.0.0/8",
	}
	s.browser = startBrowser(t)
	s.nightbell = serve(t, emptyDataDir(t), freeAddress(t), s.settings...)
	s.figures.add("first start, from nothing to ready", s.readyAfter)

	person, userID := register(t, s.url)
	s.person = person
	confirmAddress(t, s.mail, personEmail)
	s.signingSecret = person.addContact(t, "webhook", s.webhook.URL+"/nightbell")
	person.addContact(t, "slack", s.slack.URL+"/services/T000/B000/XXXX")
	key := person.addService(t, "Checkout API", person.addPolicy(t, userID))
	confirmAddress(t, s.mail, backupEmail)
	s.relay = newRelay(t, s.url)
	s.hook = s.relay.URL + "/v1/webhooks/prometheus/" + key
	s.am = startAlertmanager(t, s.hook, "  group_by: [alertname]\n")
	return s
}

func (s *story) fire(t *testing.T, name, summary string) problem {
	t.Helper()
	p := problem{name: name, severity: "critical", summary: summary, startedAt: time.Now()}
	s.am.fire(t, p)
	return p
}

// mailsAbout gives the mails about a problem, oldest first.
func (s *story) mailsAbout(p problem) []smtpcatcher.Mail {
	return slices.DeleteFunc(s.mail.Mails(), func(m smtpcatcher.Mail) bool { return !strings.Contains(m.Text, p.summary) })
}

func (s *story) awaitMails(t *testing.T, p problem, n int) []smtpcatcher.Mail {
	t.Helper()
	eventually(t, "mails about "+p.summary, func() error {
		if got := len(s.mailsAbout(p)); got != n {
			return fmt.Errorf("got %d, want %d; all mails are %q", got, n, s.subjects())
		}
		return nil
	})
	return s.mailsAbout(p)
}

func (s *story) subjects() (list []string) {
	for _, mail := range s.mail.Mails() {
		list = append(list, mail.Subject())
	}
	return list
}

// acknowledgeByMail opens the mail's link as a mail scanner does, which must change
// nothing, and then as the person.
func (s *story) acknowledgeByMail(t *testing.T, p problem, about incident) {
	t.Helper()
	link := acknowledgeLink(t, s.url, s.mailsAbout(p)[0].Text)
	for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodGet} {
		scan(t, method, link)
	}
	tab := s.browser.phone()
	tab.open(t, link)
	tab.see(t, "h1", p.name)
	if status := s.person.incident(t, about.ID).Status; status != "triggered" {
		t.Fatalf("opening the link made the incident %s; mail scanners open links too", status)
	}
	tab.shoot(t, "1-acknowledge")
	tab.press(t, "Acknowledge")
	tab.see(t, "h1", "You have it")
	tab.shoot(t, "2-acknowledged")
	after := s.person.incident(t, about.ID)
	if after.Status != "acknowledged" || after.AcknowledgedBy == nil || after.AcknowledgedBy.Name != personName || after.Escalation.Status != "stopped" {
		t.Errorf("after the button the incident is %+v", after)
	}
}

// scan asks for a page as a program without a browser's habits does.
func scan(t *testing.T, method, link string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("%s of the acknowledge link: %s", method, response.Status)
	}
}

// openSignedIn follows the mail's link to the incident, which leads through the
// sign-in dialog.
func (s *story) openSignedIn(t *testing.T, about incident) {
	t.Helper()
	s.signedIn = s.browser.desk()
	s.signedIn.open(t, s.url+"/incidents/"+about.ID)
	s.signedIn.fillIn(t, "Log in", "Email", personEmail)
	s.signedIn.fillIn(t, "Log in", "Password", password)
	s.signedIn.pressIn(t, "Log in", "Log in")
	s.signedIn.see(t, "h1", about.Title)
	s.signedIn.see(t, `[aria-label="Details"]`, "Acknowledged")
	s.signedIn.shoot(t, "3-incident-acknowledged")
}

// assertOnlyUnansweredEscalates moves the clock past the second step of both, and
// asserts that one is paged again and the other is not.
func (s *story) assertOnlyUnansweredEscalates(t *testing.T, answered, unanswered problem) {
	t.Helper()
	webhooks, slacks := len(s.webhook.all()), len(s.slack.all())
	clock := s.clock(t)
	clock.Advance((stepDelay + 1) * time.Second)
	// The control: without an answer the second step is paged, so the sweep has run.
	mails := s.awaitMails(t, unanswered, 3)
	var recipients []string
	for _, mail := range mails[1:] {
		recipients = append(recipients, mail.Recipients...)
	}
	slices.Sort(recipients)
	if !slices.Equal(recipients, []string{backupEmail, personEmail}) {
		t.Errorf("the second step of the unanswered incident mailed %v", recipients)
	}
	s.person.awaitSent(t, s.person.incidentTitled(t, unanswered.name).ID, 7)
	// A newcomer that is paged in full proves that each outbox has been swept once more.
	s.assertPaged(t, s.fire(t, "CertificateExpires", "Certificate of shop.example expires"))
	if got := len(s.mailsAbout(answered)); got != 1 {
		t.Errorf("%d mails about the acknowledged incident, want the first one alone", got)
	}
	if a, b := len(s.webhook.all())-webhooks, len(s.slack.all())-slacks; a != 2 || b != 2 {
		t.Errorf("since the clock moved %d webhook and %d Slack messages, want 2 each: the second step and the newcomer", a, b)
	}
	incident := s.person.incidentTitled(t, answered.name)
	if pages := s.person.pages(t, incident.ID); len(pages) != 3 || incident.Status != "acknowledged" || incident.Escalation.NextDueAt != "" {
		t.Errorf("past its second step the acknowledged incident is %+v with the pages %v", incident, pages)
	}
}

// resolve ends the problem where it began, and watches the open page.
func (s *story) resolve(t *testing.T, p problem, about incident) {
	t.Helper()
	mails := len(s.mail.Mails())
	s.signedIn.mark(t)
	s.am.resolve(t, p)
	answered := s.relay.await(t, `"status":"resolved"`).answeredAt
	s.signedIn.see(t, `[aria-label="Details"]`, "Resolved")
	s.figures.add("resolved webhook answered to Resolved on screen", time.Since(answered))
	s.signedIn.stillMarked(t)
	s.signedIn.shoot(t, "4-incident-resolved")
	after := s.person.awaitStatus(t, about.ID, "resolved")
	if after.ResolvedAt == "" || after.AcknowledgedBy == nil || after.AcknowledgedBy.Name != personName || after.Escalation.Status != "stopped" {
		t.Errorf("resolved, the incident is %+v", after)
	}
	if got := len(s.mail.Mails()) - mails; got != 0 {
		t.Errorf("%d mails came when the incident was resolved, want none", got)
	}
}

// pageWithoutGroups has an Alertmanager without group_by, which sends all alerts as one group: what
// comes after somebody has answered pages all the same.
func (s *story) pageWithoutGroups(t *testing.T) {
	t.Helper()
	grouped := s.am
	s.am = startAlertmanager(t, s.hook, "")
	first := s.assertPaged(t, s.fire(t, "QueueStuck", "The queue of invoices is stuck"))
	s.person.do(t, http.MethodPost, "/v1/incidents/"+first.ID+"/acknowledge", map[string]any{}, nil)
	s.assertPaged(t, s.fire(t, "ReplicaBehind", "A replica of the ledger is behind"))
	s.am.stop(t)
	s.am = grouped
}

// measureLatency fires alerts one after another, each into a quiet system.
func (s *story) measureLatency(t *testing.T) {
	t.Helper()
	var answers, mails []time.Duration
	for i := range 10 {
		p := s.fire(t, "Latency"+strconv.Itoa(i), fmt.Sprintf("Latency probe %c", 'A'+i))
		mail := s.awaitMails(t, p, 1)[0]
		post := s.relay.await(t, p.summary)
		if post.status != http.StatusOK && post.status != http.StatusAccepted {
			t.Errorf("Alertmanager was answered with %d", post.status)
		}
		answers = append(answers, post.answeredAt.Sub(p.startedAt))
		mails = append(mails, mail.ReceivedAt.Sub(post.answeredAt))
	}
	s.figures.addRange("alert fired in Alertmanager to its webhook answered", answers)
	s.figures.addRange("webhook answered to e-mail at the mail server", mails)
}

// stopAndStartAgain stops everything in the order of an operator, and times how soon
// the same data is served again.
func (s *story) stopAndStartAgain(t *testing.T) {
	t.Helper()
	s.figures.add("SIGTERM to exit", s.stop(t))
	s.am.stop(t)
	parsed, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	again := serve(t, s.dataDir, parsed.Host, s.settings...)
	s.figures.add("later start to ready", again.readyAfter)
	s.person.get(t, "/v1/incidents", nil)
	again.stop(t)
	again.assertQuiet(t)
}

// clearOutDir removes what an earlier run left.
func clearOutDir(t *testing.T) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(outDir(t), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}
