package authrpc

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
	"github.com/nightbell/nightbell/api/internal/signup"
)

// ReadInvitation tells what a link is for. It says whether the address has an account, which no other
// public call does: whoever holds the link was given it for this address, by mail or by an admin who
// named it, and accepting would tell the same. Without the link there is nothing to ask about.
func (s *AuthServer) ReadInvitation(ctx context.Context, request *nightbellv1.ReadInvitationRequest) (*nightbellv1.ReadInvitationResponse, error) {
	invited, err := s.invited(ctx, request.GetToken())
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.ReadInvitationResponse{
		Email: invited.Email, OrgName: invited.OrgName, Role: invited.Role,
		ExpiresAt: timestamppb.New(invited.ExpiresAt), HasAccount: invited.HasAccount,
	}
	if invited.InvitedByName != "" {
		answer.InvitedByName = &invited.InvitedByName
	}
	return answer, nil
}

func (s *AuthServer) invited(ctx context.Context, token string) (found signup.Invited, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) (err error) {
		found, err = signup.FindInvitation(ctx, tx, token, now)
		return err
	})
	return found, err
}

// AcceptInvitation makes the invited person a member and signs them in. The password of an existing
// account is checked as at a sign-in, with its limits; a new one is hashed outside of any transaction.
func (s *AuthServer) AcceptInvitation(ctx context.Context, request *nightbellv1.AcceptInvitationRequest) (*nightbellv1.AcceptInvitationResponse, error) {
	invited, err := s.invited(ctx, request.GetToken())
	if err != nil {
		return nil, err
	}
	join := s.joinNew
	if invited.HasAccount {
		join = s.joinKnown
	}
	answer, err := join(ctx, request, invited)
	if err != nil {
		return nil, err
	}
	return &nightbellv1.AcceptInvitationResponse{User: answer.user, Tokens: answer.tokens}, nil
}

func (s *AuthServer) joinNew(ctx context.Context, request *nightbellv1.AcceptInvitationRequest, invited signup.Invited) (answer signedIn, err error) {
	if err := s.registration.MayAccept(); err != nil {
		return answer, err
	}
	person, err := signup.Join{Name: request.GetName(), Phone: request.GetPhone(), Timezone: request.GetTimezone()}.Cleaned(invited)
	if err != nil {
		return answer, err
	}
	if err := person.CheckPassword(request.GetPassword()); err != nil {
		return answer, err
	}
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		return s.limits.stranger(ctx, tx, "registrations", rpcserver.Peer(ctx), now)
	})
	if err != nil {
		return answer, err
	}
	hash, err := s.hasher.Hash(ctx, auth.Strangers, request.GetPassword())
	if err != nil {
		return answer, err
	}
	return s.join(ctx, request, func(ctx context.Context, tx pgx.Tx, now time.Time) (uuid.UUID, error) {
		return signup.Account(ctx, tx, person, hash, now)
	})
}

func (s *AuthServer) joinKnown(ctx context.Context, request *nightbellv1.AcceptInvitationRequest, invited signup.Invited) (answer signedIn, err error) {
	signIn := signInRequest{
		email: normalEmail(invited.Email), password: request.GetPassword(),
		device: deviceHash(request.GetDevice()), userAgent: userAgent(ctx), peer: rpcserver.Peer(ctx),
	}
	account, attempt, err := s.findAccount(ctx, signIn)
	if err != nil {
		return answer, err
	}
	if err := s.limits.room.wait(ctx, attempt, s.sleep); err != nil {
		return answer, err
	}
	if err := s.checkPassword(ctx, signIn, &account, attempt); err != nil {
		return answer, err
	}
	answer, err = s.join(ctx, request, func(context.Context, pgx.Tx, time.Time) (uuid.UUID, error) { return account.ID, nil })
	if err != nil {
		return answer, err
	}
	return answer, s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, _ time.Time) error { return attempt.succeeded(ctx, tx) })
}

// join looks at the invitation once more, now locked, and does all in one transaction.
func (s *AuthServer) join(ctx context.Context, request *nightbellv1.AcceptInvitationRequest, account func(context.Context, pgx.Tx, time.Time) (uuid.UUID, error)) (answer signedIn, err error) {
	err = s.atNow(ctx, func(ctx context.Context, tx pgx.Tx, now time.Time) error {
		invited, err := signup.FindInvitation(ctx, tx, request.GetToken(), now)
		if err != nil {
			return err
		}
		userID, err := account(ctx, tx, now)
		if err != nil {
			return err
		}
		address, requestID := "", ""
		if call := rpcserver.CallFrom(ctx); call != nil {
			address, requestID = addressOf(call), call.RequestID
		}
		if err := signup.Accept(ctx, tx, invited, userID, s.verifyMail, address, requestID, now); err != nil {
			return err
		}
		if err := remember(ctx, tx, userID, deviceHash(request.GetDevice()), now); err != nil {
			return err
		}
		answer, err = s.sessions.beginIn(ctx, tx, auth.Grant{UserID: userID, OrgID: invited.OrgID, Role: auth.Role(invited.Role)}, userAgent(ctx), now, now)
		return err
	})
	return answer, err
}
