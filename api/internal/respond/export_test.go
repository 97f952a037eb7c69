package respond

import (
	"context"

	"github.com/google/uuid"
)

// EnterPart takes the place of a part of an answer to many incidents of an organization.
func (r *Responder) EnterPart(ctx context.Context, orgID uuid.UUID) (leave func(), err error) {
	return r.parts.Enter(ctx, orgID)
}

// EnterProgram takes the place of a program that answers many incidents of an organization.
func (r *Responder) EnterProgram(ctx context.Context, orgID uuid.UUID) (leave func(), err error) {
	return r.programs.Enter(ctx, orgID)
}

// TakeLong counts one more answer of people to many incidents, if the organization may have it.
func (r *Responder) TakeLong(orgID uuid.UUID) bool {
	_, ok := r.long.take(longKey{orgID, false})
	return ok
}
