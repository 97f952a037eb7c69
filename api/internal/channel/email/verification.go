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

//go:embed verification.html
var verificationSource string

var verificationTemplate = template.Must(template.New("verification").Parse(verificationSource))

// RenderVerification turns a verification into a mail from sender. It fails for good when the
// contact's address is no e-mail address.
func RenderVerification(verification notify.Verification, sender mail.Address) (Mail, error) {
	recipient, err := parseRecipient(verification.To.Address, "")
	if err != nil {
		return Mail{}, err
	}
	var html strings.Builder
	if err := verificationTemplate.Execute(&html, verification); err != nil {
		return Mail{}, fmt.Errorf("render the mail: %w", err)
	}
	return Mail{
		OrgID: verification.OrgID, From: sender, To: recipient,
		Subject: verification.Subject(), Text: verification.Text(), HTML: html.String(), SentAt: verification.SentAt,
		MessageID: fmt.Sprintf("verification.%s@%s", verification.ID, domainOf(sender.Address)),
	}, nil
}

// SendVerification hands the mail over as Send does a page.
func (s *Server) SendVerification(ctx context.Context, verification notify.Verification) (notify.Receipt, error) {
	rendered, err := RenderVerification(verification, s.options.From)
	if err != nil {
		return notify.Receipt{}, err
	}
	return s.post(ctx, rendered)
}

// SendVerification stores the mail as Send does a page.
func (i *Inbox) SendVerification(ctx context.Context, verification notify.Verification) (notify.Receipt, error) {
	rendered, err := RenderVerification(verification, i.sender)
	if err != nil {
		return notify.Receipt{}, err
	}
	return i.store(ctx, rendered)
}
