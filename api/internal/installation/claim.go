package installation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// State is what the database says about its installation. The zero value is a database
// that nobody has used yet.
type State struct {
	// EnvironmentID names the installation; a copy that is confirmed gets another one.
	EnvironmentID uuid.UUID
	// Fingerprint is that of the data key that sealed the stored secrets; empty before
	// the first start.
	Fingerprint string
	// Home is where the database was used last; nil until the next start says.
	Home *Home
}

// Querier reads one row; a connection and a transaction can.
type Querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Load reads the state of a migrated database and changes nothing.
func Load(ctx context.Context, db Querier) (State, error) {
	var state State
	var home []byte
	err := db.QueryRow(ctx, `SELECT environment_id, coalesce(key_fingerprint, ''), home FROM installation`).
		Scan(&state.EnvironmentID, &state.Fingerprint, &home)
	if errors.Is(err, pgx.ErrNoRows) {
		return State{}, nil
	}
	if err != nil || home == nil {
		return state, err
	}
	return state, json.Unmarshal(home, &state.Home)
}

// DatabaseIdentity is the identity of the connected database that Home compares. Where
// the server keeps its system identifier to itself, it is the OID alone.
func DatabaseIdentity(ctx context.Context, db Querier) (string, error) {
	var oid uint32
	var tells bool
	err := db.QueryRow(ctx, `SELECT oid, has_function_privilege('pg_control_system()', 'EXECUTE') FROM pg_database WHERE datname = current_database()`).
		Scan(&oid, &tells)
	if err != nil || !tells {
		return fmt.Sprintf("/%d", oid), err
	}
	var cluster string
	err = db.QueryRow(ctx, `SELECT system_identifier::text FROM pg_control_system()`).Scan(&cluster)
	return fmt.Sprintf("%s/%d", cluster, oid), err
}

// CheckKey refuses a data key with another fingerprint than the one that sealed what is
// stored. An empty key is one that is missing.
func (s State) CheckKey(fingerprint string) error {
	const restore = "Restore it: the file data-key of the data directory's backup, or the value of NIGHTBELL_DATA_KEY that was used before. " +
		"If it is lost for good, run `nightbell restored new-key`: contacts and integrations with secrets then have to be entered again"
	switch s.Fingerprint {
	case "", fingerprint:
		return nil
	}
	if fingerprint == "" {
		return fmt.Errorf("the data key is missing, and this database holds secrets that only it opens (fingerprint %s). %s", s.Fingerprint, restore)
	}
	return fmt.Errorf("the data key (fingerprint %s) is not the one that sealed this database's secrets (fingerprint %s). %s", fingerprint, s.Fingerprint, restore)
}

// IsCopy reports whether a database with this state, found at home now, was restored from
// another installation.
func (s State) IsCopy(home Home) bool { return s.Home != nil && !s.Home.Same(home) }

// Installation is this process's side of the database that it uses.
type Installation struct {
	db          *postgres.DB
	fingerprint string
	place       Home // its Database is read each time: a failover or restore may change it
}

// New makes an installation that reaches its database at this address, with this witness
// (see Home) and the data key of this fingerprint.
func New(db *postgres.DB, fingerprint, address, witness string) *Installation {
	return &Installation{db: db, fingerprint: fingerprint, place: Home{Address: address, Witness: witness}}
}

// Claim takes the database into use: at the first start it gets its name and the key's
// fingerprint. It fails when another key sealed what is stored. Unless the database is a
// copy, which copied reports, it notes where the database is used now.
func (i *Installation) Claim(ctx context.Context) (copied bool, err error) {
	return i.look(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO installation (environment_id, created_at) VALUES ($1, nightbell_now()) ON CONFLICT DO NOTHING`, id.New()); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `SELECT FROM installation FOR UPDATE`)
		return err
	})
}

// IsCopy reports whether the database is a restored copy now: a copy that was confirmed
// begins to page, an original that was replaced by a copy stops.
func (i *Installation) IsCopy(ctx context.Context) (bool, error) { return i.look(ctx, nil) }

// look compares the database with this process. Where it is used is noted by who claims
// it, and by the first who looks after it was confirmed.
func (i *Installation) look(ctx context.Context, claim func(context.Context, pgx.Tx) error) (copied bool, err error) {
	err = i.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		if claim != nil {
			if err := claim(ctx, tx); err != nil {
				return err
			}
		}
		state, err := Load(ctx, tx)
		if err != nil {
			return err
		}
		if err := state.CheckKey(i.fingerprint); err != nil {
			return err
		}
		home := i.place
		if home.Database, err = DatabaseIdentity(ctx, tx); err != nil {
			return err
		}
		if copied = state.IsCopy(home); copied {
			_, err := tx.Exec(ctx, `UPDATE installation SET copy_found_at = nightbell_now() WHERE copy_found_at IS NULL`)
			return err
		}
		if claim == nil && state.Home != nil {
			return nil
		}
		text, err := json.Marshal(home)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE installation SET key_fingerprint = $1, home = $2, copy_found_at = NULL`, i.fingerprint, text)
		return err
	})
	return copied, err
}
