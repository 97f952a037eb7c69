package respond

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/paging"
)

const maxComments = 2000

var errTooManyComments = fault.Newf(fault.Conflict, "too_many_comments",
	"This incident has %d comments, and takes no more. Go on in another incident, and link the two.", maxComments)

// Comment is Respond of a comment to one incident, as long as it has room. The incident is held, so that two at
// once do not both take the last place.
func (r *Responder) Comment(ctx context.Context, orgID, incidentID uuid.UUID, comment incident.Comment) error {
	return r.inAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx, round *paging.Round, batch *pgx.Batch) error {
		if err := commandAll(ctx, tx, round, batch, orgID, []uuid.UUID{incidentID}, comment); err != nil {
			return err
		}
		var comments int
		err := tx.QueryRow(ctx, `SELECT count(*) FROM timeline_event WHERE org_id = $1 AND incident_id = $2 AND kind = 'comment'`, orgID, incidentID).Scan(&comments)
		if err == nil && comments >= maxComments {
			err = errTooManyComments
		}
		return err
	})
}
