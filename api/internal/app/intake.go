package app

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/telemetry"
)

// findRoute looks a service key up by its hash.
func (s *server) findRoute(ctx context.Context, hash ingest.KeyHash) (ingest.Route, error) {
	var route ingest.Route
	err := s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		row, err := catalogdb.New(tx).FindRoute(ctx, hash[:])
		if errors.Is(err, pgx.ErrNoRows) {
			return ingest.ErrUnknownKey
		}
		route = ingest.Route{OrgID: row.OrgID, ServiceID: row.ServiceID, ServiceName: row.Name, Grouping: catalog.Grouping(row.Grouping)}
		if row.PolicyID != nil {
			route.PolicyID = *row.PolicyID
		}
		return err
	})
	return route, err
}

// acceptor lets ingest hand alerts to intake, and counts them.
type acceptor struct {
	intake  *intake.Intake
	metrics *telemetry.Metrics
	// refused counts the requests that were answered 503 for the installation's own reasons.
	refused *atomic.Int64
	storage *orgdb.StorageMeter
}

func (a acceptor) Accept(ctx context.Context, route ingest.Route, batch alert.Batch) error {
	if a.storage.Over(route.OrgID) {
		batch.Alerts = slices.Clone(batch.Alerts)
		for i := range batch.Alerts {
			batch.Alerts[i] = batch.Alerts[i].Short()
		}
	}
	err := a.intake.Accept(ctx, route, batch)
	outcome := "accepted"
	if err != nil {
		outcome = "unavailable"
	}
	// A sender that hung up was refused nothing. One tenant's doing must not withhold the
	// dead-man's ping from all.
	if fault.Is(err, fault.Unavailable) && ctx.Err() == nil && !errors.Is(err, intake.ErrOwnDoing) {
		a.refused.Add(1)
	}
	if err == nil {
		for i := range batch.Alerts {
			a.storage.Add(route.OrgID, batch.Alerts[i].Bytes())
		}
	}
	if len(batch.Alerts) > 0 {
		a.metrics.AlertsReceived(senderOf(batch.Alerts[0]), outcome, len(batch.Alerts))
	}
	return err
}

// senderOf is a word of ours: the source of an event is its program's own text, which is nobody
// else's to read, and as many series as there are hosts.
func senderOf(received alert.Received) string {
	if received.Event != nil {
		return "event"
	}
	return received.Source
}

// storageInterval is how often the bytes that alerts took are added up.
const storageInterval = 30 * time.Second

func (s *server) countStorage(ctx context.Context) {
	if err := s.storage.Flush(ctx); err != nil && ctx.Err() == nil {
		s.logger.WarnContext(ctx, "stored bytes were not counted; it is tried again in half a minute", "error", err)
	}
}

func (a acceptor) AcceptUndecodable(ctx context.Context, route ingest.Route, sender, reason string, body []byte) error {
	a.metrics.AlertsReceived(sender, "undecodable", 1)
	return a.intake.AcceptUndecodable(ctx, route, sender, reason, body)
}

// announced tells the intake of a request before its body is read, so that the batch
// can wait a moment for it.
func (s *server) announced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		done := s.intake.Expect()
		defer done()
		next.ServeHTTP(w, r)
	})
}
