package orgrpc

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/signup"
)

// errNoInvitation is one answer for an invitation that never was and one of somebody else.
var errNoInvitation = fault.New(fault.NotFound, "invitation_not_found", "Invitation not found")

// InvitationServer implements nightbell.v1.InvitationService.
type InvitationServer struct {
	db        *postgres.DB
	key       []byte
	publicURL string
	countMail bool
}

// NewInvitations derives tokens from key; countMail is set where mail leaves the installation.
func NewInvitations(db *postgres.DB, key []byte, publicURL string, countMail bool) *InvitationServer {
	return &InvitationServer{db, key, publicURL, countMail}
}

// CreateInvitation invites an address; the link is answered once, or mailed.
func (s *InvitationServer) CreateInvitation(ctx context.Context, request *nightbellv1.CreateInvitationRequest) (*nightbellv1.CreateInvitationResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	invite, err := signup.Invite{
		Email: request.GetEmail(), Role: auth.Role(request.GetRole()), Send: request.GetSend(), CountMail: s.countMail,
	}.Cleaned(actor)
	if err != nil {
		return nil, err
	}
	answer := &nightbellv1.CreateInvitationResponse{}
	err = s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		made, token, err := invite.Create(ctx, tx, actor, s.key, now)
		if err != nil {
			return err
		}
		if invite.Send == org.SendLink {
			answer.Url = new(org.InvitationURL(s.publicURL, token))
		}
		answer.Invitation, err = findInvitation(ctx, orgdb.New(tx), actor.OrgID, made, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// ListInvitations lists the organization's invitations, the newest first.
func (s *InvitationServer) ListInvitations(ctx context.Context, request *nightbellv1.ListInvitationsRequest) (*nightbellv1.ListInvitationsResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	limit := cmp.Or(int(request.GetLimit()), page.Longest)
	asked := orgdb.ListInvitationsParams{OrgID: actor.OrgID, Status: request.GetStatus(), Most: new(int32(limit) + 1)}
	if cursor := request.GetCursor(); cursor != "" {
		at, key, err := page.Decode(actor.OrgID, cursor)
		if err != nil {
			return nil, err
		}
		before := uuid.UUID(key)
		asked.Before, asked.BeforeID = &at, &before
	}
	answer := &nightbellv1.ListInvitationsResponse{}
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) (err error) {
		if asked.Now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		rows, err := orgdb.New(tx).ListInvitations(ctx, asked)
		rows, answer.NextCursor = page.Next(rows, limit, func(last orgdb.ListInvitationsRow) string {
			return page.Encode(actor.OrgID, last.CreatedAt, last.ID)
		})
		for _, row := range rows {
			answer.Invitations = append(answer.Invitations, invitationOf(row, asked.Now))
		}
		return err
	})
	return answer, err
}

// GetInvitation gives one invitation.
func (s *InvitationServer) GetInvitation(ctx context.Context, request *nightbellv1.GetInvitationRequest) (*nightbellv1.GetInvitationResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	answer := &nightbellv1.GetInvitationResponse{}
	key, _ := id.Parse(request.GetId())
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		answer.Invitation, err = findInvitation(ctx, orgdb.New(tx), actor.OrgID, key, now)
		return err
	})
	return answer, err
}

// RevokeInvitation ends an invitation; the link stops working with the commit.
func (s *InvitationServer) RevokeInvitation(ctx context.Context, request *nightbellv1.RevokeInvitationRequest) (*nightbellv1.RevokeInvitationResponse, error) {
	actor, ok := auth.ActorFrom(ctx)
	if !ok {
		return nil, auth.ErrNoToken
	}
	key, _ := id.Parse(request.GetId())
	err := s.db.InTenant(ctx, actor.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := findInvitation(ctx, orgdb.New(tx), actor.OrgID, key, now); err != nil {
			return err
		}
		return orgdb.New(tx).RevokeInvitation(ctx, now, actor.OrgID, key)
	})
	return &nightbellv1.RevokeInvitationResponse{}, err
}

func findInvitation(ctx context.Context, q *orgdb.Queries, orgID, key uuid.UUID, now time.Time) (*nightbellv1.Invitation, error) {
	rows, err := q.ListInvitations(ctx, orgdb.ListInvitationsParams{OrgID: orgID, ID: &key, Now: now})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errNoInvitation
	}
	return invitationOf(rows[0], now), nil
}

func invitationOf(row orgdb.ListInvitationsRow, now time.Time) *nightbellv1.Invitation {
	status := org.Invitation{ExpiresAt: row.ExpiresAt, AcceptedAt: row.AcceptedAt, RevokedAt: row.RevokedAt}.Status(now)
	answer := &nightbellv1.Invitation{
		Id: row.ID.String(), Email: row.Email, Role: row.Role, Send: row.Send, Status: status,
		CreatedAt: timestamppb.New(row.CreatedAt), ExpiresAt: timestamppb.New(row.ExpiresAt),
		InvitedById: id.Text(row.InvitedBy), InvitedByApiKeyId: id.Text(row.InvitedByKey), MailedAt: moment(row.MailedAt), SettledAt: moment(cmp.Or(row.AcceptedAt, row.RevokedAt)),
	}
	if row.InvitedByName != "" {
		answer.InvitedByName = &row.InvitedByName
	}
	if row.MailError != "" && status == "pending" {
		answer.MailFailingReason = &row.MailError
	}
	return answer
}

func moment(at *time.Time) *timestamppb.Timestamp {
	if at == nil {
		return nil
	}
	return timestamppb.New(*at)
}
