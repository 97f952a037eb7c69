package email

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net/mail"
	"strings"

	"github.com/nightbell/nightbell/api/internal/notify"
)

//go:embed handover.html
var handoverSource string

var handoverTemplate = template.Must(template.New("handover").Funcs(template.FuncMap{
	"word": notify.SeverityWord, "colour": colourOf,
}).Parse(handoverSource))

// RenderHandover turns a hand-over into a mail from sender. It fails for good when the
// contact's address is no e-mail address.
func RenderHandover(handover notify.Handover, sender mail.Address) (Mail, error) {
	recipient, err := parseRecipient(handover.To.Address, handover.PersonName)
	if err != nil {
		return Mail{}, err
	}
	var html strings.Builder
	if err := handoverTemplate.Execute(&html, handover); err != nil {
		return Mail{}, fmt.Errorf("render the mail: %w", err)
	}
	return Mail{
		OrgID:     handover.OrgID,
		From:      sender,
		To:        recipient,
		Subject:   handover.Subject(),
		Text:      handover.Text(),
		HTML:      html.String(),
		SentAt:    handover.SentAt,
		MessageID: fmt.Sprintf("handover.%s@%s", handover.ID, domainOf(sender.Address)),
	}, nil
}

// SendHandover hands the mail over as Send does a page.
func (s *Server) SendHandover(ctx context.Context, handover notify.Handover) (notify.Receipt, error) {
	rendered, err := RenderHandover(handover, s.options.From)
	if err != nil {
		return notify.Receipt{}, err
	}
	return s.post(ctx, rendered)
}

// SendHandover stores the mail as Send does a page.
func (i *Inbox) SendHandover(ctx context.Context, handover notify.Handover) (notify.Receipt, error) {
	rendered, err := RenderHandover(handover, i.sender)
	if err != nil {
		return notify.Receipt{}, err
	}
	return i.store(ctx, rendered)
}
