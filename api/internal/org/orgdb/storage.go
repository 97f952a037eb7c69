package orgdb

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// StorageMeter counts what each organization stores in a day, for all replicas together, and
// knows who is over the quota. It counts in memory and writes at each Flush, so that it costs
// the page path nothing; a process that is killed forgets half a minute.
type StorageMeter struct {
	db   *postgres.DB
	most int64

	mu    sync.Mutex
	added map[uuid.UUID]int64
	over  map[uuid.UUID]bool
	day   string
}

// NewStorageMeter makes a meter for a quota in bytes a day.
func NewStorageMeter(db *postgres.DB, most int64) *StorageMeter {
	return &StorageMeter{db: db, most: most, added: map[uuid.UUID]int64{}, over: map[uuid.UUID]bool{}}
}

// Add counts bytes that were stored.
func (m *StorageMeter) Add(orgID uuid.UUID, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.added[orgID] += bytes
}

// Over reports whether the organization was over its quota at the last Flush.
func (m *StorageMeter) Over(orgID uuid.UUID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over[orgID]
}

// SKIP LOCKED: intake numbers incidents in the same rows, and must not wait for a count. What
// is skipped is added at the next flush.
const storedSQL = `
WITH free AS (SELECT id FROM org WHERE id = ANY($1) FOR NO KEY UPDATE SKIP LOCKED)
UPDATE org o SET stored_bytes = CASE WHEN o.stored_on = $3 THEN o.stored_bytes ELSE 0 END + added.bytes, stored_on = $3
FROM free, (SELECT unnest($1::uuid[]) AS id, unnest($2::bigint[]) AS bytes) added
WHERE o.id = free.id AND added.id = free.id
RETURNING o.id, added.bytes, o.stored_bytes > $4`

// Flush writes what was counted since the last one. Call it every half minute.
func (m *StorageMeter) Flush(ctx context.Context) error {
	m.mu.Lock()
	var orgs []uuid.UUID
	var bytes []int64
	for org, n := range m.added {
		orgs, bytes = append(orgs, org), append(bytes, n)
	}
	m.mu.Unlock()
	return m.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, storedSQL, orgs, bytes, now.Truncate(24*time.Hour), m.most)
		if err != nil {
			return err
		}
		return m.note(rows, now.Format(time.DateOnly))
	})
}

func (m *StorageMeter) note(rows pgx.Rows, day string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.day != day {
		m.day = day
		clear(m.over)
	}
	var org uuid.UUID
	var written int64
	var over bool
	_, err := pgx.ForEachRow(rows, []any{&org, &written, &over}, func() error {
		if m.added[org] -= written; m.added[org] == 0 {
			delete(m.added, org)
		}
		m.over[org] = over
		return nil
	})
	return err
}
