package notifydb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestAStepThatWasPagedMeanwhileKeepsTheTimeOfTheNextOne: the look finds that nobody of the first step can be reached,
// and the escalator pages the second one before the look has the incident. The third is not due by that.
func TestAStepThatWasPagedMeanwhileKeepsTheTimeOfTheNextOne(t *testing.T) {
	w := pagingtest.New(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Exec(t, `UPDATE contact_method SET failures = $1`, notify.DeadAfter)
	page := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM notification LIMIT 1`)
	now := w.Clock.Now()
	begin := func() pgx.Tx {
		tx, err := w.Owner(t).Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), `SET LOCAL ROLE nightbell_system`); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	gate, look := begin(), begin()
	if _, err := gate.Exec(t.Context(), `SELECT pg_advisory_xact_lock(4)`); err != nil {
		t.Fatal(err)
	}
	// The look has its snapshot when it waits at the gate.
	const at = "      AND NOT EXISTS (SELECT FROM notification p"
	sql := strings.Replace(notifydb.NextStepQuery(), at, "      AND (SELECT pg_advisory_xact_lock_shared(4))::text IS NOT NULL\n"+at, 1)
	left := make(chan error, 1)
	var still []notifydb.DuePage
	go func() {
		rows, err := look.Query(t.Context(), sql, []uuid.UUID{w.Org}, []uuid.UUID{page}, now, notify.DeadAfter, notify.MostFaults)
		if err == nil {
			still, err = pgx.CollectRows(rows, pgx.RowToStructByPos[notifydb.DuePage])
		}
		if err == nil {
			err = look.Commit(t.Context())
		}
		left <- err
	}()
	for w.Waiting(t) == 0 {
		time.Sleep(time.Millisecond)
	}
	next := now.Add(42 * time.Minute).Truncate(time.Second)
	w.Exec(t, `UPDATE incident SET paging_due_at = $1`, next)
	if err := gate.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	if got := pgtest.One[time.Time](t, w.Database, `SELECT paging_due_at FROM incident`); !got.Equal(next) {
		t.Errorf("the step after it is due at %s, want %s", got, next)
	}
	if len(still) != 1 || still[0].ID != page {
		t.Errorf("to be looked at again: %v", still)
	}
}
