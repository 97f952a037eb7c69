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
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

const mostMails = 200

var (
	errNoMail     = fault.New(fault.NotFound, "mail_not_found", "Mail not found")
	errSealedMail = fault.New(fault.Conflict, "sealed_with_another_key", "This mail was sealed with a data key that is lost. Have it sent again.")
)

// Inbox implements nightbellv1connect.InboxServiceHandler: the mail of an installation
// that has no mail server.
type Inbox struct {
	db  *postgres.DB
	box *secret.Box
}

// NewInbox makes a handler. The box opens the mails.
func NewInbox(db *postgres.DB, box *secret.Box) *Inbox { return &Inbox{db: db, box: box} }

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
		if err != nil {
			return err
		}
		text, textErr := h.box.Open(row.TextSealed, notify.MailTextPlace(caller.OrgID, mailID))
		html, htmlErr := h.box.Open(row.HtmlSealed, notify.MailHTMLPlace(caller.OrgID, mailID))
		if err := errors.Join(textErr, htmlErr); err != nil {
			return errSealedMail.Because(err)
		}
		response.Mail = &nightbellv1.InboxMail{
			Id: row.ID.String(), From: row.Sender, To: row.Recipient, Subject: row.Subject,
			ReceivedAt: timestamppb.New(row.ReceivedAt), Text: postgres.Null(string(text)), Html: postgres.Null(string(html)),
		}
		return nil
	}, postgres.ReadOnly())
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNoMail
	}
	return response, err
}
