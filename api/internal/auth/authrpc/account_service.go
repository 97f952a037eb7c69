package authrpc

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// erasePatience is how long deleting may take, also for a caller who left: a large organization is more
// than a call waits for, and half of it must not stay.
const erasePatience = 5 * time.Minute

// eraseTurn is how long a deletion waits for another one to end.
const eraseTurn = 20 * time.Second

var (
	errPassword         = fault.InvalidField("password", fault.BadFormat, "This is not your password.")
	errNotThisName      = fault.InvalidField("name", fault.BadFormat, "This is not the organization's name. Type it as it is written.")
	errReplacement      = fault.InvalidField("replacements.replace_by", fault.Missing, "Choose somebody else of that organization.")
	errNotThisOne       = fault.New(fault.NotFound, "organization_not_found", "Organization not found")
	errErasing          = fault.New(fault.Unavailable, "other_deletion", "Something else is being deleted just now. Try again in a minute.").After(60)
	errDemoOrganization = fault.New(fault.Conflict, "demo_organization",
		"This is the demo workspace, which every start with --demo would make again. Start Nightbell without --demo first.")
)

// Ended is what is told once an account or an organization is no more; its functions may be nil.
type Ended struct {
	Signals paging.Signals
	// Organization says that an organization is gone.
	Organization func(orgID uuid.UUID)
}

// AccountServer implements nightbell.v1.AccountService.
type AccountServer struct {
	auth  *AuthServer
	ended Ended
	// erasing is held while something is deleted: connections of this kind are few, and test pages and
	// mails need one, too.
	erasing chan struct{}
}

// NewAccountServer deletes accounts of the server.
func NewAccountServer(accounts *AuthServer, ended Ended) *AccountServer {
	return &AccountServer{auth: accounts, ended: ended, erasing: make(chan struct{}, 1)}
}

// GetAccountDuties says what becomes of the caller's organizations with the account.
func (s *AccountServer) GetAccountDuties(ctx context.Context, _ *nightbellv1.GetAccountDutiesRequest) (*nightbellv1.GetAccountDutiesResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok || actor.Kind != auth.User {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetAccountDutiesResponse{}
	err := s.auth.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		places, err := departure.ReadPlaces(ctx, tx, actor.UserID, now)
		if err != nil {
			return err
		}
		for _, place := range places {
			one := placeOf(place)
			if one.GetOutcome() == "left" {
				others, err := authdb.New(tx).ListOthers(ctx, place.OrgID, actor.UserID)
				if err != nil {
					return err
				}
				for _, other := range others {
					one.Replacements = append(one.Replacements, &nightbellv1.Reference{Id: other.ID.String(), Name: other.Name})
				}
			}
			answer.Organizations = append(answer.Organizations, one)
		}
		return nil
	})
	return answer, err
}

func placeOf(place departure.Place) *nightbellv1.AccountPlace {
	outcome := "left"
	switch {
	case place.Erased():
		outcome = "deleted"
	case place.Keeps():
		outcome = "kept"
	}
	return &nightbellv1.AccountPlace{
		Organization: &nightbellv1.Reference{Id: place.OrgID.String(), Name: place.OrgName}, Outcome: outcome, OtherUserCount: int32(place.Others),
		Schedules: dutiesOf(place.Duties.Schedules), EscalationPolicies: dutiesOf(place.Duties.Policies), Teams: dutiesOf(place.Duties.Teams),
		Services: dutiesOf(place.Duties.Services), Incidents: dutiesOf(place.Duties.Incidents), ReplacementNeeded: len(place.Duties.Needed()) > 0,
	}
}

func dutiesOf(list []departure.Duty) []*nightbellv1.Duty {
	duties := make([]*nightbellv1.Duty, len(list))
	for i, one := range list {
		duties[i] = &nightbellv1.Duty{Id: one.ID.String(), Name: one.Name}
	}
	return duties
}

// EraseAccount deletes the caller's account. What is in the way is said before the password is asked
// for, which is checked outside of any transaction.
func (s *AccountServer) EraseAccount(ctx context.Context, request *nightbellv1.EraseAccountRequest) (*nightbellv1.EraseAccountResponse, error) {
	actor, profile, err := s.auth.caller(postgres.WithoutFirst(ctx)) // it is not done with the first transaction
	if err != nil {
		return nil, err
	}
	replaceBy, err := replacementsOf(request, actor.UserID)
	if err != nil {
		return nil, err
	}
	if err := s.mayDelete(ctx, actor.UserID, replaceBy); err != nil {
		return nil, err
	}
	attempt, err := s.confirm(ctx, profile, request.GetPassword())
	if err != nil {
		return nil, err
	}
	var places []departure.Place
	err = s.erase(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		if places, err = departure.DeleteAccount(ctx, tx, actor.UserID, replaceBy, now); err != nil {
			return err
		}
		if err := auditElsewhere(ctx, tx, actor, places, now); err != nil {
			return err
		}
		return attempt.succeeded(ctx, tx)
	})
	if err != nil {
		return nil, renamedReplacement(err)
	}
	s.auth.callers.forgetAccount(actor.UserID)
	s.tell(places)
	return &nightbellv1.EraseAccountResponse{Message: "Your account is deleted."}, nil
}

// mayDelete refuses what can be seen to be in the way.
func (s *AccountServer) mayDelete(ctx context.Context, userID uuid.UUID, replaceBy map[uuid.UUID]uuid.UUID) error {
	return s.auth.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		places, err := departure.ReadPlaces(ctx, tx, userID, now)
		if err != nil {
			return err
		}
		for _, place := range places { // of foreign organizations nothing is asked
			heir, named := replaceBy[place.OrgID]
			if !named {
				continue
			}
			if _, err := authdb.New(tx).FindMembership(ctx, place.OrgID, heir); errors.Is(err, pgx.ErrNoRows) {
				return errReplacement
			} else if err != nil {
				return err
			}
		}
		return departure.MayDelete(places, replaceBy)
	})
}

// auditElsewhere keeps a row in each organization that goes on; that of the call has its row from Audit.
func auditElsewhere(ctx context.Context, tx pgx.Tx, actor auth.Actor, places []departure.Place, now time.Time) error {
	call := rpcserver.CallFrom(ctx)
	for _, place := range places {
		if place.Erased() || place.OrgID == actor.OrgID {
			continue
		}
		err := authdb.New(tx).InsertAuditEvent(ctx, authdb.InsertAuditEventParams{
			OrgID: place.OrgID, ID: id.New(), At: now, ActorKind: string(auth.User), ActorID: &actor.UserID, ActorName: actor.Name,
			Method: "nightbell.v1.AccountService/EraseAccount", Request: []byte("{}"), Outcome: "ok", Address: addressOf(call), RequestID: call.RequestID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tell says what became of the organizations of an account that is deleted.
func (s *AccountServer) tell(places []departure.Place) {
	for _, place := range places {
		if place.Erased() {
			s.gone(place.OrgID)
		} else if s.ended.Signals.Changed != nil {
			s.ended.Signals.Changed(place.OrgID)
			s.ended.Signals.Pages()
		}
	}
}

// replacementsOf are those of a request, by organization.
func replacementsOf(request *nightbellv1.EraseAccountRequest, self uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	replaceBy := map[uuid.UUID]uuid.UUID{}
	for _, one := range request.GetReplacements() {
		orgID, ok := id.Parse(one.GetOrgId())
		if !ok {
			return nil, fault.InvalidField("replacements.org_id", fault.Missing, "You are in no organization with this id.")
		}
		heir, ok := id.Parse(one.GetReplaceBy())
		if !ok || heir == self {
			return nil, errReplacement
		}
		replaceBy[orgID] = heir
	}
	return replaceBy, nil
}

// renamedReplacement is a refusal of departure about the field that it came in here.
func renamedReplacement(err error) error {
	if refusal, ok := fault.Of(err); ok && len(refusal.Fields) == 1 && refusal.Fields[0].Path == "replace_by" {
		return errReplacement
	}
	return err
}

// EraseOrganization deletes the organization that the caller acts in.
func (s *AccountServer) EraseOrganization(ctx context.Context, request *nightbellv1.EraseOrganizationRequest) (*nightbellv1.EraseOrganizationResponse, error) {
	actor, profile, err := s.auth.caller(postgres.WithoutFirst(ctx)) // it is not done with the first transaction
	if err != nil {
		return nil, err
	}
	orgID, _ := id.Parse(request.GetId())
	switch {
	case orgID != actor.OrgID:
		return nil, errNotThisOne
	case s.auth.guest != nil && s.auth.guest.OrgID == orgID:
		return nil, errDemoOrganization
	case request.GetName() != profile.OrgName:
		return nil, errNotThisName
	}
	attempt, err := s.confirm(ctx, profile, request.GetPassword())
	if err != nil {
		return nil, err
	}
	err = s.erase(ctx, func(ctx context.Context, tx pgx.Tx, _ time.Time) error {
		if err := departure.EraseOrganization(ctx, tx, orgID); err != nil {
			return err
		}
		return attempt.succeeded(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	s.gone(orgID)
	return &nightbellv1.EraseOrganizationResponse{Message: "The organization is deleted."}, nil
}

func (s *AccountServer) confirm(ctx context.Context, profile authdb.ReadProfileRow, password string) (attempt, error) {
	made, err := s.auth.confirm(ctx, profile.Email, password)
	if errors.Is(err, errCredentials) {
		err = errPassword
	}
	return made, err
}

// erase runs fn in one transaction to its end, whether or not the caller waits for it.
func (s *AccountServer) erase(ctx context.Context, fn func(context.Context, pgx.Tx, time.Time) error) error {
	select {
	case s.erasing <- struct{}{}:
		defer func() { <-s.erasing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(eraseTurn):
		return errErasing
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), erasePatience)
	defer cancel()
	return s.auth.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, tx, now)
	}, postgres.StatementTimeout(erasePatience))
}

// gone makes it take effect here at once that an organization is no more.
func (s *AccountServer) gone(orgID uuid.UUID) {
	s.auth.callers.forgetOrganization(orgID)
	if s.ended.Organization != nil {
		s.ended.Organization(orgID)
	}
}
