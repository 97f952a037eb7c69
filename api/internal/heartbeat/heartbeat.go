// Package heartbeat knows when a program that says regularly that it lives has stopped saying so.
//
// It is rules over explicit time: Ping is what a sign of life changes, Look whether one is missing,
// Spare what an outage of Nightbell itself changes (rule.go). When the next one is expected is an
// interval or a schedule (schedule.go). Neighbours: heartbeatdb (its row), ping (pings arrive, and
// misses open incidents).
package heartbeat

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Limits of a heartbeat, and how many an organization may have.
const (
	MostOfOrg  = 1000
	MaxName    = 200 // characters
	MaxRunID   = 200
	MaxEvery   = 366 * 24 * time.Hour
	MaxGrace   = 31 * 24 * time.Hour
	MaxRuntime = 31 * 24 * time.Hour
)

// Unattended is how long nobody may have looked for what is missing before that is an outage of Nightbell, in which
// nothing could be received. Someone looks every second; a restart takes less.
const Unattended = 5 * time.Second

// ErrNotFound is the answer about a heartbeat that does not exist, ErrTooMany to one too many.
var (
	ErrNotFound = fault.New(fault.NotFound, "heartbeat_not_found", "Heartbeat not found")
	ErrTooMany  = fault.Newf(fault.Conflict, "too_many_heartbeats",
		"Your organization has %d heartbeats, and may have no more. Delete one that nobody needs.", MostOfOrg)
)

// The grace of who names none: a quarter of the interval within these bounds.
const (
	leastGrace = 30 * time.Second
	mostGrace  = 5 * time.Minute
)

// Settings are what is configured of a heartbeat. Either Every or Schedule is set.
type Settings struct {
	Every    time.Duration
	Schedule string
	TimeZone string
	// Grace is nil for the usual one.
	Grace      *time.Duration
	MaxRuntime time.Duration // zero: runs may take any time
	Severity   alert.Severity
	Paused     bool
}

// Rule checks settings and gives the rule that they are. It fails with invalid_fields.
func (s Settings) Rule(now time.Time) (Rule, error) {
	rule := Rule{Every: s.Every, MaxRuntime: s.MaxRuntime, Paused: s.Paused, Grace: min(max(s.Every/4, leastGrace), mostGrace)}
	switch {
	case s.Every == 0 && s.Schedule == "":
		return rule, fault.InvalidField("every_seconds", fault.Required, "Say how often the heartbeat comes: every_seconds, or schedule for a cron job.")
	case s.Every != 0 && s.Schedule != "":
		return rule, fault.InvalidField("schedule", fault.OutOfRange, "A heartbeat has every_seconds or a schedule, not both. Clear the other one with null.")
	case s.Every != 0 && (s.Every < time.Second || s.Every > MaxEvery):
		return rule, fault.InvalidField("every_seconds", fault.OutOfRange, "every_seconds must be between 1 second and 366 days.")
	case s.Grace != nil && (*s.Grace < 0 || *s.Grace > MaxGrace):
		return rule, fault.InvalidField("grace_seconds", fault.OutOfRange, "grace_seconds must be between 0 and 31 days.")
	case s.MaxRuntime < 0 || s.MaxRuntime > MaxRuntime:
		return rule, fault.InvalidField("max_runtime_seconds", fault.OutOfRange, "max_runtime_seconds must be between 1 second and 31 days.")
	case s.TimeZone != "" && s.Schedule == "":
		return rule, fault.InvalidField("time_zone", fault.OutOfRange, "Only a schedule has a time_zone. Leave it out, or give a schedule.")
	}
	if s.Schedule != "" {
		var err error
		if rule.Schedule, err = ParseSchedule(s.Schedule, s.TimeZone, now); err != nil {
			return rule, err
		}
		rule.Grace = mostGrace
	}
	if s.Grace != nil {
		rule.Grace = *s.Grace
	}
	return rule, nil
}

// Status is how a heartbeat is.
type Status string

// How a heartbeat is, as it is stored.
const (
	New     Status = "new"     // it has never been heard of, so it is not missing
	OK      Status = "ok"      // it came
	Missed  Status = "missed"  // it did not come in time
	Overrun Status = "overrun" // a run takes longer than it may
	Failed  Status = "failed"  // it said that it failed
	Stopped Status = "stopped" // it said that it stops; the next ping goes on
)

// IsDown reports whether an incident was opened for this state.
func (s Status) IsDown() bool { return s == Missed || s == Overrun || s == Failed }

// State is where a heartbeat stands. Times are in the database's clock, and zero for none.
type State struct {
	Status     Status
	LastPingAt time.Time
	// DueAt is when the next sign of life is expected, DeadlineAt when its absence, or that of a
	// run's end, opens an incident.
	DueAt, DeadlineAt time.Time
	// RunID names the run that is under way since RunStartedAt; of runs that overlap the last one
	// that started is watched. EndedRunID is the one that ended last.
	RunID        string
	RunStartedAt time.Time
	EndedRunID   string
	// EpisodeAt is since when it is down, or was the last time. It only grows.
	EpisodeAt time.Time
	// Spared is set when an outage of ours has moved the deadline, until the next ping.
	Spared bool
}
