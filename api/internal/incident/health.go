package incident

import (
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
)

// HealthOf gives the health of a service whose worst open incident has this
// severity; empty means that none is open. A critical incident means down (spec
// section 4: "service fully down"), a minor one leaves the service healthy.
func HealthOf(worst alert.Severity) catalog.Health {
	switch worst {
	case alert.Critical:
		return catalog.Down
	case alert.High, alert.Medium:
		return catalog.Degraded
	case alert.Low:
		return catalog.Healthy
	default:
		return catalog.Healthy
	}
}
