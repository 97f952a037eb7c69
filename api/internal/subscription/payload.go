package subscription

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// payload is the body that receivers read. Fields are only ever added; testdata/payloads.golden has
// one of each type.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	// Incident is null for events that are about none.
	Incident *Incident `json:"incident"`
	Subject
	// Page is there for page.sent and page.failed.
	Page *Page `json:"page,omitempty"`
	// Merged is there for incident.merged: the incident that Incident took in. It has its own incident.resolved.
	Merged  *Merged `json:"merged,omitempty"`
	Actor   Actor   `json:"actor"`
	Message string  `json:"message"`
	// Changes has what is different since, by the name of the field.
	Changes map[string]Changed `json:"changes"`
	// Cursor is the event's place in the feed, for putting events into their order. A test has none.
	Cursor string `json:"cursor,omitempty"`
}

// Subject is what an event is about besides an incident. The feed stores it.
type Subject struct {
	// Service is there for service.health_changed and change.created.
	Service *Named `json:"service,omitempty"`
	// Schedule is there for oncall.changed.
	Schedule *Named `json:"schedule,omitempty"`
	// Heartbeat is there for heartbeat.*.
	Heartbeat *Named `json:"heartbeat,omitempty"`
	// Change is there for change.created.
	Change *Change `json:"change,omitempty"`
}

// Changed is one field before and after. From is absent where it is not known.
type Changed struct {
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to"`
}

// Actor is who did it.
type Actor struct {
	// Kind is system, user or api_key.
	Kind string     `json:"kind"`
	ID   *uuid.UUID `json:"id,omitempty"`
	Name string     `json:"name,omitempty"`
}

// Named is a reference.
type Named struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// Incident is as it was when the delivery was made, a moment after the event.
type Incident struct {
	ID             uuid.UUID  `json:"id"`
	Number         int        `json:"number"`
	Title          string     `json:"title"`
	Status         string     `json:"status"`
	Severity       string     `json:"severity"`
	Service        *Named     `json:"service"`
	Assignee       *Named     `json:"assignee"`
	URL            string     `json:"url"`
	TriggeredAt    time.Time  `json:"triggered_at"`
	AcknowledgedAt *time.Time `json:"acknowledged_at"`
	ResolvedAt     *time.Time `json:"resolved_at"`
	AlertCount     int        `json:"alert_count"`
}

// Merged is an incident that was merged into another.
type Merged struct {
	ID     uuid.UUID `json:"id"`
	Number int       `json:"number"`
	Title  string    `json:"title"`
}

// Page is a message that reached somebody, or did not.
type Page struct {
	ID uuid.UUID `json:"id"`
	// Channel is email, sms, voice, slack, webhook or webpush.
	Channel string `json:"channel"`
	// User is null for a channel that several people read.
	User *Named `json:"user"`
	// Step and Round count from 1.
	Step  int `json:"step"`
	Round int `json:"round"`
	// Reason says why it could not be delivered.
	Reason string `json:"reason,omitempty"`
}

// Change is a deployment or another change of a service.
type Change struct {
	ID          uuid.UUID       `json:"id"`
	Summary     string          `json:"summary"`
	Kind        string          `json:"kind"`
	Version     string          `json:"version,omitempty"`
	Environment string          `json:"environment,omitempty"`
	Author      string          `json:"author,omitempty"`
	Links       json.RawMessage `json:"links"`
	OccurredAt  time.Time       `json:"occurred_at"`
}

// Payload is the body of an event. PublicURL is where people reach this installation.
func Payload(eventType string, e Entry, publicURL string) ([]byte, error) {
	if e.Incident != nil {
		incident := *e.Incident
		incident.URL = publicURL + "/incidents/" + incident.ID.String()
		incident.TriggeredAt = incident.TriggeredAt.UTC()
		incident.AcknowledgedAt, incident.ResolvedAt = utc(incident.AcknowledgedAt), utc(incident.ResolvedAt)
		e.Incident = &incident
	}
	facts := e.read()
	return json.Marshal(payload{eventType, e.At.UTC(), data{
		Incident: e.Incident, Subject: facts.Subject, Page: facts.page(e.Kind), Merged: facts.merged(e.Kind), Actor: e.Actor, Message: e.Message,
		Changes: facts.changes(e.Kind), Cursor: strconv.FormatInt(e.Seq, 10),
	}})
}

// TestPayload is the body of a test that somebody asked for.
func TestPayload(by Actor, now time.Time) ([]byte, error) {
	return json.Marshal(payload{Test, now.UTC(), data{Actor: by, Message: "This is a test. Nothing happened.", Changes: map[string]Changed{}}})
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}
