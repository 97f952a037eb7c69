package installation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// forgottenAfter is how old an open incident of a copy may be to be paged for: what is
// older was somebody's business where the copy comes from.
const forgottenAfter = time.Hour

// tooOld is why nobody is paged for such an incident; people read it.
const tooOld = "This database is a restored copy, and the incident was older than an hour when paging began here."

// ErrNoCopy refuses to confirm what no server has found to be a copy.
var ErrNoCopy = fault.New(fault.Conflict, "not_a_copy",
	"No server has reported that this database is a restored copy. There is nothing to confirm.")

// ErrManyOrganizations refuses to let one organization decide for all of them.
var ErrManyOrganizations = fault.New(fault.Conflict, "operator_confirms",
	"This installation serves more than one organization, and confirming it begins to page the people of all of them. Whoever runs it confirms it on its machine with: nightbell restored confirm")

// What ends the paging for incidents that are too old, or resolved since the copy was made.
const (
	stopSQL = `UPDATE incident SET paging_status = 'stopped', paging_due_at = NULL, paging_held_by = NULL, paging_reason = $2, paging_updated_at = $1
		WHERE paging_status = 'active' AND triggered_at < $3`
	cancelSQL = `UPDATE notification n SET state = 'cancelled', lease_token = NULL, lease_until = NULL, finished_at = $1, finished_for = $2
		FROM incident i WHERE i.org_id = n.org_id AND i.id = n.incident_id AND n.finished_at IS NULL
		  AND (i.triggered_at < $3 OR i.status = 'resolved')`
	untimeSQL = `DELETE FROM incident_timer t USING incident i WHERE i.org_id = t.org_id AND i.id = t.incident_id
		AND t.kind <> 'auto_resolve' AND i.triggered_at < $1`
)

// Confirm says that this database is the installation's from now on: it gets a name of its
// own, incidents older than an hour are not paged any more, and whoever serves it begins
// to page within seconds. It fails with ErrNoCopy unless a server found it to be a copy.
func Confirm(ctx context.Context, db *postgres.DB) error {
	return db.InSystem(ctx, postgres.Background, confirm)
}

// ConfirmForOnly does what Confirm does for the owner of the only organization. It fails with
// ErrManyOrganizations where the database holds more than one.
func ConfirmForOnly(ctx context.Context, db *postgres.DB) error {
	return db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		var organizations int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM org LIMIT 2) o`).Scan(&organizations); err != nil {
			return err
		}
		if organizations > 1 {
			return ErrManyOrganizations
		}
		return confirm(ctx, tx)
	})
}

func confirm(ctx context.Context, tx pgx.Tx) error {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return err
	}
	// Without a home, the next look of any replica notes its own.
	changed, err := tx.Exec(ctx, `UPDATE installation SET environment_id = $1, home = NULL, copy_found_at = NULL WHERE copy_found_at IS NOT NULL`, id.New())
	if err != nil {
		return err
	}
	if changed.RowsAffected() == 0 {
		return ErrNoCopy
	}
	before := now.Add(-forgottenAfter)
	for _, statement := range []struct {
		sql  string
		args []any
	}{{stopSQL, []any{now, tooOld, before}}, {cancelSQL, []any{now, tooOld, before}}, {untimeSQL, []any{before}}} {
		if _, err := tx.Exec(ctx, statement.sql, statement.args...); err != nil {
			return err
		}
	}
	return nil
}

// NewKey takes the program's data key in place of one that is lost. What the lost key
// sealed stays unreadable: contacts with a sealed address are disabled, so that policies go
// on to the next one, until somebody enters them again.
func NewKey(ctx context.Context, db *postgres.DB, fingerprint string) error {
	return db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE contact_method SET disabled_at = nightbell_now(), disabled_for = $1
			WHERE address_sealed IS NOT NULL AND disabled_at IS NULL`, "The key that sealed its address is lost. Enter the address again.")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE installation SET key_fingerprint = $1`, fingerprint)
		return err
	})
}
