package alert

import (
	"cmp"
	"maps"
	"slices"
)

// Merge makes one message of all about one alert, sorted by Key: batches lock rows in one order and never deadlock. The
// newest wins whole, among equals the last to arrive; Count is how many it stands for; starts and keys are as stored.
// Without a start, a message is about the episode of the one before it: firing after a resolve, a flap within that.
func Merge(received []Received) []Received {
	merged := make(map[string]Received, len(received))
	for _, r := range received {
		r.Key, r.Count = BoundKey(r.Key), max(r.Count, 1)
		if !r.StartsAt.IsZero() {
			r.StartsAt = asStored(r.StartsAt)
		}
		if before, seen := merged[r.Key]; seen {
			r = join(before, r)
		}
		merged[r.Key] = r
	}
	return slices.SortedFunc(maps.Values(merged), func(a, b Received) int { return cmp.Compare(a.Key, b.Key) })
}

// join merges two messages about one alert; b arrived after a.
func join(a, b Received) Received {
	winner := b
	switch {
	case a.Event != nil && b.Event != nil:
		// An event that says no time occurred now.
		ofA, ofB := startsTogether(a, b)
		if !ofB.IsZero() && (ofA.IsZero() || newer(ofA, a.Status, ofB, b.Status) && !comesAfter(ofB, b.Status, ofA, a.Status)) {
			winner = a
		}
	case a.StartsAt.IsZero():
		// Nothing to compare: the later word stands.
	case b.StartsAt.IsZero():
		if b.Status == Resolved || a.Status == Firing {
			winner.StartsAt = a.StartsAt
		}
	case endsLater(b, a.StartsAt):
		winner.StartsAt = a.StartsAt
	case newer(a.StartsAt, a.Status, b.StartsAt, b.Status):
		winner = a
	}
	if a.Event != nil && b.Event != nil && a.Status == Firing && b.Status == Firing {
		// Each is an occurrence of its own, and severity only rises.
		winner.Severity = slices.MinFunc([]Severity{a.Severity, b.Severity}, func(a, b Severity) int { return cmp.Compare(a.Rank(), b.Rank()) })
	}
	winner.Count = a.Count + b.Count
	return winner
}
