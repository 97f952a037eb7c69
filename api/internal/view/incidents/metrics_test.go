package incidents_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/view/incidents"
)

// life is an incident in minutes before now; acked and resolved are 0 where it never was.
type life struct {
	triggered, acked, resolved int
	merged                     bool // that is how it was resolved
}

// TestMetricsAreThoseOfAPlainCount compares with sums over a list, for random incidents of two
// organizations.
func TestMetricsAreThoseOfAPlainCount(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	db := pgtest.New(t)
	db.Clock.Freeze(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	for range 3 {
		org, lives := uuid.New(), []life{}
		db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
		for n := range 300 {
			l := life{triggered: random.IntN(30 * 24 * 60)}
			if random.IntN(3) > 0 {
				l.acked = random.IntN(l.triggered + 1)
			}
			if random.IntN(3) > 0 {
				l.resolved = random.IntN(max(1, l.acked+1))
			}
			status := "triggered"
			if l.acked > 0 {
				status = "acknowledged"
			}
			if l.resolved > 0 {
				status, l.merged = "resolved", n > 0 && random.IntN(4) == 0
			}
			lives = append(lives, l)
			db.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, triggered_at, acknowledged_at, resolved_at, merged_into_id, updated_at)
				SELECT $1, gen_random_uuid(), $2, 'Incident', $3, 'low', 'low', 'api', nightbell_now() - $4 * interval '1 minute',
				       nightbell_now() - nullif($5::int, 0) * interval '1 minute', nightbell_now() - nullif($6::int, 0) * interval '1 minute', CASE WHEN $7::bool THEN (SELECT id FROM incident WHERE org_id = $1 LIMIT 1) END, nightbell_now()`,
				org, n+1, status, l.triggered, l.acked, l.resolved, l.merged)
		}
		for _, days := range []int{1, 7, 14} {
			got := compared(t, db, org, days)
			check(t, "current", got.GetCurrent(), lives, days*24*60, 0)
			check(t, "before", got.GetBefore(), lives, 2*days*24*60, days*24*60)
		}
	}
}

// check compares the figures with those of the lives that began after from and until to, minutes ago.
func check(t *testing.T, what string, got *nightbellv1.IncidentMetrics, lives []life, from, to int) {
	t.Helper()
	var triggered, acked, resolved, open, untilAcked, untilResolved int
	for _, l := range lives {
		if l.triggered >= to && (l.resolved == 0 || l.resolved < to) {
			open++
		}
		if l.triggered >= from || l.triggered < to {
			continue
		}
		triggered++
		if l.acked > 0 {
			acked, untilAcked = acked+1, untilAcked+l.triggered-l.acked
		}
		if l.resolved > 0 && !l.merged {
			resolved, untilResolved = resolved+1, untilResolved+l.triggered-l.resolved
		}
	}
	if int(got.GetTriggeredCount()) != triggered || int(got.GetAcknowledgedCount()) != acked || int(got.GetResolvedCount()) != resolved || int(got.GetOpenCount()) != open {
		t.Errorf("%s: %v, counted %d triggered, %d acknowledged, %d resolved, %d open", what, got, triggered, acked, resolved, open)
	}
	for name, average := range map[string]struct {
		got *int32
		sum int
		n   int
	}{"mtta": {got.MttaSeconds, untilAcked, acked}, "mttr": {got.MttrSeconds, untilResolved, resolved}} {
		if average.n == 0 {
			if average.got != nil {
				t.Errorf("%s: %s of nothing is %d", what, name, *average.got)
			}
			continue
		}
		want := float64(average.sum) * 60 / float64(average.n)
		if average.got == nil || max(want-float64(*average.got), float64(*average.got)-want) > 0.5 {
			t.Errorf("%s: %s is %v, want %f", what, name, average.got, want)
		}
	}
}

func compared(t *testing.T, db *pgtest.Database, org uuid.UUID, days int) (got *nightbellv1.GetIncidentMetricsResponse) {
	t.Helper()
	err := db.InTenant(t.Context(), org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		got, err = incidents.Compare(ctx, tx, org, days, now)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
