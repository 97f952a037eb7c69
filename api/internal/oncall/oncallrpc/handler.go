// Package oncallrpc answers the calls about schedules, overrides and who is on call.
package oncallrpc

import (
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Handler implements nightbellv1connect.OnCallServiceHandler.
type Handler struct {
	nightbellv1connect.UnimplementedOnCallServiceHandler

	db *postgres.DB
}

// New makes a handler.
func New(db *postgres.DB) *Handler { return &Handler{db: db} }
