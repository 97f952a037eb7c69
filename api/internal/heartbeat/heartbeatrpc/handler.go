// Package heartbeatrpc answers the calls about heartbeats.
package heartbeatrpc

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var (
	errNoService = fault.InvalidField("service_id", fault.Missing, "Service not found")
	errNameTaken = fault.New(fault.Conflict, "heartbeat_name_taken", "Its service has a heartbeat of this name. Choose another name.")
)

// shownAtOnce is a list's page when the caller does not say.
const shownAtOnce = 50

// Delete removes a heartbeat with what it has opened, unless check refuses that; it answers with
// heartbeat_not_found when there is none.
type Delete func(ctx context.Context, orgID, heartbeatID uuid.UUID, check func(row heartbeatdb.Row, now time.Time) error) error

// Handler implements nightbellv1connect.HeartbeatServiceHandler.
type Handler struct {
	db     *postgres.DB
	remove Delete
	wake   func()
}

// New makes a handler. It calls wake when a heartbeat may be expected from now on.
func New(db *postgres.DB, remove Delete, wake func()) *Handler { return &Handler{db, remove, wake} }

type call struct {
	tx    pgx.Tx
	orgID uuid.UUID
	now   time.Time
}

func (h *Handler) in(ctx context.Context, do func(context.Context, call) error, options ...postgres.TxOption) error {
	caller, _ := auth.ActorFrom(ctx)
	return h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, call{tx, caller.OrgID, now})
	}, options...)
}

// CreateHeartbeat adds one that waits for its first ping.
func (h *Handler) CreateHeartbeat(ctx context.Context, request *nightbellv1.CreateHeartbeatRequest) (*nightbellv1.CreateHeartbeatResponse, error) {
	response := &nightbellv1.CreateHeartbeatResponse{}
	serviceID, _ := id.Parse(request.GetServiceId())
	row := heartbeatdb.Row{ID: id.New(), ServiceID: serviceID, Name: request.GetName(), Settings: settings(request)}
	err := h.in(ctx, func(ctx context.Context, c call) error {
		row.OrgID = c.orgID
		if _, err := check(row, c.now); err != nil {
			return err
		}
		inserted, err := heartbeatdb.Insert(ctx, c.tx, row, c.now)
		if err != nil {
			return err
		}
		if !inserted {
			if err := checkService(ctx, c, serviceID); err != nil {
				return err
			}
			return errNameTaken
		}
		response.Heartbeat, err = read(ctx, c, row.ID)
		return err
	})
	return response, err
}

// asked is what creating and updating have in common.
type asked interface {
	GetEverySeconds() int32
	GetSchedule() string
	GetTimeZone() string
	GetMaxRuntimeSeconds() int32
	GetSeverity() string
	GetPaused() bool
}

func settings(request asked) heartbeat.Settings {
	own := heartbeat.Settings{
		Every: seconds(request.GetEverySeconds()), Schedule: request.GetSchedule(), TimeZone: request.GetTimeZone(),
		MaxRuntime: seconds(request.GetMaxRuntimeSeconds()), Severity: alert.Severity(request.GetSeverity()), Paused: request.GetPaused(),
	}
	if own.Severity == "" {
		own.Severity = alert.High
	}
	var grace *int32
	switch r := request.(type) {
	case *nightbellv1.CreateHeartbeatRequest:
		grace = r.GraceSeconds
	case *nightbellv1.UpdateHeartbeatRequest:
		grace = r.GraceSeconds
	}
	if grace != nil {
		d := seconds(*grace)
		own.Grace = &d
	}
	return own
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

func check(row heartbeatdb.Row, now time.Time) (heartbeat.Rule, error) {
	if plaintext.Blank(row.Name) || plaintext.Check(row.Name) != "" {
		return heartbeat.Rule{}, fault.InvalidField("name", fault.BadFormat, "Give it a name without control and invisible characters.")
	}
	return row.Rule(now)
}

func checkService(ctx context.Context, c call, serviceID uuid.UUID) error {
	known, err := heartbeatdb.HasService(ctx, c.tx, c.orgID, serviceID)
	if err == nil && !known {
		err = errNoService
	}
	return err
}

func read(ctx context.Context, c call, heartbeatID uuid.UUID) (*nightbellv1.Heartbeat, error) {
	row, err := heartbeatdb.Get(ctx, c.tx, c.orgID, heartbeatID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, heartbeat.ErrNotFound
	}
	return message(row, c.now), err
}

// ListHeartbeats gives the newest first.
func (h *Handler) ListHeartbeats(ctx context.Context, request *nightbellv1.ListHeartbeatsRequest) (*nightbellv1.ListHeartbeatsResponse, error) {
	response := &nightbellv1.ListHeartbeatsResponse{}
	serviceID, _ := id.Parse(request.GetServiceId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		limit, before := cmp.Or(int(request.GetLimit()), shownAtOnce), uuid.Max
		if cursor := request.GetCursor(); cursor != "" {
			_, key, err := page.Decode(c.orgID, cursor)
			if err != nil {
				return err
			}
			before = key
		}
		if request.GetServiceId() != "" {
			if err := checkService(ctx, c, serviceID); err != nil {
				return err
			}
		}
		list, err := heartbeatdb.List(ctx, c.tx, c.orgID, serviceID, before, limit+1)
		list, response.NextCursor = page.Next(list, limit, func(last heartbeatdb.Row) string {
			return page.Encode(c.orgID, last.CreatedAt, last.ID)
		})
		for _, row := range list {
			response.Heartbeats = append(response.Heartbeats, message(row, c.now))
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetHeartbeat reads one.
func (h *Handler) GetHeartbeat(ctx context.Context, request *nightbellv1.GetHeartbeatRequest) (*nightbellv1.GetHeartbeatResponse, error) {
	response := &nightbellv1.GetHeartbeatResponse{}
	heartbeatID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) (err error) {
		response.Heartbeat, err = read(ctx, c, heartbeatID)
		return err
	}, postgres.ReadOnly())
	return response, err
}

// UpdateHeartbeat changes the fields that the request names.
func (h *Handler) UpdateHeartbeat(ctx context.Context, request *nightbellv1.UpdateHeartbeatRequest) (*nightbellv1.UpdateHeartbeatResponse, error) {
	response := &nightbellv1.UpdateHeartbeatResponse{}
	heartbeatID, _ := id.Parse(request.GetId())
	err := h.in(ctx, func(ctx context.Context, c call) error {
		row, err := heartbeatdb.Lock(ctx, c.tx, c.orgID, heartbeatID)
		if errors.Is(err, pgx.ErrNoRows) {
			return heartbeat.ErrNotFound
		}
		if err != nil {
			return err
		}
		response.Heartbeat, err = edit.Apply(request, func() (*nightbellv1.Heartbeat, error) { return read(ctx, c, heartbeatID) },
			func(whole *nightbellv1.UpdateHeartbeatRequest) error { return update(ctx, c, row, whole) })
		return err
	})
	if err == nil {
		h.wake()
	}
	return response, edit.Done(err)
}

func update(ctx context.Context, c call, row heartbeatdb.Row, whole *nightbellv1.UpdateHeartbeatRequest) error {
	own := settings(whole)
	if own.Schedule == "" && !edit.Names(whole, "time_zone") {
		own.TimeZone = "" // it goes with the schedule
	}
	onlyName := own.Equal(row.Settings)
	row.Name, row.Settings = whole.GetName(), own
	rule, err := check(row, c.now)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	heartbeatdb.QueueSettings(batch, row, c.now)
	if !onlyName {
		row.State = rule.Restart(row.State, c.now)
		heartbeatdb.QueueState(batch, row)
	}
	err = c.tx.SendBatch(ctx, batch).Close()
	if postgres.IsUnique(err) && postgres.ConstraintName(err) == heartbeatdb.ConstraintName {
		return errNameTaken
	}
	return err
}

// DeleteHeartbeat removes one.
func (h *Handler) DeleteHeartbeat(ctx context.Context, request *nightbellv1.DeleteHeartbeatRequest) (*nightbellv1.DeleteHeartbeatResponse, error) {
	caller, _ := auth.ActorFrom(ctx)
	heartbeatID, _ := id.Parse(request.GetId())
	// What removes it sees every organization: first a transaction that does not has to find it.
	err := h.in(ctx, func(ctx context.Context, c call) error {
		_, err := read(ctx, c, heartbeatID)
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	return &nightbellv1.DeleteHeartbeatResponse{}, h.remove(ctx, caller.OrgID, heartbeatID, func(row heartbeatdb.Row, now time.Time) error {
		read := func() (*nightbellv1.Heartbeat, error) { return message(row, now), nil }
		return edit.IfMatch[*nightbellv1.UpdateHeartbeatRequest](request.GetEtag(), read)
	})
}

func message(row heartbeatdb.Row, now time.Time) *nightbellv1.Heartbeat {
	m := &nightbellv1.Heartbeat{
		Id: row.ID.String(), Name: row.Name, Service: &nightbellv1.Reference{Id: row.ServiceID.String(), Name: row.ServiceName},
		EverySeconds: whole(row.Every), MaxRuntimeSeconds: whole(row.MaxRuntime), Severity: postgres.Null(string(row.Severity)), Paused: row.Paused,
		Schedule: postgres.Null(row.Schedule), TimeZone: postgres.Null(row.TimeZone),
		Status: status(row, now), LastPingAt: moment(row.LastPingAt), DueAt: moment(row.DueAt), DeadlineAt: moment(row.DeadlineAt),
		RunStartedAt: moment(row.RunStartedAt), CreatedAt: timestamppb.New(row.CreatedAt), UpdatedAt: timestamppb.New(row.UpdatedAt),
	}
	if row.Grace != nil {
		n := int32(*row.Grace / time.Second)
		m.GraceSeconds = &n
	}
	if row.Status.IsDown() {
		m.DownSinceAt = moment(row.EpisodeAt)
	}
	return m
}

// status is the word that people read; late is a state of the clock, and stored nowhere.
func status(row heartbeatdb.Row, now time.Time) string {
	switch {
	case row.Paused:
		return "paused"
	case row.Status == heartbeat.OK && !row.DeadlineAt.IsZero() && row.RunStartedAt.IsZero() && now.After(row.DueAt):
		return "late"
	default:
		return string(row.Status)
	}
}

func whole(d time.Duration) *int32 { return postgres.Null(int32(d / time.Second)) }

func moment(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}
