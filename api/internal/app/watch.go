package app

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	watchInterval        = 30 * time.Second
	housekeepingInterval = time.Hour
	// tooLate is when a page that is still waiting is a failure of ours.
	tooLate     = 15 * time.Second
	pingTimeout = 10 * time.Second
)

// watch asks how long the most overdue page has been waiting, shows it as a metric,
// and tells the dead-man URL while all is well: when it hears nothing, something
// outside of us knows (promise P6).
func (s *server) watch(ctx context.Context) {
	overdue, err := s.oldestOverdue(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.logger.ErrorContext(ctx, "cannot tell whether pages are late", "error", err)
		}
		return
	}
	s.metrics.OldestOverdue(overdue)
	if overdue > tooLate {
		s.logger.ErrorContext(ctx, "pages are late", "oldest_overdue", overdue.String())
		s.wakePages()
		return
	}
	s.pingDeadman(ctx)
}

// oldestOverdue reads through a connection of its own, which works while others are
// stuck.
func (s *server) oldestOverdue(ctx context.Context) (overdue time.Duration, err error) {
	err = s.db.InSystem(ctx, postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		var seconds float64
		err := tx.QueryRow(ctx, `
			SELECT extract(epoch FROM greatest(interval '0', nightbell_now() - least(
			    (SELECT min(next_due_at) FROM escalation_state WHERE status = 'active'),
			    (SELECT min(next_try_at) FROM notification WHERE state = 'pending'),
			    (SELECT min(lease_until) FROM notification WHERE state = 'sending'))))::float8`).Scan(nullable(&seconds))
		overdue = time.Duration(seconds * float64(time.Second))
		return err
	})
	return overdue, err
}

// nullable scans NULL, nothing waits, as zero.
func nullable(into *float64) *zeroFloat { return (*zeroFloat)(into) }

type zeroFloat float64

// Scan implements sql.Scanner.
func (z *zeroFloat) Scan(value any) error {
	if seconds, ok := value.(float64); ok {
		*z = zeroFloat(seconds)
	}
	return nil
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
		batch.Queue(`DELETE FROM service_key WHERE expires_at < nightbell_now() - interval '1 day'`)
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil && ctx.Err() == nil {
		s.logger.WarnContext(ctx, "housekeeping failed; it is tried again in an hour", "error", err)
	}
}
