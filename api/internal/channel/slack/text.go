package slack

import (
	"strings"
	"unicode/utf16"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// escaper takes away the meaning of Slack's control characters, and with it mentions
// (<!channel>, <@U123>) and links.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// plain makes text from outside fit for a text object of at most limit characters
// after escaping. It is cut where a character ends, never inside an escape.
func plain(text string, limit int) string {
	text = notify.Paragraph(text, limit)
	if escaped := escaper.Replace(text); length(escaped) <= limit {
		return escaped
	}
	var b strings.Builder
	room := limit - length("…")
	for _, r := range text {
		piece := escaper.Replace(string(r))
		if room -= length(piece); room < 0 {
			break
		}
		b.WriteString(piece)
	}
	return b.String() + "…"
}

// length counts in UTF-16, the strictest reading of Slack's limits.
func length(text string) int { return len(utf16.Encode([]rune(text))) }
