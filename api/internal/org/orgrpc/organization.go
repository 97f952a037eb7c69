package orgrpc

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// errNoOrganization is one answer for an organization that never was and one that the caller does not act in.
var errNoOrganization = fault.New(fault.NotFound, "organization_not_found", "Organization not found")

// GetOrganization gives the organization that the caller acts in.
func (s *Server) GetOrganization(ctx context.Context, request *nightbellv1.GetOrganizationRequest) (*nightbellv1.GetOrganizationResponse, error) {
	actor, err := actingIn(ctx, request.GetId())
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.GetOrganizationResponse{}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		answer.Organization, err = readOrganization(ctx, orgdb.New(tx), actor.OrgID)
		return err
	})
	return answer, err
}

// UpdateOrganization renames the organization that the caller acts in.
func (s *Server) UpdateOrganization(ctx context.Context, request *nightbellv1.UpdateOrganizationRequest) (*nightbellv1.UpdateOrganizationResponse, error) {
	actor, err := actingIn(ctx, request.GetId())
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.UpdateOrganizationResponse{}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		q := orgdb.New(tx)
		if err := q.LockOrg(ctx, actor.OrgID); err != nil {
			return err
		}
		read := func() (*nightbellv1.Organization, error) { return readOrganization(ctx, q, actor.OrgID) }
		answer.Organization, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateOrganizationRequest) error {
			name, err := org.CleanName("name", whole.GetName())
			if err != nil {
				return err
			}
			return q.RenameOrg(ctx, name, actor.OrgID)
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	return answer, nil
}

// actingIn is the caller, whose organization has to be the one that is named.
func actingIn(ctx context.Context, named string) (auth.Actor, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return actor, auth.ErrNoToken
	}
	if orgID, _ := id.Parse(named); orgID != actor.OrgID {
		return actor, errNoOrganization
	}
	return actor, nil
}

func readOrganization(ctx context.Context, q *orgdb.Queries, orgID uuid.UUID) (*nightbellv1.Organization, error) {
	row, err := q.ReadOrg(ctx, orgID)
	return &nightbellv1.Organization{Id: row.ID.String(), Name: row.Name, Kind: row.Kind, CreatedAt: timestamppb.New(row.CreatedAt)}, err
}
