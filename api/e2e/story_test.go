//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestInbox is the newcomer's first minute: no mail server, the printed curl, and the
// mail on the built-in inbox, whose link works.
func TestInbox(t *testing.T) {
	clearOutDir(t)
	n := serve(t, emptyDataDir(t), freeAddress(t))
	person, _ := register(t, n.url)
	// The organization's own policy pages its owner.
	curl(t, n.url+"/v1/webhooks/prometheus/"+person.addService(t, "Checkout API", ""))
	about := person.incidentTitled(t, "Checkout is slow: p99 4.1 s")

	link := acknowledgeLink(t, n.url, person.awaitInboxMail(t, about))
	tab := startBrowser(t).phone()
	tab.open(t, link)
	tab.press(t, "Acknowledge")
	tab.see(t, "h1", "You have it")
	person.awaitStatus(t, about.ID, "acknowledged")
	n.stop(t)
	n.assertQuiet(t)
}

// curl posts what the banner of a first start tells people to.
func curl(t *testing.T, webhookURL string) {
	t.Helper()
	body := `{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"HighLatency","severity":"critical"},` +
		`"annotations":{"summary":"Checkout is slow: p99 4.1 s"}}]}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, webhookURL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, _ := io.ReadAll(response.Body); response.StatusCode/100 != 2 {
		t.Fatalf("the webhook answered %s %s", response.Status, text)
	}
}

// awaitInboxMail waits for the only mail of the inbox and returns its text.
func (c *caller) awaitInboxMail(t *testing.T, about incident) string {
	t.Helper()
	var id string
	eventually(t, "the inbox", func() error {
		var answer struct {
			Mails []struct{ ID, To, Subject string }
		}
		c.get(t, "/v1/inbox", &answer)
		if len(answer.Mails) != 1 || !strings.Contains(answer.Mails[0].To, personEmail) || !strings.Contains(answer.Mails[0].Subject, about.Title) {
			return fmt.Errorf("it holds %v, want one mail to %s about %q", answer.Mails, personEmail, about.Title)
		}
		id = answer.Mails[0].ID
		return nil
	})
	var answer struct{ Mail struct{ Text string } }
	c.get(t, "/v1/inbox/"+id, &answer)
	return answer.Mail.Text
}
