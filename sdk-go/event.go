package nightbell

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Severity of an incident. Without one the server says medium.
type Severity string

// The severities: fully down or data loss; major function broken; partial; minor.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// Incident is what [Client.TriggerIncident] reports. Only Title is needed.
type Incident struct {
	Title       string
	Severity    Severity
	Description string
	Tags        map[string]string
	Metadata    map[string]any
	Links       []Link
	// DedupKey names the problem: while an incident with it is open, another trigger
	// joins that incident and pages nobody again.
	DedupKey string
	// ID names this call: a UUID, made here if empty. Sent twice, it counts once.
	ID         string
	OccurredAt time.Time // now, if zero
	Test       bool      // checks everything and pages nobody
}

// IncidentResult is the server's answer to an event.
type IncidentResult struct {
	ID       string    `json:"id"` // of the incident; empty if there is none
	EventID  string    `json:"event_id"`
	DedupKey string    `json:"dedup_key"`
	Number   int       `json:"incident_number"`
	URL      string    `json:"url"`
	Status   string    `json:"status"`    // created, deduplicated, acknowledged, resolved or ignored
	Cut      []string  `json:"truncated"` // fields that were too long
	Warnings []Warning `json:"warnings"`
}

// Warning is something that the server accepted and did not understand.
type Warning struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Event is what is sent. BeforeSend may change it.
type Event struct {
	Action      string            `json:"action"`
	ID          string            `json:"id"`
	DedupKey    string            `json:"dedup_key,omitempty"`
	Title       string            `json:"title,omitempty"`
	Severity    Severity          `json:"severity,omitempty"`
	Description string            `json:"description,omitempty"`
	Tags        map[string]string `json:"tags,omitempty"`
	Metadata    map[string]any    `json:"metadata,omitempty"`
	Links       []Link            `json:"links,omitempty"`
	Source      string            `json:"source,omitempty"`
	Environment string            `json:"environment,omitempty"`
	Release     string            `json:"release,omitempty"`
	OccurredAt  Timestamp         `json:"occurred_at,omitzero"`
	Test        bool              `json:"test,omitempty"`
	Error       *ErrorDetails     `json:"error,omitempty"`
	User        *User             `json:"user,omitempty"`
	Operation   string            `json:"operation,omitempty"`
	Trace       *Trace            `json:"trace,omitempty"`
	Count       int               `json:"count,omitempty"` // occurrences that this event stands for, from 2 on
}

// ErrorDetails is the error of an event: the given error first, then its causes.
type ErrorDetails struct {
	Exceptions  []Exception  `json:"exceptions"`
	Fingerprint string       `json:"fingerprint,omitempty"`
	Breadcrumbs []Breadcrumb `json:"breadcrumbs,omitempty"`
}

// Exception is one error of a chain. Frames[0] is where it was captured.
type Exception struct {
	Type    string  `json:"type"`
	Message string  `json:"message"`
	Frames  []Frame `json:"frames,omitempty"`
}

// Frame is a line of a stack.
type Frame struct {
	File     string   `json:"file,omitempty"`
	Function string   `json:"function,omitempty"`
	Module   string   `json:"module,omitempty"`
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	InApp    bool     `json:"in_app"`
	Pre      []string `json:"pre,omitempty"`
	Code     string   `json:"code,omitempty"`
	Post     []string `json:"post,omitempty"`
}

// Breadcrumb is something that happened before an error.
type Breadcrumb struct {
	At       Timestamp      `json:"at,omitzero"`
	Message  string         `json:"message"`
	Category string         `json:"category,omitempty"`
	Data     map[string]any `json:"data,omitempty"`
}

// Link is shown on the incident's page.
type Link struct {
	Href string `json:"href"`
	Text string `json:"text,omitempty"`
}

// User is who was affected.
type User struct {
	ID string `json:"id"`
}

// Trace connects an event with a distributed trace.
type Trace struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id,omitempty"`
}

// Change is a deployment or another change. It never pages anybody.
type Change struct {
	ID          string         `json:"id"`
	Summary     string         `json:"summary"`
	Kind        string         `json:"kind"` // deployment, configuration, feature_flag or other
	Version     string         `json:"version,omitempty"`
	Environment string         `json:"environment,omitempty"`
	Author      string         `json:"author,omitempty"`
	Links       []Link         `json:"links,omitempty"`
	OccurredAt  Timestamp      `json:"occurred_at,omitzero"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// Timestamp is a time that is written in UTC with milliseconds.
type Timestamp struct{ time.Time }

const timestampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes RFC 3339.
func (t Timestamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(timestampLayout) + `"`), nil
}

// trigger makes the event of an incident.
func (i Incident) event() (*Event, error) {
	title := strings.TrimSpace(i.Title)
	if title == "" {
		return nil, invalid("title", "required", "give the incident a title")
	}
	if !i.Severity.known() {
		return nil, invalid("severity", "not_one_of", "severity must be critical, high, medium or low, not "+quote(string(i.Severity)))
	}
	return &Event{
		Action: "trigger", ID: i.ID, DedupKey: strings.Clone(i.DedupKey), Title: strings.Clone(title), Severity: i.Severity,
		Description: strings.Clone(i.Description), Tags: cloneTags(i.Tags), Metadata: snapshot(i.Metadata), Links: slices.Clone(i.Links),
		OccurredAt: Timestamp{i.OccurredAt}, Test: i.Test,
	}, nil
}

func (s Severity) known() bool {
	return s == "" || s == Critical || s == High || s == Medium || s == Low
}

// weight orders severities: what is dropped first when the queue is full.
func (s Severity) weight() int {
	switch s {
	case Critical:
		return 4
	case High:
		return 3
	case Low:
		return 1
	default:
		return 2
	}
}

// errorTitle is what a person reads first about an error.
func errorTitle(exceptions []Exception) string {
	if len(exceptions) == 0 {
		return "error"
	}
	kind := exceptions[0].Type
	message, _, _ := strings.Cut(strings.TrimSpace(exceptions[0].Message), "\n")
	switch message = strings.TrimSpace(message); {
	case message == "":
		return kind
	case kind == "error" || kind == "Error" || kind == "Exception":
		return message
	default:
		return kind + ": " + message
	}
}

// encode writes compact JSON without escaping <, > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
