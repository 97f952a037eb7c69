package email

import (
	"embed"
	"fmt"
	"html/template"
	"net/mail"
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

//go:embed *.html
var sources embed.FS

// Every mail is frame.html around a body of its own.
var (
	pageTemplate     = framed("page.html")
	handoverTemplate = framed("handover.html")
	linkTemplate     = framed("link.html")
)

func framed(body string) *template.Template {
	return template.Must(template.New("frame.html").Funcs(template.FuncMap{
		"word":   notify.SeverityWord,
		"colour": colourOf,
		"line":   func(text string) string { return notify.Line(text, 200) },
	}).ParseFS(sources, "frame.html", body))
}

// shownPage is what page.html shows.
type shownPage struct {
	notify.Message

	List []notify.Incident
	More int
	One  bool
}

// shownLink is what link.html shows: fixed words around one link.
type shownLink struct {
	Subject, Headline, Lead, URL, Link, Note string
	// Lines stand between Lead and the link, each as it is.
	Lines []string

	Footer string
}

// Render turns a message into a mail from sender. It fails for good when the
// contact's address is no e-mail address.
func Render(message notify.Message, sender mail.Address) (Mail, error) {
	if message.Test {
		return renderTest(message, sender)
	}
	if message.SignInURL != "" {
		return renderLastResort(message, sender)
	}
	shown, more := message.Shown()
	own := shownPage{Message: message, List: shown, More: more, One: len(message.Incidents) == 1}
	rendered, err := render(message.Envelope(), message.Subject(), message.Text(), sender, pageTemplate, own)
	rendered.MessageID = fmt.Sprintf("page.%s@%s", message.ID, domainOf(sender.Address))
	rendered.Threads = threads(message, domainOf(sender.Address))
	rendered.Urgent = message.Incidents[0].Severity.Rank() <= alert.High.Rank()
	return rendered, err
}

// renderLastResort is the page to an address that nobody has confirmed: the same words for
// every organization, so that nobody can send his own text to a stranger.
func renderLastResort(message notify.Message, sender mail.Address) (Mail, error) {
	own := shownLink{
		Subject: "Nobody has answered an incident in Nightbell", Headline: "Somebody is needed",
		Lead: "Nobody has answered an incident of your organization in Nightbell.", URL: message.SignInURL, Link: "Sign in and see it",
		Note: "What it is about is not written here, because this address is not confirmed yet. Until it is, more than a few such mails a day are sent together, one an hour: confirm it to be paged at once.",
	}
	if n := len(message.Incidents); n > 1 {
		own.Subject = fmt.Sprintf("Nobody has answered %d incidents in Nightbell", n)
		own.Lead = fmt.Sprintf("Nobody has answered %d incidents of your organization in Nightbell.", n)
		own.Link = "Sign in and see them"
	}
	to := message.Envelope()
	to.PersonName = ""
	rendered, err := render(to, own.Subject, own.Lead+" "+own.Link+":\n\n"+own.URL+"\n\n"+own.Note+"\n", sender, linkTemplate, own)
	rendered.MessageID, rendered.Urgent = fmt.Sprintf("page.%s@%s", message.ID, domainOf(sender.Address)), true
	return rendered, err
}

// renderTest is the page that somebody sends themselves. It comes as urgently as a page, so that a
// mail program that lets pages through lets it through.
func renderTest(message notify.Message, sender mail.Address) (Mail, error) {
	own := shownLink{
		Subject: message.Subject(), Headline: "A test page", Lead: message.TestLead(), URL: message.SignInURL, Link: "See the receipt", Note: notify.TestNote,
	}
	rendered, err := render(message.Envelope(), own.Subject, message.Text(), sender, linkTemplate, own)
	rendered.MessageID, rendered.Urgent = fmt.Sprintf("test.%s@%s", message.ID, domainOf(sender.Address)), true
	return rendered, err
}

// RenderNotice turns a notice into a mail from sender. It fails for good when the contact's
// address is no e-mail address.
func RenderNotice(notice notify.Notice, sender mail.Address) (Mail, error) {
	kind, body, shown := "handover", handoverTemplate, any(notice)
	switch own := notice.(type) {
	case notify.Verification:
		kind, body = "verification", linkTemplate
		shown = shownLink{
			Subject: own.Subject(), Headline: "Welcome to Nightbell",
			Lead: "Somebody entered this e-mail address, so that Nightbell can page it. If it was you, open this link and press the button.",
			URL:  own.URL, Link: "Confirm this e-mail address",
			Note: "It works for seven days. If it was not you, do nothing: no page is sent here.",
		}
	case notify.Invitation:
		kind, body = "invitation", linkTemplate
		shown = shownLink{Subject: own.Subject(), Headline: "Join your team", Lead: own.Lead(), URL: own.URL, Link: "Accept the invitation", Note: own.Note()}
	case notify.PasswordReset:
		kind, body = "password", linkTemplate
		shown = shownLink{Subject: own.Subject(), Headline: "A new password", Lead: own.Lead(), URL: own.URL, Link: "Set a new password", Note: own.Note()}
	case notify.PasswordChanged:
		kind, body = "password-changed", linkTemplate
		shown = shownLink{Subject: own.Subject(), Headline: "Your password was changed", Lead: own.Lead(), URL: own.URL, Link: "Open Nightbell", Note: own.Note()}
	case notify.WebhookDisabled:
		kind, body = "webhook", linkTemplate
		shown = shownLink{Subject: own.Subject(), Headline: "A webhook subscription is disabled", Lead: own.Lead(), URL: own.URL, Link: "Open Nightbell", Note: own.Note()}
	case notify.IncidentNews:
		kind, body = "news", linkTemplate
		shown = shownLink{Subject: own.Subject(), Headline: own.Headline(), Lead: own.Lead(), Lines: own.Shown(), URL: own.URL, Link: "Open the incident", Note: own.Note()}
	}
	to := notice.Envelope()
	rendered, err := render(to, notice.Subject(), notice.Text(), sender, body, shown)
	rendered.MessageID = fmt.Sprintf("%s.%s@%s", kind, to.ID, domainOf(sender.Address))
	return rendered, err
}

// render is what every mail has.
func render(to notify.Envelope, subject, text string, sender mail.Address, body *template.Template, shown any) (Mail, error) {
	recipient, err := parseRecipient(to.To.Address, to.PersonName)
	if err != nil {
		return Mail{}, err
	}
	var html strings.Builder
	if err := body.Execute(&html, shown); err != nil {
		return Mail{}, fmt.Errorf("render the mail: %w", err)
	}
	return Mail{OrgID: to.OrgID, From: sender, To: recipient, Subject: subject, Text: text, HTML: html.String(), SentAt: to.SentAt}, nil
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

// colourOf is a severity's colour on paper; frame.html has the one for the dark.
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
