package authrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

var (
	// errNoSession is one answer for a session that never was, one that has ended and one of somebody else.
	errNoSession      = fault.New(fault.NotFound, "session_not_found", "Session not found")
	errNoOrganization = fault.InvalidField("org_id", fault.Missing, "You are in no organization with this id.")
	errOldPassword    = fault.InvalidField("old_password", fault.BadFormat, "This is not your password until now.")
)

// ChangePassword sets a new password for the caller's account. The old one is checked as at a sign-in,
// with its limits, and hashed outside of any transaction.
func (s *AuthServer) ChangePassword(ctx context.Context, request *nightbellv1.ChangePasswordRequest) (*nightbellv1.ChangePasswordResponse, error) {
	actor, profile, err := s.caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := auth.CheckPassword(request.GetNewPassword(), profile.Name, profile.Email, profile.OrgName); err != nil {
		return nil, renamed(err, "new_password")
	}
	attempt, err := s.confirm(ctx, profile.Email, request.GetOldPassword())
	if errors.Is(err, errCredentials) {
		err = errOldPassword
	}
	if err != nil {
		return nil, err
	}
	hash, err := s.hasher.Hash(ctx, auth.KnownDevices, request.GetNewPassword())
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.ChangePasswordResponse{}
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		store := authdb.New(tx)
		if err := store.SetPasswordHash(ctx, hash, actor.UserID); err != nil {
			return err
		}
		if err := store.UsePasswordResets(ctx, now, actor.UserID); err != nil {
			return err
		}
		ended, err := store.EndSessions(ctx, authdb.EndSessionsParams{Now: now, RevokedFor: "password", UserID: actor.UserID, ExceptID: actor.SessionID})
		answer.EndedCount = int32(ended)
		return errors.Join(err, s.tellOfPassword(ctx, store, actor.UserID, false, now), attempt.succeeded(ctx, tx))
	})
	if err != nil {
		return nil, err
	}
	s.callers.forgetAccount(actor.UserID)
	return answer, nil
}

// confirm checks the password of who calls as at a sign-in, with its limits: errCredentials for a wrong
// one. The attempt counts until it is said to have succeeded.
func (s *AuthServer) confirm(ctx context.Context, email, password string) (attempt, error) {
	check := signInRequest{email: normalEmail(email), password: password, peer: rpcserver.Peer(ctx)}
	account, made, err := s.findAccount(ctx, check)
	if err != nil {
		return made, err
	}
	if err := s.limits.room.wait(ctx, made, s.sleep); err != nil {
		return made, err
	}
	return made, s.checkPassword(ctx, check, &account, made)
}

// renamed is the refusal of a password, about the field that it came in.
func renamed(err error, field string) error {
	if refusal, ok := fault.Of(err); ok && len(refusal.Fields) == 1 {
		return fault.InvalidField(field, refusal.Fields[0].Code, refusal.Fields[0].Message)
	}
	return err
}

// caller is who calls, a person, with their profile.
func (s *AuthServer) caller(ctx context.Context) (actor auth.Actor, profile authdb.ReadProfileRow, err error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok || actor.Kind != auth.User {
		return actor, profile, auth.ErrNoToken
	}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		profile, err = authdb.New(tx).ReadProfile(ctx, actor.OrgID, actor.UserID)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = auth.ErrTokenExpired
	}
	return actor, profile, err
}

// ListSessions gives where the caller's account is signed in.
func (s *AuthServer) ListSessions(ctx context.Context, request *nightbellv1.ListSessionsRequest) (*nightbellv1.ListSessionsResponse, error) {
	actor, rows, err := s.openSessions(ctx, nil)
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.ListSessionsResponse{}
	rows, answer.NextCursor, err = page.Cut(actor.OrgID, "sessions", rows, cmp.Or(int(request.GetLimit()), page.Longest), request.GetCursor(),
		func(row authdb.ListSessionsRow) string {
			return fmt.Sprint(row.CreatedAt.UTC().Format(sortable), row.ID)
		})
	for _, row := range rows {
		answer.Sessions = append(answer.Sessions, sessionOf(row, actor))
	}
	return answer, err
}

// sortable is a form of times in UTC in which later ones sort later.
const sortable = "2006-01-02T15:04:05.000000"

// GetSession gives one of the caller's account.
func (s *AuthServer) GetSession(ctx context.Context, request *nightbellv1.GetSessionRequest) (*nightbellv1.GetSessionResponse, error) {
	sessionID, _ := id.Parse(request.GetId())
	actor, rows, err := s.openSessions(ctx, &sessionID)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, errNoSession
	}
	return &nightbellv1.GetSessionResponse{Session: sessionOf(rows[0], actor)}, nil
}

// openSessions are those of the caller's account that can still be used, or one of them.
func (s *AuthServer) openSessions(ctx context.Context, only *uuid.UUID) (actor auth.Actor, rows []authdb.ListSessionsRow, err error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return actor, nil, auth.ErrNoToken
	}
	if s.guest != nil && actor.UserID == s.guest.UserID { // the others of this account are strangers'
		if only != nil && *only != actor.SessionID {
			return actor, nil, nil
		}
		only = &actor.SessionID
	}
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		rows, err = authdb.New(tx).ListSessions(ctx, authdb.ListSessionsParams{
			UserID: actor.UserID, UsedSince: now.Add(-auth.SessionIdle), CreatedSince: now.Add(-auth.SessionLife), ID: only,
		})
		return err
	})
	return actor, rows, err
}

func sessionOf(row authdb.ListSessionsRow, actor auth.Actor) *nightbellv1.AccountSession {
	return &nightbellv1.AccountSession{
		Id: row.ID.String(), UserAgent: postgres.Null(row.UserAgent), Current: row.ID == actor.SessionID,
		Organization: &nightbellv1.Reference{Id: row.OrgID.String(), Name: row.OrgName},
		CreatedAt:    timestamppb.New(row.CreatedAt), LastUsedAt: timestamppb.New(row.LastUsedAt),
	}
}

// EndSession ends one of the caller's account.
func (s *AuthServer) EndSession(ctx context.Context, request *nightbellv1.EndSessionRequest) (*nightbellv1.EndSessionResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	sessionID, _ := id.Parse(request.GetId())
	err := s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		ended, err := authdb.New(tx).EndSession(ctx, authdb.EndSessionParams{Now: now, RevokedFor: "logout", ID: sessionID, UserID: actor.UserID})
		if err == nil && ended == 0 {
			return errNoSession
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.callers.forgetSession(sessionID)
	return &nightbellv1.EndSessionResponse{}, nil
}

// EndOtherSessions ends all sessions of the caller's account but the one that calls.
func (s *AuthServer) EndOtherSessions(ctx context.Context, _ *nightbellv1.EndOtherSessionsRequest) (*nightbellv1.EndOtherSessionsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.EndOtherSessionsResponse{}
	err := s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		ended, err := authdb.New(tx).EndSessions(ctx, authdb.EndSessionsParams{Now: now, RevokedFor: "logout", UserID: actor.UserID, ExceptID: actor.SessionID})
		answer.EndedCount = int32(ended)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.callers.forgetAccount(actor.UserID)
	return answer, nil
}

// ListOrganizations gives the organizations of the caller's account.
func (s *AuthServer) ListOrganizations(ctx context.Context, request *nightbellv1.ListOrganizationsRequest) (*nightbellv1.ListOrganizationsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.ListOrganizationsResponse{}
	err := s.db.InSystem(ctx, postgres.Identity, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := authdb.New(tx).ListOrganizations(ctx, actor.UserID)
		if err != nil {
			return err
		}
		rows, answer.NextCursor, err = page.Cut(actor.OrgID, "organizations", rows, cmp.Or(int(request.GetLimit()), page.Longest), request.GetCursor(),
			func(row authdb.ListOrganizationsRow) string { return strings.ToLower(row.Name) + row.ID.String() })
		for _, row := range rows {
			answer.Organizations = append(answer.Organizations, &nightbellv1.AccountOrganization{
				Id: row.ID.String(), Name: row.Name, Role: row.Role, UserCount: row.UserCount, Current: row.ID == actor.OrgID,
			})
		}
		return err
	})
	return answer, err
}

// SwitchOrganization begins a session in another organization of the caller's account. The one that
// calls goes on: a repeat of the call needs it, and whoever has stored the new tokens logs out of it.
// Both are one sign-in, which ends when it would have ended.
func (s *AuthServer) SwitchOrganization(ctx context.Context, request *nightbellv1.SwitchOrganizationRequest) (*nightbellv1.SwitchOrganizationResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	orgID, _ := id.Parse(request.GetOrgId())
	var answer signedIn
	err := s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		store := authdb.New(tx)
		role, err := store.FindMembership(ctx, orgID, actor.UserID)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoOrganization
		}
		if err != nil {
			return err
		}
		grant := auth.Grant{UserID: actor.UserID, OrgID: orgID, Role: auth.Role(role)}
		from, err := store.ReadSession(ctx, actor.SessionID)
		if errors.Is(err, pgx.ErrNoRows) {
			return auth.ErrTokenExpired
		}
		if err != nil {
			return err
		}
		answer, err = s.sessions.beginIn(ctx, tx, grant, userAgent(ctx), from.CreatedAt, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.SwitchOrganizationResponse{User: answer.user, Tokens: answer.tokens}, nil
}
