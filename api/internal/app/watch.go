package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/flow"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	watchInterval        = 30 * time.Second
	housekeepingInterval = time.Hour
	pingTimeout          = 10 * time.Second
)

// watch asks what is overdue, does it, and tells the dead-man URL while all is well:
// when that hears nothing, something outside of us knows (promise P6). A round in which
// something was overdue is not well, even if it is repaired.
func (s *server) watch(ctx context.Context) {
	found, err := s.auditor.Find(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.logger.ErrorContext(ctx, "cannot tell whether pages are late", "error", err)
		}
		return
	}
	s.metrics.OldestOverdue(found.Oldest)
	if found.Any() {
		s.repair(ctx, found)
		return
	}
	s.pingDeadman(ctx)
}

// repair does what is overdue, and counts what is not any more.
func (s *server) repair(ctx context.Context, found flow.Overdue) {
	s.logger.ErrorContext(ctx, "pages are late; the auditor does what was forgotten",
		"oldest", found.Oldest.String(), "overdue", found.ByKind())
	failure := s.auditor.Repair(ctx)
	left, err := s.auditor.Find(ctx)
	if err = errors.Join(failure, err); err != nil {
		s.logger.ErrorContext(ctx, "not everything that is overdue could be done", "error", err)
		return
	}
	remaining := left.ByKind()
	for kind, count := range found.ByKind() {
		s.metrics.Repaired(kind, max(0, count-remaining[kind]))
	}
}

func (s *server) pingDeadman(ctx context.Context) {
	if s.DeadmanURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.DeadmanURL, http.NoBody)
	if err != nil {
		s.logger.ErrorContext(ctx, "NIGHTBELL_DEADMAN_URL cannot be called", "error", err)
		return
	}
	// The operator's own address: the rules for tenants' addresses do not apply.
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.logger.WarnContext(ctx, "NIGHTBELL_DEADMAN_URL did not answer")
		return
	}
	_ = response.Body.Close()
}

// housekeep deletes what has served its time.
func (s *server) housekeep(ctx context.Context) {
	err := s.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`DELETE FROM idempotency_key WHERE created_at < nightbell_now() - interval '2 days'`)
		batch.Queue(`DELETE FROM session WHERE last_used_at < nightbell_now() - interval '90 days'`)
		batch.Queue(`DELETE FROM handover_notice WHERE finished_at < nightbell_now() - interval '30 days'`)
		batch.Queue(`DELETE FROM service_key WHERE expires_at < nightbell_now() - interval '1 day'`)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil && ctx.Err() == nil {
		s.logger.WarnContext(ctx, "housekeeping failed; it is tried again in an hour", "error", err)
	}
}
