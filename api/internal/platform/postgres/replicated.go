package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotReplicated replaces success for a transaction that is committed on the primary only, although a synchronous
// standby should have it: it may be lost with the primary, so nothing may be promised that rests on it. The caller
// repeats its work, and because a repeat writes (design rule 3), it waits for the standby again.
var ErrNotReplicated = errors.New("the standby did not confirm this transaction: it is on one server only")

// unreplicated is set on a connection whose last commit was not confirmed.
const unreplicated = "nightbell.unreplicated"

// heedNotices notes when PostgreSQL gives up waiting for the standby. It does so when
// the wait is cancelled, by statement_timeout for example, says so in a warning, and
// reports the commit as done.
func heedNotices(config *pgconnConfig) {
	config.OnNotice = func(conn *pgconn.PgConn, notice *pgconn.Notice) {
		if notice.Routine == "SyncRepWaitForLSN" { // the text of the warning is translated
			conn.CustomData()[unreplicated] = true
		}
	}
}

// confirmed turns the success of a commit into ErrNotReplicated when it was none.
func confirmed(conn *pgconn.PgConn) error {
	data := conn.CustomData()
	if data[unreplicated] == nil {
		return nil
	}
	delete(data, unreplicated)
	return ErrNotReplicated
}
