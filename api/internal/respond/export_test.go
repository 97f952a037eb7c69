package respond

import (
	"context"

	"github.com/google/uuid"
)

// EnterMany takes the place of an answer to many incidents of an organization.
func (r *Responder) EnterMany(ctx context.Context, orgID uuid.UUID) (leave func(), err error) {
	return r.many.Enter(ctx, orgID)
}
