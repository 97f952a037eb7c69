package orgdb_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestStoredBytesAreCountedForAllReplicas: two processes store for one organization, and
// nothing for another; on the next day both begin from zero.
func TestStoredBytesAreCountedForAllReplicas(t *testing.T) {
	db := pgtest.New(t)
	db.Clock.Freeze(time.Date(2026, 3, 25, 3, 0, 0, 0, time.UTC))
	loud, quiet := id.New(), id.New()
	for _, org := range []any{loud, quiet} {
		db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
	}
	here, there := orgdb.NewStorageMeter(db.DB, 1000), orgdb.NewStorageMeter(db.DB, 1000)
	flush := func() {
		for _, meter := range []*orgdb.StorageMeter{here, there, here} {
			if err := meter.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	here.Add(loud, 600)
	here.Add(quiet, 1000)
	flush()
	if here.Over(loud) || here.Over(quiet) {
		t.Error("within the quota")
	}
	there.Add(loud, 600)
	flush()
	here.Add(loud, 1)
	flush()
	if !here.Over(loud) || !there.Over(loud) || here.Over(quiet) {
		t.Errorf("over the quota: %t, %t; the quiet one: %t", here.Over(loud), there.Over(loud), here.Over(quiet))
	}
	db.Clock.Advance(24 * time.Hour)
	flush()
	if here.Over(loud) || there.Over(loud) {
		t.Error("on the next day")
	}
	if got := pgtest.One[int64](t, db, `SELECT stored_bytes FROM org WHERE id = $1`, loud); got != 1201 {
		t.Errorf("%d bytes were counted", got)
	}
}
