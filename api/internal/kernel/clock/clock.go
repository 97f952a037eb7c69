// Package clock compares instants; it never reads a clock.
package clock

import "time"

// Earlier is the earlier of two instants; of equal ones a, with its time zone.
func Earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Later is the later of two instants; of equal ones a, with its time zone.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
