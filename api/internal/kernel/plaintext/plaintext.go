// Package plaintext is the one rule for text that is shown or sent: names, titles, labels and
// descriptions hold nothing that moves a cursor, hides or reorders text, or begins another
// header. People's input is refused when it breaks the rule (Check), machines' input is
// cleaned (Line, Text), and so is what leaves, because rows may be older than the rule.
package plaintext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line makes text fit for one line: no line breaks, single spaces, nothing hidden, and no
// encoded words (RFC 2047), which mail programs would decode after us.
func Line(text string) string {
	if isPlainLine(text) {
		return text
	}
	text = strings.Join(strings.Fields(clean(text, false)), " ")
	return strings.ReplaceAll(text, "=?", "= ?")
}

// Text is Line for longer text: it keeps line breaks and spaces.
func Text(text string) string {
	for i := range len(text) {
		if c := text[i]; (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return clean(text, true)
		}
	}
	return text
}

// Cut keeps at most limit characters and shows that something is missing.
func Cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimRightFunc(string([]rune(text)[:limit-1]), unicode.IsSpace) + "…"
}

// Blank reports whether nothing of the text can be seen.
func Blank(text string) bool { return Line(text) == "" }

// Check says what a person has to change so that the text is fit for one line: "holds a
// control or invisible character (U+202E); remove it". It is empty when the text is.
func Check(text string) string {
	if !utf8.ValidString(text) {
		return "is not valid UTF-8"
	}
	var before rune
	for i, r := range text {
		if isBreak(r) || hidden(before, r, next(text, i, r)) {
			return fmt.Sprintf("holds a control or invisible character (U+%04X); remove it", r)
		}
		before = r
	}
	return ""
}

// Escape writes what must not be shown as \uXXXX, as JSON does, and keeps line breaks.
func Escape(text string) string {
	var b strings.Builder
	var before rune
	for i, r := range text {
		switch {
		case r != '\n' && (isBreak(r) || hidden(before, r, next(text, i, r))):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, "\\u%04x", unit)
			}
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// hidden reports whether a character must not be shown: it is a control character, has no
// width, or changes how others are read. Joiners inside words that are not ASCII are spelling
// (Persian, Hindi, emoji), not hiding. before and after are its neighbours, 0 when it has none.
func hidden(before, r, after rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return !joins(before) || !joins(after)
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return before == 0 || unicode.IsSpace(before) // a variation selector belongs to a character
	default:
		return inkless(r) || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
	}
}

// inkless are letters and marks that show nothing.
func inkless(r rune) bool {
	switch r {
	case '\u034f', '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0':
		return true
	}
	return false
}

func joins(r rune) bool {
	return r > unicode.MaxASCII && !inkless(r) && unicode.In(r, unicode.L, unicode.M, unicode.S)
}

// next is the character after the one at i, or 0.
func next(text string, i int, r rune) rune {
	i += utf8.RuneLen(r)
	if i >= len(text) {
		return 0
	}
	after, _ := utf8.DecodeRuneInString(text[i:])
	return after
}

// clean drops what is hidden and replaces invalid UTF-8.
func clean(text string, keepLines bool) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), string(utf8.RuneError))
	var b strings.Builder
	b.Grow(len(text))
	var before rune // the last one that was kept
	for i, r := range text {
		switch {
		case keepLines && (r == '\n' || r == '\t'):
		case isBreak(r):
			r = ' '
		case hidden(before, r, next(text, i, r)):
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// isBreak are the controls that separate words.
func isBreak(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

// isPlainLine sees at once that most text of machines needs no change.
func isPlainLine(text string) bool {
	space := true // none at the beginning, none twice
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || (c == ' ' && space) || (c == '?' && i > 0 && text[i-1] == '=') {
			return false
		}
		space = c == ' '
	}
	return text == "" || !space
}
