package installation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// forgottenAfter is how long before a database became a copy something may have been due to
// be still done here: what was due earlier was the business of where the copy comes from.
const forgottenAfter = time.Hour

// tooOld is why paging goes on no more for such an incident; people read it.
const tooOld = "This database is a restored copy, and this page was due more than an hour before it became one."

// ErrNoCopy refuses to confirm what no server has found to be a copy.
var ErrNoCopy = fault.New(fault.Conflict, "not_a_copy",
	"This database is not a restored copy, or no server has found it to be one yet: start it with nightbell serve, or check --data-dir or DATABASE_URL. There is nothing to confirm.")

// ErrManyOrganizations refuses to let one organization decide for all of them.
var ErrManyOrganizations = fault.New(fault.Conflict, "operator_confirms",
	"This installation serves more than one organization, and confirming it begins to page the people of all of them. Whoever runs it confirms it on its machine with: nightbell restored confirm")

// What was due before $2 is not done any more, nor is what was to be said of incidents that
// were resolved on the copy. All else is: also old incidents that wait for their next step,
// for the end of a snooze, or that began here while nobody was paged.
const (
	stopSQL = `UPDATE incident SET paging_status = 'stopped', paging_due_at = NULL, paging_own_due_at = NULL, paging_held_by = NULL, paging_reason = $3, paging_updated_at = $1
		WHERE paging_status = 'active' AND paging_due_at < $2`
	cancelSQL = `UPDATE notification n SET state = 'cancelled', lease_token = NULL, lease_until = NULL, finished_at = $1, finished_for = $3
		FROM incident i WHERE i.org_id = n.org_id AND i.id = n.incident_id AND n.finished_at IS NULL
		  AND (n.next_try_at < $2 OR i.status = 'resolved')`
	// A snooze is somebody's word that they want to be woken: it ends late rather than never.
	untimeSQL = `DELETE FROM incident_timer t USING incident i WHERE i.org_id = t.org_id AND i.id = t.incident_id
		AND t.kind <> 'auto_resolve' AND t.due_at < $1 AND i.snoozed_until IS NULL`
	leftOutSQL = `SELECT count(*) FROM incident i WHERE i.status <> 'resolved' AND (i.paging_status = 'active' AND i.paging_due_at < $1
		OR i.snoozed_until IS NULL AND EXISTS (SELECT FROM incident_timer t WHERE t.org_id = i.org_id AND t.incident_id = i.id AND t.kind <> 'auto_resolve' AND t.due_at < $1))`
)

// Confirm makes this database the installation's: it gets a name of its own, what was due more than an hour before it
// became a copy is not paged, and paging begins within seconds; leftOut counts the open incidents that nobody is paged
// for. It is ErrNoCopy unless a server found it to be a copy, or a backup was restored into it.
func Confirm(ctx context.Context, db *postgres.DB) (leftOut int, err error) {
	err = db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		leftOut, err = confirm(ctx, tx)
		return err
	})
	return leftOut, err
}

// ConfirmForOnly does what Confirm does for the owner of the only organization. It fails with
// ErrManyOrganizations where the database holds more than one.
func ConfirmForOnly(ctx context.Context, db *postgres.DB) (leftOut int, err error) {
	err = db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		var organizations int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM org LIMIT 2) o`).Scan(&organizations); err != nil {
			return err
		}
		if organizations > 1 {
			return ErrManyOrganizations
		}
		leftOut, err = confirm(ctx, tx)
		return err
	})
	return leftOut, err
}

// Confirmed is what whoever confirmed a copy reads.
func Confirmed(leftOut int) string {
	const confirmed = "Confirmed. Nightbell pages from this database within seconds. "
	switch leftOut {
	case 0:
		return confirmed + "No incident was left out."
	case 1:
		return confirmed + "For 1 open incident, the next page was due more than an hour before this became a copy: nobody is paged for it. Look at it under Incidents."
	}
	return confirmed + fmt.Sprintf("For %d open incidents, the next page was due more than an hour before this became a copy: nobody is paged for them. Look at them under Incidents.", leftOut)
}

func confirm(ctx context.Context, tx pgx.Tx) (leftOut int, err error) {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return 0, err
	}
	// 1. It is a copy, found by a server, or just restored. Without a home, the next look of any replica notes its own.
	backup, err := json.Marshal(FromBackup)
	if err != nil {
		return 0, err
	}
	var became time.Time
	err = tx.QueryRow(ctx, `SELECT coalesce(copy_found_at, $1) FROM installation WHERE copy_found_at IS NOT NULL OR home = $2 FOR UPDATE`, now, backup).Scan(&became)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, ErrNoCopy
	}
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `UPDATE installation SET environment_id = $1, home = NULL, copy_found_at = NULL`, id.New()); err != nil {
		return 0, err
	}
	// 2. What the original has done, or should have, before.
	before := became.Add(-forgottenAfter)
	if err := tx.QueryRow(ctx, leftOutSQL, before).Scan(&leftOut); err != nil {
		return 0, err
	}
	for _, statement := range []struct {
		sql  string
		args []any
	}{{stopSQL, []any{now, before, tooOld}}, {cancelSQL, []any{now, before, tooOld}}, {untimeSQL, []any{before}}} {
		if _, err := tx.Exec(ctx, statement.sql, statement.args...); err != nil {
			return 0, err
		}
	}
	return leftOut, nil
}

// NewKey takes the program's data key in place of one that is lost. What the lost key
// sealed stays unreadable: contacts with a sealed address are disabled, so that policies go
// on to the next one, and so are webhook subscriptions, until somebody enters them again.
func NewKey(ctx context.Context, db *postgres.DB, fingerprint string) error {
	return db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE contact_method SET disabled_at = nightbell_now(), disabled_for = $1
			WHERE address_sealed IS NOT NULL AND disabled_at IS NULL`, "The key that sealed its address is lost. Enter the address again.")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE webhook_subscription SET enabled = false, disabled_reason = $1, updated_at = nightbell_now(), notice_due_at = nightbell_now(), notice_sent_to = '{}'
			WHERE enabled`, "The key that sealed its address and secret is lost. Enter the address again, make a new secret, and enable it.")
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE installation SET key_fingerprint = $1`, fingerprint)
		return err
	})
}
