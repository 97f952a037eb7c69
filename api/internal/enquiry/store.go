package enquiry

import (
	"context"
	"encoding/csv"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// insertSQL keeps nothing where a day's worth is there already; enquiry_news_once makes the same
// address for news nothing new.
const insertSQL = `
INSERT INTO enquiry (id, kind, email, name, company, message, created_at)
SELECT $1, $2, $3, $4, $5, $6, $7
WHERE (SELECT count(*) FROM enquiry WHERE created_at > $7::timestamptz - interval '1 day') < $8
ON CONFLICT (lower(email)) WHERE kind = 'news' DO NOTHING`

func insert(ctx context.Context, tx pgx.Tx, e Enquiry) error {
	tag, err := tx.Exec(ctx, insertSQL, e.ID, e.Kind, e.Email, e.Name, e.Company, e.Message, e.CreatedAt, mostPerDay)
	if err != nil || tag.RowsAffected() == 1 {
		return err
	}
	var known bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM enquiry WHERE kind = $1 AND kind = 'news' AND lower(email) = lower($2))`, e.Kind, e.Email).Scan(&known)
	if err == nil && !known {
		err = errFull
	}
	return err
}

// Export writes all enquiries as CSV (RFC 4180), the oldest first.
func Export(ctx context.Context, db *postgres.DB, out io.Writer) error {
	var all []Enquiry
	err := db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT id, kind, email, name, company, message, created_at FROM enquiry ORDER BY created_at, id`)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Enquiry])
		return err
	})
	if err != nil {
		return err
	}
	table := csv.NewWriter(out)
	_ = table.Write([]string{"created_at", "kind", "email", "name", "company", "message"}) // Flush tells
	for _, e := range all {
		_ = table.Write([]string{
			e.CreatedAt.UTC().Format(time.RFC3339), string(e.Kind), inert(e.Email), inert(e.Name), inert(e.Company), inert(e.Message),
		})
	}
	table.Flush()
	return table.Error()
}

// inert keeps a spreadsheet from running a stranger's text as a formula (OWASP, CSV injection).
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// Delete forgets everything that came from an address and says how much that was.
func Delete(ctx context.Context, db *postgres.DB, email string) (deleted int64, err error) {
	err = db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM enquiry WHERE lower(email) = lower($1)`, email)
		deleted = tag.RowsAffected()
		return err
	})
	return deleted, err
}
