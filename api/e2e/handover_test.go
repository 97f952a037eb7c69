//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // also on a machine without zones

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const (
	weekendName  = "Wei Chen"
	weekendEmail = "wei@acme.example"
)

// friday is an afternoon before a weekend of winter in Berlin.
var friday = time.Date(2026, 12, 4, 16, 0, 0, 0, time.UTC)

// TestHandovers is a weekend: who comes on call is told what is open, a server that was
// away for three days tells each person once at most, and an override tells at once.
func TestHandovers(t *testing.T) {
	h := newHandoverStory(t)
	curl(t, h.url+"/v1/webhooks/prometheus/"+h.serviceKey)
	open := h.person.incidentTitled(t, "Checkout is slow: p99 4.1 s")
	h.person.awaitSent(t, open.ID, 1)
	h.person.post(t, "/v1/incidents/"+open.ID+"/acknowledge", map[string]string{"message": "Incident acknowledged"}, nil)

	h.database.Clock.SetNow(friday.Add(15*time.Hour + 5*time.Second)) // Saturday, 08:00:05
	mail := h.awaitTold(t, weekendEmail, "[Nightbell] You are on call for 24/7 Support until Mon 7 Dec 08:00")
	for _, want := range []string{
		"1 open incident:", open.Title, "acknowledged by " + personName, h.url + "/incidents/" + open.ID, "Before you " + personName,
	} {
		if !strings.Contains(mail.Text, want) {
			t.Errorf("%q is not in the mail:\n%s", want, mail.Text)
		}
	}
	h.awaitTold(t, personEmail, "[Nightbell] "+weekendName+" is on call for 24/7 Support now")

	h.stop(t)
	h.database.Clock.Advance(71 * time.Hour) // Tuesday, 07:00
	h.serve(t)
	h.awaitTold(t, personEmail, "[Nightbell] You are on call for 24/7 Support until Sat 12 Dec 08:00")
	h.awaitTold(t, weekendEmail, "[Nightbell] "+personName+" is on call for 24/7 Support now")

	until := h.database.Clock.Now().Add(time.Hour).Truncate(time.Minute)
	h.person.post(t, "/v1/schedules/"+h.schedule+"/overrides", map[string]any{"kind": "take_over", "user_id": h.weekend, "ends_at": until}, nil)
	h.awaitTold(t, weekendEmail, "[Nightbell] You are on call for 24/7 Support until "+until.In(berlin(t)).Format("Mon 2 Jan 15:04"))
	h.awaitTold(t, personEmail, "[Nightbell] "+weekendName+" is on call for 24/7 Support now")
	// The look that saw the override would have seen anything else, too.
	for _, address := range []string{personEmail, weekendEmail} {
		if got := h.told(address); len(got) != 3 {
			t.Errorf("%s was told %q, want three hand-overs", address, got)
		}
	}
	h.stop(t)
	h.assertQuiet(t)
}

// handoverStory is a Nightbell on a database of its own, which outlives it: the person has
// the weekdays, a colleague the weekends.
type handoverStory struct {
	*nightbell

	database                      *pgtest.Database
	mail                          *smtpcatcher.Catcher
	settings                      []string
	person                        *caller
	weekend, schedule, serviceKey string
	// seen counts the hand-overs that were waited for, for each address.
	seen map[string]int
}

func newHandoverStory(t *testing.T) *handoverStory {
	t.Helper()
	clearOutDir(t)
	h := &handoverStory{database: pgtest.New(t), seen: map[string]int{}}
	h.database.Clock.SetNow(friday)
	var err error
	if h.mail, err = smtpcatcher.Start(smtpcatcher.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.mail.Close() })
	h.settings = []string{
		"DATABASE_URL=" + h.database.DSN(), "NIGHTBELL_SMTP_HOST=" + h.mail.Host(), "NIGHTBELL_SMTP_PORT=" + strconv.Itoa(h.mail.Port()),
		"NIGHTBELL_SMTP_FROM=Nightbell <nightbell@acme.example>",
	}
	h.nightbell = serve(t, emptyDataDir(t), freeAddress(t), h.settings...)
	person, userID := register(t, h.url)
	confirmAddress(t, h.mail, personEmail)
	h.person, h.weekend = person, h.addColleague(t, userID)
	h.schedule = person.addWeekendSchedule(t, userID, h.weekend)
	h.serviceKey = person.addService(t, "Checkout API", person.addSchedulePolicy(t, h.schedule))
	// The first look at a schedule tells nothing; what changes after it does.
	eventually(t, "the first look at the schedule", func() error {
		if pgtest.One[int](t, h.database, `SELECT count(*) FROM schedule WHERE announced_through IS NULL`) > 0 {
			return fmt.Errorf("nobody looked")
		}
		return nil
	})
	return h
}

// serve starts the server again, on the same address.
func (h *handoverStory) serve(t *testing.T) {
	t.Helper()
	parsed, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	h.nightbell = serve(t, h.dataDir, parsed.Host, h.settings...)
}

// addColleague adds a member with a mailbox to the person's organization.
func (h *handoverStory) addColleague(t *testing.T, of string) (userID string) {
	t.Helper()
	colleague := id.New()
	h.database.Exec(t, `INSERT INTO users (id, name, email, password_hash, timezone, created_at) VALUES ($1, $2, $3, '', 'Europe/Berlin', nightbell_now())`,
		colleague, weekendName, weekendEmail)
	h.database.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) SELECT org_id, $1, 'responder', nightbell_now() FROM membership WHERE user_id = $2`, colleague, of)
	h.database.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at, verified_at)
		SELECT org_id, $2, user_id, 'email', 'E-mail', $3, $3, nightbell_now(), nightbell_now() FROM membership WHERE user_id = $1`, colleague, id.New(), weekendEmail)
	return colleague.String()
}

func (c *caller) addWeekendSchedule(t *testing.T, weekdays, weekends string) (scheduleID string) {
	t.Helper()
	layer := func(name, userID string, windows ...any) map[string]any {
		return map[string]any{
			"name": name, "turns": []any{map[string]any{"user_ids": []string{userID}}}, "unit": "week", "length": 1,
			"handover": "08:00", "weekday": "monday", "starts_at": friday.AddDate(0, 0, -30), "windows": windows,
		}
	}
	var made struct{ Schedule struct{ ID string } }
	c.post(t, "/v1/schedules", map[string]any{"name": "24/7 Support", "timezone": "Europe/Berlin", "rotations": []any{
		layer("Always", weekdays),
		layer("Weekend", weekends, map[string]any{"days": []string{"saturday", "sunday"}, "from": "08:00", "to": "08:00"}),
	}}, &made)
	return made.Schedule.ID
}

func (c *caller) addSchedulePolicy(t *testing.T, scheduleID string) (policyID string) {
	t.Helper()
	var made struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	c.post(t, "/v1/escalation-policies", map[string]any{"name": "Whoever is on call", "steps": []map[string]any{
		{"delay_seconds": stepDelay, "targets": []any{map[string]string{"kind": "schedule", "id": scheduleID}}},
	}}, &made)
	return made.Policy.ID
}

// told are the subjects of the hand-overs that were mailed to the address, oldest first.
func (h *handoverStory) told(address string) (subjects []string) {
	for _, mail := range h.mail.Mails() {
		if slices.Equal(mail.Recipients, []string{address}) && strings.HasPrefix(mail.Subject(), "[Nightbell]") {
			subjects = append(subjects, mail.Subject())
		}
	}
	return subjects
}

// awaitTold waits for the next hand-over that is mailed to the address.
func (h *handoverStory) awaitTold(t *testing.T, address, subject string) (mail smtpcatcher.Mail) {
	t.Helper()
	h.seen[address]++
	eventually(t, "the hand-over for "+address, func() error {
		if got := h.told(address); len(got) != h.seen[address] || got[len(got)-1] != subject {
			return fmt.Errorf("told %q, want %d with the last %q", got, h.seen[address], subject)
		}
		return nil
	})
	for _, mail = range h.mail.Mails() {
		if slices.Equal(mail.Recipients, []string{address}) && mail.Subject() == subject {
			return mail
		}
	}
	return mail
}

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}
