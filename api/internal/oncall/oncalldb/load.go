package oncalldb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

var loadSQL = `SELECT ` + DefinitionSQL("s", "$3") + ` FROM schedule s
	WHERE s.org_id = $1 AND ($2::uuid[] IS NULL OR s.id = ANY($2)) ORDER BY lower(s.name), s.id`

// Load reads schedules of an organization by name: those of the ids, or every one when
// only is nil. Overrides that end at or before since are left out. A schedule with a flaw
// is given as paging takes it.
func Load(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, only []uuid.UUID, since time.Time) ([]oncall.Schedule, error) {
	rows, err := tx.Query(ctx, loadSQL, orgID, only, since)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (oncall.Schedule, error) {
		var text []byte
		if err := row.Scan(&text); err != nil {
			return oncall.Schedule{}, err
		}
		schedule, _ := Parse(text) // paging logs the flaw
		return schedule, nil
	})
}
