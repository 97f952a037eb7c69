package incident

import (
	"math"
	"time"
)

// Figures say how many incidents there were, and how soon they were answered and over. The dashboard
// and Analytics both take their MTTA and MTTR from here.
type Figures struct {
	// Triggered is how many there were; Acknowledged and Resolved how many of those are.
	Triggered, Acknowledged, Resolved int
	// SecondsToAcknowledge and SecondsToResolve are added up over those that are.
	SecondsToAcknowledge, SecondsToResolve float64
}

// Add counts an incident; the zero time is never.
func (f *Figures) Add(triggered, acknowledged, resolved time.Time) {
	f.Triggered++
	if !acknowledged.IsZero() {
		f.Acknowledged++
		f.SecondsToAcknowledge += acknowledged.Sub(triggered).Seconds()
	}
	if !resolved.IsZero() {
		f.Resolved++
		f.SecondsToResolve += resolved.Sub(triggered).Seconds()
	}
}

// MTTA is the average time from triggered to the first acknowledgement, in seconds; nil where none
// was acknowledged.
func (f Figures) MTTA() *int32 { return mean(f.SecondsToAcknowledge, f.Acknowledged) }

// MTTR is the average time from triggered to resolved, in seconds; nil where none is resolved.
func (f Figures) MTTR() *int32 { return mean(f.SecondsToResolve, f.Resolved) }

func mean(seconds float64, n int) *int32 {
	if n == 0 {
		return nil
	}
	return new(WholeSeconds(seconds / float64(n)))
}

// WholeSeconds rounds to what the contract says times in, 68 years at most.
func WholeSeconds(seconds float64) int32 { return int32(min(math.Round(seconds), math.MaxInt32)) }
