package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// orgID is the workspace's, the same in every installation, so that it is found again.
var orgID = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("demo.nightbell.example"))

// OrgID is the workspace's organization.
func OrgID() uuid.UUID { return orgID }

// GuestID is who looks around in it without a password. Whatever the role of that member, a guest
// only looks (authrpc.OnlyLooks).
func GuestID() uuid.UUID { return personID(data().Guest) }

// seedLock keeps replicas that start together from seeding twice: "demoseed" in ASCII.
const seedLock = 0x64656d6f73656564

// ErrAddressTaken says that somebody else's account stands in the way.
var ErrAddressTaken = errors.New("the demo workspace cannot be made: an account that is not part of it uses one of its addresses (" +
	mailDomain[1:] + "). Change that account's e-mail address, or start without --demo")

// Workspace makes the demo workspace. Its fields are all needed.
type Workspace struct {
	DB     *postgres.DB
	Box    *secret.Box
	Hasher *auth.Hasher
}

// Account is how to get into the workspace.
type Account struct {
	// Email signs in, with the password that Seed or Reset was given.
	Email string
	OrgID uuid.UUID
	// ServiceKey is the one to fire an alert at: its service pages the account's owner
	// first. It and ServiceName are empty when every service was deleted.
	ServiceKey  string
	ServiceName string
}

// Seed fills the workspace unless it is there, and reports whether it did so now. What is there stays, but password
// becomes the owner's; if it was another one, whoever had signed in with that is signed out. Replicas may call it
// together. ErrAddressTaken means that somebody registered with one of its addresses.
func (w Workspace) Seed(ctx context.Context, password string) (account Account, seededNow bool, err error) {
	account, found, err := w.Account(ctx)
	if err != nil {
		return Account{}, false, err
	}
	if found {
		return account, false, w.keepPassword(ctx, password)
	}
	seededNow, err = w.plant(ctx, password, func(ctx context.Context, tx pgx.Tx) (bool, error) {
		var exists bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM org WHERE id = $1)`, orgID).Scan(&exists)
		return !exists, err
	})
	if err != nil {
		return Account{}, false, err
	}
	account, _, err = w.Account(ctx)
	return account, seededNow, err
}

// Reset deletes the workspace and fills it again, relative to now, in one transaction.
// Other organizations are left alone. Of this one only the audit log stays, which
// nobody may delete from; accounts that were in no other organization go.
func (w Workspace) Reset(ctx context.Context, password string) (Account, error) {
	_, err := w.plant(ctx, password, func(ctx context.Context, tx pgx.Tx) (bool, error) {
		return true, departure.EraseContents(ctx, tx, orgID)
	})
	if err != nil {
		return Account{}, err
	}
	account, _, err := w.Account(ctx)
	return account, err
}

// Account finds the way into the workspace; found is false when it was never seeded.
func (w Workspace) Account(ctx context.Context) (account Account, found bool, err error) {
	account.OrgID = orgID
	var service *uuid.UUID
	var sealed []byte
	err = w.DB.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, accountSQL, orgID, personID(data().Owner), serviceID(data().FiredAt)).
			Scan(&account.Email, &service, &account.ServiceName, &sealed)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Account{}, false, nil
	case err != nil:
		return Account{}, false, fmt.Errorf("look for the demo workspace: %w", err)
	case service == nil:
		return account, true, nil
	}
	key, err := w.Box.Open(sealed, catalog.KeyPlace(orgID, *service))
	account.ServiceKey = string(key)
	return account, true, err
}

// accountSQL prefers the service that the workspace means, and its newest valid key.
const accountSQL = `
SELECT u.email, k.service_id, coalesce(s.name, ''), k.sealed
FROM membership m
JOIN users u ON u.id = m.user_id
LEFT JOIN service s ON s.org_id = m.org_id AND s.deleted_at IS NULL
LEFT JOIN service_key k ON k.org_id = s.org_id AND k.service_id = s.id AND k.expires_at IS NULL
WHERE m.org_id = $1 AND m.user_id = $2
ORDER BY s.id = $3 DESC NULLS LAST, k.created_at DESC NULLS LAST, s.id
LIMIT 1`

// plant fills the workspace under the lock, when prepare says so.
func (w Workspace) plant(ctx context.Context, password string, prepare func(context.Context, pgx.Tx) (bool, error)) (planted bool, err error) {
	hash, err := w.Hasher.Hash(ctx, auth.KnownDevices, password)
	if err != nil {
		return false, err
	}
	err = w.DB.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(seedLock)); err != nil {
			return err
		}
		if planted, err = prepare(ctx, tx); err != nil || !planted {
			return err
		}
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return fill(ctx, tx, w.Box, hash, now)
	})
	if postgres.ConstraintName(err) == "users_email_key" {
		return false, ErrAddressTaken
	}
	if err != nil {
		return false, fmt.Errorf("fill the demo workspace: %w", err)
	}
	return planted, nil
}

// keepPassword makes password the owner's, because the caller is about to tell people
// that it is.
func (w Workspace) keepPassword(ctx context.Context, password string) error {
	var stored string
	err := w.DB.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT password_hash FROM users WHERE id = $1`, personID(data().Owner)).Scan(&stored)
	})
	if err != nil {
		return err
	}
	matches, _, err := w.Hasher.Verify(ctx, auth.KnownDevices, password, stored)
	if err != nil || matches {
		return err
	}
	hash, err := w.Hasher.Hash(ctx, auth.KnownDevices, password)
	if err != nil {
		return err
	}
	return w.DB.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE users SET password_hash = $2 WHERE id = $1`, personID(data().Owner), hash); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE session SET revoked_at = nightbell_now(), revoked_for = 'password'
			WHERE user_id = $1 AND revoked_at IS NULL`, personID(data().Owner))
		return err
	})
}
