package oncallrpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// defaultDays is how long a picture is when nobody says, and maxDays how long it may be.
	defaultDays = 14
	maxDays     = 92
	// pictureUnits is the work for one picture, in units of oncall.Budget. 92 days of four
	// layers that hand over every hour take 30,000.
	pictureUnits = 500_000
	// maxOverrides bounds the overrides of a schedule, and lists of them.
	maxOverrides = 1000
)

// GetScheduleTimeline draws a schedule as it is stored.
func (h *Handler) GetScheduleTimeline(ctx context.Context, request *nightbellv1.GetScheduleTimelineRequest) (*nightbellv1.GetScheduleTimelineResponse, error) {
	var p picture
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		schedule, err := w.load(ctx, request.GetId(), w.now)
		if err != nil {
			return err
		}
		shown, err := readRange(request, schedule.Zone, w.now)
		if err != nil {
			return err
		}
		if schedule, err = w.load(ctx, request.GetId(), shown.from); err != nil {
			return err
		}
		p, err = w.readPicture(ctx, schedule, shown)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	timeline, _, err := p.draw(ctx)
	return &nightbellv1.GetScheduleTimelineResponse{Timeline: timeline}, err
}

// PreviewSchedule draws a schedule as it is being edited.
func (h *Handler) PreviewSchedule(ctx context.Context, request *nightbellv1.PreviewScheduleRequest) (*nightbellv1.PreviewScheduleResponse, error) {
	var p picture
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, _ := id.Parse(request.GetScheduleId()) // Nil for a new one
		schedule, err := w.readPlan(ctx, scheduleID, request, numbered())
		if err != nil {
			return err
		}
		shown, err := readRange(request, schedule.Zone, w.now)
		if err != nil {
			return err
		}
		if request.GetScheduleId() != "" {
			stored, err := w.load(ctx, request.GetScheduleId(), shown.from)
			if errors.Is(err, errNoSchedule) {
				return notFound("schedule_id", "Schedule not found")
			}
			if err != nil {
				return err
			}
			schedule.Name, schedule.Overrides = stored.Name, stored.Overrides
		}
		p, err = w.readPicture(ctx, schedule, shown)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	timeline, gaps, err := p.draw(ctx)
	if err != nil {
		return nil, err
	}
	return &nightbellv1.PreviewScheduleResponse{Timeline: timeline, Problems: p.gapProblems(gaps)}, nil
}

// numbered gives ids to rotations that have none yet: the same ones for the same request.
func numbered() func() uuid.UUID {
	var last byte
	return func() uuid.UUID {
		last++
		return uuid.UUID{15: last}
	}
}

// span is a range of time.
type span struct{ from, to time.Time }

// ranged is a request for a range.
type ranged interface {
	GetFrom() *timestamppb.Timestamp
	GetTo() *timestamppb.Timestamp
}

// readRange reads a range: two weeks from today on unless something else is asked for.
func readRange(request ranged, zone *time.Location, now time.Time) (shown span, err error) {
	local := now.In(zone)
	shown.from = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone).UTC()
	if request.GetFrom() != nil {
		if shown.from, err = instant("from", request.GetFrom()); err != nil {
			return shown, err
		}
	}
	shown.to = shown.from.In(zone).AddDate(0, 0, defaultDays).UTC()
	if request.GetTo() != nil {
		if shown.to, err = instant("to", request.GetTo()); err != nil {
			return shown, err
		}
	}
	switch length := shown.to.Sub(shown.from); {
	case length <= 0:
		return shown, fault.InvalidField("to", fault.OutOfRange, "Choose an end after the beginning.")
	case length > (maxDays*24+1)*time.Hour: // an hour more where clocks are set back
		return shown, fault.InvalidField("to", fault.OutOfRange, fmt.Sprintf("Choose at most %d days.", maxDays))
	}
	return shown, nil
}

// picture is what is needed to draw a schedule. It is read in a transaction and drawn
// after it, so that no connection waits for the computing.
type picture struct {
	oncall.Schedule

	shown     span
	now       time.Time
	names     names
	overrides []*nightbellv1.Override
}

// readPicture reads the rest for a schedule that has the overrides of the range.
func (w *work) readPicture(ctx context.Context, schedule oncall.Schedule, shown span) (p picture, err error) {
	p = picture{Schedule: schedule, shown: shown, now: w.now}
	if p.names, err = w.namesIn(ctx, schedule); err != nil {
		return p, err
	}
	p.overrides, err = w.overrides(ctx, oncalldb.ListOverridesParams{
		OrgID: w.orgID, ScheduleID: &schedule.ID, Since: &shown.from, Until: &shown.to, Most: maxOverrides,
	})
	return p, err
}

// draw is the picture, and when nobody is on call in it. One of a schedule that changes too
// often is refused.
func (p *picture) draw(ctx context.Context) (*nightbellv1.Timeline, []oncall.Span, error) {
	budget := oncall.NewBudget(ctx, pictureUnits)
	timeline := &nightbellv1.Timeline{
		From: timestamppb.New(p.shown.from), To: timestamppb.New(p.shown.to), Timezone: p.Zone.String(), Overrides: p.overrides,
	}
	final, complete := oncall.ShiftsWithin(p.Schedule, p.shown.from, p.shown.to, budget)
	timeline.Final = p.names.shifts(final)
	for _, rotation := range p.Rotations {
		alone, drawn := rotation.ShiftsWithin(p.Zone, p.shown.from, p.shown.to, budget)
		complete = complete && drawn
		timeline.Layers = append(timeline.Layers, &nightbellv1.TimelineLayer{
			RotationId: rotation.ID.String(), Name: rotation.Name, Shifts: p.names.shifts(alone),
		})
	}
	for _, change := range oncall.Transitions(p.Zone, p.shown.from, p.shown.to) {
		timeline.ClockChanges = append(timeline.ClockChanges, clockChange(change))
	}
	switch err := ctx.Err(); {
	case err != nil: // whoever asked has left, or waited too long
		return nil, nil, err
	case !complete:
		return nil, nil, fault.InvalidField("to", fault.OutOfRange, "This schedule changes too often to draw so many days. Choose fewer.")
	}
	return timeline, p.gaps(final, budget), nil
}

// gaps is when nobody is on call; what goes on before or after the picture has its true ends.
func (p *picture) gaps(final []oncall.Shift, budget *oncall.Budget) (gaps []oncall.Span) {
	for _, shift := range final {
		switch n := len(gaps); {
		case len(shift.People) > 0:
		case n > 0 && gaps[n-1].End.Equal(shift.Start):
			gaps[n-1].End = shift.End
		default:
			gaps = append(gaps, oncall.Span{Start: shift.Start, End: shift.End})
		}
	}
	for i, gap := range gaps {
		if gap.Start.Equal(p.shown.from) || gap.End.Equal(p.shown.to) {
			gaps[i] = oncall.Extent(p.Schedule, gap.Start, oncall.Nobody, budget)
		}
	}
	return gaps
}

// gapProblems is a sentence for each gap, and one for all that come back every week.
func (p *picture) gapProblems(gaps []oncall.Span) (problems []*nightbellv1.CoverageProblem) {
	once, weekly := splitWeekly(gaps, p.Zone)
	for _, gap := range once[:min(len(once), maxProblems)] {
		problems = append(problems, gapProblem(p.Schedule, gap, p.now))
	}
	if len(weekly) > 0 {
		problems = append(problems, weeklyProblem(p.Schedule, weekly))
	}
	return problems
}

// clockChange says what clocks show right before and after.
func clockChange(change oncall.Transition) *nightbellv1.ClockChange {
	shows := func(offset int) string {
		return change.At.Add(time.Duration(offset) * time.Second).UTC().Format("15:04")
	}
	return &nightbellv1.ClockChange{
		At:      timestamppb.New(change.At),
		Message: fmt.Sprintf("%s becomes %s", shows(change.Before), shows(change.After)),
	}
}

// ListOnCall tells who is on call for every active schedule.
func (h *Handler) ListOnCall(ctx context.Context, request *nightbellv1.ListOnCallRequest) (*nightbellv1.ListOnCallResponse, error) {
	var all described
	var at time.Time
	response := &nightbellv1.ListOnCallResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		at = w.now
		if request.At != nil {
			if at, err = instant("at", request.GetAt()); err != nil {
				return err
			}
		}
		rows, next, err := w.page(ctx, "on_call", true, request)
		if err != nil {
			return err
		}
		response.NextCursor = next
		w.now = at // earlier overrides count at an earlier time
		all, err = w.describeRows(ctx, rows)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	for _, row := range all.rows {
		if err := ctx.Err(); err != nil { // whoever asked has left, or waited too long
			return nil, err
		}
		if schedule, known := all.byID[row.ID]; known && schedule.Active {
			response.OnCall = append(response.OnCall, all.names.onCall(schedule, at))
		}
	}
	return response, nil
}

// scheduleOr reads an optional reference to a schedule, which must exist.
func (w *work) scheduleOr(ctx context.Context, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	scheduleID, _ := id.Parse(text)
	_, err := w.describeRow(ctx, scheduleID)
	if errors.Is(err, errNoSchedule) {
		err = notFound("schedule_id", "Schedule not found")
	}
	return &scheduleID, err
}

// describeRow reads what is known of a schedule besides its definition.
func (w *work) describeRow(ctx context.Context, scheduleID uuid.UUID) (oncalldb.ListSchedulesRow, error) {
	rows, err := w.ListSchedules(ctx, oncalldb.ListSchedulesParams{OrgID: w.orgID, ID: &scheduleID})
	if err != nil {
		return oncalldb.ListSchedulesRow{}, err
	}
	if len(rows) == 0 {
		return oncalldb.ListSchedulesRow{}, errNoSchedule
	}
	return rows[0], nil
}
