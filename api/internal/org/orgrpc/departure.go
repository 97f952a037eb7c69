package orgrpc

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

var errRemovesOthers = fault.New(fault.Denied, "role_too_low",
	"Only admins remove others, and only owners remove an owner. Ask one of them.")

// Departures are what is told once somebody has left or has another role; a Server without them tells
// nobody.
type Departures struct {
	Signals paging.Signals
	// Changed says that a person's sessions in an organization are over, or have another role.
	Changed func(orgID, userID uuid.UUID)
}

// Telling makes the server tell who has left.
func (s *Server) Telling(departures Departures) *Server {
	s.departures = departures
	return s
}

// GetUserDuties says what names a person.
func (s *Server) GetUserDuties(ctx context.Context, request *nightbellv1.GetUserDutiesRequest) (*nightbellv1.GetUserDutiesResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetUserDutiesResponse{}
	userID, _ := id.Parse(request.GetId())
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := findUser(ctx, orgdb.New(tx), actor, userID); err != nil {
			return err
		}
		duties, err := departure.ReadDuties(ctx, tx, departure.Person{OrgID: actor.OrgID, ID: userID}, now)
		answer.Schedules, answer.EscalationPolicies, answer.Teams = dutiesOf(duties.Schedules), dutiesOf(duties.Policies), dutiesOf(duties.Teams)
		answer.Services, answer.Incidents = dutiesOf(duties.Services), dutiesOf(duties.Incidents)
		if actor.Holds(auth.IncidentsRead) != nil {
			withoutTitles(answer.Incidents)
		}
		if actor.Role.AtLeast(auth.Admin) {
			answer.ApiKeys = dutiesOf(duties.APIKeys)
		}
		answer.ReplacementNeeded = len(duties.Needed()) > 0
		return err
	})
	return answer, err
}

// withoutTitles leaves the numbers of incidents to a key that may not read them: "#12 Disk full" is #12.
func withoutTitles(incidents []*nightbellv1.Duty) {
	for _, one := range incidents {
		one.Name, _, _ = strings.Cut(one.Name, " ")
	}
}

func dutiesOf(list []departure.Duty) []*nightbellv1.Duty {
	duties := make([]*nightbellv1.Duty, len(list))
	for i, one := range list {
		duties[i] = &nightbellv1.Duty{Id: one.ID.String(), Name: one.Name}
	}
	return duties
}

// DeleteUser takes a person out of the caller's organization.
func (s *Server) DeleteUser(ctx context.Context, request *nightbellv1.DeleteUserRequest) (*nightbellv1.DeleteUserResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	person := departure.Person{OrgID: actor.OrgID}
	person.ID, _ = id.Parse(request.GetId())
	if request.GetReplaceBy() != "" {
		if person.ReplaceBy, ok = id.Parse(request.GetReplaceBy()); !ok {
			return nil, fault.InvalidField("replace_by", fault.Missing, "Choose somebody else of your organization.")
		}
	}
	by := incident.Actor{Kind: incident.ActorKind(actor.Kind), Name: actor.Name}
	if actor.Kind == auth.User {
		by.ID = actor.UserID
	} else {
		by.ID = actor.APIKeyID
	}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return departure.Leave(ctx, tx, person, by, func(role string) error {
			if err := mayRemove(actor, person.ID, auth.Role(role)); err != nil {
				return err
			}
			read := func() (*nightbellv1.User, error) { return findUser(ctx, orgdb.New(tx), actor, person.ID) }
			return edit.IfMatch[*nightbellv1.UpdateUserRequest](request.GetEtag(), read)
		}, now)
	})
	if err != nil {
		return nil, err
	}
	if told := s.departures; told.Changed != nil {
		told.Changed(actor.OrgID, person.ID)
		told.Signals.Changed(actor.OrgID)
		told.Signals.Pages()
	}
	return &nightbellv1.DeleteUserResponse{}, nil
}

func mayRemove(actor auth.Actor, person uuid.UUID, role auth.Role) error {
	self := actor.Kind == auth.User && actor.UserID == person
	if self || actor.Role.AtLeast(auth.Admin) && (role != auth.Owner || actor.Role == auth.Owner) {
		return nil
	}
	return errRemovesOthers
}
