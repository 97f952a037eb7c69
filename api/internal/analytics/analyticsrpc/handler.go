// Package analyticsrpc answers the call about Analytics.
package analyticsrpc

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/analytics"
	"github.com/nightbell/nightbell/api/internal/analytics/analyticsdb"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// defaultDays is the period of a caller who does not say.
	defaultDays = 30
	// longestStatement is how long one read may take.
	longestStatement = 5 * time.Second
	// atOnce calls run at a time, of the seven connections that lists share: one organization has two of
	// them at most. Others wait, and look again after turn.
	atOnce = 4
	turn   = 25 * time.Millisecond
)

// Handler implements nightbellv1connect.AnalyticsServiceHandler.
type Handler struct {
	db        *postgres.DB
	pagesKept int32 // days
	running   *fairshare.Pool[uuid.UUID]
}

// New makes a handler; retention deletes pages after so many days.
func New(db *postgres.DB, pagesKept int) *Handler {
	return &Handler{db, int32(pagesKept), fairshare.New[uuid.UUID](atOnce)}
}

// GetAnalytics reads in one transaction and computes after it, so that no connection waits for the
// computing.
func (h *Handler) GetAnalytics(ctx context.Context, request *nightbellv1.GetAnalyticsRequest) (*nightbellv1.GetAnalyticsResponse, error) {
	// 1. What is asked.
	caller, _ := auth.ActorFrom(ctx)
	zone, err := org.Zone("timezone", request.GetTimezone())
	if err != nil {
		return nil, err
	}
	// 2. A turn: nothing waits for figures at night.
	if err := h.await(ctx, caller.OrgID); err != nil {
		return nil, err
	}
	defer h.running.Return(caller.OrgID, 1)
	// 3. The rows.
	var facts analytics.Facts
	var period analytics.Period
	err = h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if period, err = periodOf(request, now); err != nil {
			return err
		}
		asked := analyticsdb.Asked{
			OrgID: caller.OrgID, Since: period.Since, Until: period.Until, Services: id.ParseAll(request.GetServiceId()), Teams: id.ParseAll(request.GetTeamId()),
		}
		if request.GetCompare() {
			asked.Since = period.Before().Since
		}
		facts, err = analyticsdb.Read(ctx, tx, asked)
		return err
	}, postgres.ReadOnly(), postgres.StatementTimeout(longestStatement))
	if err != nil {
		return nil, err
	}
	// 4. The figures.
	return answer(analytics.Make(facts, period, zone), zone, request.GetCompare(), h.pagesKept), nil
}

// await takes a turn.
func (h *Handler) await(ctx context.Context, orgID uuid.UUID) error {
	for !h.running.Take(orgID, 1) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(turn):
		}
	}
	return nil
}

// firstYear is older than any incident. The periods that are compared are of years that exist.
const firstYear = 2000

// periodOf reads the period that is asked for, which never lasts beyond now.
func periodOf(request *nightbellv1.GetAnalyticsRequest, now time.Time) (analytics.Period, error) {
	period := analytics.Period{Until: now}
	if until := request.GetUntil(); until != nil && until.AsTime().Before(now) {
		period.Until = until.AsTime()
	}
	period.Since = period.Until.Add(-time.Duration(cmp.Or(request.GetDays(), defaultDays)) * 24 * time.Hour)
	if since := request.GetSince(); since != nil {
		period.Since = since.AsTime()
	}
	switch length := period.Until.Sub(period.Since); {
	case period.Since.Year() < firstYear:
		return period, fault.InvalidField("since", fault.OutOfRange, "Analytics goes back to the year 2000. Let since, or until, be later.")
	case length <= 0:
		return period, fault.InvalidField("since", fault.OutOfRange, "The period ends before it begins. Let since be earlier than until, and than now.")
	case length > analytics.MaxDays*24*time.Hour:
		return period, fault.InvalidField("since", fault.OutOfRange, "The period is longer than 400 days. Let since be closer to until.")
	}
	return period, nil
}
