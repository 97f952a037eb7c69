//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestEscalationAcrossAWeekend pages by three steps while a weekend ends, says before
// what it is going to do, and catches up after ten minutes, two hours and three days in
// which it was down.
func TestEscalationAcrossAWeekend(t *testing.T) {
	e := newEscalationStory(t)
	monday := friday.Add(62*time.Hour + 45*time.Minute) // Monday 07:45 in Berlin, a quarter before the hand-over
	e.assertExplained(t, monday)

	e.database.Clock.SetNow(monday.Add(-time.Minute))
	earlier := e.alert(t, "disk filling")
	e.awaitPages(t, earlier, "1.1 "+weekendName)
	e.database.Clock.SetNow(monday)
	first := e.alert(t, "disk full")
	e.awaitPages(t, first, "1.1 "+weekendName)
	e.database.Clock.Advance(9 * time.Minute)
	e.awaitPages(t, earlier, "1.1 "+weekendName, "1.2 Backup") // so this minute was looked at
	e.awaitPages(t, first, "1.1 "+weekendName)                 // and this one is not a minute early
	e.person.post(t, "/v1/incidents/"+earlier+"/acknowledge", map[string]string{"message": "Incident acknowledged"}, nil)
	e.database.Clock.Advance(time.Minute)
	e.awaitPages(t, first, "1.1 "+weekendName, "1.2 Backup")
	e.database.Clock.Advance(10 * time.Minute) // the week has begun
	e.awaitPages(t, first, "1.1 "+weekendName, "1.2 Backup", "1.3 "+personName)
	if why := e.person.whys(t, first); why[0] != "On call for 24/7 Support (Weekend) until 08:00 CET; step 1 of Three steps." ||
		!strings.HasPrefix(why[2], "On call for 24/7 Support (Always) until Sat") {
		t.Errorf("the reasons are %q", why)
	}
	e.person.post(t, "/v1/incidents/"+first+"/acknowledge", map[string]string{"message": "Incident acknowledged"}, nil)

	for _, down := range []struct {
		name   string
		length time.Duration
		missed []string
	}{
		{"ten minutes", 10*time.Minute + time.Second, []string{"1.2 Backup"}},
		{"two hours", 2 * time.Hour, []string{"1.2 Backup", "1.3 " + personName}},
		{"three days", 72 * time.Hour, []string{"1.2 Backup", "1.3 " + personName}},
	} {
		e.assertCatchesUp(t, down.name, down.length, down.missed)
	}
	if got := len(e.person.pages(t, first)); got != 3 {
		t.Errorf("%d pages for what was answered before, want 3", got)
	}
	e.stop(t) // the auditor has said each time that it came back late
}

// escalationStory pages the schedule, a shared mailbox, and the schedule again.
type escalationStory struct{ *handoverStory }

func newEscalationStory(t *testing.T) *escalationStory {
	t.Helper()
	e := &escalationStory{newHandoverStory(t)}
	var shared struct {
		ContactMethod struct{ ID string } `json:"contact_method"`
	}
	e.person.post(t, "/v1/contact-methods", map[string]any{"kind": "email", "name": "Backup", "address": backupEmail, "shared": true}, &shared)
	confirmAddress(t, e.mail, backupEmail)
	schedule := map[string]string{"kind": "schedule", "id": e.schedule}
	backup := map[string]string{"kind": "channel", "id": shared.ContactMethod.ID}
	var made struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	e.person.post(t, "/v1/escalation-policies", map[string]any{"name": "Three steps", "timezone": "Europe/Berlin", "repeat_count": 1, "steps": []map[string]any{
		{"delay_seconds": stepDelay, "targets": []any{schedule}},
		{"delay_seconds": stepDelay, "targets": []any{backup}},
		{"delay_seconds": stepDelay, "targets": []any{schedule}},
	}}, &made)
	e.serviceKey = e.person.addService(t, "Payments", made.Policy.ID)
	return e
}

// toldPage is a page with whom it is for.
type toldPage struct {
	Step, Round int
	Status      string
	User        *struct{ Name string }
	ContactName string `json:"contact_name"`
	Why         struct{ Sentence string }
}

func (p toldPage) line() string {
	whom := p.ContactName
	if p.User != nil {
		whom = p.User.Name
	}
	return fmt.Sprintf("%d.%d %s", p.Round, p.Step, whom)
}

func (c *caller) told(t *testing.T, incidentID string) []toldPage {
	t.Helper()
	var answer struct{ Notifications []toldPage }
	c.get(t, "/v1/incidents/"+incidentID+"/notifications", &answer)
	return answer.Notifications
}

func (c *caller) whys(t *testing.T, incidentID string) (sentences []string) {
	t.Helper()
	for _, p := range c.told(t, incidentID) {
		sentences = append(sentences, p.Why.Sentence)
	}
	return sentences
}

// alert fires one that opens an incident of its own, and returns its id.
func (e *escalationStory) alert(t *testing.T, title string) (incidentID string) {
	t.Helper()
	body := fmt.Sprintf(`{"version":"4","status":"firing","groupKey":%[1]q,"alerts":[{"status":"firing","labels":{"alertname":%[1]q,"severity":"critical"},`+
		`"annotations":{"summary":%[1]q}}]}`, title)
	(&caller{url: e.url}).post(t, "/v1/webhooks/prometheus/"+e.serviceKey, json.RawMessage(body), nil)
	return e.person.incidentTitled(t, title).ID
}

// awaitPages waits until the incident has these pages, each sent: "round.step whom".
func (e *escalationStory) awaitPages(t *testing.T, incidentID string, want ...string) {
	t.Helper()
	eventually(t, "the pages of "+incidentID, func() error {
		var got []string
		for _, p := range e.person.told(t, incidentID) {
			if p.Status != "sent" {
				return fmt.Errorf("not all sent: %+v", p)
			}
			got = append(got, p.line())
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("got %q, want %q", got, want)
		}
		return nil
	})
}

// assertCatchesUp opens an incident, is away for a while, and looks at who is paged then.
func (e *escalationStory) assertCatchesUp(t *testing.T, name string, length time.Duration, missed []string) {
	t.Helper()
	incidentID := e.alert(t, "down for "+name)
	first := "1.1 " + personName
	e.awaitPages(t, incidentID, first)
	e.stop(t)
	e.database.Clock.Advance(length)
	e.serve(t)
	pages := append([]string{first}, missed...)
	e.awaitPages(t, incidentID, pages...)
	due := pgtest.One[time.Time](t, e.database, `SELECT paging_due_at FROM incident WHERE id = $1`, incidentID)
	if left := due.Sub(e.database.Clock.Now()); left < (stepDelay-60)*time.Second || left > stepDelay*time.Second {
		t.Errorf("after %s the next step is due in %s, want its full delay", name, left)
	}
	e.person.post(t, "/v1/incidents/"+incidentID+"/resolve", map[string]string{"message": "Incident resolved"}, nil)
}

// assertExplained asks by the API and by the command line, which answer with what the
// story is going to see.
func (e *escalationStory) assertExplained(t *testing.T, at time.Time) {
	t.Helper()
	var answer struct {
		Summary string
		Moments []struct{ Outcome, Message string }
	}
	service := pgtest.One[string](t, e.database, `SELECT id::text FROM service WHERE name = 'Payments'`)
	e.person.get(t, "/v1/explain?"+url.Values{"service_id": {service}, "at": {at.Format(time.RFC3339)}}.Encode(), &answer)
	want := weekendName + " is paged at once; if nobody answers, Backup after 10 minutes."
	if answer.Summary != want || len(answer.Moments) != 8 || answer.Moments[2].Message != personName+" is paged." ||
		answer.Moments[6].Outcome != "last_resort" || answer.Moments[7].Outcome != "exhausted" {
		t.Errorf("explained: %+v", answer)
	}
	var key struct{ Key string }
	e.person.post(t, "/v1/api-keys", map[string]any{"name": "command line", "role": "viewer", "scopes": []string{"config:read"}}, &key)
	command := exec.Command(os.Getenv("NIGHTBELL_BIN"), "explain", "--service", "payments", "--severity", "critical", "--at", at.Format(time.RFC3339))
	command.Env = []string{"NIGHTBELL_URL=" + e.url, "NIGHTBELL_API_KEY=" + key.Key}
	text, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(text), want) || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), "06:55 step 2 Backup is paged.") {
		t.Errorf("%v\n%s", err, text)
	}
}
