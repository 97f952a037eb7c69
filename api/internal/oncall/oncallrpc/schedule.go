package oncallrpc

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// ListSchedules gives schedules with their rotations and who is on call.
func (h *Handler) ListSchedules(ctx context.Context, request *nightbellv1.ListSchedulesRequest) (*nightbellv1.ListSchedulesResponse, error) {
	var all described
	response := &nightbellv1.ListSchedulesResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		rows, next, err := w.page(ctx, "schedules", false, request)
		if err != nil {
			return err
		}
		response.NextCursor = next
		all, err = w.describeRows(ctx, rows)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	response.Schedules, err = all.messages(ctx)
	return response, err
}

// page reads what is known of a page of schedules besides their definition, by name.
func (w *work) page(ctx context.Context, list string, active bool, request interface {
	GetLimit() int32
	GetCursor() string
},
) (rows []oncalldb.ListSchedulesRow, next *string, err error) {
	at, err := page.ByName(w.orgID, list, request.GetLimit(), request.GetCursor())
	if err != nil {
		return nil, nil, err
	}
	rows, err = w.ListSchedules(ctx, oncalldb.ListSchedulesParams{
		OrgID: w.orgID, ActiveOnly: active, AfterName: at.AfterName, AfterID: (*uuid.UUID)(at.AfterID), Most: at.Most(),
	})
	rows, next = page.Next(rows, at.Limit, func(last oncalldb.ListSchedulesRow) string {
		return page.Mark(w.orgID, list, last.Name, last.ID.String())
	})
	return rows, next, err
}

// GetSchedule gives one schedule.
func (h *Handler) GetSchedule(ctx context.Context, request *nightbellv1.GetScheduleRequest) (*nightbellv1.GetScheduleResponse, error) {
	var one described
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		scheduleID, _ := id.Parse(request.GetId())
		one, err = w.describe(ctx, &scheduleID)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	return &nightbellv1.GetScheduleResponse{Schedule: one.message()}, nil
}

// CreateSchedule adds a schedule with its rotations.
func (h *Handler) CreateSchedule(ctx context.Context, request *nightbellv1.CreateScheduleRequest) (*nightbellv1.CreateScheduleResponse, error) {
	var made described
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		draft, err := w.read(ctx, uuid.Nil, request)
		if err != nil {
			return err
		}
		draft.ID = id.New()
		err = w.InsertSchedule(ctx, oncalldb.InsertScheduleParams{
			OrgID: w.orgID, ID: draft.ID, Name: draft.Name, Description: draft.description, TeamID: draft.team,
			Timezone: draft.Zone.String(), Status: draft.status(), EscalationPolicyID: draft.policy, Now: w.now,
		})
		if err != nil {
			return err
		}
		if err := w.WriteRotations(ctx, w.orgID, draft.Schedule); err != nil {
			return err
		}
		made, err = w.describe(ctx, &draft.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.CreateScheduleResponse{Schedule: made.message()}, nil
}

// UpdateSchedule changes the fields that the request names. Rotations that are sent back keep
// their ids.
func (h *Handler) UpdateSchedule(ctx context.Context, request *nightbellv1.UpdateScheduleRequest) (*nightbellv1.UpdateScheduleResponse, error) {
	response := &nightbellv1.UpdateScheduleResponse{}
	scheduleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		err := w.lock(ctx, scheduleID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Schedule, error) { return w.stored(ctx, scheduleID) }
		response.Schedule, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateScheduleRequest) error {
			return w.update(ctx, scheduleID, whole)
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	return response, nil
}

// stored is one schedule as answers show it.
func (w *work) stored(ctx context.Context, scheduleID uuid.UUID) (*nightbellv1.Schedule, error) {
	one, err := w.describe(ctx, &scheduleID)
	if err != nil {
		return nil, err
	}
	return one.message(), nil
}

// update stores a schedule. Rotations that are not named are left alone: seats of people who are
// disabled are in none that is read, and are not lost by a new name.
func (w *work) update(ctx context.Context, scheduleID uuid.UUID, whole *nightbellv1.UpdateScheduleRequest) error {
	draft, err := w.read(ctx, scheduleID, whole)
	if err != nil {
		return err
	}
	_, err = w.UpdateSchedule(ctx, oncalldb.UpdateScheduleParams{
		Name: draft.Name, Description: draft.description, TeamID: draft.team, Timezone: draft.Zone.String(),
		Status: draft.status(), EscalationPolicyID: draft.policy, Now: &w.now, OrgID: w.orgID, ID: scheduleID,
	})
	if err != nil || !edit.Names(whole, "rotations") {
		return err
	}
	return w.WriteRotations(ctx, w.orgID, draft.Schedule)
}

// lock keeps others from changing a schedule, or from beginning to page it, until the
// call is over.
func (w *work) lock(ctx context.Context, scheduleID uuid.UUID) error {
	_, err := w.LockSchedule(ctx, w.orgID, scheduleID)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoSchedule
	}
	return err
}

// DeleteSchedule removes a schedule that no policy pages, with its rotations, overrides
// and calendar.
func (h *Handler) DeleteSchedule(ctx context.Context, request *nightbellv1.DeleteScheduleRequest) (*nightbellv1.DeleteScheduleResponse, error) {
	scheduleID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		if err := w.lock(ctx, scheduleID); err != nil {
			return err
		}
		if err := edit.IfMatch[*nightbellv1.UpdateScheduleRequest](request.GetEtag(), func() (*nightbellv1.Schedule, error) { return w.stored(ctx, scheduleID) }); err != nil {
			return err
		}
		policies, err := w.ListPagingPolicies(ctx, w.orgID, scheduleID)
		if err != nil {
			return err
		}
		if len(policies) > 0 {
			return inUse(policies)
		}
		_, err = w.DeleteSchedule(ctx, w.orgID, scheduleID)
		return err
	})
	return &nightbellv1.DeleteScheduleResponse{}, err
}

func inUse(policies []string) error {
	sentence := "The escalation policy %s pages this schedule. Remove it from its steps first, or switch the schedule off."
	if len(policies) > 1 {
		sentence = "The escalation policies %s page this schedule. Remove it from their steps first, or switch the schedule off."
	}
	return fault.Newf(fault.Conflict, "schedule_in_use", sentence, strings.Join(policies, ", "))
}
