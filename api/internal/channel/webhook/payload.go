package webhook

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// The types of messages that page, beside the events of subscriptions.
const (
	Page     = "incident.page"
	TestPage = "page.test"
)

// payload is the body that receivers read. Fields are only ever added;
// testdata/page.json and test.json are examples.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	// DeliveryID names this try in the delivery log; webhook-id stays the same when
	// the same pages are sent again.
	DeliveryID   uuid.UUID    `json:"delivery_id"`
	Organization organization `json:"organization"`
	// Test is true for a message that somebody sends themselves: its type is page.test and it holds no incident.
	Test bool `json:"test,omitempty"`
	// User is null for a shared channel.
	User *user `json:"user"`
	// AcknowledgeURL opens a page with a button; opening it changes nothing. Absent for
	// a shared channel.
	AcknowledgeURL string `json:"acknowledge_url,omitempty"`
	// IncidentCount is exact; Incidents describes the first ones, the most severe and
	// newest first.
	IncidentCount int        `json:"incident_count"`
	Incidents     []incident `json:"incidents"`
}

type organization struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type user struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type incident struct {
	ID          uuid.UUID `json:"id"`
	Number      int       `json:"number"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Severity    string    `json:"severity"`
	Status      string    `json:"status"`
	ServiceName string    `json:"service_name,omitempty"`
	URL         string    `json:"url"`
	RunbookURL  string    `json:"runbook_url,omitempty"`
	TriggeredAt time.Time `json:"triggered_at"`
	AlertCount  int       `json:"alert_count"`
	Reason      string    `json:"reason"`
}

func encode(message notify.Message) ([]byte, error) {
	shown, _ := message.Shown()
	body := payload{
		Type:      Page,
		Timestamp: message.SentAt.UTC(),
		Data: data{
			DeliveryID:     message.DeliveryID,
			Organization:   organization{message.OrgID, message.OrgName},
			AcknowledgeURL: message.AckURL,
			IncidentCount:  len(message.Incidents),
			Incidents:      make([]incident, 0, len(shown)),
		},
	}
	if message.Test {
		body.Type, body.Data.Test = TestPage, true
	}
	if message.UserID != uuid.Nil {
		body.Data.User = &user{message.UserID, message.PersonName}
	}
	for _, one := range shown {
		body.Data.Incidents = append(body.Data.Incidents, incident{
			ID: one.ID, Number: one.Number, Title: one.Title, Description: one.Description,
			Severity: string(one.Severity), Status: one.Status, ServiceName: one.ServiceName, URL: one.URL, RunbookURL: one.RunbookURL,
			TriggeredAt: one.TriggeredAt.UTC(), AlertCount: one.AlertCount, Reason: one.Reason,
		})
	}
	return json.Marshal(body)
}
