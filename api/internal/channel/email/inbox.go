package email

import (
	"context"
	"net/mail"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Keep stores a mail where /inbox shows it.
type Keep func(ctx context.Context, mail Mail) error

// Inbox is the transport of an installation without a mail server: mail is kept
// in the database and read at /inbox.
type Inbox struct {
	sender mail.Address
	keep   Keep
}

// NewInbox makes an inbox that calls keep for every mail.
func NewInbox(sender mail.Address, keep Keep) *Inbox { return &Inbox{sender: sender, keep: keep} }

// Send stores the message as the mail it would have been. Failures of keep are
// temporary and the installation's own.
func (i *Inbox) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	rendered, err := Render(message, i.sender)
	return i.store(ctx, rendered, err)
}

// SendNotice stores the notice as Send does a page.
func (i *Inbox) SendNotice(ctx context.Context, notice notify.Notice) (notify.Receipt, error) {
	rendered, err := RenderNotice(notice, i.sender)
	return i.store(ctx, rendered, err)
}

func (i *Inbox) store(ctx context.Context, rendered Mail, err error) (notify.Receipt, error) {
	if err != nil {
		return notify.Receipt{}, err
	}
	if err := i.keep(ctx, rendered); err != nil {
		return notify.Receipt{}, notify.Installation(err)
	}
	return notify.Receipt{ProviderID: rendered.MessageID, Detail: "kept in the built-in inbox"}, nil
}
