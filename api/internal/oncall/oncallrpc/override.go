package oncallrpc

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// maxOverride is how long an override may last: longer, and it is a rotation.
const maxOverride = 366 * 24 * time.Hour

var errTooManyOverrides = fault.Newf(fault.Conflict, "too_many_overrides",
	"This schedule has %d overrides of the last 400 days and ahead. Delete some, or change its rotations instead.", maxOverrides)

// ListOverrides gives the overrides of a schedule, or of all.
func (h *Handler) ListOverrides(ctx context.Context, request *nightbellv1.ListOverridesRequest) (*nightbellv1.ListOverridesResponse, error) {
	response := &nightbellv1.ListOverridesResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, err := w.scheduleOr(ctx, request.GetScheduleId())
		if err != nil {
			return err
		}
		limit := cmp.Or(int(request.GetLimit()), page.Longest)
		asked := oncalldb.ListOverridesParams{OrgID: w.orgID, ScheduleID: scheduleID, Most: int32(limit) + 1}
		if cursor := request.GetCursor(); cursor != "" {
			at, last, err := page.Decode(w.orgID, cursor)
			if err != nil {
				return err
			}
			asked.At, asked.AtID = &at, (*uuid.UUID)(&last)
		}
		if !request.GetPast() {
			asked.Since = &w.now
		}
		list, err := w.overrides(ctx, asked)
		response.Overrides, response.NextCursor = page.Next(list, limit, func(last *nightbellv1.Override) string {
			return page.Encode(w.orgID, last.GetStartsAt().AsTime(), uuid.MustParse(last.GetId()))
		})
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetOverride gives one.
func (h *Handler) GetOverride(ctx context.Context, request *nightbellv1.GetOverrideRequest) (*nightbellv1.GetOverrideResponse, error) {
	response := &nightbellv1.GetOverrideResponse{}
	overrideID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, w *work) (err error) {
		response.Override, err = w.findOverride(ctx, overrideID)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// findOverride reads one override, which must exist.
func (w *work) findOverride(ctx context.Context, overrideID uuid.UUID) (*nightbellv1.Override, error) {
	found, err := w.overrides(ctx, oncalldb.ListOverridesParams{OrgID: w.orgID, ID: &overrideID, Most: 1})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errNoOverride
	}
	return found[0], nil
}

// CreateOverride changes a schedule for a while.
func (h *Handler) CreateOverride(ctx context.Context, request *nightbellv1.CreateOverrideRequest) (*nightbellv1.CreateOverrideResponse, error) {
	response := &nightbellv1.CreateOverrideResponse{}
	err := h.in(ctx, func(ctx context.Context, w *work) error {
		scheduleID, _ := id.Parse(request.GetScheduleId())
		found, err := w.TouchSchedule(ctx, &w.now, w.orgID, scheduleID)
		switch {
		case err != nil:
			return err
		case found == 0:
			return errNoSchedule
		}
		override, err := w.readOverride(ctx, request)
		if err != nil {
			return err
		}
		override.ID = id.New()
		if err := w.checkRoom(ctx, scheduleID); err != nil {
			return err
		}
		if err := w.InsertOverride(ctx, oncalldb.InsertOverrideParams{
			OrgID: w.orgID, ID: override.ID, ScheduleID: scheduleID, Kind: string(override.Kind),
			UserID: postgres.Null(override.Person), ReplacesUserID: postgres.Null(override.Replaces),
			StartsAt: override.Start, EndsAt: override.End, Reason: override.Reason,
			CreatedBy: w.person(), Now: w.now,
		}); err != nil {
			return err
		}
		response.Override, err = w.findOverride(ctx, override.ID)
		return err
	})
	return response, err
}

// checkRoom refuses an override beyond as many as are read whenever somebody is paged or looks.
// The schedule's row is locked, so that no two take the last place.
func (w *work) checkRoom(ctx context.Context, scheduleID uuid.UUID) error {
	count, err := w.CountOverrides(ctx, w.orgID, scheduleID, w.now.Add(-oncall.Horizon))
	if err == nil && count >= maxOverrides {
		return errTooManyOverrides
	}
	return err
}

// askedOverride is what creating and updating an override have in common.
type askedOverride interface {
	GetKind() string
	GetUserId() string
	GetReplacesUserId() string
	GetStartsAt() *timestamppb.Timestamp
	GetEndsAt() *timestamppb.Timestamp
	GetReason() string
}

// readOverride checks a request for an override. It begins now unless it says otherwise.
func (w *work) readOverride(ctx context.Context, request askedOverride) (oncall.Override, error) {
	override := oncall.Override{
		Kind: oncall.OverrideKind(request.GetKind()), Reason: strings.TrimSpace(request.GetReason()),
		Start: w.now.Truncate(time.Second),
	}
	var err error
	if request.GetStartsAt() != nil {
		if override.Start, err = instant("starts_at", request.GetStartsAt()); err != nil {
			return override, err
		}
	}
	if request.GetEndsAt() == nil {
		return override, fault.InvalidField("ends_at", fault.Required, "Say when the override ends.")
	}
	if override.End, err = instant("ends_at", request.GetEndsAt()); err != nil {
		return override, err
	}
	if override.Person, err = readPerson("user_id", request.GetUserId()); err != nil {
		return override, err
	}
	if override.Replaces, err = readPerson("replaces_user_id", request.GetReplacesUserId()); err != nil {
		return override, err
	}
	if err := oncall.ValidateOverride(override); err != nil {
		return override, err
	}
	switch {
	case !override.End.After(w.now):
		return override, fault.InvalidField("ends_at", fault.OutOfRange, "This is over already. Choose an end in the future.")
	case override.End.Sub(override.Start) > maxOverride:
		return override, fault.InvalidField("ends_at", fault.OutOfRange, "Let an override last 366 days at most, or add a rotation.")
	case strings.ContainsRune(override.Reason, 0):
		return override, fault.InvalidField("reason", fault.BadFormat, "Remove the control characters from the reason.")
	}
	return override, w.checkOverridePeople(ctx, override)
}

func readPerson(path, text string) (uuid.UUID, error) {
	if text == "" {
		return uuid.Nil, nil
	}
	person, ok := id.Parse(text)
	if !ok {
		return uuid.Nil, noPerson(path)
	}
	return person, nil
}

func (w *work) checkOverridePeople(ctx context.Context, override oncall.Override) error {
	members, err := w.members(ctx, []uuid.UUID{override.Person, override.Replaces})
	switch {
	case err != nil:
		return err
	case override.Person != uuid.Nil && !members[override.Person]:
		return noPerson("user_id")
	case override.Replaces != uuid.Nil && !members[override.Replaces]:
		return noPerson("replaces_user_id")
	}
	return nil
}

// person is the caller; nil for an API key.
func (w *work) person() *uuid.UUID {
	if w.caller.Kind != auth.User {
		return nil
	}
	return &w.caller.UserID
}

var updateOverride = (*nightbellv1.UpdateOverrideRequest)(nil).ProtoReflect().Descriptor()

// overrides reads overrides with the names of everybody in them.
func (w *work) overrides(ctx context.Context, asked oncalldb.ListOverridesParams) ([]*nightbellv1.Override, error) {
	rows, err := w.ListOverrides(ctx, asked)
	if err != nil {
		return nil, err
	}
	var people []uuid.UUID
	for _, row := range rows {
		for _, person := range []*uuid.UUID{row.UserID, row.ReplacesUserID, row.CreatedBy} {
			if person != nil {
				people = append(people, *person)
			}
		}
	}
	known, err := w.namesOf(ctx, people)
	list := make([]*nightbellv1.Override, len(rows))
	for i, row := range rows {
		list[i] = &nightbellv1.Override{
			Id: row.ID.String(), Schedule: reference(&row.ScheduleID, row.ScheduleName), Kind: row.Kind,
			User: known.userOr(row.UserID), ReplacesUser: known.userOr(row.ReplacesUserID), CreatedBy: known.userOr(row.CreatedBy),
			UserId: id.Text(row.UserID), ReplacesUserId: id.Text(row.ReplacesUserID),
			StartsAt: timestamppb.New(row.StartsAt), EndsAt: timestamppb.New(row.EndsAt),
			Reason: row.Reason, CreatedAt: timestamppb.New(row.CreatedAt),
		}
		edit.Tag(list[i].ProtoReflect(), updateOverride) // also inside of timelines
	}
	return list, err
}
