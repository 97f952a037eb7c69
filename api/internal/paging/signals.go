package paging

import (
	"maps"
	"slices"
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

// Orgs are the organizations whose timeline grew.
func (r *Round) Orgs() []uuid.UUID {
	seen := map[uuid.UUID]bool{}
	for _, entry := range r.timeline {
		seen[entry.OrgID] = true
	}
	return slices.Collect(maps.Keys(seen))
}

// Channels are those by which pages are due now: the others need no wake-up.
func (r *Round) Channels() []notify.Kind {
	var list []notify.Kind
	for _, page := range r.pages {
		if !page.DueAt.After(r.now) && !slices.Contains(list, page.Kind) {
			list = append(list, page.Kind)
		}
	}
	return list
}

// PageCount is how many pages were planned.
func (r *Round) PageCount() int { return len(r.pages) }
