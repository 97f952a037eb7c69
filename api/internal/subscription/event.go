package subscription

import (
	"slices"
	"strings"

	"github.com/google/uuid"
)

// The types of events that are about no incident, or not about one alone. Their entries in the feed
// have the type as their kind.
const (
	OnCallChanged      = "oncall.changed"
	HealthChanged      = "service.health_changed"
	ChangeCreated      = "change.created"
	HeartbeatMissed    = "heartbeat.missed"
	HeartbeatRecovered = "heartbeat.recovered"
)

// Test is the type of the event that TestWebhookSubscription sends.
const Test = "webhook.test"

// IncidentChanged is how the live stream names entries that are no events: they are for people who
// read the history.
const IncidentChanged = "incident.changed"

// typeOf gives the event that an entry of the timeline is.
var typeOf = map[string]string{
	"declared":            "incident.triggered",
	"acknowledged":        "incident.acknowledged",
	"ack_timeout":         "incident.unacknowledged",
	"escalated":           "incident.escalated",
	"last_resort":         "incident.escalated",
	"assigned":            "incident.assigned",
	"severity_change":     "incident.severity_changed",
	"comment":             "incident.commented",
	"merged":              "incident.merged",
	"resolved":            "incident.resolved",
	"paged":               "page.sent",
	"page_failed":         "page.failed",
	OnCallChanged:         OnCallChanged,
	HealthChanged:         HealthChanged,
	ChangeCreated:         ChangeCreated,
	"heartbeat_missed":    HeartbeatMissed,
	"heartbeat_recovered": HeartbeatRecovered,
}

// Types are the events that can be subscribed to, sorted.
func Types() (types []string) {
	for _, eventType := range typeOf {
		types = append(types, eventType)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// OfIncident tells the types that say what is read in an incident and its history, and what changed before it.
func OfIncident(eventType string) bool {
	return strings.HasPrefix(eventType, "incident.") || strings.HasPrefix(eventType, "page.") || eventType == ChangeCreated
}

// StreamName is what the live stream calls an entry of the feed: the type of its event.
func StreamName(kind string) string {
	if eventType, ok := typeOf[kind]; ok {
		return eventType
	}
	return IncidentChanged
}

// Filter is what a subscription lets through. An empty list lets all through.
type Filter struct {
	Types []string
	// Services and Teams let through only what is about one of them.
	Services []uuid.UUID
	Teams    []uuid.UUID
	// Severities let through only incidents of one of them, and all that is about no incident.
	Severities []string
}

// Match gives the type of an entry, and whether the filter lets it through.
func (f Filter) Match(e Entry) (eventType string, ok bool) {
	eventType, ok = typeOf[e.Kind]
	return eventType, ok && slices.Contains(f.Types, eventType) && among(f.Services, e.ServiceID) && among(f.Teams, e.TeamID) &&
		(e.Incident == nil || among(f.Severities, e.Incident.Severity))
}

// Without is the filter without the services and teams that another names.
func (f Filter) Without(other Filter) Filter {
	f.Services = slices.DeleteFunc(slices.Clone(f.Services), func(one uuid.UUID) bool { return slices.Contains(other.Services, one) })
	f.Teams = slices.DeleteFunc(slices.Clone(f.Teams), func(one uuid.UUID) bool { return slices.Contains(other.Teams, one) })
	return f
}

func among[T comparable](allowed []T, one T) bool {
	return len(allowed) == 0 || slices.Contains(allowed, one)
}
