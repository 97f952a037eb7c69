package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// rowsRead counts the rows of each table that an outbox reads, by scans and by indexes: what
// a bad plan costs on any machine. PostgreSQL counts a connection's reads when it ends, so
// the outbox gets connections of its own.
func (o *outbox) rowsRead(t *testing.T, work func(*delivery.Outbox)) map[string]int {
	t.Helper()
	before := o.tableReads(t)
	name := "measured " + uuid.NewString()[:8]
	db, err := postgres.Open(t.Context(), postgres.Config{DSN: o.DSN(), ApplicationName: name})
	if err != nil {
		t.Fatal(err)
	}
	work(delivery.New(db, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	}))
	err = db.InSystem(t.Context(), postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT count(*) FROM org`) // something that must be counted
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	for deadline := time.Now().Add(time.Minute); pgtest.One[int](t, o.Database, `SELECT count(*) FROM pg_stat_activity WHERE starts_with(application_name, $1)`, name) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a closed connection has not ended after a minute")
		}
	}
	read := o.tableReads(t)
	for table := range read {
		read[table] -= before[table]
	}
	if read["org"] == 0 {
		t.Fatal("PostgreSQL counted nothing")
	}
	return read
}

func (o *outbox) tableReads(t *testing.T) map[string]int {
	t.Helper()
	rows, err := o.Owner(t).Query(t.Context(), `SELECT s.relname, (s.seq_tup_read + coalesce(sum(i.idx_tup_read), 0))::int
		FROM pg_stat_user_tables s LEFT JOIN pg_stat_user_indexes i ON i.relid = s.relid GROUP BY s.relname, s.seq_tup_read`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	reads := map[string]int{}
	for rows.Next() {
		var table string
		var n int
		if err := rows.Scan(&table, &n); err != nil {
			t.Fatal(err)
		}
		reads[table] = n
	}
	return reads
}
