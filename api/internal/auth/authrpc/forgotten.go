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
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	askedMessage = "If there is an account with this address, a mail with a link is on its way. The link works for an hour."
	resetMessage = "Your password is changed, and you are signed out everywhere. Log in with the new one."
)

// GetSignInOptions tells what the form can offer.
func (s *AuthServer) GetSignInOptions(context.Context, *nightbellv1.GetSignInOptionsRequest) (*nightbellv1.GetSignInOptionsResponse, error) {
	if s.verifyMail {
		return &nightbellv1.GetSignInOptionsResponse{ForgottenPassword: "mail"}, nil
	}
	return &nightbellv1.GetSignInOptionsResponse{ForgottenPassword: "support"}, nil
}

// ForgotPassword makes a mail with a link due. Whether there is such an account shows neither in the
// answer nor in how long it takes: both are one statement, and neither waits for the disk.
func (s *AuthServer) ForgotPassword(ctx context.Context, request *nightbellv1.ForgotPasswordRequest) (*nightbellv1.ForgotPasswordResponse, error) {
	if !s.verifyMail {
		return nil, auth.ErrNoMailServer
	}
	err := s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		return s.limits.stranger(ctx, tx, "forgotten passwords", rpcserver.Peer(ctx), now)
	})
	if err != nil {
		return nil, err
	}
	email := normalEmail(request.GetEmail())
	if plaintext.Check(email) != "" {
		return &nightbellv1.ForgotPasswordResponse{Message: askedMessage}, nil
	}
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = off"); err != nil { // who hears nothing asks again
			return err
		}
		made := id.New()
		_, err := authdb.New(tx).InsertPasswordReset(ctx, authdb.InsertPasswordResetParams{
			ID: made, TokenHash: auth.HashToken(auth.ResetToken(s.resetKey, made)), Now: now, ExpiresAt: now.Add(auth.ResetLife),
			Email: email, Since: now.Add(-time.Hour), Most: auth.ResetsAnHour,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return &nightbellv1.ForgotPasswordResponse{Message: askedMessage}, nil
}

// ResetPassword sets a new password by a link, which it looks at again, locked, once the password is hashed.
func (s *AuthServer) ResetPassword(ctx context.Context, request *nightbellv1.ResetPasswordRequest) (*nightbellv1.ResetPasswordResponse, error) {
	found, err := s.reset(ctx, request.GetToken(), nil)
	if err != nil {
		return nil, err
	}
	if err := auth.CheckPassword(request.GetPassword(), found.Name, found.Email); err != nil {
		return nil, err
	}
	hash, err := s.hasher.Hash(ctx, auth.Strangers, request.GetPassword())
	if err != nil {
		return nil, err
	}
	_, err = s.reset(ctx, request.GetToken(), func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		store := authdb.New(tx)
		if err := store.SetPasswordHash(ctx, hash, found.UserID); err != nil {
			return err
		}
		if err := store.UsePasswordResets(ctx, now, found.UserID); err != nil {
			return err
		}
		_, err := store.EndSessions(ctx, authdb.EndSessionsParams{Now: now, RevokedFor: "password", UserID: found.UserID, ExceptID: uuid.Nil})
		return errors.Join(err, auditReset(ctx, store, found, now), s.tellOfPassword(ctx, store, found.UserID, found.Mailed, now))
	})
	if err != nil {
		return nil, err
	}
	s.callers.forgetAccount(found.UserID)
	return &nightbellv1.ResetPasswordResponse{Message: resetMessage}, nil
}

// tellOfPassword makes the mail due that tells an account's address of its new password. Whoever used a mailed
// link reads the mail of the address; otherwise it must have been confirmed, where mail leaves the installation.
func (s *AuthServer) tellOfPassword(ctx context.Context, store *authdb.Queries, userID uuid.UUID, byMail bool, now time.Time) error {
	made, from := id.New(), ""
	if call := rpcserver.CallFrom(ctx); call != nil {
		from = addressOf(call)
	}
	return store.InsertPasswordNotice(ctx, authdb.InsertPasswordNoticeParams{
		ID: made, TokenHash: auth.HashToken(auth.ResetToken(s.resetKey, made)), Now: now, ExpiresAt: now.Add(auth.NoticeLife),
		UserID: userID, UsedFrom: from, Unconfirmed: byMail || !s.verifyMail,
	})
}

// reset finds what a link is for, and does something in the same transaction.
func (s *AuthServer) reset(ctx context.Context, token string, do func(context.Context, pgx.Tx, time.Time) error) (found authdb.FindPasswordResetRow, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) (err error) {
		found, err = authdb.New(tx).FindPasswordReset(ctx, auth.HashToken(token))
		if errors.Is(err, pgx.ErrNoRows) {
			return auth.ErrResetUnknown
		}
		if err != nil {
			return err
		}
		if err := (auth.Reset{ExpiresAt: found.ExpiresAt, UsedAt: found.UsedAt}).Open(now); err != nil || do == nil {
			return err
		}
		return do(ctx, tx, now)
	})
	return found, err
}

// auditReset tells each organization of the account: the call has no caller, so the step of audits does not.
func auditReset(ctx context.Context, store *authdb.Queries, found authdb.FindPasswordResetRow, now time.Time) error {
	orgs, err := store.OrgsOf(ctx, found.UserID)
	if err != nil {
		return err
	}
	address, requestID := "", ""
	if call := rpcserver.CallFrom(ctx); call != nil {
		address, requestID = addressOf(call), call.RequestID
	}
	for _, orgID := range orgs {
		err := store.InsertAuditEvent(ctx, authdb.InsertAuditEventParams{
			OrgID: orgID, ID: id.New(), At: now, ActorKind: string(auth.User), ActorID: &found.UserID, ActorName: found.Name,
			Method: "nightbell.v1.AuthService/ResetPassword", Request: []byte("{}"), Outcome: "ok", Address: address, RequestID: requestID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
