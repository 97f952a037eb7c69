// Package oncallrpc answers the calls about schedules, overrides and who is on call, and
// serves the calendars that others subscribe to.
//
// Entry files: schedule.go (the calls that keep schedules), timeline.go and now.go (who
// is on call), coverage.go (who is not), feed.go (calendars). Everybody who is shown comes
// from oncalldb.Load and the pure package oncall, as everybody who is paged does.
package oncallrpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

var (
	errNoSchedule = fault.New(fault.NotFound, "schedule_not_found", "Schedule not found")
	errNoOverride = fault.New(fault.NotFound, "override_not_found", "Override not found")
	errNoFeed     = fault.New(fault.NotFound, "calendar_feed_not_found", "Calendar feed not found")
	errNameTaken  = fault.New(fault.Conflict, "schedule_name_taken", "There is a schedule of this name already. Choose another name.")
)

// Handler implements nightbellv1connect.OnCallServiceHandler.
type Handler struct {
	db        *postgres.DB
	box       *secret.Box
	publicURL string
}

// New makes a handler. box seals the addresses of calendars, and publicURL is where
// calendars reach Nightbell, without a slash at the end.
func New(db *postgres.DB, box *secret.Box, publicURL string) *Handler {
	return &Handler{db: db, box: box, publicURL: publicURL}
}

// work is what a call does things with: its transaction, its caller, and the time of the
// database.
type work struct {
	*oncalldb.Queries

	tx     pgx.Tx
	caller auth.Actor
	orgID  uuid.UUID
	now    time.Time
}

// in runs a call as the caller's organization.
func (h *Handler) in(ctx context.Context, do func(context.Context, *work) error, options ...postgres.TxOption) error {
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, &work{Queries: oncalldb.New(tx), tx: tx, caller: caller, orgID: caller.OrgID, now: now})
	}, options...)
	if postgres.ConstraintName(err) == "schedule_name_key" {
		return errNameTaken.Because(err)
	}
	return err
}

// load reads one schedule with the overrides that end after since. Text that is no id is
// a schedule that does not exist.
func (w *work) load(ctx context.Context, text string, since time.Time) (oncall.Schedule, error) {
	scheduleID, _ := id.Parse(text)
	schedules, err := oncalldb.Load(ctx, w.tx, w.orgID, []uuid.UUID{scheduleID}, since)
	if err != nil {
		return oncall.Schedule{}, err
	}
	if len(schedules) == 0 {
		return oncall.Schedule{}, errNoSchedule
	}
	return schedules[0], nil
}

// notFound is the refusal of a field that names something that is not there.
func notFound(path, sentence string) error {
	return fault.InvalidFields(sentence, fault.Field{Path: path, Code: fault.Missing, Message: "does not exist"})
}

// reference is absent for no id.
func reference(key *uuid.UUID, name string) *nightbellv1.Reference {
	if key == nil {
		return nil
	}
	return &nightbellv1.Reference{Id: key.String(), Name: name}
}
