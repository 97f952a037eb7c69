package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Hold puts the steps of an incident off until planned work is over.
type Hold struct {
	// Window is the maintenance; Nil when there is none.
	Window uuid.UUID
	// Until is when it ends.
	Until time.Time
	// Because describes the work in words.
	Because string
}

// Maintenance is planned work on services. Start is included, End is not.
type Maintenance struct {
	ID          uuid.UUID
	Description string
	Start, End  time.Time
	Services    []uuid.UUID
}

// HoldAt is what holds the pages of a service at an instant: of several windows the one
// that ends last. It is zero when none is under way, and for incidents without a service.
func HoldAt(windows []Maintenance, service uuid.UUID, now time.Time) (hold Hold) {
	if service == uuid.Nil {
		return Hold{}
	}
	for _, w := range windows {
		if w.Start.After(now) || !w.End.After(now) || !slices.Contains(w.Services, service) {
			continue
		}
		if w.End.After(hold.Until) || w.End.Equal(hold.Until) && slices.Compare(w.ID[:], hold.Window[:]) > 0 {
			hold = Hold{Window: w.ID, Until: w.End, Because: w.Description}
		}
	}
	return hold
}

// holds reports whether pages wait at now.
func (h Hold) holds(now time.Time) bool { return h.Until.After(now) }
