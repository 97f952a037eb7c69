package backup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Write reads the database of dsn as it is at one moment and writes it to out as one file. The
// database may be in use; nothing in it is changed, and nobody waits. When it fails, what was written
// is no backup.
func Write(ctx context.Context, dsn, version string, out io.Writer, progress Progress) (m Manifest, err error) {
	conn, err := postgres.Connect(ctx, dsn, "nightbell backup")
	if err != nil {
		return m, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is left to lose
	packed := zip.NewWriter(out)
	m = Manifest{Format: format, Version: version}
	err = pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		// 1. What there is. Values are written so that any server and any settings read them alike.
		if _, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
			SET LOCAL datestyle = 'ISO'; SET LOCAL intervalstyle = 'postgres'; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 1`); err != nil {
			return err
		}
		if err := m.describe(ctx, tx); err != nil {
			return err
		}
		// 2. Row-level security hides every tenant's rows from the owner of the tables.
		if _, err := tx.Exec(ctx, `SET LOCAL ROLE `+postgres.SystemRole); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, `SELECT environment_id, coalesce(key_fingerprint, ''), nightbell_now() FROM installation`).
			Scan(&m.EnvironmentID, &m.KeyFingerprint, &m.MadeAt)
		if err != nil {
			return fmt.Errorf("no Nightbell has used this database yet: %w", err)
		}
		m.MadeAt = m.MadeAt.UTC().Truncate(time.Second)
		// 3. The rows.
		for i := range m.Tables {
			progress(m.Tables[i].Name, i, len(m.Tables), m.Rows())
			if err := m.Tables[i].write(ctx, conn, packed, m.MadeAt); err != nil {
				return fmt.Errorf("read the table %s: %w", m.Tables[i].Name, err)
			}
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	file, err := packed.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: m.MadeAt})
	if err != nil {
		return m, err
	}
	encoder := json.NewEncoder(file)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return m, err
	}
	return m, packed.Close()
}

// tablesSQL finds every table that is not a part of another, so that a new one cannot be forgotten.
// Generated columns are computed again.
const tablesSQL = `
SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> 'schema_migration'
GROUP BY c.relname ORDER BY c.relname`

// describe reads what the database consists of.
func (m *Manifest) describe(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT name, checksum FROM schema_migration ORDER BY version`)
	if err == nil {
		m.Migrations, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Migration])
	}
	if err != nil {
		return fmt.Errorf("this database is no Nightbell's: %w", err)
	}
	if m.Tables, err = tables(ctx, tx); err != nil {
		return err
	}
	rows, err = tx.Query(ctx, `SELECT sequencename::text FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		s := Sequence{Name: name}
		if err := tx.QueryRow(ctx, `SELECT last_value, is_called FROM `+quoted(name)).Scan(&s.Last, &s.Called); err != nil {
			return err
		}
		m.Sequences = append(m.Sequences, s)
	}
	return err
}

func tables(ctx context.Context, tx pgx.Tx) ([]Table, error) {
	rows, err := tx.Query(ctx, tablesSQL)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Table, err error) {
		return t, row.Scan(&t.Name, &t.Columns)
	})
}

// write packs the rows of a table. Its parts are read with it.
func (t *Table) write(ctx context.Context, conn *pgx.Conn, packed *zip.Writer, at time.Time) error {
	file, err := packed.CreateHeader(&zip.FileHeader{Name: t.file(), Method: zip.Deflate, Modified: at})
	if err != nil {
		return err
	}
	sum, size := sha256.New(), new(counter)
	tag, err := conn.PgConn().CopyTo(ctx, io.MultiWriter(file, sum, size),
		fmt.Sprintf("COPY (SELECT %s FROM %s) TO STDOUT (ENCODING 'UTF8')", t.columns(), quoted(t.Name)))
	t.Rows, t.Bytes, t.SHA256 = tag.RowsAffected(), int64(*size), hex.EncodeToString(sum.Sum(nil))
	return err
}

func (t *Table) columns() string {
	list := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		list[i] = quoted(column)
	}
	return strings.Join(list, ", ")
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }

// counter counts bytes.
type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}
