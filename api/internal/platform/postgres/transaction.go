package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// transaction is a pgx.Tx that was opened together with reading the clock, and that
// can be committed together with its last statements. On the page path every round
// trip counts.
type transaction struct {
	*conn // runs the statements

	now  time.Time
	over bool
}

// conn is an alias because a field named Conn would take the place of the method.
type conn = pgx.Conn

var _ pgx.Tx = (*transaction)(nil)

// begin opens a transaction, takes role, limits and organization in it, and reads the
// clock: two statements and what opening.first adds, in one round trip.
func begin(ctx context.Context, conn *pgx.Conn, opening beginning) (*transaction, error) {
	tx := &transaction{conn: conn}
	batch := &pgx.Batch{}
	batch.Queue("BEGIN" + opening.mode)
	sql, args := opening.settle()
	batch.Queue(sql, args...).QueryRow(func(row pgx.Row) error {
		defer func() { tx.now = tx.now.UTC() }()
		return row.Scan(&tx.now, nil)
	})
	for _, add := range opening.first {
		add(batch)
	}
	if opening.whole {
		batch.Queue("COMMIT")
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		// The transaction may be open and failed: nothing may follow in it.
		return nil, errors.Join(explained(err), rollback(ctx, conn))
	}
	tx.over = opening.whole
	return tx, nil
}

// settle is one statement instead of a SET LOCAL for each setting; set_config(..., true) is
// the same. The organization is a parameter, as there are too many to prepare each text.
func (b *beginning) settle() (sql string, args []any) {
	var text strings.Builder
	text.WriteString("SELECT nightbell_now(), ARRAY[")
	for i, s := range b.settings {
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteString("set_config('" + s.name + "','" + s.value + "',true)")
	}
	if b.orgID != nil {
		text.WriteString(",set_config('nightbell.org_id',$1,true)")
		args = []any{b.orgID.String()}
	}
	text.WriteByte(']')
	return text.String(), args
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
	return confirmed(own.PgConn())
}

// Commit ends the transaction; after Finish it does nothing.
func (t *transaction) Commit(ctx context.Context) error {
	if t.over {
		return nil
	}
	tag, err := t.Exec(ctx, "COMMIT")
	if err != nil {
		return err
	}
	t.over = true
	if tag.String() != "COMMIT" {
		// What PostgreSQL does when a statement had failed and nobody noticed.
		return pgx.ErrTxCommitRollback
	}
	return confirmed(t.PgConn())
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

// LargeObjects is for pgx.Tx; we store none.
func (t *transaction) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

// Conn is the connection under the transaction.
func (t *transaction) Conn() *pgx.Conn { return t.conn }
