package oncallrpc

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var errOverrideOver = fault.New(fault.Conflict, "override_over", "This override is over, and who was on call stays as it was. Create another one.")

// UpdateOverride changes the fields that the request names, of an override that is not over: who
// was on call does not change afterwards.
func (h *Handler) UpdateOverride(ctx context.Context, request *nightbellv1.UpdateOverrideRequest) (*nightbellv1.UpdateOverrideResponse, error) {
	response := &nightbellv1.UpdateOverrideResponse{}
	overrideID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, err := w.lockOverride(ctx, overrideID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Override, error) { return w.findOverride(ctx, overrideID) }
		response.Override, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateOverrideRequest) error {
			before, err := read()
			if err != nil {
				return err
			}
			if !before.GetEndsAt().AsTime().After(w.now) {
				return errOverrideOver
			}
			leaveOutOthers(whole)
			return w.updateOverride(ctx, scheduleID, overrideID, whole)
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	return response, nil
}

// leaveOutOthers takes out whom the new kind of an override has no place for, unless the request
// names them.
func leaveOutOthers(request *nightbellv1.UpdateOverrideRequest) {
	kind := oncall.OverrideKind(request.GetKind())
	if kind == oncall.Vacant && !edit.Names(request, "user_id") {
		request.UserId = ""
	}
	if kind != oncall.Cover && !edit.Names(request, "replaces_user_id") {
		request.ReplacesUserId = ""
	}
}

func (w *work) updateOverride(ctx context.Context, scheduleID, overrideID uuid.UUID, whole *nightbellv1.UpdateOverrideRequest) error {
	override, err := w.readOverride(ctx, whole)
	if err != nil {
		return err
	}
	err = w.UpdateOverride(ctx, oncalldb.UpdateOverrideParams{
		Kind: string(override.Kind), UserID: postgres.Null(override.Person), ReplacesUserID: postgres.Null(override.Replaces),
		StartsAt: override.Start, EndsAt: override.End, Reason: override.Reason, OrgID: w.orgID, ID: overrideID,
	})
	if err != nil {
		return err
	}
	_, err = w.TouchSchedule(ctx, &w.now, w.orgID, scheduleID)
	return err
}

// lockOverride locks the schedule of an override, as everybody does who writes its overrides, so
// that the override stays as it is read from here on.
func (w *work) lockOverride(ctx context.Context, overrideID uuid.UUID) (scheduleID uuid.UUID, err error) {
	scheduleID, err = w.ScheduleOfOverride(ctx, w.orgID, overrideID)
	if errors.Is(err, pgx.ErrNoRows) {
		return scheduleID, errNoOverride
	}
	if err != nil {
		return scheduleID, err
	}
	return scheduleID, w.lock(ctx, scheduleID)
}

// DeleteOverride takes an override back.
func (h *Handler) DeleteOverride(ctx context.Context, request *nightbellv1.DeleteOverrideRequest) (*nightbellv1.DeleteOverrideResponse, error) {
	overrideID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, err := w.lockOverride(ctx, overrideID)
		if err != nil {
			return err
		}
		current, err := w.findOverride(ctx, overrideID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Override, error) { return current, nil }
		if err := edit.IfMatch[*nightbellv1.UpdateOverrideRequest](request.GetEtag(), read); err != nil {
			return err
		}
		if err := w.DeleteOverride(ctx, w.orgID, overrideID); err != nil {
			return err
		}
		_, err = w.TouchSchedule(ctx, &w.now, w.orgID, scheduleID)
		return err
	})
	return &nightbellv1.DeleteOverrideResponse{}, err
}
