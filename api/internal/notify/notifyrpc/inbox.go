package notifyrpc

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/page"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const mostMails = 200

var errNoMail = fault.New(fault.NotFound, "mail_not_found", "Mail not found")

// Inbox implements nightbellv1connect.InboxServiceHandler: the mail of an installation
// that has no mail server.
type Inbox struct{ db *postgres.DB }

// NewInbox makes a handler.
func NewInbox(db *postgres.DB) *Inbox { return &Inbox{db: db} }

// ListInbox gives the newest mails first.
func (h *Inbox) ListInbox(ctx context.Context, request *nightbellv1.ListInboxRequest) (*nightbellv1.ListInboxResponse, error) {
	response := &nightbellv1.ListInboxResponse{}
	limit := cmp.Or(int(request.GetLimit()), mostMails)
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		asked := notifydb.ListInboxParams{OrgID: caller.OrgID, Most: int32(limit) + 1}
		if cursor := request.GetCursor(); cursor != "" {
			before, last, err := page.Decode(caller.OrgID, cursor)
			if err != nil {
				return err
			}
			asked.Before, asked.BeforeID = &before, (*uuid.UUID)(&last)
		}
		rows, err := notifydb.New(tx).ListInbox(ctx, asked)
		rows, response.NextCursor = page.Next(rows, limit, func(last notifydb.ListInboxRow) string {
			return page.Encode(caller.OrgID, last.ReceivedAt, last.ID)
		})
		for _, row := range rows {
			response.Mails = append(response.Mails, &nightbellv1.InboxMail{
				Id: row.ID.String(), From: row.Sender, To: row.Recipient,
				Subject: row.Subject, ReceivedAt: timestamppb.New(row.ReceivedAt),
			})
		}
		return err
	}, postgres.ReadOnly())
	return response, err
}

// GetInboxMail gives one mail with its text.
func (h *Inbox) GetInboxMail(ctx context.Context, request *nightbellv1.GetInboxMailRequest) (*nightbellv1.GetInboxMailResponse, error) {
	response := &nightbellv1.GetInboxMailResponse{}
	mailID, _ := id.Parse(request.GetId())
	caller, _ := auth.ActorFrom(ctx)
	err := h.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		row, err := notifydb.New(tx).GetInboxMail(ctx, caller.OrgID, mailID)
		response.Mail = &nightbellv1.InboxMail{
			Id: row.ID.String(), From: row.Sender, To: row.Recipient, Subject: row.Subject,
			ReceivedAt: timestamppb.New(row.ReceivedAt), Text: postgres.Null(row.TextBody), Html: postgres.Null(row.HtmlBody),
		}
		return err
	}, postgres.ReadOnly())
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNoMail
	}
	return response, err
}
