package escalationrpc

import (
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Maintenance implements nightbellv1connect.MaintenanceServiceHandler.
type Maintenance struct {
	nightbellv1connect.UnimplementedMaintenanceServiceHandler

	db *postgres.DB
}

// NewMaintenance makes a handler.
func NewMaintenance(db *postgres.DB) *Maintenance { return &Maintenance{db: db} }
