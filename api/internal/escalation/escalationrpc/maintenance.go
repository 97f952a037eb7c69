package escalationrpc

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

const (
	// longestMaintenance bounds how long pages can be held: a window that somebody forgot
	// must not silence a service for good.
	longestMaintenance = 31 * 24 * time.Hour
	// mostWindows bounds those of an organization that have not ended: whoever takes in its alerts reads and
	// locks all that are under way, in some hundredths of a second for so many.
	mostWindows = 1000
)

// farFuture is later than any window ends.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	errNoWindow    = fault.New(fault.NotFound, "maintenance_window_not_found", "Maintenance window not found")
	errNoServiceOf = fault.InvalidField("service_ids", fault.Missing, "One of these services does not exist.")
	errTooManyWork = fault.Newf(fault.Conflict, "too_many_maintenance_windows",
		"Your organization has %d maintenance windows that have not ended, and may have no more. End one, or add the services to one.", mostWindows)
	errWindowEnded = fault.New(fault.Conflict, "maintenance_window_ended", "This maintenance has ended. Plan another one.")
)

// Maintenance implements nightbellv1connect.MaintenanceServiceHandler.
type Maintenance struct {
	nightbellv1connect.UnimplementedMaintenanceServiceHandler

	db *postgres.DB
}

// NewMaintenance makes a handler.
func NewMaintenance(db *postgres.DB) *Maintenance { return &Maintenance{db: db} }

// in runs a call in its transaction, at the time of the database.
func (m *Maintenance) in(ctx context.Context, do func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error, options ...postgres.TxOption) error {
	caller, _ := auth.ActorFrom(ctx)
	return m.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, tx, caller, now)
	}, options...)
}

// ListMaintenanceWindows gives what ends last first.
func (m *Maintenance) ListMaintenanceWindows(ctx context.Context, request *nightbellv1.ListMaintenanceWindowsRequest) (*nightbellv1.ListMaintenanceWindowsResponse, error) {
	response := &nightbellv1.ListMaintenanceWindowsResponse{}
	err := m.in(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		limit, endsBefore, before := cmp.Or(int(request.GetLimit()), page.Longest), farFuture, uuid.Max
		if cursor := request.GetCursor(); cursor != "" {
			var err error
			if endsBefore, before, err = page.Decode(caller.OrgID, cursor); err != nil {
				return err
			}
		}
		list, err := escalationdb.ListMaintenance(ctx, tx, caller.OrgID, endsBefore, before, limit+1)
		list, response.NextCursor = page.Next(list, limit, func(last escalationdb.PlannedWork) string {
			return page.Encode(caller.OrgID, last.End, last.ID)
		})
		for _, work := range list {
			response.MaintenanceWindows = append(response.MaintenanceWindows, workMessage(work, now))
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetMaintenanceWindow gives one.
func (m *Maintenance) GetMaintenanceWindow(ctx context.Context, request *nightbellv1.GetMaintenanceWindowRequest) (*nightbellv1.GetMaintenanceWindowResponse, error) {
	response := &nightbellv1.GetMaintenanceWindowResponse{}
	windowID, _ := id.Parse(request.GetId())
	err := m.in(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) (err error) {
		response.MaintenanceWindow, err = getWindow(ctx, tx, caller.OrgID, windowID, now)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// CreateMaintenanceWindow plans work on services, or begins it now.
func (m *Maintenance) CreateMaintenanceWindow(ctx context.Context, request *nightbellv1.CreateMaintenanceWindowRequest) (*nightbellv1.CreateMaintenanceWindowResponse, error) {
	response := &nightbellv1.CreateMaintenanceWindowResponse{}
	err := m.in(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		window, err := planned(request, now, now)
		if err != nil {
			return err
		}
		if n, err := escalationdb.CountMaintenance(ctx, tx, caller.OrgID, now); err != nil {
			return err
		} else if n >= mostWindows {
			return errTooManyWork
		}
		window.ID = id.New()
		complete, err := escalationdb.InsertMaintenance(ctx, tx, caller.OrgID, window, caller.UserID, now)
		if err == nil && !complete {
			err = errNoServiceOf
		}
		if err != nil {
			return err
		}
		response.MaintenanceWindow, err = getWindow(ctx, tx, caller.OrgID, window.ID, now)
		return err
	})
	return response, err
}

// UpdateMaintenanceWindow changes the fields that the request names, of a window that has not ended.
func (m *Maintenance) UpdateMaintenanceWindow(ctx context.Context, request *nightbellv1.UpdateMaintenanceWindowRequest) (*nightbellv1.UpdateMaintenanceWindowResponse, error) {
	response := &nightbellv1.UpdateMaintenanceWindowResponse{}
	windowID, _ := id.Parse(request.GetId())
	err := m.in(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		found, err := escalationdb.LockMaintenance(ctx, tx, caller.OrgID, windowID)
		if err == nil && !found {
			err = errNoWindow
		}
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.MaintenanceWindow, error) { return getWindow(ctx, tx, caller.OrgID, windowID, now) }
		response.MaintenanceWindow, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateMaintenanceWindowRequest) error {
			before, err := read()
			if err != nil {
				return err
			}
			if before.GetStatus() == "ended" {
				return errWindowEnded
			}
			window, err := planned(whole, before.GetStartsAt().AsTime(), now)
			if err != nil {
				return err
			}
			window.ID = windowID
			complete, err := escalationdb.UpdateMaintenance(ctx, tx, caller.OrgID, window, now)
			if err == nil && !complete {
				err = errNoServiceOf
			}
			return err
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	return response, nil
}

// askedWindow is what creating and updating a window have in common.
type askedWindow interface {
	GetDescription() string
	GetStartsAt() *timestamppb.Timestamp
	GetEndsAt() *timestamppb.Timestamp
	GetServiceIds() []string
}

// planned checks the times of a window. A start in the past is now or, of a window under way, the
// start that it had.
func planned(request askedWindow, started, now time.Time) (escalation.Maintenance, error) {
	window := escalation.Maintenance{Description: request.GetDescription(), Start: clock.Earlier(started, now), Services: servicesOf(request.GetServiceIds())}
	if plaintext.Check(window.Description) != "" {
		return window, fault.InvalidField("description", fault.BadFormat, "Remove the control and invisible characters from the description.")
	}
	if from := request.GetStartsAt(); from != nil && from.AsTime().After(now) {
		window.Start = from.AsTime().Truncate(time.Microsecond)
	}
	if request.GetEndsAt() == nil {
		return window, fault.InvalidField("ends_at", fault.Required, "Say when the work ends.")
	}
	window.End = request.GetEndsAt().AsTime().Truncate(time.Microsecond)
	switch {
	case !window.End.After(window.Start), !window.End.After(now):
		return window, fault.InvalidField("ends_at", fault.OutOfRange, "Let the work end after it starts, and after now.")
	case request.GetEndsAt().CheckValid() != nil: // no answer holds a time after the year 9999
		return window, fault.InvalidField("ends_at", fault.OutOfRange, "Let the work end before the year 10000.")
	case window.End.Sub(window.Start) > longestMaintenance:
		return window, fault.InvalidField("ends_at", fault.OutOfRange, "Let the work end at most 31 days after it starts.")
	default:
		return window, nil
	}
}

// servicesOf reads the ids, each once; text that is no id names no service.
func servicesOf(texts []string) []uuid.UUID {
	services := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		services[i], _ = id.Parse(text)
	}
	slices.SortFunc(services, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(services)
}

// EndMaintenanceWindow ends a window now, or calls it off. One that is over stays as it is.
func (m *Maintenance) EndMaintenanceWindow(ctx context.Context, request *nightbellv1.EndMaintenanceWindowRequest) (*nightbellv1.EndMaintenanceWindowResponse, error) {
	response := &nightbellv1.EndMaintenanceWindowResponse{}
	windowID, _ := id.Parse(request.GetId())
	err := m.in(ctx, func(ctx context.Context, tx pgx.Tx, caller auth.Actor, now time.Time) error {
		_, err := escalationdb.EndMaintenance(ctx, tx, caller.OrgID, windowID, now)
		if err != nil {
			return err
		}
		response.MaintenanceWindow, err = getWindow(ctx, tx, caller.OrgID, windowID, now)
		return err
	})
	return response, err
}

func getWindow(ctx context.Context, tx pgx.Tx, orgID, windowID uuid.UUID, now time.Time) (*nightbellv1.MaintenanceWindow, error) {
	work, found, err := escalationdb.GetMaintenance(ctx, tx, orgID, windowID)
	if err == nil && !found {
		err = errNoWindow
	}
	if err != nil {
		return nil, err
	}
	return workMessage(work, now), nil
}

func workMessage(work escalationdb.PlannedWork, now time.Time) *nightbellv1.MaintenanceWindow {
	message := &nightbellv1.MaintenanceWindow{
		Id: work.ID.String(), Description: work.Description, StartsAt: timestamppb.New(work.Start), EndsAt: timestamppb.New(work.End),
		Status: statusOf(work, now), HeldIncidentCount: int32(work.Held),
	}
	for i, service := range work.Services {
		message.ServiceIds = append(message.ServiceIds, service.String())
		message.Services = append(message.Services, &nightbellv1.Reference{Id: service.String(), Name: work.ServiceNames[i]})
	}
	if work.CreatedBy != uuid.Nil {
		message.CreatedBy = &nightbellv1.Reference{Id: work.CreatedBy.String(), Name: cmp.Or(work.CreatedByName, "Somebody")}
	}
	return message
}

func statusOf(work escalationdb.PlannedWork, now time.Time) string {
	switch {
	case !work.End.After(now):
		return "ended"
	case work.Start.After(now):
		return "scheduled"
	default:
		return "under_way"
	}
}
