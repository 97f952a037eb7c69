package oncallrpc

import (
	"cmp"
	"fmt"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// message tells of a problem, with a sentence in the times of its schedule.
func (c *coverage) message(p problem) *nightbellv1.CoverageProblem {
	s, now := p.schedule, c.days.from
	switch {
	case p.weekly != nil:
		return weeklyProblem(*s, p.weekly)
	case p.kind == kindGap:
		return gapProblem(*s, p.Span, now)
	}
	message := problemOf(p.kind, *s, p.Span)
	if p.person != uuid.Nil {
		message.User = c.names.user(p.person)
	}
	name, time := c.names[p.person], when(s.Zone, p.Span, now)
	switch p.kind {
	case kindUnreachable:
		because := "there is no contact method that works."
		if len(c.reach[p.person]) > 0 {
			because = "no address is confirmed yet. Open the link that was mailed to it."
		}
		message.Message = fmt.Sprintf("%s is on call for %s %s and cannot be reached: %s", name, s.Name, time, because)
	case kindDoubleBooked:
		message.OtherSchedule = &nightbellv1.Reference{Id: p.other.ID.String(), Name: p.other.Name}
		message.Message = fmt.Sprintf("%s is on call for %s and for %s at once %s: one of them backs up nobody.", name, s.Name, p.other.Name, time)
	case kindHiddenOverride:
		message.Message = fmt.Sprintf("The override of %s for %s %s changes nothing: a later one wins, or it is so without it.",
			s.Name, cmp.Or(name, "nobody to be on call"), time)
	}
	return message
}

func gapProblem(schedule oncall.Schedule, gap oncall.Span, now time.Time) *nightbellv1.CoverageProblem {
	problem := problemOf(kindGap, schedule, gap)
	name := cmp.Or(schedule.Name, "this schedule") // one that is being made
	problem.Message = fmt.Sprintf("Nobody is on call for %s %s.", name, when(schedule.Zone, gap, now))
	return problem
}

func problemOf(kind string, schedule oncall.Schedule, span oncall.Span) *nightbellv1.CoverageProblem {
	problem := &nightbellv1.CoverageProblem{Kind: kind, Schedule: reference(postgres.Null(schedule.ID), schedule.Name)}
	if !span.Start.IsZero() {
		problem.StartsAt = timestamppb.New(span.Start)
	}
	if !span.End.IsZero() {
		problem.EndsAt = timestamppb.New(span.End)
	}
	return problem
}

// when says a time on the wall clock of a schedule: "from Sat 28 Nov 08:00 to 14:00". What
// has begun has no beginning in it, and a zero time is too far away to tell.
func when(zone *time.Location, span oncall.Span, now time.Time) string {
	begun := !span.Start.After(now)
	switch {
	case begun && span.End.IsZero():
		return "from now on"
	case begun:
		return "until " + moment(zone, span.End, now)
	case span.End.IsZero():
		return "from " + moment(zone, span.Start, now) + " on"
	}
	last := moment(zone, span.End, now)
	if sameDay(span.Start.In(zone), span.End.In(zone)) {
		last = span.End.In(zone).Format("15:04")
	}
	return "from " + moment(zone, span.Start, now) + " to " + last
}

// moment says an instant, with its year when that is not the year of now.
func moment(zone *time.Location, at, now time.Time) string {
	local := at.In(zone)
	if local.Year() != now.In(zone).Year() {
		return local.Format("Mon 2 Jan 2006 15:04")
	}
	return local.Format("Mon 2 Jan 15:04")
}

func sameDay(a, b time.Time) bool { return a.YearDay() == b.YearDay() && a.Year() == b.Year() }
