package oncallrpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// defaultCoverageDays is how far ahead problems are looked for when nobody says.
	defaultCoverageDays = 30
	// maxProblems is how many of a kind are given.
	maxProblems = 200
	// The work of one call, in units of oncall.Budget. 500 ordinary schedules over 30 days
	// take 234,000 units and 60 ms for all of it; what may be spent takes about a second.
	surveyUnits, conflictUnits, extentUnits = 4_000_000, 500_000, 1_000_000
)

// The kinds of problems, the worst first.
const (
	kindGap            = "gap"
	kindUnreachable    = "unreachable"
	kindDoubleBooked   = "double_booked"
	kindHiddenOverride = "hidden_override"
)

var problemKinds = []string{kindGap, kindUnreachable, kindDoubleBooked, kindHiddenOverride}

// ListCoverageProblems finds what would go wrong in the days ahead. It reads everything in
// one transaction and computes after it, so that no connection waits for the computing.
func (h *Handler) ListCoverageProblems(ctx context.Context, request *nightbellv1.ListCoverageProblemsRequest) (*nightbellv1.ListCoverageProblemsResponse, error) {
	var c *coverage
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		days := cmp.Or(int(request.GetDays()), defaultCoverageDays)
		c, err = w.readCoverage(ctx, span{w.now, w.now.AddDate(0, 0, days)}, request)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	c.compute(ctx)
	if err := ctx.Err(); err != nil { // whoever asked has left, or waited too long
		return nil, err
	}
	return c.response(), nil
}

// coverage is the active schedules of an organization, the days that are looked at, and
// what was found.
type coverage struct {
	days      span
	schedules []oncall.Schedule
	byID      map[uuid.UUID]*oncall.Schedule
	// needed is the schedules that somebody relies on.
	needed map[uuid.UUID]bool
	names  names
	reach  notifydb.Reach
	// kinds and only are what is asked for; all schedules when only is empty.
	kinds []string
	only  map[uuid.UUID]bool

	// found is the soonest problems of each kind, and count how many there are.
	found map[string][]problem
	count map[string]int
	// unfinished is the names of schedules that were not looked at to the end, and
	// uncounted says that there are more conflicts than count says.
	unfinished []string
	uncounted  bool
	extents    *oncall.Budget
}

// readCoverage reads all that is needed to find problems.
func (w *work) readCoverage(ctx context.Context, days span, request *nightbellv1.ListCoverageProblemsRequest) (*coverage, error) {
	c := &coverage{
		days: days, kinds: request.GetKind(), byID: map[uuid.UUID]*oncall.Schedule{}, needed: map[uuid.UUID]bool{},
		only: map[uuid.UUID]bool{}, found: map[string][]problem{}, count: map[string]int{},
	}
	if len(c.kinds) == 0 {
		c.kinds = problemKinds
	}
	// 1. Which schedules exist, and which of them a policy pages.
	rows, err := w.ListSchedules(ctx, oncalldb.ListSchedulesParams{OrgID: w.orgID})
	if err != nil {
		return nil, err
	}
	paged := make(map[uuid.UUID]bool, len(rows))
	for _, row := range rows {
		paged[row.ID] = len(row.UsedBy) > 0
	}
	for i, text := range request.GetScheduleId() {
		scheduleID, _ := id.Parse(text)
		if _, exists := paged[scheduleID]; !exists {
			return nil, notFound(fmt.Sprintf("schedule_id[%d]", i), "Schedule not found")
		}
		c.only[scheduleID] = true
	}
	// 2. What they mean. Earlier overrides tell when what goes on now began.
	all, err := oncalldb.Load(ctx, w.tx, w.orgID, nil, days.from.Add(-oncall.Horizon))
	if err != nil {
		return nil, err
	}
	c.schedules = slices.DeleteFunc(all, func(s oncall.Schedule) bool { return !s.Active })
	for i := range c.schedules {
		s := &c.schedules[i]
		c.byID[s.ID], c.needed[s.ID] = s, paged[s.ID] || len(s.Rotations) > 0
	}
	// 3. Who the people are, and who of them can be reached.
	people := oncall.People(c.schedules...)
	if c.names, err = w.namesOf(ctx, people); err != nil {
		return nil, err
	}
	c.reach, err = notifydb.LoadReach(ctx, w.tx, w.orgID, people)
	return c, err
}

// problem is one finding. Its true ends and its sentence are looked for only when it is
// given.
type problem struct {
	kind            string
	schedule, other *oncall.Schedule
	person          uuid.UUID
	oncall.Span

	// weekly is all gaps of the schedule that come back every week.
	weekly []oncall.Span
}

// compute finds the problems. It ends early when ctx ends or the work is too much.
func (c *coverage) compute(ctx context.Context) {
	surveys := oncall.NewBudget(ctx, surveyUnits)
	c.extents = oncall.NewBudget(ctx, extentUnits)
	booked := make([]oncall.Booking, len(c.schedules))
	wantsConflicts := slices.Contains(c.kinds, kindDoubleBooked)
	// 1. Each schedule by itself. Small ones go first and leave the rest of their share to
	// the others, so that one that changes every minute hides no gap of another.
	order := make([]int, len(c.schedules))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(&c.schedules[a]), size(&c.schedules[b])) })
	for n, i := range order {
		s := &c.schedules[i]
		if !c.asksFor(s.ID) && !wantsConflicts {
			continue
		}
		var found oncall.Findings
		surveys.Share(len(order)-n, func(share *oncall.Budget) {
			found = oncall.Survey(*s, c.days.from, c.days.to, share)
		})
		if !found.Complete {
			c.unfinished = append(c.unfinished, s.Name)
		}
		booked[i] = oncall.Booking{Schedule: s.ID, Shifts: found.Shifts}
		if c.asksFor(s.ID) {
			c.addGaps(s, found.Gaps)
			c.addUnreachable(s, found.Shifts)
			for _, o := range found.Hidden {
				c.add(problem{kind: kindHiddenOverride, schedule: s, person: o.Person, Span: oncall.Span{Start: o.Start, End: o.End}})
			}
		}
	}
	// 2. All schedules together. Conflicts come soonest first, so the first ones are kept.
	if wantsConflicts {
		c.uncounted = !oncall.DoubleBooked(booked, oncall.NewBudget(ctx, conflictUnits), c.addConflict)
	}
}

// size is roughly how much work a schedule is.
func size(s *oncall.Schedule) int {
	edges := len(s.Overrides)
	for i := range s.Rotations {
		edges += 1 + len(s.Rotations[i].Windows)
	}
	return edges * (len(s.Rotations) + len(s.Overrides))
}

func (c *coverage) asksFor(scheduleID uuid.UUID) bool { return len(c.only) == 0 || c.only[scheduleID] }

func (c *coverage) add(p problem) {
	if slices.Contains(c.kinds, p.kind) {
		c.count[p.kind]++
		c.found[p.kind] = append(c.found[p.kind], p)
	}
}

// addGaps adds when nobody is on call, for a schedule that somebody relies on.
func (c *coverage) addGaps(s *oncall.Schedule, gaps []oncall.Span) {
	if !c.needed[s.ID] {
		return
	}
	for i, gap := range gaps {
		if c.isCut(gap) {
			gaps[i] = oncall.Extent(*s, gap.Start, oncall.Nobody, c.extents)
		}
	}
	once, weekly := splitWeekly(gaps, s.Zone)
	for _, gap := range once {
		c.add(problem{kind: kindGap, schedule: s, Span: gap})
	}
	if len(weekly) > 0 {
		c.add(problem{kind: kindGap, schedule: s, Span: weekly[0], weekly: weekly})
	}
}

// addUnreachable adds the first shift of everybody whom no page would reach.
func (c *coverage) addUnreachable(s *oncall.Schedule, shifts []oncall.PersonShift) {
	seen := map[uuid.UUID]bool{}
	for _, shift := range shifts {
		if !seen[shift.Person] && !notify.Reaches(c.reach[shift.Person]) {
			c.add(problem{kind: kindUnreachable, schedule: s, person: shift.Person, Span: oncall.Span{Start: shift.Start, End: shift.End}})
		}
		seen[shift.Person] = true
	}
}

func (c *coverage) addConflict(conflict oncall.Conflict) {
	if !c.asksFor(conflict.First) && !c.asksFor(conflict.Second) {
		return
	}
	if c.count[kindDoubleBooked]++; c.count[kindDoubleBooked] > maxProblems {
		return
	}
	c.found[kindDoubleBooked] = append(c.found[kindDoubleBooked], problem{
		kind: kindDoubleBooked, schedule: c.byID[conflict.First], other: c.byID[conflict.Second],
		person: conflict.Person, Span: oncall.Span{Start: conflict.Start, End: conflict.End},
	})
}

// isCut reports whether a span may go on beyond the days that are looked at.
func (c *coverage) isCut(s oncall.Span) bool {
	return s.Start.Equal(c.days.from) || s.End.Equal(c.days.to)
}

// whole is the problem's span with its true ends.
func (c *coverage) whole(p problem) oncall.Span {
	if p.person == uuid.Nil || p.kind == kindHiddenOverride || !c.isCut(p.Span) {
		return p.Span
	}
	span := oncall.Extent(*p.schedule, p.Start, oncall.With(p.person), c.extents)
	if p.other == nil {
		return span
	}
	other := oncall.Extent(*p.other, p.Start, oncall.With(p.person), c.extents)
	if span.Start.Before(other.Start) {
		span.Start = other.Start
	}
	if span.End.IsZero() || (!other.End.IsZero() && other.End.Before(span.End)) {
		span.End = other.End
	}
	return span
}

// response gives the soonest problems of each kind, and tells what is left out.
func (c *coverage) response() *nightbellv1.ListCoverageProblemsResponse {
	response := &nightbellv1.ListCoverageProblemsResponse{Incomplete: postgres.Null(c.incomplete())}
	for _, kind := range problemKinds {
		if !slices.Contains(c.kinds, kind) {
			continue
		}
		response.Counts = append(response.Counts, &nightbellv1.CoverageCount{Kind: kind, Count: int32(c.count[kind])})
		response.Truncated = response.GetTruncated() || c.count[kind] > maxProblems
		list := c.found[kind]
		slices.SortStableFunc(list, func(a, b problem) int { return a.Start.Compare(b.Start) })
		for _, p := range list[:min(len(list), maxProblems)] {
			p.Span = c.whole(p)
			response.Problems = append(response.Problems, c.message(p))
		}
	}
	return response
}

// incomplete says what was not looked at to the end; nothing when everything was.
func (c *coverage) incomplete() string {
	const named = 5
	var sentences []string
	if names := c.unfinished; len(names) > 0 {
		text := strings.Join(names[:min(len(names), named)], ", ")
		if more := len(names) - named; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		sentences = append(sentences, "These schedules change too often to look at all of the time: "+text+". Ask for fewer days, or for one of them.")
	}
	if c.uncounted {
		sentences = append(sentences, "There are more double bookings than were counted. Ask for one schedule.")
	}
	return strings.Join(sentences, " ")
}
