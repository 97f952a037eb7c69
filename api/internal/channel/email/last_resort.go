package email

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/mail"
	"strings"

	"github.com/nightbell/nightbell/api/internal/notify"
)

//go:embed last_resort.html
var lastResortSource string

var lastResortTemplate = template.Must(template.New("last_resort").Parse(lastResortSource))

// renderFixed is the mail to an address that nobody has confirmed: the same words for every
// organization, so that nobody can send his own text to a stranger.
func renderFixed(message notify.Message, recipient, sender mail.Address) (Mail, error) {
	recipient.Name = ""
	var html strings.Builder
	if err := lastResortTemplate.Execute(&html, message); err != nil {
		return Mail{}, fmt.Errorf("render the mail: %w", err)
	}
	return Mail{
		OrgID: message.OrgID, From: sender, To: recipient,
		Subject: "Nobody has answered an incident in Nightbell",
		Text: "Nobody has answered an incident of your organization in Nightbell. Sign in and see it:\n\n" + message.SignInURL +
			"\n\nWhat it is about is not written here, because this address is not confirmed yet.\n",
		HTML: html.String(), SentAt: message.SentAt, Urgent: true,
		MessageID: fmt.Sprintf("page.%s@%s", message.ID, domainOf(sender.Address)),
	}, nil
}
