package catalogdb

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Change is what somebody changed about a service. Links and Metadata are JSON, Link is the first
// that a browser opens.
type Change struct {
	ID, ServiceID                               uuid.UUID
	Kind, Summary, Version, Environment, Author string
	Link                                        string
	Links, Metadata                             []byte
	OccurredAt                                  time.Time
	// ServiceName is only read.
	ServiceName string
}

// KeepChange stores a change, and tells whether it was kept before (replayed), and whether something
// else was sent with its id then. A repeated call writes too (design rule 3).
func KeepChange(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, change Change, hash [sha256.Size]byte) (replayed, mismatch bool, err error) {
	err = tx.QueryRow(ctx, `
		INSERT INTO change_event AS c (org_id, id, service_id, kind, description, link, version, environment, author, links, metadata, request_hash, occurred_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, least(coalesce($13, nightbell_now()), nightbell_now()))
		ON CONFLICT (org_id, id) DO UPDATE SET occurred_at = c.occurred_at
		RETURNING xmax <> 0, c.request_hash IS DISTINCT FROM $12 OR c.service_id <> $3`,
		orgID, change.ID, change.ServiceID, change.Kind, change.Summary, change.Link, change.Version, change.Environment, change.Author,
		change.Links, change.Metadata, hash[:], postgres.Null(change.OccurredAt)).Scan(&replayed, &mismatch)
	return replayed, mismatch, err
}

// ChangeFilter says which changes are wanted. Nothing set means any.
type ChangeFilter struct {
	ID           uuid.UUID
	ServiceIDs   []uuid.UUID
	Kinds        []string
	Since, Until *time.Time
	// BeforeAt and BeforeID are the place in the list after which it goes on.
	BeforeAt time.Time
	BeforeID uuid.UUID
	Metadata bool
}

// Changes reads at most limit changes, what occurred last first. Its transaction is
// postgres.InOrder, so that it reads little more than it gives.
func Changes(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, f ChangeFilter, limit int) ([]Change, error) {
	where, arguments := []string{"c.org_id = $1"}, []any{orgID}
	add := func(condition string, values ...any) {
		places := make([]any, len(values))
		for i, value := range values {
			arguments = append(arguments, value)
			places[i] = len(arguments)
		}
		where = append(where, fmt.Sprintf(condition, places...))
	}
	if f.ID != uuid.Nil {
		add("c.id = $%d", f.ID)
	}
	switch len(f.ServiceIDs) {
	case 0:
	case 1:
		add("c.service_id = $%d", f.ServiceIDs[0])
	default:
		add("c.service_id = ANY ($%d)", f.ServiceIDs)
	}
	if len(f.Kinds) > 0 {
		add("c.kind = ANY ($%d)", f.Kinds)
	}
	if f.Since != nil {
		add("c.occurred_at >= $%d", *f.Since)
	}
	if f.Until != nil {
		add("c.occurred_at < $%d", *f.Until)
	}
	if f.BeforeID != uuid.Nil {
		add("(c.occurred_at, c.id) < ($%d, $%d)", f.BeforeAt, f.BeforeID)
	}
	metadata := "NULL::jsonb"
	if f.Metadata {
		metadata = "c.metadata"
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT c.id, c.service_id, c.kind, c.description, c.version, c.environment, coalesce(nullif(c.author, ''), u.name, ''), c.link, c.links, %s, c.occurred_at, s.name
		FROM (SELECT * FROM change_event c WHERE %s ORDER BY c.occurred_at DESC, c.id DESC LIMIT %d) c
		JOIN service s ON s.org_id = c.org_id AND s.id = c.service_id LEFT JOIN users u ON u.id = c.user_id
		ORDER BY c.occurred_at DESC, c.id DESC`, metadata, strings.Join(where, " AND "), limit), arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Change])
}

// ServiceExists reports whether the organization has the service.
func ServiceExists(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID) (exists bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM service WHERE org_id = $1 AND id = $2 AND deleted_at IS NULL)`, orgID, serviceID).Scan(&exists)
	return exists, err
}
