package signup

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

var (
	errMemberAlready = fault.New(fault.Conflict, "user_exists", "Somebody with this e-mail address is in your organization already.")
	errJoinedAlready = fault.New(fault.Conflict, "joined_already", "You are in this organization already. Log in.")
	errTooMany       = fault.Newf(fault.Conflict, "too_many_invitations",
		"There are %d invitations that nobody has accepted yet. Revoke some of them first.", org.MostInvitations)
)

// Invite is an invitation as it is asked for.
type Invite struct {
	Email string
	Role  auth.Role
	// Send is org.SendMail or org.SendLink.
	Send string
	// CountMail is set where mail leaves the installation: an organization sends so many a day.
	CountMail bool
}

// Cleaned returns what is stored, or the refusal that says what to change.
func (i Invite) Cleaned(by auth.Actor) (_ Invite, err error) {
	if i.Email, err = cleanEmail(i.Email); err != nil {
		return Invite{}, err
	}
	if i.Role == "" {
		i.Role = auth.Responder
	}
	if i.Send == "" {
		i.Send = org.SendMail
	}
	return i, by.MayGive(i.Role)
}

// Create stores a cleaned invitation in a transaction of the organization, in the place of an earlier
// one of the address, and makes its mail due. key derives the token, which it returns.
func (i Invite) Create(ctx context.Context, tx pgx.Tx, by auth.Actor, key []byte, now time.Time) (made uuid.UUID, token string, err error) {
	q := orgdb.New(tx)
	if by, err = inviterNow(ctx, q, by); err != nil {
		return made, "", err
	}
	if err := by.MayGive(i.Role); err != nil {
		return made, "", err
	}
	if err := q.LockOrgForInvitations(ctx, by.OrgID.String()); err != nil {
		return made, "", err
	}
	if member, err := q.IsMember(ctx, by.OrgID, i.Email); err != nil || member {
		return made, "", errors.Join(err, orNil(member, errMemberAlready))
	}
	if err := q.RevokeInvitationsOf(ctx, now, by.OrgID, i.Email); err != nil {
		return made, "", err
	}
	if waiting, err := q.CountWaitingInvitations(ctx, by.OrgID, now); err != nil || waiting >= org.MostInvitations {
		return made, "", errors.Join(err, orNil(err == nil, errTooMany))
	}
	made = id.New()
	token = org.InvitationToken(key, made)
	row := orgdb.InsertInvitationParams{
		OrgID: by.OrgID, ID: made, Email: i.Email, Role: string(i.Role), Send: i.Send, TokenHash: auth.HashToken(token),
		CreatedAt: now, ExpiresAt: now.Add(org.InvitationLife),
	}
	if by.Kind == auth.User {
		row.InvitedBy = &by.UserID
	} else {
		row.InvitedByKey = &by.APIKeyID
	}
	if i.Send == org.SendMail {
		row.MailDueAt = &now
		if i.CountMail {
			if err := notifydb.CountUnverified(ctx, tx, by.OrgID, notify.VerificationShare, now); err != nil {
				return made, "", err
			}
		}
	}
	return made, token, q.InsertInvitation(ctx, row)
}

// inviterNow is the inviter as they are stored, locked: who was demoted a moment ago invites nobody.
func inviterNow(ctx context.Context, q *orgdb.Queries, by auth.Actor) (_ auth.Actor, err error) {
	var role string
	if by.Kind == auth.User {
		role, err = q.LockInviter(ctx, by.OrgID, by.UserID)
	} else {
		var key orgdb.LockInvitingKeyRow
		key, err = q.LockInvitingKey(ctx, by.OrgID, by.APIKeyID)
		role, by.Scopes = key.Role, auth.ScopesOf(key.Scopes)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return by, auth.ErrTokenExpired
	}
	by.Role = auth.Role(role)
	return by, err
}

// Withdraw ends the invitations of a person or key that give a role which they may give no more: by is what
// they are from now on.
func Withdraw(ctx context.Context, tx pgx.Tx, by auth.Actor) error {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return err
	}
	gives := []string{}
	for _, role := range by.Gives() {
		gives = append(gives, string(role))
	}
	return orgdb.New(tx).WithdrawInvitations(ctx, orgdb.WithdrawInvitationsParams{Now: now, OrgID: by.OrgID, Inviter: *by.ID(), Gives: gives})
}

func orNil(holds bool, refusal error) error {
	if holds {
		return refusal
	}
	return nil
}

// Invited is an open invitation, as its link finds it.
type Invited = orgdb.FindInvitationRow

// FindInvitation reads what a token is for, in a transaction of the system, and locks it. One that
// cannot be accepted is the refusal that says why.
func FindInvitation(ctx context.Context, tx pgx.Tx, token string, now time.Time) (Invited, error) {
	found, err := orgdb.New(tx).FindInvitation(ctx, auth.HashToken(token))
	if errors.Is(err, pgx.ErrNoRows) {
		return Invited{}, org.ErrInvitationUnknown
	}
	if err != nil {
		return Invited{}, err
	}
	return found, org.Invitation{ExpiresAt: found.ExpiresAt, AcceptedAt: found.AcceptedAt, RevokedAt: found.RevokedAt}.Open(now)
}

// Join is what somebody says who accepts an invitation: who they are, unless they have an account.
type Join struct {
	Name, Phone, Timezone string
}

// Cleaned is Registration.Cleaned for a new account of an invited address.
func (j Join) Cleaned(invited Invited) (Registration, error) {
	return Registration{
		Kind: org.Organization, OrgName: invited.OrgName, Name: j.Name, Email: invited.Email, Phone: j.Phone, Timezone: j.Timezone,
	}.Cleaned()
}

// Account stores a new account, and returns its id.
func Account(ctx context.Context, tx pgx.Tx, r Registration, passwordHash string, now time.Time) (uuid.UUID, error) {
	userID := id.New()
	err := authdb.New(tx).InsertAccount(ctx, authdb.InsertAccountParams{
		ID: userID, Name: r.Name, Email: r.Email, PasswordHash: passwordHash, Phone: r.Phone, Timezone: r.Timezone, CreatedAt: now,
	})
	if postgres.ConstraintName(err) == "users_email_key" {
		return uuid.Nil, ErrEmailTaken
	}
	return userID, err
}

// Accept makes an account a member by an invitation that FindInvitation locked, reached by e-mail.
// With verifyMail the address is paged only once its own link was opened, unless the invitation was
// mailed: then whoever accepts it reads the mail of the address.
func Accept(ctx context.Context, tx pgx.Tx, invited Invited, userID uuid.UUID, verifyMail bool, address, requestID string, now time.Time) error {
	q := orgdb.New(tx)
	err := q.InsertMember(ctx, orgdb.InsertMemberParams{OrgID: invited.OrgID, UserID: userID, Role: invited.Role, CreatedAt: now})
	if postgres.ConstraintName(err) == "membership_pkey" {
		return errJoinedAlready
	}
	if err != nil {
		return err
	}
	verify := verifyMail && invited.Send != org.SendMail
	contact, err := notifydb.InsertFirstContact(ctx, tx, invited.OrgID, userID, invited.Email, verify, now)
	if err != nil {
		return err
	}
	if verify {
		err := notifydb.CountUnverified(ctx, tx, invited.OrgID, notify.VerificationShare, now)
		if errors.Is(err, notify.ErrTooManyMails) { // the person asks for the mail another day
			err = notifydb.New(tx).VerificationSent(ctx, invited.OrgID, contact, now)
		}
		if err != nil {
			return err
		}
	}
	if err := q.AcceptInvitation(ctx, now, invited.OrgID, invited.ID); err != nil {
		return err
	}
	joined, err := authdb.New(tx).ReadProfile(ctx, invited.OrgID, userID)
	if err != nil {
		return err
	}
	request, err := json.Marshal(map[string]string{"invitation_id": invited.ID.String(), "role": invited.Role})
	if err != nil {
		return err
	}
	return authdb.New(tx).InsertAuditEvent(ctx, authdb.InsertAuditEventParams{
		OrgID: invited.OrgID, ID: id.New(), At: now, ActorKind: string(auth.User), ActorID: &userID, ActorName: joined.Name,
		Method: "nightbell.v1.AuthService/AcceptInvitation", Request: request, Outcome: "ok", Address: address, RequestID: requestID,
	})
}
