package subscription

import (
	"slices"

	"github.com/google/uuid"
)

// Test is the type of the event that TestWebhookSubscription sends.
const Test = "webhook.test"

// typeOf gives the event that an entry of the timeline is. Entries of other kinds are for people
// who read the history, and no events.
var typeOf = map[string]string{
	"declared":        "incident.triggered",
	"acknowledged":    "incident.acknowledged",
	"ack_timeout":     "incident.unacknowledged",
	"escalated":       "incident.escalated",
	"last_resort":     "incident.escalated",
	"assigned":        "incident.assigned",
	"severity_change": "incident.severity_changed",
	"comment":         "incident.commented",
	"resolved":        "incident.resolved",
	"paged":           "page.sent",
	"page_failed":     "page.failed",

	"heartbeat_missed":    "heartbeat.missed",
	"heartbeat_recovered": "heartbeat.recovered",
}

// Types are the events that can be subscribed to, sorted.
func Types() (types []string) {
	for _, eventType := range typeOf {
		types = append(types, eventType)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

// Filter is what a subscription lets through. An empty list lets all through.
type Filter struct {
	Types      []string
	Services   []uuid.UUID
	Teams      []uuid.UUID
	Severities []string
}

// Match gives the type of an entry, and whether the filter lets it through.
func (f Filter) Match(e Entry) (eventType string, ok bool) {
	eventType, ok = typeOf[e.Kind]
	return eventType, ok && slices.Contains(f.Types, eventType) && among(f.Services, e.Incident.Service.id()) &&
		among(f.Teams, e.Incident.TeamID) && among(f.Severities, e.Incident.Severity)
}

func among[T comparable](allowed []T, one T) bool {
	return len(allowed) == 0 || slices.Contains(allowed, one)
}
