package subscription_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/subscription"
)

var update = flag.Bool("update", false, "write the golden files again")

const golden = "testdata/payloads.golden"

var (
	at       = time.Date(2026, 11, 22, 3, 0, 5, 0, time.UTC)
	ada      = subscription.Named{ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000a1"), Name: "Ada"}
	bob      = subscription.Named{ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000b2"), Name: "Bob"}
	checkout = subscription.Named{ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000c3"), Name: "Checkout"}
	nights   = subscription.Named{ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000d4"), Name: "Nights"}
	backup   = subscription.Named{ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000e5"), Name: "nightly-backup"}
)

// entries are one of the feed for each type of event, with the facts as their writers store them.
func entries() (list []subscription.Entry) {
	incident := subscription.Incident{
		ID: uuid.MustParse("0192f000-0000-7000-8000-0000000000f6"), Number: 42, Title: "Orders stopped <&>", Status: "triggered", Severity: "critical",
		Service: &checkout, Assignee: &ada, TriggeredAt: at.Add(-5 * time.Second), AlertCount: 3,
	}
	acknowledged := at.Add(-time.Second)
	incident.AcknowledgedAt = &acknowledged
	system, person := subscription.Actor{Kind: "system"}, subscription.Actor{Kind: "user", ID: &ada.ID, Name: ada.Name}
	page := `"channel": "sms", "notification_id": "0192f000-0000-7000-8000-000000000a07", "delivery_id": "0192f000-0000-7000-8000-000000000b08",
		"contact_name": "Phone", "contact_hint": "+49...89", "user_id": "` + ada.ID.String() + `", "user_name": "Ada", "step": 1, "round": 1`
	for _, one := range []struct {
		kind    string
		actor   subscription.Actor
		message string
		facts   string
	}{
		{"declared", system, "Declared from an alert of Checkout.", `{}`},
		{"acknowledged", person, "Incident acknowledged", `{"severity": "critical"}`},
		{"ack_timeout", system, "Acknowledged 10 minutes ago by Ada and not resolved: paging again.", `{}`},
		{"escalated", person, "Escalated to the next step", `{"from": "acknowledged"}`},
		{"assigned", person, "Assigned to Bob", `{"assignee_id": "` + bob.ID.String() + `", "assignee_name": "Bob"}`},
		{"severity_change", system, "Severity changed from high to critical by an alert.", `{"from": "high", "to": "critical"}`},
		{"comment", person, "The pool is full.", `{}`},
		{"merged", person, "Merged #0a17 into it: Payments slow", `{"merged_id": "0192f000-0000-7000-8000-000000000a17", "merged_number": 41, "merged_title": "Payments slow"}`},
		{"resolved", person, "Incident resolved", `{}`},
		{"paged", system, "Ada was paged by SMS", `{` + page + `}`},
		{"page_failed", system, "Ada could not be paged by SMS: the number does not exist", `{` + page + `, "reason": "the number does not exist"}`},
	} {
		list = append(list, subscription.Entry{Kind: one.kind, Actor: one.actor, Message: one.message, Facts: json.RawMessage(one.facts), Incident: &incident})
	}
	health, _ := subscription.Health{Service: checkout, Told: "healthy", Worst: "critical"}.News(uuid.Nil)
	for _, news := range []subscription.News{
		{
			Type: subscription.OnCallChanged, Message: "Bob is on call for Nights.", Subject: subscription.Subject{Schedule: &nights},
			Changes: map[string]subscription.Changed{"on_call": subscription.Diff([]subscription.Named{ada}, []subscription.Named{bob})},
		},
		health,
		{Type: subscription.ChangeCreated, Message: "Deploy 2026.11.3", Subject: subscription.Subject{Service: &checkout, Change: &subscription.Change{
			ID: uuid.MustParse("0192f000-0000-7000-8000-000000000c09"), Summary: "Deploy 2026.11.3", Kind: "deployment", Version: "2026.11.3",
			Environment: "production", Author: "Bob", Links: json.RawMessage(`[{"href": "https://ci.example.com/7", "text": "Build"}]`), OccurredAt: at,
		}}},
		{Type: subscription.HeartbeatMissed, Message: "nightly-backup did not arrive.", Subject: subscription.Subject{Service: &checkout, Heartbeat: &backup}},
		{Type: subscription.HeartbeatRecovered, Message: "nightly-backup arrived again.", Subject: subscription.Subject{Service: &checkout, Heartbeat: &backup}},
	} {
		facts, err := news.Facts()
		if err != nil {
			panic(err)
		}
		list = append(list, subscription.Entry{Kind: news.Type, Actor: system, Message: news.Message, Facts: facts})
		if news.Subject.Heartbeat != nil {
			list[len(list)-1].Kind = strings.ReplaceAll(news.Type, ".", "_")
			list[len(list)-1].Incident = &incident
		}
	}
	for i := range list {
		list[i].Seq, list[i].At = int64(1000+i), at
	}
	return list
}

// TestPayloads compares the body of every type of event with what receivers were written for.
func TestPayloads(t *testing.T) {
	t.Parallel()
	var types []string
	var bodies []json.RawMessage
	all := subscription.Filter{Types: subscription.Types()}
	for _, entry := range entries() {
		eventType, wanted := all.Match(entry)
		body, err := subscription.Payload(eventType, entry, "https://nightbell.example")
		if err != nil || !wanted {
			t.Fatal(entry.Kind, err)
		}
		types, bodies = append(types, eventType), append(bodies, body)
	}
	slices.Sort(types)
	if !slices.Equal(types, subscription.Types()) {
		t.Errorf("examples of %v, and types %v", types, subscription.Types())
	}
	test, err := subscription.TestPayload(subscription.Actor{Kind: "user", ID: &ada.ID, Name: ada.Name}, at)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(append(bodies, test)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the payloads differ from %s (%v); fields may only be added. With -update it is written again:\n%s", golden, err, got.String())
	}
}

// TestFactsOfAnotherFormKeepNoEventBack: one entry that cannot be read would hold up all that follow.
func TestFactsOfAnotherFormKeepNoEventBack(t *testing.T) {
	t.Parallel()
	for _, facts := range []string{`{"step": "one"}`, `[]`, ``, `{"assignee_id": 7}`} {
		body, err := subscription.Payload("page.sent", subscription.Entry{Kind: "paged", Message: "Ada was paged", Facts: json.RawMessage(facts)}, "")
		if err != nil || !bytes.Contains(body, []byte("Ada was paged")) {
			t.Errorf("%s: %s, %v", facts, body, err)
		}
	}
}

func TestWhatAFilterLetsThrough(t *testing.T) {
	t.Parallel()
	service, team, other := uuid.New(), uuid.New(), uuid.New()
	ofIncident := subscription.Entry{Kind: "declared", ServiceID: service, TeamID: team, Incident: &subscription.Incident{Severity: "high"}}
	ofSchedule := subscription.Entry{Kind: subscription.OnCallChanged, TeamID: team}
	for what, c := range map[string]struct {
		filter             subscription.Filter
		incident, schedule bool
	}{
		"everything":       {subscription.Filter{}, true, true},
		"its service":      {subscription.Filter{Services: []uuid.UUID{other, service}}, true, false},
		"another service":  {subscription.Filter{Services: []uuid.UUID{other}}, false, false},
		"their team":       {subscription.Filter{Teams: []uuid.UUID{team}}, true, true},
		"another team":     {subscription.Filter{Teams: []uuid.UUID{other}}, false, false},
		"its severity":     {subscription.Filter{Severities: []string{"high"}}, true, true},
		"another severity": {subscription.Filter{Severities: []string{"low"}}, false, true},
	} {
		c.filter.Types = subscription.Types()
		_, incident := c.filter.Match(ofIncident)
		_, schedule := c.filter.Match(ofSchedule)
		if incident != c.incident || schedule != c.schedule {
			t.Errorf("%s: incident %t, schedule %t", what, incident, schedule)
		}
	}
	if _, ok := (subscription.Filter{Types: subscription.Types()}).Match(subscription.Entry{Kind: "alert_linked"}); ok {
		t.Error("an entry that is no event is told")
	}
}
