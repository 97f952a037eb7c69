package slack

import (
	"fmt"
	"net/url"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Slack's limits.
const (
	maxHeader  = 150
	maxSection = 3000
	maxField   = 2000
	maxText    = 3000 // of the fallback, which may be longer but is read in a notification
)

// payload is what an incoming webhook takes.
type payload struct {
	// Text is shown in notifications, and where blocks cannot be.
	Text        string  `json:"text"`
	Blocks      []block `json:"blocks"`
	Mrkdwn      bool    `json:"mrkdwn"`
	UnfurlLinks bool    `json:"unfurl_links"`
	UnfurlMedia bool    `json:"unfurl_media"`
}

type block struct {
	Type      string    `json:"type"`
	Text      *text     `json:"text,omitempty"`
	Fields    []text    `json:"fields,omitempty"`
	Accessory *button   `json:"accessory,omitempty"`
	Elements  []element `json:"elements,omitempty"`
}

// element is a button or, in a context block, a text.
type element any

// text is always plain: alert text must not be able to format, mention or link.
type text struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji bool   `json:"emoji"`
}

type button struct {
	Type  string `json:"type"`
	Text  text   `json:"text"`
	URL   string `json:"url"`
	Style string `json:"style,omitempty"`
}

func render(message notify.Message) payload {
	if message.Test {
		return payload{Text: plain(message.Subject(), maxText), Blocks: []block{
			{Type: "header", Text: words("Test page", maxHeader)},
			{Type: "section", Text: words(message.TestLead()+"\n"+notify.TestNote, maxSection)},
		}}
	}
	blocks := one
	if len(message.Incidents) > 1 {
		blocks = many
	}
	return payload{
		Text:   plain(message.Subject(), maxText),
		Blocks: append(blocks(message), footer(message)),
	}
}

// one answers in the order of the look: how bad, what, since when, why; then the button.
func one(message notify.Message) []block {
	told := message.Incidents[0]
	blocks := []block{
		{Type: "header", Text: words(notify.SeverityWord(told.Severity)+": "+told.CleanTitle(), maxHeader)},
		{Type: "section", Fields: []text{
			*words("Service\n"+told.Service(), maxField),
			*words("Status\n"+told.StatusWord()+" since "+told.Since(), maxField),
			*words("Incident\n"+told.ShortID(), maxField),
			*words("Alerts\n"+fmt.Sprint(told.AlertCount), maxField),
		}},
	}
	if summary := told.Summary(); summary != "" {
		blocks = append(blocks, block{Type: "section", Text: words(summary, maxSection)})
	}
	others := []*button{link("Open incident", told.URL)}
	// Slack refuses a whole message for one address that it cannot read: escaped, any is readable.
	if runbook, err := url.Parse(told.RunbookURL); err == nil && runbook.Host != "" {
		others = append(others, link("Runbook", runbook.String()))
	}
	return append(blocks, actions(message, "Acknowledge", others...))
}

// many lists what is shown, each with its link, and counts the rest.
func many(message notify.Message) []block {
	blocks := []block{
		{Type: "header", Text: words(message.Count(), maxHeader)},
		{Type: "section", Text: words(message.Tally(), maxSection)},
	}
	shown, more := message.Shown()
	for _, told := range shown {
		blocks = append(blocks, block{
			Type: "section",
			Text: words(fmt.Sprintf("%s: %s\n%s, %s since %s", notify.SeverityWord(told.Severity), told.CleanTitle(),
				told.ShortID()+" "+told.Service(), told.StatusWord(), told.Since()), maxSection),
			Accessory: link("Open incident", told.URL),
		})
	}
	if more > 0 {
		blocks = append(blocks, block{Type: "section", Text: words(fmt.Sprintf("and %d more.", more), maxSection)})
	}
	if message.AckURL != "" {
		blocks = append(blocks, actions(message, fmt.Sprintf("Acknowledge all %d", len(message.Incidents))))
	}
	return blocks
}

// actions are the buttons: first the one for the person who was paged, if it is one.
func actions(message notify.Message, label string, others ...*button) block {
	var elements []element
	if message.AckURL != "" {
		acknowledge := link(label, message.AckURL)
		acknowledge.Style = "primary"
		elements = append(elements, acknowledge)
	}
	for _, other := range others {
		elements = append(elements, other)
	}
	return block{Type: "actions", Elements: elements}
}

func footer(message notify.Message) block {
	return block{Type: "context", Elements: []element{words(message.Footer(), maxField)}}
}

func link(label, url string) *button {
	return &button{Type: "button", Text: *words(label, 75), URL: url}
}

func words(content string, limit int) *text {
	return &text{Type: "plain_text", Text: plain(content, limit)}
}
