package catalogdb_test

import (
	"context"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestSenderCallsAreWrittenOnceAMinute: the first at once, those that follow when a minute is over,
// and those that could not be written at the next look.
func TestSenderCallsAreWrittenOnceAMinute(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	start := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	db.Clock.Freeze(start)
	now := start
	log := catalogdb.NewSenderLog(db.DB, func() time.Time { return now })
	call := catalog.SenderCall{OrgID: id.New(), ServiceID: id.New(), Kind: catalog.Grafana}
	gone := catalog.SenderCall{OrgID: call.OrgID, ServiceID: id.New(), Kind: catalog.Grafana}
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, call.OrgID)
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, call.OrgID, call.ServiceID)
	after := func(d time.Duration, want time.Duration) {
		t.Helper()
		now = start.Add(d)
		db.Clock.Freeze(now)
		log.Note(call)
		log.Note(gone)
		if again, err := log.Flush(t.Context()); err != nil || again {
			t.Fatal(again, err)
		}
		if got := pgtest.One[time.Time](t, db, `SELECT max(last_at) FROM sender_call`); !got.Equal(start.Add(want)) {
			t.Errorf("after %s the last call was %s after the first, want %s", d, got.Sub(start), want)
		}
	}
	after(0, 0)
	after(59*time.Second, 0)
	after(61*time.Second, 61*time.Second)
	after(100*time.Second, 61*time.Second)
	after(10*time.Minute, 10*time.Minute)
	if first := pgtest.One[time.Time](t, db, `SELECT first_at FROM sender_call`); !first.Equal(start) {
		t.Errorf("first at %s", first)
	}

	now = start.Add(20 * time.Minute)
	db.Clock.Freeze(now)
	log.Note(call)
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := log.Flush(ended); err == nil {
		t.Fatal("written although the time for it was over")
	}
	if _, err := log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := pgtest.One[time.Time](t, db, `SELECT last_at FROM sender_call`); !got.Equal(now) {
		t.Errorf("what could not be written is kept as %s", got)
	}
}

// BenchmarkNote is what a call pays for being known.
func BenchmarkNote(b *testing.B) {
	log := catalogdb.NewSenderLog(nil, time.Now)
	calls := make([]catalog.SenderCall, 1000)
	for i := range calls {
		calls[i] = catalog.SenderCall{OrgID: id.New(), ServiceID: id.New(), Kind: catalog.Alertmanager}
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			log.Note(calls[i%len(calls)])
		}
	})
}
