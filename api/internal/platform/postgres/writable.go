package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// writableFor is how long an answer of Writable holds: whoever asks /readyz in a loop
	// costs one write in that time.
	writableFor = 5 * time.Second
	// writableWithin is how long it may take to find out.
	writableWithin = 2 * time.Second
)

// writable is the last answer of Writable.
type writable struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Two rows that are taken back grow the table by two pages, which needs room on the disk: a
// page that exists may still be written on one that is full. The last statement is committed.
const growSQL = `INSERT INTO write_probe (id, filler) SELECT gen_random_uuid(), repeat('x', 6000) FROM generate_series(1, 2)`

const stampSQL = `INSERT INTO write_probe (id, filler) VALUES ('00000000-0000-0000-0000-000000000000', '')
	ON CONFLICT (id) DO UPDATE SET written_at = clock_timestamp()`

// Writable finds out whether the database can store more, by a connection of the health pool,
// and gives the same answer for five seconds. The error is of the write that failed.
func (db *DB) Writable(ctx context.Context) error {
	w := &db.writable
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.at.IsZero() && time.Since(w.at) < writableFor {
		return w.err
	}
	ctx, cancel := context.WithTimeout(ctx, writableWithin)
	defer cancel()
	err := db.InSystem(ctx, Health, func(ctx context.Context, tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, statement := range []string{"SAVEPOINT grown", growSQL, "ROLLBACK TO grown", stampSQL} {
			batch.Queue(statement)
		}
		return Finish(ctx, tx, batch)
	})
	if errors.Is(err, context.Canceled) {
		return err // who asked has left; that tells nothing
	}
	w.at, w.err = time.Now(), err
	return err
}

// IsDiskFull reports whether the server has no room left to store anything.
func IsDiskFull(err error) bool { return Code(err) == codeDiskFull }
