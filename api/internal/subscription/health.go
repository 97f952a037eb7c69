package subscription

import (
	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// Health is how a service is.
type Health struct {
	Service Named
	// Told is the health that subscriptions know.
	Told string
	// Worst is the severity of its worst open incident, empty for none.
	Worst string
}

// Health is what the worst open incident means for the service.
func (h Health) Health() string { return string(incident.HealthOf(alert.Severity(h.Worst))) }

// News says what is new about the service, if anything is.
func (h Health) News(orgID uuid.UUID) (news News, changed bool) {
	if h.Health() == h.Told {
		return News{}, false
	}
	return News{
		OrgID: orgID, Type: HealthChanged, Message: h.Service.Name + " is " + h.Health() + ".",
		Subject: Subject{Service: &h.Service}, Changes: map[string]Changed{"health": Diff(h.Told, h.Health())},
	}, true
}
