// Package alert knows what monitoring systems say: one alert's identity, its
// newest state, and what a message about it means for incidents.
//
// Senders' wire formats are read in internal/ingest/<sender>; this package is
// what they all become. Neighbours: incident (what alerts open and close),
// intake/store.go (the story).
package alert

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Status is what a sender says of an alert.
type Status string

// The two states of an alert.
const (
	Firing   Status = "firing"
	Resolved Status = "resolved"
)

// Severity says how bad it is, in the words of spec section 4.
type Severity string

// The severities: a service fully down or data lost, major, partial, minor.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Medium   Severity = "medium"
	Low      Severity = "low"
)

// Rank orders severities: 0 is the worst. An unknown word ranks as Medium.
func (s Severity) Rank() int {
	switch s {
	case Critical:
		return 0
	case High:
		return 1
	case Low:
		return 3
	case Medium:
		return 2
	default:
		return 2
	}
}

// Received is one alert of one message, whoever sent it.
type Received struct {
	// Key is the alert's identity within a service; repeats carry the same one.
	Key string
	// Group is the sender's group that the alert belongs to; empty when it has none.
	Group string
	// GroupTitle names the group for people; empty when it has no name.
	GroupTitle  string
	Status      Status
	Severity    Severity
	Source      string
	Title       string
	Description string
	Link        string
	Labels      map[string]string
	Annotations map[string]string
	// StartsAt tells one firing episode from the next. Zero when the sender did not say.
	StartsAt time.Time
	// EndsAt is zero while the alert fires.
	EndsAt time.Time
	// SentAt is what the sender's clock showed when it sent this. Zero when it did not say.
	SentAt time.Time `json:"-"`
	// ArrivedAt is when this process began to read it, where SentAt is known.
	ArrivedAt time.Time `json:"-"`
	// Said is when an event occurred by its sender's clock, which was ClockOff behind ours. ByOurClock sets them where
	// both are known.
	Said     time.Time     `json:"-"`
	ClockOff time.Duration `json:"-"`
	// Count is how many messages this one stands for after merging; at least 1.
	Count int
	// Event is set for what came as an event.
	Event *Event `json:"-"`
}

// Batch is what one request carried.
type Batch struct {
	Alerts []Received
	// Truncated is how many alerts the sender left out (Alertmanager's truncatedAlerts).
	Truncated int
	// Unread are the entries in which nobody can read an alert, as they came.
	Unread [][]byte `json:"unread,omitempty"`
}

// What an alert and one of its labels take in memory besides their text, roughly.
const (
	alertOverhead = 512
	labelOverhead = 64
)

// Bytes is about how much memory the batch takes.
func (b Batch) Bytes() (size int) {
	for _, r := range b.Alerts {
		size += alertOverhead + len(r.Key) + len(r.Group) + len(r.GroupTitle) + len(r.Source) + len(r.Title) + len(r.Description) + len(r.Link)
		if r.Event != nil {
			size += len(r.Event.IncidentDetails) + len(r.Event.AlertDetails)
		}
		for _, labels := range []map[string]string{r.Labels, r.Annotations} {
			for name, value := range labels {
				size += labelOverhead + len(name) + len(value)
			}
		}
	}
	return size
}

// ForPieces orders a batch so that it can be stored piece by piece, with one message for each alert. What fires comes
// first: otherwise an incident would resolve between two pieces. The worst comes first of that: otherwise a later piece
// would raise the severity, and page again.
func (b Batch) ForPieces() Batch {
	alerts := Merge(b.Alerts)
	slices.SortStableFunc(alerts, func(a, b Received) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Severity.Rank(), b.Severity.Rank())) // "firing" < "resolved"
	})
	return Batch{Alerts: alerts, Truncated: b.Truncated}
}

// Stored is the newest known state of an alert, with the incident it belongs to.
type Stored struct {
	ID       uuid.UUID
	Status   Status
	StartsAt time.Time
	// LastSeenAt is when it was last heard of; while it is over, when that was heard.
	LastSeenAt time.Time
	// IncidentID is Nil until the alert opened or joined an incident.
	IncidentID uuid.UUID
	// IncidentStartsAt is the StartsAt for which it did. It is zero when the incident
	// resolved itself, for want of news, and answers for the alert no more.
	IncidentStartsAt time.Time
	// IncidentOpen tells whether that incident is still triggered or acknowledged.
	IncidentOpen bool
	// Severity is what the alert said of itself before; empty for one never seen.
	Severity Severity
	// IncidentSeverity is that of the incident while it is open.
	IncidentSeverity Severity
	// IncidentNumber is 0 without an incident; IncidentResolvedAt is zero while it is open.
	IncidentNumber     int
	IncidentResolvedAt time.Time
	// AnsweredFiring is set when a person had resolved the incident before the alert's end was heard of.
	AnsweredFiring bool
	// Said and ClockOff are those of the event that StartsAt is of; zero when they are not known.
	Said     time.Time
	ClockOff time.Duration
}
