package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var organization = uuid.MustParse("01980000-0000-7000-8000-000000000001")

func TestDatabasesAreSeparateAndMigrated(t *testing.T) {
	start := time.Now()
	first, second := pgtest.New(t), pgtest.New(t)
	t.Logf("two databases, with the server's start: %s", time.Since(start).Round(time.Millisecond))
	third := time.Now()
	pgtest.New(t)
	t.Logf("one more database: %s", time.Since(third).Round(time.Millisecond))

	first.Exec(t, "INSERT INTO installation (environment_id, created_at) VALUES (gen_random_uuid(), nightbell_now())")

	if got := pgtest.One[int](t, first, "SELECT count(*) FROM installation"); got != 1 {
		t.Errorf("the first database has %d rows, expected 1", got)
	}
	if got := pgtest.One[int](t, second, "SELECT count(*) FROM installation"); got != 0 {
		t.Errorf("the second database has %d rows of the first", got)
	}
	if err := first.Check(t.Context()); err != nil {
		t.Errorf("a pool does not run under its role: %v", err)
	}
}

func TestClockMoves(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	if off := time.Since(db.Clock.Now()).Abs(); off > time.Minute {
		t.Errorf("the clock starts %s off the real time", off)
	}
	at := time.Date(2026, 3, 29, 0, 59, 59, 0, time.UTC)

	db.Clock.Freeze(at)
	if got := read(t, db); !got.Equal(at) {
		t.Errorf("frozen at %s, it says %s", at, got)
	}
	if got, want := db.Clock.Advance(15*time.Minute), at.Add(15*time.Minute); !got.Equal(want) {
		t.Errorf("after 15 minutes it says %s, expected %s", got, want)
	}

	db.Clock.SetNow(at)
	if got := read(t, db); got.Before(at) || got.After(at.Add(time.Minute)) {
		t.Errorf("set to %s, it says %s", at, got)
	}
	if before, after := read(t, db), db.Clock.Advance(time.Hour); after.Sub(before) < time.Hour {
		t.Errorf("a running clock moved by %s, expected an hour", after.Sub(before))
	}
}

// read asks as a tenant, the less powerful of the two roles.
func read(t *testing.T, db *pgtest.Database) (now time.Time) {
	t.Helper()
	err := db.InTenant(t.Context(), organization, func(ctx context.Context, tx pgx.Tx) (err error) {
		now, err = postgres.Now(ctx, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return now
}
