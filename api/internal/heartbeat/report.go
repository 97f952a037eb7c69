package heartbeat

import "time"

// Report is one ping as it was sent: what it says, and what it wants to be expected from now on.
type Report struct {
	Ping
	// Key is the Idempotency-Key, without spaces; empty for none. Digest is of what was sent with it.
	Key, Digest string
	// What is nil stays as it is.
	Every, Grace, MaxRuntime *time.Duration
	Schedule, TimeZone       *string
}

// Creates reports whether the heartbeat is made if it does not exist.
func (r Report) Creates() bool { return r.Every != nil || r.Schedule != nil }

// With gives the settings as a report wants them: the program knows its own rhythm.
func (s Settings) With(r Report) Settings {
	if r.Every != nil {
		s.Every, s.Schedule, s.TimeZone = *r.Every, "", ""
	}
	if r.Schedule != nil {
		s.Every, s.Schedule = 0, *r.Schedule
	}
	if r.TimeZone != nil {
		s.TimeZone = *r.TimeZone
	}
	if r.Grace != nil {
		s.Grace = r.Grace
	}
	if r.MaxRuntime != nil {
		s.MaxRuntime = *r.MaxRuntime
	}
	return s
}

// Equal reports whether two settings are the same.
func (s Settings) Equal(other Settings) bool {
	same := s.Grace == other.Grace || s.Grace != nil && other.Grace != nil && *s.Grace == *other.Grace
	s.Grace, other.Grace = nil, nil
	return same && s == other
}
