package orgrpc

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
	"github.com/nightbell/nightbell/api/internal/signup"
)

var (
	errNoUser     = fault.New(fault.NotFound, "user_not_found", "User not found")
	errNotYou     = fault.New(fault.Denied, "profile_of_another", "Names, time zones and telephone numbers go with an account into all of its organizations. Only the person can change them.")
	errAdminsOnly = fault.New(fault.Denied, "role_too_low", "Only admins and owners change what others may do. Ask one of them.")
	errOwnersOnly = fault.New(fault.Denied, "role_too_low", "Only an owner makes somebody an owner, or takes that away. Ask one of them.")
	errLastOwner  = fault.New(fault.Conflict, "last_owner", "This is the only owner of your organization, whom Nightbell pages when nobody else answers. Make somebody else an owner first.")
)

// findUser reads one member, who must exist.
func findUser(ctx context.Context, q *orgdb.Queries, caller auth.Actor, userID uuid.UUID) (*nightbellv1.User, error) {
	rows, err := q.ListMembers(ctx, orgdb.ListMembersParams{OrgID: caller.OrgID, ID: &userID})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoUser
	}
	return userOf(rows[0], caller), nil
}

// UpdateUser changes the fields that the request names: the role in this organization, and the
// profile of the caller's own account.
func (s *Server) UpdateUser(ctx context.Context, request *nightbellv1.UpdateUserRequest) (*nightbellv1.UpdateUserResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	response := &nightbellv1.UpdateUserResponse{}
	userID, _ := id.Parse(request.GetId())
	var known people
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		q := orgdb.New(tx)
		locked, err := q.LockRoles(ctx, actor.OrgID, userID)
		if err != nil {
			return err
		}
		read := func() (*nightbellv1.User, error) { return findUser(ctx, q, actor, userID) }
		response.User, err = edit.Apply(request, read, func(whole *nightbellv1.UpdateUserRequest) error {
			before, err := read()
			if err != nil {
				return err
			}
			if err := mayChange(actor, before, whole); err != nil {
				return err
			}
			if before.GetRole() == string(auth.Owner) && whole.GetRole() != string(auth.Owner) && owners(locked) == 1 {
				return errLastOwner
			}
			return updateUser(ctx, tx, actor.OrgID, userID, before, whole)
		})
		if err != nil && response.User == nil {
			return err
		}
		var unread error
		known, unread = readPeople(ctx, tx, actor.OrgID, []uuid.UUID{userID})
		return errors.Join(unread, err) // err may be that nothing changed
	})
	if err := edit.Done(err); err != nil {
		return nil, err
	}
	known.tell([]*nightbellv1.User{response.User}, s.verifyMail)
	if s.departures.Changed != nil {
		s.departures.Changed(actor.OrgID, userID)
	}
	return response, nil
}

// mayChange refuses what the caller may not change of a person.
func mayChange(actor auth.Actor, before *nightbellv1.User, whole *nightbellv1.UpdateUserRequest) error {
	self := actor.Kind == auth.User && actor.UserID.String() == before.GetId()
	was, becomes := auth.Role(before.GetRole()), auth.Role(whole.GetRole())
	lowersOwn := self && was.AtLeast(becomes)
	switch {
	case !self && changesProfile(before, whole):
		return errNotYou
	case was == becomes:
		return nil
	case !actor.Role.AtLeast(auth.Admin) && !lowersOwn:
		return errAdminsOnly
	case (was == auth.Owner || becomes == auth.Owner) && actor.Role != auth.Owner:
		return errOwnersOnly
	case !was.AtLeast(becomes):
		return actor.MayGive(becomes)
	}
	return nil
}

func changesProfile(before *nightbellv1.User, whole *nightbellv1.UpdateUserRequest) bool {
	return whole.GetName() != before.GetName() || whole.GetTimezone() != before.GetTimezone() || whole.GetPhone() != before.GetPhone()
}

func owners(roles []orgdb.LockRolesRow) (count int) {
	for _, row := range roles {
		if row.Role == string(auth.Owner) {
			count++
		}
	}
	return count
}

// updateUser writes the account only when it changes: the caller may be another person.
func updateUser(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, before *nightbellv1.User, whole *nightbellv1.UpdateUserRequest) error {
	q := orgdb.New(tx)
	if whole.GetRole() != before.GetRole() {
		if err := q.UpdateRole(ctx, whole.GetRole(), orgID, userID); err != nil {
			return err
		}
		if err := signup.Withdraw(ctx, tx, auth.Actor{Kind: auth.User, OrgID: orgID, UserID: userID, Role: auth.Role(whole.GetRole())}); err != nil {
			return err
		}
	}
	if !changesProfile(before, whole) {
		return nil
	}
	name, err := org.CleanName("name", whole.GetName())
	if err != nil {
		return err
	}
	zone, err := org.Zone("timezone", whole.GetTimezone())
	if err != nil {
		return err
	}
	phone, err := signup.CleanPhone(whole.GetPhone())
	if err != nil {
		return err
	}
	if err := q.NameAccount(ctx, userID.String()); err != nil {
		return err
	}
	return q.UpdateProfile(ctx, orgdb.UpdateProfileParams{Name: name, Timezone: zone.String(), Phone: phone, ID: userID})
}
