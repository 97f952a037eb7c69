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
	// Changing is set while somebody is ending the maintenance: it is asked again soon.
	Changing bool
}

// Maintenance is planned work on services. Start is included, End is not.
type Maintenance struct {
	ID          uuid.UUID
	Description string
	Start, End  time.Time
	Services    []uuid.UUID
	// Changing is set while somebody else's transaction changes the window.
	Changing bool
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
			hold = Hold{Window: w.ID, Until: w.End, Because: w.Description, Changing: w.Changing}
		}
	}
	return hold
}

// AskedAgain is how soon what is put off is looked at again while somebody changes what puts it off.
const AskedAgain = 250 * time.Millisecond

// due is when what the hold puts off is due.
func (h Hold) due(now time.Time) time.Time {
	if soon := now.Add(AskedAgain); h.Changing && soon.Before(h.Until) {
		return soon
	}
	return h.Until
}

// holds reports whether pages wait at now.
func (h Hold) holds(now time.Time) bool { return h.Until.After(now) }
