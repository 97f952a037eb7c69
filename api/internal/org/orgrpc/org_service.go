// Package orgrpc serves the people of an organization and its teams.
package orgrpc

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var (
	errNoMember = fault.New(fault.NotFound, "member_not_found",
		"One of these people is not a member of your organization. Invite them first.")
	errTeamExists = fault.New(fault.Conflict, "team_exists", "There is a team of this name already. Choose another name.")
)

// Server implements nightbell.v1.OrgService.
type Server struct {
	nightbellv1connect.UnimplementedOrgServiceHandler

	db *postgres.DB
}

// NewServer serves from this database.
func NewServer(db *postgres.DB) *Server { return &Server{db: db} }

// ListMembers lists everybody who can sign in to the caller's organization, by name.
func (s *Server) ListMembers(ctx context.Context, _ *nightbellv1.ListMembersRequest) (*nightbellv1.ListMembersResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListMembersResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := orgdb.New(tx).ListMembers(ctx, actor.OrgID)
		answer.Members = make([]*nightbellv1.Member, len(rows))
		for i, row := range rows {
			answer.Members[i] = &nightbellv1.Member{
				Id: row.ID.String(), Name: row.Name, Email: row.Email, Role: row.Role,
				Timezone: row.Timezone, JoinedAt: timestamppb.New(row.JoinedAt),
			}
		}
		return err
	})
	return answer, err
}

// ListTeams lists the caller's organization's teams, by name.
func (s *Server) ListTeams(ctx context.Context, _ *nightbellv1.ListTeamsRequest) (*nightbellv1.ListTeamsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListTeamsResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := orgdb.New(tx).ListTeams(ctx, actor.OrgID)
		answer.Teams = make([]*nightbellv1.Team, len(rows))
		for i, row := range rows {
			answer.Teams[i] = teamOf(row.ID, row.Name, row.Description, row.MemberIds)
		}
		return err
	})
	return answer, err
}

// CreateTeam makes a team of members of the caller's organization.
func (s *Server) CreateTeam(ctx context.Context, request *nightbellv1.CreateTeamRequest) (*nightbellv1.CreateTeamResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	name, err := org.CleanName("name", request.GetName())
	if err != nil {
		return nil, err
	}
	description := strings.TrimSpace(request.GetDescription())
	if strings.ContainsRune(description, 0) {
		return nil, org.Refuse("description", "Remove the control characters from the description.")
	}
	members, err := parseMembers(request.GetMemberIds())
	if err != nil {
		return nil, err
	}
	team := orgdb.InsertTeamParams{OrgID: actor.OrgID, ID: id.New(), Name: name, Description: description}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		return insertTeam(ctx, tx, team, members)
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.CreateTeamResponse{Team: teamOf(team.ID, name, description, members)}, nil
}

func insertTeam(ctx context.Context, tx pgx.Tx, team orgdb.InsertTeamParams, members []uuid.UUID) (err error) {
	if team.CreatedAt, err = postgres.Now(ctx, tx); err != nil {
		return err
	}
	err = orgdb.New(tx).InsertTeam(ctx, team)
	if postgres.ConstraintName(err) == "team_name_key" {
		return errTeamExists
	}
	if err != nil {
		return err
	}
	err = orgdb.New(tx).InsertTeamMembers(ctx, orgdb.InsertTeamMembersParams{
		OrgID: team.OrgID, TeamID: team.ID, UserIds: members, CreatedAt: team.CreatedAt,
	})
	if postgres.IsForeignKey(err) {
		return errNoMember
	}
	return err
}

// parseMembers reads ids, sorted and each once. What is not an id is nobody's.
func parseMembers(texts []string) ([]uuid.UUID, error) {
	members := make([]uuid.UUID, 0, len(texts))
	for _, text := range texts {
		member, ok := id.Parse(text)
		if !ok {
			return nil, errNoMember
		}
		members = append(members, member)
	}
	slices.SortFunc(members, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(members), nil
}

func teamOf(teamID uuid.UUID, name, description string, members []uuid.UUID) *nightbellv1.Team {
	team := &nightbellv1.Team{Id: teamID.String(), Name: name, Description: description}
	for _, member := range members {
		team.MemberIds = append(team.MemberIds, member.String())
	}
	return team
}
