package wire

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Name is a field's name as it stands between its quotation marks.
type Name []byte

// Text gives the name as text of at most limit bytes; see Value.Text.
func (n Name) Text(limit int) string { return unquote(n, limit) }

// Text gives any value as text of at most limit bytes: strings as they are,
// numbers, booleans, lists and objects as they were written, null as "". Text
// that is cut ends in an ellipsis, for which the limit must have room (3 bytes).
func (v Value) Text(limit int) string {
	switch {
	case v.IsNull():
		return ""
	case v[0] == '"':
		return unquote(v[1:len(v)-1], limit)
	default:
		return clean(v, limit)
	}
}

// Int gives a whole number between 0 and ceiling, whether it was sent as a number
// or as text; anything else is 0.
func (v Value) Int(ceiling int) int {
	number, err := strconv.ParseFloat(v.Text(32), 64)
	if err != nil || !(number > 0) { // NaN is not above 0
		return 0
	}
	return int(min(number, float64(ceiling)))
}

// Time reads an RFC 3339 time as PostgreSQL will keep it: in UTC, in whole microseconds (so that it equals itself when
// read back) and no later than the year 9999. It is zero for what is not a time, and for the year 1 and before, which
// is how Go programs say "none".
func (v Value) Time() time.Time {
	at, err := time.Parse(time.RFC3339, v.Text(64))
	if err != nil {
		return time.Time{}
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() <= 1 {
		return time.Time{}
	}
	if latest := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC); at.After(latest) {
		return latest
	}
	return at
}

// Shorten cuts text to at most limit characters; text that is cut ends in an ellipsis.
func Shorten(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	at := 0
	for range limit - 1 {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at] + ellipsis
}

const ellipsis = "…"

// unquote resolves escapes, and only as many as fit the limit: a label of a
// megabyte is not worth decoding when 4 KiB of it are kept.
func unquote(quoted []byte, limit int) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return clean(quoted, limit)
	}
	var text strings.Builder
	text.Grow(min(len(quoted), limit))
	for i := 0; i < len(quoted) && text.Len() <= limit; {
		if quoted[i] != '\\' {
			end := len(quoted)
			if next := bytes.IndexByte(quoted[i:], '\\'); next >= 0 {
				end = i + next
			}
			end = min(end, i+limit+utf8.UTFMax)
			text.Write(quoted[i:end])
			i = end
			continue
		}
		char, size := unescape(quoted[i:])
		text.WriteRune(char)
		i += size
	}
	return clean([]byte(text.String()), limit)
}

// unescape reads one escape, as encoding/json does: half a surrogate pair is U+FFFD.
func unescape(from []byte) (char rune, size int) {
	switch from[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeUnicode(from)
	default: // " \ /
		return rune(from[1]), 2
	}
}

func unescapeUnicode(from []byte) (char rune, size int) {
	char = hex4(from[2:6])
	if !utf16.IsSurrogate(char) {
		return char, 6
	}
	if len(from) >= 12 && from[6] == '\\' && from[7] == 'u' {
		if pair := utf16.DecodeRune(char, hex4(from[8:12])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(digits []byte) rune {
	number, err := strconv.ParseUint(string(digits), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(number)
}

// clean makes text storable: no NUL, no invalid UTF-8, not too long.
func clean(raw []byte, limit int) string {
	if len(raw) <= limit && bytes.IndexByte(raw, 0) < 0 && utf8.Valid(raw) {
		return string(raw)
	}
	raw = raw[:min(len(raw), limit+utf8.UTFMax)]
	text := string([]rune(string(raw))) // each byte that is not UTF-8 becomes U+FFFD
	text = strings.ReplaceAll(text, "\x00", string(utf8.RuneError))
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len(ellipsis))
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
