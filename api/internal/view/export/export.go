// Package export writes what is stored of a person, or of an organization, for them to take along.
//
// Each kind of row is read a page at a time, by key, in short transactions that only read and see one
// organization. So a large account takes little memory, and a slow reader holds no connection; rows
// that change meanwhile are written as they are when their page is read.
package export

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// pageRows is how many rows are read at once.
const pageRows = 500

// section is one kind of row. Its statement gives (key, JSON) by key, at most $2 of them after the
// key $1, as what is read of organization $3.
type section struct {
	name string
	// first is before every key.
	first string
	sql   string
}

const (
	beforeIDs  = "00000000-0000-0000-0000-000000000000"
	beforeSeqs = "0"
)

// row is one of a page.
type row struct {
	key  string
	text []byte
}

// read hands the rows of a section to write, in order. in runs a read-only transaction.
func (s section) read(ctx context.Context, in func(func(context.Context, pgx.Tx) error) error, write func([]byte) error, args ...any) error {
	for after, more := s.first, true; more; {
		var page []row
		err := in(func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, s.sql, append([]any{after, pageRows}, args...)...)
			if err != nil {
				return err
			}
			page, err = pgx.CollectRows(rows, func(found pgx.CollectableRow) (r row, err error) {
				err = found.Scan(&r.key, &r.text)
				return r, err
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, one := range page {
			if err := write(one.text); err != nil {
				return err
			}
			after = one.key
		}
		more = len(page) == pageRows
	}
	return ctx.Err()
}

// document writes JSON as it comes. After a failure it writes nothing more.
type document struct {
	w   io.Writer
	err error
	// between stands before the next member or element.
	between string
}

func (d *document) text(text string) {
	if d.err == nil {
		_, d.err = io.WriteString(d.w, text)
	}
}

// member begins a member of the object that is being written.
func (d *document) member(name string) {
	d.text(d.between + `"` + name + `":`)
	d.between = ","
}

func (d *document) value(name string, value any) {
	encoded, err := json.Marshal(value)
	if d.err == nil {
		d.err = err
	}
	d.member(name)
	d.text(string(encoded))
}

// list writes what read hands over as one member.
func (d *document) list(name string, read func(write func([]byte) error) error) error {
	d.member(name)
	d.text("[")
	between := "\n"
	err := read(func(element []byte) error {
		d.text(between)
		between = ",\n"
		d.text(string(element))
		return d.err
	})
	d.text("]\n")
	if err != nil {
		return err
	}
	return d.err
}

// open and close begin and end an object.
func (d *document) open(text string) { d.text(text); d.between = "" }

func (d *document) close(text string) { d.text(text); d.between = "," }

// place is an organization of the account.
type place struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Role     string    `json:"role"`
	JoinedAt time.Time `json:"joined_at"`
}

// Account writes all that is stored of a person: of the account itself, and in each of its
// organizations. Of nobody else, and no secret.
func Account(ctx context.Context, db *postgres.DB, userID uuid.UUID, w io.Writer) error {
	d := &document{w: w}
	identity := func(fn func(context.Context, pgx.Tx) error) error {
		return db.InSystem(ctx, postgres.Background, fn, postgres.ReadOnly())
	}
	var now time.Time
	var account json.RawMessage
	var places []place
	err := identity(func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, accountSQL, userID).Scan(&account); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, placesSQL, userID)
		if err != nil {
			return err
		}
		places, err = pgx.CollectRows(rows, pgx.RowToStructByPos[place])
		return err
	})
	if err != nil {
		return err
	}
	d.open("{\n")
	d.value("format", 1)
	d.value("exported_at", now)
	d.value("account", account)
	for _, s := range identitySections {
		if err := d.list(s.name, func(write func([]byte) error) error { return s.read(ctx, identity, write, userID) }); err != nil {
			return err
		}
	}
	d.member("organizations")
	d.text("[")
	for i, one := range places {
		tenant := func(fn func(context.Context, pgx.Tx) error) error {
			return db.InTenant(ctx, one.ID, fn, postgres.ReadOnly())
		}
		if i > 0 {
			d.text(",")
		}
		d.open("{\n")
		d.value("organization", one)
		for _, s := range personSections {
			if err := d.list(s.name, func(write func([]byte) error) error { return s.read(ctx, tenant, write, one.ID, userID) }); err != nil {
				return err
			}
		}
		d.close("}")
	}
	d.text("]\n}\n")
	return d.err
}
