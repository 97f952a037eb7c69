package subscription

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// Entry is a line of the timeline with the incident it is about, as it was read from the feed.
type Entry struct {
	Seq      int64
	ID       uuid.UUID
	Kind     string
	At       time.Time
	Actor    Actor
	Message  string
	Changes  json.RawMessage
	Incident Incident
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

func (n *Named) id() uuid.UUID {
	if n == nil {
		return uuid.Nil
	}
	return n.ID
}

// Incident is as it was when the delivery was made, a moment after the event.
type Incident struct {
	ID             uuid.UUID  `json:"id"`
	Number         int        `json:"number"`
	Title          string     `json:"title"`
	Status         string     `json:"status"`
	Severity       string     `json:"severity"`
	Service        *Named     `json:"service"`
	TeamID         uuid.UUID  `json:"-"`
	Assignee       *Named     `json:"assignee"`
	URL            string     `json:"url"`
	TriggeredAt    time.Time  `json:"triggered_at"`
	AcknowledgedAt *time.Time `json:"acknowledged_at"`
	ResolvedAt     *time.Time `json:"resolved_at"`
	AlertCount     int        `json:"alert_count"`
}

// payload is the body that receivers read. Fields are only ever added; testdata/event.json is an
// example.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      data      `json:"data"`
}

type data struct {
	Incident *Incident       `json:"incident"`
	Actor    Actor           `json:"actor"`
	Message  string          `json:"message"`
	Changes  json.RawMessage `json:"changes"`
	// Cursor is the event's place in the feed, for putting events into their order.
	Cursor string `json:"cursor,omitempty"`
}

// Payload is the body of an event. PublicURL is where people reach this installation.
func Payload(eventType string, e Entry, publicURL string) ([]byte, error) {
	e.Incident.URL = publicURL + "/incidents/" + e.Incident.ID.String()
	e.Incident.TriggeredAt = e.Incident.TriggeredAt.UTC()
	e.Incident.AcknowledgedAt, e.Incident.ResolvedAt = utc(e.Incident.AcknowledgedAt), utc(e.Incident.ResolvedAt)
	return json.Marshal(payload{eventType, e.At.UTC(), data{
		Incident: &e.Incident, Actor: e.Actor, Message: e.Message, Changes: e.Changes, Cursor: strconv.FormatInt(e.Seq, 10),
	}})
}

// TestPayload is the body of a test that somebody asked for.
func TestPayload(by Actor, now time.Time) ([]byte, error) {
	return json.Marshal(payload{Test, now.UTC(), data{Actor: by, Message: "This is a test. Nothing happened.", Changes: json.RawMessage("{}")}})
}

func utc(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	moved := at.UTC()
	return &moved
}
