// Package airpc answers the calls about AI summaries and contexts.
package airpc

import (
	"context"

	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/ai"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/respond"
)

// Handler implements nightbellv1connect.AiServiceHandler for an installation without
// a provider.
type Handler struct{ db *postgres.DB }

// New makes a handler.
func New(db *postgres.DB) *Handler { return &Handler{db: db} }

// refuse tells first whether the incident exists, so that the answer about it is the
// same for an incident of another organization and for none.
func (h *Handler) refuse(ctx context.Context, text string, because error) error {
	caller, _ := auth.ActorFrom(ctx)
	incidentID, _ := id.Parse(text)
	return h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		var exists bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM incident WHERE org_id = $1 AND id = $2)`, caller.OrgID, incidentID).Scan(&exists)
		switch {
		case err != nil:
			return err
		case !exists:
			return respond.ErrNoIncident
		default:
			return because
		}
	}, postgres.ReadOnly())
}

// GenerateSummary needs a provider.
func (h *Handler) GenerateSummary(ctx context.Context, request *nightbellv1.GenerateSummaryRequest) (*nightbellv1.GenerateSummaryResponse, error) {
	return nil, h.refuse(ctx, request.GetId(), ai.ErrNotConfigured)
}

// GetSummary gives the stored summary.
func (h *Handler) GetSummary(ctx context.Context, request *nightbellv1.GetSummaryRequest) (*nightbellv1.GetSummaryResponse, error) {
	return nil, h.refuse(ctx, request.GetId(), ai.ErrNoSummary)
}

// RefreshSummary needs a provider.
func (h *Handler) RefreshSummary(ctx context.Context, request *nightbellv1.RefreshSummaryRequest) (*nightbellv1.RefreshSummaryResponse, error) {
	return nil, h.refuse(ctx, request.GetId(), ai.ErrNotConfigured)
}

// GetContext gives the stored context.
func (h *Handler) GetContext(ctx context.Context, request *nightbellv1.GetContextRequest) (*nightbellv1.GetContextResponse, error) {
	return nil, h.refuse(ctx, request.GetId(), ai.ErrNoContext)
}

// GenerateContext needs a provider.
func (h *Handler) GenerateContext(ctx context.Context, request *nightbellv1.GenerateContextRequest) (*nightbellv1.GenerateContextResponse, error) {
	return nil, h.refuse(ctx, request.GetId(), ai.ErrNotConfigured)
}
