package paging

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Signals are hints given after a commit. Losing one costs at most a tick.
type Signals struct {
	// Pages says that pages may be due by these channels; without any, that anything
	// may be due, steps of escalation too.
	Pages func(channels ...notify.Kind)
	// Changed says that an organization's timeline grew.
	Changed func(orgID uuid.UUID)
	// DueIn says that the next step is due after a while that is shorter than a tick.
	// May be nil.
	DueIn func(after time.Duration)
}
