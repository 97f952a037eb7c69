package subscription

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Entry is an entry of the feed with what it is about, as it was read.
type Entry struct {
	Seq     int64
	ID      uuid.UUID
	Kind    string
	At      time.Time
	Actor   Actor
	Message string
	// Facts is JSON that depends on the kind.
	Facts json.RawMessage
	// Incident is nil for entries that are about none.
	Incident *Incident
	// ServiceID is the service that the entry is about, and TeamID the team of that service or of
	// the schedule; Nil for none.
	ServiceID, TeamID uuid.UUID
}

// News is an entry for the feed that is about no incident, or not about one alone. It is an event.
type News struct {
	OrgID uuid.UUID
	// IncidentID is Nil for none; the entry stands in the timeline of the incident, too.
	IncidentID uuid.UUID
	// Type is the event's, such as OnCallChanged.
	Type    string
	Message string
	Subject Subject
	// Changes has what is different since, by the name of the field.
	Changes map[string]Changed
}

// Facts is how the feed stores what the news is about.
func (n News) Facts() ([]byte, error) {
	return json.Marshal(struct {
		Subject
		Changes map[string]Changed `json:"changes,omitempty"`
	}{n.Subject, n.Changes})
}

// Diff is a field before and after.
func Diff[T string | []Named](from, to T) (changed Changed) {
	changed.From, _ = json.Marshal(from) // neither kind of value can fail
	changed.To, _ = json.Marshal(to)
	return changed
}

// facts are those of every kind of entry; package incident and internal/delivery write most.
type facts struct {
	Subject
	Changes map[string]Changed `json:"changes"`

	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`

	AssigneeID   *uuid.UUID `json:"assignee_id"`
	AssigneeName string     `json:"assignee_name"`

	MergedID     uuid.UUID `json:"merged_id"`
	MergedNumber int       `json:"merged_number"`
	MergedTitle  string    `json:"merged_title"`

	PageID   uuid.UUID  `json:"notification_id"`
	Channel  string     `json:"channel"`
	UserID   *uuid.UUID `json:"user_id"`
	UserName string     `json:"user_name"`
	Step     int        `json:"step"`
	Round    int        `json:"round"`
	Reason   string     `json:"reason"`
}

// read reads what it can: facts that an older binary wrote in another form must not keep an event,
// and all that follow it, from being told.
func (e Entry) read() (f facts) {
	_ = json.Unmarshal(e.Facts, &f)
	return f
}

// changes has what is different after an entry of this kind.
func (f facts) changes(kind string) map[string]Changed {
	switch kind {
	case "severity_change":
		return map[string]Changed{"severity": {From: f.From, To: f.To}}
	case "assigned":
		to := json.RawMessage("null")
		if f.AssigneeID != nil {
			to, _ = json.Marshal(Named{*f.AssigneeID, f.AssigneeName})
		}
		return map[string]Changed{"assignee": {To: to}}
	case "declared":
		return map[string]Changed{"status": {To: json.RawMessage(`"triggered"`)}}
	case "acknowledged", "resolved":
		return map[string]Changed{"status": {To: json.RawMessage(`"` + kind + `"`)}}
	case "ack_timeout":
		return map[string]Changed{"status": {From: json.RawMessage(`"acknowledged"`), To: json.RawMessage(`"triggered"`)}}
	case "escalated":
		if string(f.From) == `"acknowledged"` {
			return map[string]Changed{"status": {From: f.From, To: json.RawMessage(`"triggered"`)}}
		}
	}
	if f.Changes == nil {
		return map[string]Changed{}
	}
	return f.Changes
}

func (f facts) merged(kind string) *Merged {
	if kind != "merged" {
		return nil
	}
	return &Merged{f.MergedID, f.MergedNumber, f.MergedTitle}
}

func (f facts) page(kind string) *Page {
	if kind != "paged" && kind != "page_failed" {
		return nil
	}
	page := &Page{ID: f.PageID, Channel: f.Channel, Step: f.Step, Round: f.Round, Reason: f.Reason}
	if f.UserID != nil {
		page.User = &Named{*f.UserID, f.UserName}
	}
	return page
}
