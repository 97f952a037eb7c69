package email

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/mail"
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

//go:embed mail.html
var htmlSource string

var htmlTemplate = template.Must(template.New("mail").Funcs(template.FuncMap{
	"word":   notify.SeverityWord,
	"colour": colourOf,
	"line":   func(text string) string { return notify.Line(text, 200) },
}).Parse(htmlSource))

// Render turns a message into a mail from sender. It fails for good when the
// contact's address is no e-mail address.
func Render(message notify.Message, sender mail.Address) (Mail, error) {
	recipient, err := parseRecipient(message.To.Address, message.PersonName)
	if err != nil {
		return Mail{}, err
	}
	if message.SignInURL != "" {
		return renderFixed(message, recipient, sender)
	}
	html, err := renderHTML(message)
	if err != nil {
		return Mail{}, fmt.Errorf("render the mail: %w", err)
	}
	return Mail{
		OrgID:     message.OrgID,
		From:      sender,
		To:        recipient,
		Subject:   message.Subject(),
		Text:      message.Text(),
		HTML:      html,
		SentAt:    message.SentAt,
		MessageID: fmt.Sprintf("page.%s@%s", message.ID, domainOf(sender.Address)),
		Threads:   threads(message, domainOf(sender.Address)),
		Urgent:    message.Incidents[0].Severity.Rank() <= alert.High.Rank(),
	}, nil
}

// htmlPage is what mail.html shows.
type htmlPage struct {
	notify.Message

	List []notify.Incident
	More int
	One  bool
}

func renderHTML(message notify.Message) (string, error) {
	shown, more := message.Shown()
	page := htmlPage{Message: message, List: shown, More: more, One: len(message.Incidents) == 1}
	var b strings.Builder
	if err := htmlTemplate.Execute(&b, page); err != nil {
		return "", err
	}
	return b.String(), nil
}

// threads gives each described incident an id of its own, which no mail carries:
// mail programs gather what refers to the same one.
func threads(message notify.Message, domain string) []string {
	shown, _ := message.Shown()
	ids := make([]string, 0, len(shown))
	for _, incident := range shown {
		ids = append(ids, fmt.Sprintf("incident.%s@%s", incident.ID, domain))
	}
	return ids
}

// colourOf is a severity's colour on paper; mail.html has the one for the dark.
func colourOf(severity alert.Severity) template.CSS {
	switch severity {
	case alert.Critical:
		return "#c9222b"
	case alert.High:
		return "#b84f17"
	case alert.Low:
		return "#5c626f"
	case alert.Medium:
		return "#827002"
	default:
		return "#827002"
	}
}

func domainOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
