package postgres_test

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWritableNeedsRoomOnTheDisk: each look makes the table grow, which a full disk refuses
// also where there is room in the pages that exist.
func TestWritableNeedsRoomOnTheDisk(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	size := `SELECT pg_relation_size('write_probe')`
	before := pgtest.One[int](t, database, size)
	if err := database.Writable(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := pgtest.One[int](t, database, size)
	if after < before+2*8192 {
		t.Errorf("the table grew from %d to %d bytes: want two pages", before, after)
	}
	for range 10 {
		if err := database.Writable(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if again := pgtest.One[int](t, database, size); again != after {
		t.Errorf("asking ten times within a moment wrote again: %d bytes", again)
	}
	if rows := pgtest.One[int](t, database, `SELECT count(*) FROM write_probe`); rows != 1 {
		t.Errorf("%d rows are left, want the one that is written again each time", rows)
	}
}

func TestWritableTellsAFullDisk(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	pgtest.FillDisk(t, database)
	if err := database.Writable(t.Context()); !postgres.IsDiskFull(err) || !postgres.IsUnavailable(err) {
		t.Errorf("a full disk is told as %v", err)
	}
}
