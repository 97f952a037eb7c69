package oncallrpc

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// shownDays is how long a picture is when nobody says, and mostDays how long it may be.
	shownDays = 14
	mostDays  = 92
	// mostOverrides bounds lists of overrides.
	mostOverrides = 1000
)

// GetScheduleTimeline draws a schedule as it is stored.
func (h *Handler) GetScheduleTimeline(ctx context.Context, request *nightbellv1.GetScheduleTimelineRequest) (*nightbellv1.GetScheduleTimelineResponse, error) {
	response := &nightbellv1.GetScheduleTimelineResponse{}
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
		response.Timeline, err = w.draw(ctx, schedule, shown)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// PreviewSchedule draws a schedule as it is being edited.
func (h *Handler) PreviewSchedule(ctx context.Context, request *nightbellv1.PreviewScheduleRequest) (*nightbellv1.PreviewScheduleResponse, error) {
	response := &nightbellv1.PreviewScheduleResponse{}
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
			if err != nil {
				return err
			}
			schedule.Name, schedule.Overrides = stored.Name, stored.Overrides
		}
		if response.Timeline, err = w.draw(ctx, schedule, shown); err != nil {
			return err
		}
		for _, gap := range joined(oncall.Gaps(schedule, shown.from, shown.to)) {
			response.Problems = append(response.Problems, gapProblem(schedule, gap, w.now))
		}
		return nil
	}, postgres.ReadOnly())
	return response, err
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
	shown.to = shown.from.In(zone).AddDate(0, 0, shownDays).UTC()
	if request.GetTo() != nil {
		if shown.to, err = instant("to", request.GetTo()); err != nil {
			return shown, err
		}
	}
	switch length := shown.to.Sub(shown.from); {
	case length <= 0:
		return shown, org.Refuse("to", "Choose an end after the beginning.")
	case length > (mostDays*24+1)*time.Hour: // an hour more where clocks are set back
		return shown, org.Refuse("to", fmt.Sprintf("Choose at most %d days.", mostDays))
	}
	return shown, nil
}

// draw is the picture of a schedule that was loaded with the overrides of the range.
func (w *work) draw(ctx context.Context, schedule oncall.Schedule, shown span) (*nightbellv1.Timeline, error) {
	known, err := w.namesIn(ctx, schedule)
	if err != nil {
		return nil, err
	}
	timeline := &nightbellv1.Timeline{
		From: timestamppb.New(shown.from), To: timestamppb.New(shown.to), Timezone: schedule.Zone.String(),
		Final: known.shifts(oncall.Shifts(schedule, shown.from, shown.to)),
	}
	for _, rotation := range schedule.Rotations {
		timeline.Layers = append(timeline.Layers, &nightbellv1.TimelineLayer{
			RotationId: rotation.ID.String(), Name: rotation.Name,
			Shifts: known.shifts(rotation.Shifts(schedule.Zone, shown.from, shown.to)),
		})
	}
	for _, change := range oncall.Transitions(schedule.Zone, shown.from, shown.to) {
		timeline.ClockChanges = append(timeline.ClockChanges, clockChange(change))
	}
	timeline.Overrides, err = w.overrides(ctx, oncalldb.ListOverridesParams{
		OrgID: w.orgID, ScheduleID: &schedule.ID, Since: &shown.from, Until: &shown.to, Most: mostOverrides,
	})
	return timeline, err
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
	response := &nightbellv1.ListOnCallResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		at := w.now
		if request.At != nil {
			if at, err = instant("at", request.GetAt()); err != nil {
				return err
			}
		}
		schedules, err := oncalldb.Load(ctx, w.tx, w.orgID, nil, at.Add(-oncall.Horizon))
		if err != nil {
			return err
		}
		known, err := w.namesIn(ctx, schedules...)
		for _, schedule := range schedules {
			if schedule.Active {
				response.OnCall = append(response.OnCall, known.onCall(schedule, at))
			}
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// scheduleOr reads an optional reference to a schedule, which must exist.
func (w *work) scheduleOr(ctx context.Context, text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	scheduleID, _ := id.Parse(text)
	_, err := w.describeRow(ctx, scheduleID)
	return &scheduleID, err
}

// describeRow reads what is told of a schedule besides its definition.
func (w *work) describeRow(ctx context.Context, scheduleID uuid.UUID) (oncalldb.ListSchedulesRow, error) {
	rows, err := w.ListSchedules(ctx, w.orgID, &scheduleID)
	if err != nil {
		return oncalldb.ListSchedulesRow{}, err
	}
	if len(rows) == 0 {
		return oncalldb.ListSchedulesRow{}, errNoSchedule
	}
	return rows[0], nil
}
