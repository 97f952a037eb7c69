package oncallrpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// coveredDays is how far ahead problems are looked for when nobody says.
	coveredDays = 30
	// mostProblems is how many are given.
	mostProblems = 200
)

// ListCoverageProblems finds what would go wrong in the days ahead, soonest first.
func (h *Handler) ListCoverageProblems(ctx context.Context, request *nightbellv1.ListCoverageProblemsRequest) (*nightbellv1.ListCoverageProblemsResponse, error) {
	response := &nightbellv1.ListCoverageProblemsResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		ahead := span{w.now, w.now.AddDate(0, 0, cmp.Or(int(request.GetDays()), coveredDays))}
		c, err := w.survey(ctx, ahead)
		if err != nil {
			return err
		}
		problems := slices.Concat(c.gaps(), c.doubleBooked(), c.unreachable(), c.hiddenOverrides())
		slices.SortStableFunc(problems, func(a, b *nightbellv1.CoverageProblem) int {
			return a.GetStartsAt().AsTime().Compare(b.GetStartsAt().AsTime()) // an absent beginning is 1970
		})
		response.Truncated = len(problems) > mostProblems
		response.Problems = problems[:min(len(problems), mostProblems)]
		return nil
	}, postgres.ReadOnly())
	return response, err
}

// coverage is the active schedules of an organization and the days that are looked at.
type coverage struct {
	ahead     span
	schedules []oncall.Schedule
	byID      map[uuid.UUID]oncall.Schedule
	// needed is the schedules that somebody relies on.
	needed map[uuid.UUID]bool
	names  names
	reach  notifydb.Reach
}

func (w *work) survey(ctx context.Context, ahead span) (*coverage, error) {
	rows, err := w.ListSchedules(ctx, w.orgID, nil)
	if err != nil {
		return nil, err
	}
	paged := map[uuid.UUID]bool{}
	for _, row := range rows {
		paged[row.ID] = len(row.UsedBy) > 0
	}
	// Earlier overrides tell when what goes on now began.
	schedules, err := oncalldb.Load(ctx, w.tx, w.orgID, nil, ahead.from.Add(-oncall.Horizon))
	if err != nil {
		return nil, err
	}
	c := &coverage{ahead: ahead, byID: map[uuid.UUID]oncall.Schedule{}, needed: map[uuid.UUID]bool{}}
	var people []uuid.UUID
	for _, schedule := range schedules {
		if !schedule.Active {
			continue
		}
		c.schedules, c.byID[schedule.ID] = append(c.schedules, schedule), schedule
		c.needed[schedule.ID] = paged[schedule.ID] || len(schedule.Rotations) > 0
		people = append(people, schedule.People()...)
	}
	if c.names, err = w.namesOf(ctx, people); err != nil {
		return nil, err
	}
	c.reach, err = notifydb.LoadReach(ctx, w.tx, w.orgID, people)
	return c, err
}

// gaps is when nobody is on call for a schedule that somebody relies on.
func (c *coverage) gaps() (problems []*nightbellv1.CoverageProblem) {
	for _, schedule := range c.schedules {
		if !c.needed[schedule.ID] {
			continue
		}
		gaps := joined(oncall.Gaps(schedule, c.ahead.from, c.ahead.to))
		for i := range gaps {
			gaps[i] = c.whole(schedule, gaps[i])
		}
		once, weekly := splitWeekly(gaps, schedule.Zone)
		for _, gap := range once {
			problems = append(problems, gapProblem(schedule, gap, c.ahead.from))
		}
		if len(weekly) > 0 {
			problems = append(problems, weeklyProblem(schedule, weekly))
		}
	}
	return problems
}

// whole is a gap with its true ends where it goes on beyond the days that are looked at.
func (c *coverage) whole(schedule oncall.Schedule, gap oncall.Shift) oncall.Shift {
	if gap.Start.Equal(c.ahead.from) || gap.End.Equal(c.ahead.to) {
		return whole(schedule, gap.Start)
	}
	return gap
}

// joined makes one of gaps that follow each other for different reasons.
func joined(gaps []oncall.Shift) (list []oncall.Shift) {
	for _, gap := range gaps {
		if n := len(list); n > 0 && list[n-1].End.Equal(gap.Start) {
			list[n-1].End = gap.End
			continue
		}
		list = append(list, gap)
	}
	return list
}

// whole is the stretch around an instant, with zero times for ends beyond the horizon.
func whole(schedule oncall.Schedule, at time.Time) oncall.Shift {
	stretch, _, ends := oncall.Next(schedule, at)
	if !stretch.Start.After(at.Add(-oncall.Horizon)) {
		stretch.Start = time.Time{}
	}
	if !ends {
		stretch.End = time.Time{}
	}
	return stretch
}

func gapProblem(schedule oncall.Schedule, gap oncall.Shift, now time.Time) *nightbellv1.CoverageProblem {
	problem := problemOf("gap", schedule, gap.Start, gap.End)
	name := cmp.Or(schedule.Name, "this schedule") // one that is being made
	problem.Message = fmt.Sprintf("Nobody is on call for %s %s.", name, when(schedule.Zone, gap.Start, gap.End, now))
	return problem
}

// doubleBooked is when one person is on two schedules at once.
func (c *coverage) doubleBooked() (problems []*nightbellv1.CoverageProblem) {
	conflicts := oncall.DoubleBooked(c.schedules, c.ahead.from, c.ahead.to)
	for _, conflict := range conflicts[:min(len(conflicts), mostProblems+1)] {
		first, second := c.byID[conflict.First], c.byID[conflict.Second]
		if conflict.Start.Equal(c.ahead.from) || conflict.End.Equal(c.ahead.to) {
			conflict = c.wholeConflict(conflict, first, second)
		}
		problem := problemOf("double_booked", first, conflict.Start, conflict.End)
		problem.OtherScheduleId, problem.OtherScheduleName = second.ID.String(), second.Name
		problem.Person = c.names.person(conflict.Person)
		problem.Message = fmt.Sprintf("%s is on call for %s and for %s at once %s: one of them backs up nobody.",
			c.names[conflict.Person], first.Name, second.Name, when(first.Zone, conflict.Start, conflict.End, c.ahead.from))
		problems = append(problems, problem)
	}
	return problems
}

// wholeConflict is a conflict with its true beginning and end: zero times where it goes on
// for as long as a picture may be.
func (c *coverage) wholeConflict(part oncall.Conflict, first, second oncall.Schedule) oncall.Conflict {
	from, to := c.ahead.from.AddDate(0, 0, -mostDays), c.ahead.to.AddDate(0, 0, mostDays)
	for _, all := range oncall.DoubleBooked([]oncall.Schedule{first, second}, from, to) {
		if all.Person == part.Person && !all.Start.After(part.Start) && all.End.After(part.Start) {
			part = all
			break
		}
	}
	if part.Start.Equal(from) {
		part.Start = time.Time{}
	}
	if part.End.Equal(to) {
		part.End = time.Time{}
	}
	return part
}

// unreachable is the first shift on each schedule of everybody whom no page would reach.
func (c *coverage) unreachable() (problems []*nightbellv1.CoverageProblem) {
	for _, schedule := range c.schedules {
		told := map[uuid.UUID]bool{}
		for _, shift := range oncall.Events(schedule, uuid.Nil, c.ahead.from, c.ahead.to, func(uuid.UUID) string { return "" }) {
			if told[shift.Person] || len(c.reach[shift.Person]) > 0 {
				continue
			}
			told[shift.Person] = true
			if shift.Start.Equal(c.ahead.from.Add(-oncall.Horizon)) {
				shift.Start = time.Time{}
			}
			if shift.End.Equal(c.ahead.to.Add(oncall.Horizon)) {
				shift.End = time.Time{}
			}
			problem := problemOf("unreachable", schedule, shift.Start, shift.End)
			problem.Person = c.names.person(shift.Person)
			problem.Message = fmt.Sprintf("%s is on call for %s %s and cannot be reached: there is no contact method that works.",
				c.names[shift.Person], schedule.Name, when(schedule.Zone, shift.Start, shift.End, c.ahead.from))
			problems = append(problems, problem)
		}
	}
	return problems
}

// hiddenOverrides is the overrides that change nothing.
func (c *coverage) hiddenOverrides() (problems []*nightbellv1.CoverageProblem) {
	for _, schedule := range c.schedules {
		for _, override := range oncall.HiddenOverrides(schedule, c.ahead.from, c.ahead.to) {
			problem := problemOf("hidden_override", schedule, override.Start, override.End)
			who := "for nobody to be on call"
			if override.Person != uuid.Nil {
				problem.Person, who = c.names.person(override.Person), "for "+c.names[override.Person]
			}
			problem.Message = fmt.Sprintf("The override of %s %s %s changes nothing: a later one wins, or it is so without it.",
				schedule.Name, who, when(schedule.Zone, override.Start, override.End, c.ahead.from))
			problems = append(problems, problem)
		}
	}
	return problems
}

func problemOf(kind string, schedule oncall.Schedule, start, end time.Time) *nightbellv1.CoverageProblem {
	problem := &nightbellv1.CoverageProblem{Kind: kind, ScheduleName: schedule.Name}
	if schedule.ID != uuid.Nil {
		problem.ScheduleId = schedule.ID.String()
	}
	if !start.IsZero() {
		problem.StartsAt = timestamppb.New(start)
	}
	if !end.IsZero() {
		problem.EndsAt = timestamppb.New(end)
	}
	return problem
}

// when says a time on the wall clock of a schedule: "from Sat 28 Nov 08:00 to 14:00". What
// has begun has no beginning in it, and zero times are out of sight.
func when(zone *time.Location, start, end, now time.Time) string {
	begun := !start.After(now)
	switch {
	case begun && end.IsZero():
		return "from now on"
	case begun:
		return "until " + moment(zone, end, now)
	case end.IsZero():
		return "from " + moment(zone, start, now) + " on"
	}
	last := moment(zone, end, now)
	if sameDay(start.In(zone), end.In(zone)) {
		last = end.In(zone).Format("15:04")
	}
	return "from " + moment(zone, start, now) + " to " + last
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
