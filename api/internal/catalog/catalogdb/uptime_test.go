package catalogdb_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestUptimeIsTheTimeWithoutACriticalIncident compares with a count minute by minute.
func TestUptimeIsTheTimeWithoutACriticalIncident(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 3))
	db := pgtest.New(t)
	org := struct{ ID, Service uuid.UUID }{id.New(), id.New()}
	db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org.ID)
	db.Exec(t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, 'Checkout', nightbell_now(), nightbell_now())`, org.ID, org.Service)
	added := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	db.Exec(t, `UPDATE service SET created_at = $2 WHERE org_id = $1`, org.ID, added)
	at := func(minute int) time.Time { return added.Add(time.Duration(minute) * time.Minute) }
	for range 60 {
		db.Exec(t, `DELETE FROM incident WHERE org_id = $1`, org.ID)
		down := map[int]bool{}
		for n := range random.IntN(8) {
			from := random.IntN(1000)
			to, open := from+random.IntN(200), random.IntN(4) == 0
			severity := []string{"critical", "high"}[random.IntN(2)]
			status, resolved := "resolved", new(at(to))
			if open {
				status, resolved, to = "triggered", nil, 5000
			}
			db.Exec(t, `INSERT INTO incident (org_id, id, number, service_id, title, severity, urgency, status, source, incident_key, triggered_at, resolved_at, updated_at)
				VALUES ($1, $2::uuid, $3, $4, 'Down', $5, 'high', $6, 'manual', $2::uuid::text, $7, $8, $7)`,
				org.ID, id.New(), n+1, org.Service, severity, status, at(from), resolved)
			for minute := from; minute < to && severity == "critical"; minute++ {
				down[minute] = true
			}
		}
		since := random.IntN(1200) - 200
		until := since + 1 + random.IntN(600)
		var got *float64
		err := db.InTenant(t.Context(), org.ID, func(ctx context.Context, tx pgx.Tx) (err error) {
			got, err = catalogdb.Uptime(ctx, tx, org.ID, org.Service, at(since), at(until))
			return err
		}, postgres.ReadOnly())
		if err != nil {
			t.Fatal(err)
		}
		if until <= 0 {
			if got != nil {
				t.Fatalf("before the service was added: %v", *got)
			}
			continue
		}
		up := 0
		for minute := max(since, 0); minute < until; minute++ {
			if !down[minute] {
				up++
			}
		}
		want := float64(up) / float64(until-max(since, 0))
		if got == nil || math.Abs(*got-want) > 1e-9 {
			t.Fatalf("from %d to %d: %v, want %v (down: %v)", since, until, got, want, down)
		}
	}
}
