package orgrpc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var (
	errNoMember = fault.InvalidField("user_ids", fault.Missing,
		"One of these people is not a member of your organization. Invite them first.")
	errNoTeam     = fault.New(fault.NotFound, "team_not_found", "Team not found")
	errTeamExists = fault.New(fault.Conflict, "team_name_taken", "There is a team of this name already. Choose another name.")
)

// team is a team as it is asked for: checked, and not stored yet.
type team struct {
	orgID, teamID     uuid.UUID
	name, description string
	members           []uuid.UUID
}

// asked is what creating and updating a team have in common.
type asked interface {
	GetName() string
	GetDescription() string
	GetUserIds() []string
}

func readTeam(orgID, teamID uuid.UUID, request asked) (team, error) {
	name, err := org.CleanName("name", request.GetName())
	if err != nil {
		return team{}, err
	}
	description := strings.TrimSpace(request.GetDescription())
	if strings.ContainsRune(description, 0) {
		return team{}, fault.InvalidField("description", fault.BadFormat, "Remove the control characters from the description.")
	}
	members, err := parseMembers(request.GetUserIds())
	return team{orgID, teamID, name, description, members}, err
}

// CreateTeam makes a team of members of the caller's organization.
func (s *Server) CreateTeam(ctx context.Context, request *nightbellv1.CreateTeamRequest) (*nightbellv1.CreateTeamResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	made, err := readTeam(actor.OrgID, id.New(), request)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, actor, func(ctx context.Context, q *orgdb.Queries, now time.Time) error {
		err := q.InsertTeam(ctx, orgdb.InsertTeamParams{OrgID: made.orgID, ID: made.teamID, Name: made.name, Description: made.description, CreatedAt: now})
		if err != nil {
			return err
		}
		return made.addMembers(ctx, q, now)
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.CreateTeamResponse{Team: made.message()}, nil
}

// UpdateTeam changes the fields that the request names. Whoever stays keeps the place in the
// order in which the team is paged.
func (s *Server) UpdateTeam(ctx context.Context, request *nightbellv1.UpdateTeamRequest) (*nightbellv1.UpdateTeamResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	response := &nightbellv1.UpdateTeamResponse{}
	teamID, _ := id.Parse(request.GetId())
	err := s.change(ctx, actor, func(ctx context.Context, q *orgdb.Queries, now time.Time) error {
		_, err := q.LockTeam(ctx, actor.OrgID, teamID)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoTeam
		}
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Team, error) { return find(ctx, q, actor.OrgID, teamID) }
		response.Team, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateTeamRequest) error {
			wanted, err := readTeam(actor.OrgID, teamID, whole)
			if err != nil {
				return err
			}
			return wanted.update(ctx, q, now)
		})
		return err
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	return response, nil
}

// find reads one team, which must exist.
func find(ctx context.Context, q *orgdb.Queries, orgID, teamID uuid.UUID) (*nightbellv1.Team, error) {
	rows, err := q.ListTeams(ctx, orgdb.ListTeamsParams{OrgID: orgID, ID: &teamID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoTeam
	}
	return teamOf(rows[0].ID, rows[0].Name, rows[0].Description, rows[0].MemberIds), nil
}

func (t team) update(ctx context.Context, q *orgdb.Queries, now time.Time) error {
	if err := q.UpdateTeam(ctx, orgdb.UpdateTeamParams{Name: t.name, Description: t.description, OrgID: t.orgID, ID: t.teamID}); err != nil {
		return err
	}
	if err := q.DeleteTeamMembers(ctx, t.orgID, t.teamID, t.members); err != nil {
		return err
	}
	return t.addMembers(ctx, q, now)
}

// DeleteTeam removes a team that no policy pages.
func (s *Server) DeleteTeam(ctx context.Context, request *nightbellv1.DeleteTeamRequest) (*nightbellv1.DeleteTeamResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	teamID, _ := id.Parse(request.GetId())
	err := s.change(ctx, actor, func(ctx context.Context, q *orgdb.Queries, _ time.Time) error {
		_, err := q.LockTeam(ctx, actor.OrgID, teamID)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoTeam
		}
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.Team, error) { return find(ctx, q, actor.OrgID, teamID) }
		if err := edit.IfMatch[*nightbellv1.UpdateTeamRequest](request.GetEtag(), read); err != nil {
			return err
		}
		policies, err := q.ListPoliciesOfTeam(ctx, actor.OrgID, teamID)
		if err != nil {
			return err
		}
		if len(policies) > 0 {
			return teamInUse(policies)
		}
		return q.DeleteTeam(ctx, actor.OrgID, teamID)
	})
	return &nightbellv1.DeleteTeamResponse{}, err
}

func teamInUse(policies []string) error {
	sentence := "The escalation policy %s pages this team. Remove it from its steps first."
	if len(policies) > 1 {
		sentence = "The escalation policies %s page this team. Remove it from their steps first."
	}
	return fault.Newf(fault.Conflict, "team_in_use", sentence, strings.Join(policies, ", "))
}

// change runs in a transaction of the caller's organization, with the time of the database.
func (s *Server) change(ctx context.Context, actor auth.Actor, do func(context.Context, *orgdb.Queries, time.Time) error) error {
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return do(ctx, orgdb.New(tx), now)
	})
	if postgres.ConstraintName(err) == "team_name_key" {
		return errTeamExists.Because(err)
	}
	return err
}

func (t team) addMembers(ctx context.Context, q *orgdb.Queries, now time.Time) error {
	err := q.InsertTeamMembers(ctx, orgdb.InsertTeamMembersParams{OrgID: t.orgID, TeamID: t.teamID, UserIds: t.members, CreatedAt: now})
	if postgres.IsForeignKey(err) {
		return errNoMember.Because(err)
	}
	return err
}

func (t team) message() *nightbellv1.Team { return teamOf(t.teamID, t.name, t.description, t.members) }

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
		team.UserIds = append(team.UserIds, member.String())
	}
	return team
}
