package pgtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// clockSQL puts a clock that can be moved in place of the real one. It exists in
// test databases only.
const clockSQL = `
	CREATE TABLE public.test_clock (
		singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
		shift     interval NOT NULL DEFAULT '0',
		frozen_at timestamptz
	);
	INSERT INTO public.test_clock DEFAULT VALUES;
	GRANT SELECT ON public.test_clock TO PUBLIC;
	CREATE OR REPLACE FUNCTION nightbell_now() RETURNS timestamptz
		LANGUAGE sql STABLE PARALLEL SAFE
		AS $$ SELECT coalesce(frozen_at, pg_catalog.clock_timestamp() + shift) FROM public.test_clock $$;`

// Clock is the database's clock of one test. It starts at the real time and
// runs; every transaction that begins after a method returned sees its effect.
type Clock struct {
	tb  testing.TB
	dsn string

	mu   sync.Mutex
	conn *pgx.Conn
}

// TakeClock puts a clock that can be moved into the migrated database of a program
// under test. dsn connects as the owner of the database. It fails the test when it
// cannot, or when the database has such a clock already.
func TakeClock(tb testing.TB, dsn string) *Clock {
	tb.Helper()
	clock := &Clock{tb: tb, dsn: dsn}
	tb.Cleanup(clock.close)
	clock.mu.Lock()
	defer clock.mu.Unlock()
	conn, err := pgx.Connect(tb.Context(), dsn)
	if err != nil {
		tb.Fatalf("connect to take the clock: %v", err)
	}
	clock.conn = conn
	if _, err := conn.Exec(tb.Context(), clockSQL); err != nil {
		tb.Fatalf("take the clock: %v", err)
	}
	return clock
}

// Now is what nightbell_now() says.
func (c *Clock) Now() time.Time {
	c.tb.Helper()
	return c.ask("SELECT nightbell_now()").UTC()
}

// SetNow makes it that time, from which the clock runs on.
func (c *Clock) SetNow(now time.Time) {
	c.tb.Helper()
	c.ask("UPDATE test_clock SET frozen_at = NULL, shift = $1 - clock_timestamp() RETURNING clock_timestamp()", now)
}

// Freeze makes it that time, to the microsecond, until Advance, SetNow or Freeze.
func (c *Clock) Freeze(now time.Time) {
	c.tb.Helper()
	c.ask("UPDATE test_clock SET frozen_at = $1 RETURNING frozen_at", now)
}

// Advance moves the clock, running or frozen, and returns the new time.
func (c *Clock) Advance(d time.Duration) time.Time {
	c.tb.Helper()
	c.ask("UPDATE test_clock SET frozen_at = frozen_at + $1, shift = shift + $1 RETURNING clock_timestamp()", d)
	return c.Now()
}

func (c *Clock) ask(sql string, args ...any) (answer time.Time) {
	c.tb.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx := context.Background() // usable in the test's cleanup too
	if c.conn == nil {
		conn, err := pgx.Connect(ctx, c.dsn)
		if err != nil {
			c.tb.Fatalf("connect to the test's clock: %v", err)
		}
		c.conn = conn
	}
	if err := c.conn.QueryRow(ctx, sql, args...).Scan(&answer); err != nil {
		c.tb.Fatalf("move the test's clock: %v", err)
	}
	return answer
}

func (c *Clock) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close(context.Background())
	}
}
