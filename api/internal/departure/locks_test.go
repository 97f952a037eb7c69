package departure_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// An owner's answer waits for whoever leaves, so what is done under the locks must not grow with history:
// 120,000 pages that are over kept owners for 12 s.
func TestLeavingReadsNoHistoryUnderItsLocks(t *testing.T) {
	t.Parallel()
	const over = 3000
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Bob)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, title, description, severity, urgency, source, status, triggered_at, acknowledged_at, acknowledged_by, resolved_at, resolved_by, updated_at)
		SELECT org_id, gen_random_uuid(), number + n, service_id, title, '', severity, urgency, source, 'resolved', at, at, $1, at, $1, at
		FROM incident, generate_series(1, $2::integer) n, (SELECT nightbell_now() - interval '1 day' AS at)`, w.Bob, over)
	w.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank, state, due_at, next_try_at, finished_at, created_at)
		SELECT i.org_id, gen_random_uuid(), i.id::text, i.id, n.user_id, n.contact_method_id, n.channel, 1, 0, 0, 'Bob is on call', 1, 'sent', resolved_at, resolved_at, resolved_at, resolved_at
		FROM incident i, (SELECT * FROM notification LIMIT 1) n WHERE i.status = 'resolved'`)
	w.Exec(t, `ANALYZE incident`)
	w.Exec(t, `ANALYZE notification`)
	rows := -1
	err := w.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		watched := &lockedTx{Tx: tx, before: -1}
		if _, err := departure.DeleteAccount(ctx, watched, w.Bob, map[uuid.UUID]uuid.UUID{w.Org: w.Ada}, now); err != nil {
			return err
		}
		after, err := rowsRead(ctx, tx)
		rows = after - watched.before
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows < 0 || rows >= over {
		t.Errorf("%d pages were read under the locks, of %d that are over", rows, over)
	}
	equal(t, "who acted", w.Texts(t, `SELECT DISTINCT acknowledged_name || ', ' || resolved_name FROM incident WHERE org_id = $1 AND status = 'resolved'`, w.Org), "Deleted user, Deleted user")
	equal(t, "what the pages say", w.Texts(t, `SELECT DISTINCT reason FROM notification WHERE org_id = $1 AND state = 'sent'`, w.Org), "Deleted user is on call")
}

// lockedTx counts the pages that were read before the members are locked.
type lockedTx struct {
	pgx.Tx
	before int
}

func (l *lockedTx) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	for _, query := range batch.QueuedQueries {
		if strings.HasSuffix(query.SQL, "FOR UPDATE OF m") {
			l.before, _ = rowsRead(ctx, l.Tx)
		}
	}
	return l.Tx.SendBatch(ctx, batch)
}

func rowsRead(ctx context.Context, tx pgx.Tx) (count int, err error) {
	err = tx.QueryRow(ctx, `SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'notification'`).Scan(&count)
	return count, err
}
