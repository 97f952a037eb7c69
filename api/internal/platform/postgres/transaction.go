package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// clockSQL ends the opening of every transaction, so that the time costs no round
// trip of its own.
const clockSQL = "SELECT nightbell_now()"

// plainClockSQL is the same where the answer is text: microseconds since 1970 come back
// as one exact number.
const plainClockSQL = "SELECT (extract(epoch FROM nightbell_now()) * 1000000)::bigint"

// transaction is a pgx.Tx that was opened together with reading the clock, and that
// can be committed together with its last statements. On the page path every round
// trip counts.
type transaction struct {
	conn *pgx.Conn
	now  time.Time
	over bool
}

var _ pgx.Tx = (*transaction)(nil)

// begin opens a transaction and reads the clock in one round trip.
func begin(ctx context.Context, conn *pgx.Conn, opening beginning) (*transaction, error) {
	tx := &transaction{conn: conn}
	var err error
	if opening.tenant {
		err = tx.openPlainly(ctx, opening)
	} else {
		err = tx.open(ctx, opening)
	}
	if err != nil {
		// The transaction may be open and failed: nothing may follow in it.
		return nil, errors.Join(err, rollback(ctx, conn))
	}
	return tx, nil
}

// open uses prepared statements, which PostgreSQL need not read and plan again.
func (t *transaction) open(ctx context.Context, opening beginning) error {
	batch := &pgx.Batch{}
	for _, statement := range opening.statements() {
		batch.Queue(statement)
	}
	batch.Queue(clockSQL).QueryRow(func(row pgx.Row) error {
		defer func() { t.now = t.now.UTC() }()
		return row.Scan(&t.now)
	})
	for _, add := range opening.first {
		add(batch)
	}
	return t.conn.SendBatch(ctx, batch).Close()
}

// openPlainly sends text that is not worth preparing.
func (t *transaction) openPlainly(ctx context.Context, opening beginning) error {
	results, err := t.conn.PgConn().Exec(ctx, strings.Join(append(opening.statements(), plainClockSQL), "; ")).ReadAll()
	if err != nil {
		return err
	}
	micros, err := strconv.ParseInt(string(results[len(results)-1].Rows[0][0]), 10, 64)
	if err != nil {
		return fmt.Errorf("read the database clock: %w", err)
	}
	t.now = time.UnixMicro(micros).UTC()
	if len(opening.first) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	for _, add := range opening.first {
		add(batch)
	}
	return t.conn.SendBatch(ctx, batch).Close()
}

// rollback gives the connection back clean. It does not use the caller's context: one
// that was cancelled would break the connection instead.
func rollback(ctx context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackGrace)
	defer cancel()
	_, err := conn.Exec(ending, "ROLLBACK")
	return err
}

// Finish sends the last statements of a transaction together with its COMMIT. Nothing
// can follow; when a statement fails, nothing is committed.
func Finish(ctx context.Context, tx pgx.Tx, last *pgx.Batch) error {
	own, ok := tx.(*transaction)
	if !ok {
		return tx.SendBatch(ctx, last).Close()
	}
	last.Queue("COMMIT")
	if err := own.conn.SendBatch(ctx, last).Close(); err != nil {
		return err
	}
	own.over = true
	return confirmed(own.conn.PgConn())
}

// Commit ends the transaction; after Finish it does nothing.
func (t *transaction) Commit(ctx context.Context) error {
	if t.over {
		return nil
	}
	tag, err := t.conn.Exec(ctx, "COMMIT")
	if err != nil {
		return err
	}
	t.over = true
	if tag.String() != "COMMIT" {
		// What PostgreSQL does when a statement had failed and nobody noticed.
		return pgx.ErrTxCommitRollback
	}
	return confirmed(t.conn.PgConn())
}

// Rollback undoes what was not committed.
func (t *transaction) Rollback(ctx context.Context) error {
	if t.over {
		return nil
	}
	t.over = true
	return rollback(ctx, t.conn)
}

// Begin would be a savepoint, which nothing needs.
func (t *transaction) Begin(context.Context) (pgx.Tx, error) {
	return nil, errors.New("transactions do not nest; open another one")
}

// Exec runs one statement.
func (t *transaction) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return t.conn.Exec(ctx, sql, args...)
}

// Query runs one statement and reads its rows.
func (t *transaction) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return t.conn.Query(ctx, sql, args...)
}

// QueryRow runs one statement and reads its first row.
func (t *transaction) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return t.conn.QueryRow(ctx, sql, args...)
}

// SendBatch runs several statements in one round trip.
func (t *transaction) SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults {
	return t.conn.SendBatch(ctx, batch)
}

// CopyFrom writes many rows.
func (t *transaction) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	return t.conn.CopyFrom(ctx, table, columns, rows)
}

// Prepare is for pgx.Tx; statements are prepared and cached by themselves.
func (t *transaction) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return t.conn.Prepare(ctx, name, sql)
}

// LargeObjects is for pgx.Tx; we store none.
func (t *transaction) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn is the connection under the transaction.
func (t *transaction) Conn() *pgx.Conn { return t.conn }
