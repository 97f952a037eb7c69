// Package orgrpc serves the people of an organization and its teams.
package orgrpc

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Server implements nightbell.v1.OrgService.
type Server struct {
	db         *postgres.DB
	verifyMail bool
	departures Departures
}

// NewServer serves from this database. With verifyMail, an e-mail address is paged only once its owner
// has opened the link that was mailed to it.
func NewServer(db *postgres.DB, verifyMail bool) *Server {
	return &Server{db: db, verifyMail: verifyMail}
}

// ListUsers lists everybody who can sign in to the caller's organization, by name.
func (s *Server) ListUsers(ctx context.Context, request *nightbellv1.ListUsersRequest) (*nightbellv1.ListUsersResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListUsersResponse{}
	var known people
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		at, err := page.ByName(actor.OrgID, "users", request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		rows, err := orgdb.New(tx).ListMembers(ctx, orgdb.ListMembersParams{
			OrgID: actor.OrgID, AfterName: at.AfterName, AfterID: (*uuid.UUID)(at.AfterID), Most: at.Most(),
		})
		rows, answer.NextCursor = page.Next(rows, at.Limit, func(last orgdb.ListMembersRow) string {
			return page.Mark(actor.OrgID, "users", last.Name, last.ID.String())
		})
		if err != nil {
			return err
		}
		answer.Users = make([]*nightbellv1.User, len(rows))
		ids := make([]uuid.UUID, len(rows))
		for i, row := range rows {
			answer.Users[i], ids[i] = userOf(row, actor), row.ID
		}
		if slices.Contains(request.GetInclude(), "details") {
			known, err = readPeople(ctx, tx, actor.OrgID, ids)
		}
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	known.tell(answer.Users, s.verifyMail)
	return answer, nil
}

// GetUser gives one person of the caller's organization.
func (s *Server) GetUser(ctx context.Context, request *nightbellv1.GetUserRequest) (*nightbellv1.GetUserResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetUserResponse{}
	userID, _ := id.Parse(request.GetId())
	var known people
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		if answer.User, err = findUser(ctx, orgdb.New(tx), actor, userID); err != nil {
			return err
		}
		known, err = readPeople(ctx, tx, actor.OrgID, []uuid.UUID{userID})
		return err
	}, postgres.ReadOnly())
	if err != nil {
		return nil, err
	}
	known.tell([]*nightbellv1.User{answer.User}, s.verifyMail)
	return answer, nil
}

// userOf is a person as the caller may see them: telephone numbers are told to their owners alone.
func userOf(row orgdb.ListMembersRow, caller auth.Actor) *nightbellv1.User {
	user := &nightbellv1.User{
		Id: row.ID.String(), Name: row.Name, Email: row.Email, Role: row.Role,
		Timezone: row.Timezone, JoinedAt: timestamppb.New(row.JoinedAt),
	}
	if caller.Kind == auth.User && caller.UserID == row.ID {
		user.Phone = row.Phone
	}
	return user
}

// GetTeam gives one team of the caller's organization.
func (s *Server) GetTeam(ctx context.Context, request *nightbellv1.GetTeamRequest) (*nightbellv1.GetTeamResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetTeamResponse{}
	teamID, _ := id.Parse(request.GetId())
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		answer.Team, err = find(ctx, orgdb.New(tx), actor.OrgID, teamID)
		return err
	})
	return answer, err
}

// ListTeams lists the caller's organization's teams, by name.
func (s *Server) ListTeams(ctx context.Context, request *nightbellv1.ListTeamsRequest) (*nightbellv1.ListTeamsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListTeamsResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		at, err := page.ByName(actor.OrgID, "teams", request.GetLimit(), request.GetCursor())
		if err != nil {
			return err
		}
		rows, err := orgdb.New(tx).ListTeams(ctx, orgdb.ListTeamsParams{
			OrgID: actor.OrgID, AfterName: at.AfterName, AfterID: (*uuid.UUID)(at.AfterID), Most: at.Most(),
		})
		rows, answer.NextCursor = page.Next(rows, at.Limit, func(last orgdb.ListTeamsRow) string {
			return page.Mark(actor.OrgID, "teams", last.Name, last.ID.String())
		})
		answer.Teams = make([]*nightbellv1.Team, len(rows))
		for i, row := range rows {
			answer.Teams[i] = teamOf(row.ID, row.Name, row.Description, row.MemberIds)
		}
		return err
	})
	return answer, err
}
