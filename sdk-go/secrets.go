package nightbell

import "strings"

// textRule finds what looks like a secret inside any text, at from or later: from start to keep
// the text stays, from keep to end replacement stands instead. Without one, start is -1. Written
// by hand, because regexp adds 250 KiB to a program; a test compares each with its pattern.
type textRule struct {
	name        string
	find        func(s string, from int) (start, keep, end int)
	replacement string
}

var secretTexts = []textRule{
	{"private_key", findPrivateKey, redacted},
	{"jwt", findJWT, redacted},
	{"nightbell_key", findNightbellKey, redacted},
	{"authorization", findAuthorization, " " + redacted},
	{"url_credentials", findURLCredentials, redacted + "@"},
	{"assignment", findAssignment, redacted},
}

// replace copies s only if there is something to replace.
func (r textRule) replace(s string) string {
	start, keep, end := r.find(s, 0)
	if start < 0 {
		return s
	}
	var b strings.Builder
	for done := 0; ; start, keep, end = r.find(s, done) {
		if start < 0 {
			b.WriteString(s[done:])
			return b.String()
		}
		b.WriteString(s[done:keep])
		b.WriteString(r.replacement)
		done = end
	}
}

// findPrivateKey is -----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?
func findPrivateKey(s string, from int) (start, keep, end int) {
	for start, ok := next(s, "-----BEGIN ", from); ok; start, ok = next(s, "-----BEGIN ", start+1) {
		end, ok := pemLine(s, "-----BEGIN ", start)
		if !ok {
			continue
		}
		end += runOf(s[end:], func(c byte) bool { return c != '-' })
		if last, ok := pemLine(s, "-----END ", end); ok {
			end = last
		}
		return start, start, end
	}
	return -1, 0, 0
}

// pemLine is where the first or last line of a key ends that begins at a place.
func pemLine(s, begin string, at int) (end int, ok bool) {
	if !strings.HasPrefix(s[at:], begin) {
		return 0, false
	}
	label := at + len(begin)
	end = label + runOf(s[label:], func(c byte) bool { return c == ' ' || c >= 'A' && c <= 'Z' })
	return end + 5, strings.HasSuffix(s[label:end], "PRIVATE KEY") && strings.HasPrefix(s[end:], "-----")
}

// findJWT is \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]* as text.
func findJWT(s string, from int) (start, keep, end int) {
	for start, ok := next(s, "eyJ", from); ok; start, ok = next(s, "eyJ", start+1) {
		if !atBoundary(s, start) {
			continue
		}
		head := start + 3 + runOf(s[start+3:], isKeyByte)
		if head < start+3+8 || head == len(s) || s[head] != '.' {
			continue
		}
		body := head + 1 + runOf(s[head+1:], isKeyByte)
		if body < head+1+8 || body == len(s) || s[body] != '.' {
			continue
		}
		return start, start, body + 1 + runOf(s[body+1:], isKeyByte)
	}
	return -1, 0, 0
}

// findNightbellKey is \bnb[a-z]_[A-Za-z0-9_-]{16,} as text.
func findNightbellKey(s string, from int) (start, keep, end int) {
	for start, ok := next(s, "nb", from); ok; start, ok = next(s, "nb", start+1) {
		if !atBoundary(s, start) || len(s) < start+4 || s[start+2] < 'a' || s[start+2] > 'z' || s[start+3] != '_' {
			continue
		}
		if length := runOf(s[start+4:], isKeyByte); length >= 16 {
			return start, start, start + 4 + length
		}
	}
	return -1, 0, 0
}

// findAuthorization is \b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,} in any case.
func findAuthorization(s string, from int) (start, keep, end int) {
	for start := from; start < len(s); start++ {
		if s[start]|0x20 != 'b' || !atBoundary(s, start) {
			continue
		}
		word := start + 6
		if !hasPrefixFold(s[start:], "bearer") {
			if word = start + 5; !hasPrefixFold(s[start:], "basic") {
				continue
			}
		}
		blank := runOf(s[word:], isBlank)
		value := runOf(s[word+blank:], func(c byte) bool { return isKeyByte(c) || strings.IndexByte(".~+/=", c) >= 0 })
		if blank > 0 && value >= 16 {
			return start, word, word + blank + value
		}
	}
	return -1, 0, 0
}

// findURLCredentials is ://[^/\s:@]*:[^/\s@]+@ as text.
func findURLCredentials(s string, from int) (start, keep, end int) {
	for start, ok := next(s, "://", from); ok; start, ok = next(s, "://", start+1) {
		user := start + 3
		colon := user + runOf(s[user:], func(c byte) bool { return c != '/' && c != ':' && c != '@' && !isBlank(c) })
		if colon == len(s) || s[colon] != ':' {
			continue
		}
		at := colon + 1 + runOf(s[colon+1:], func(c byte) bool { return c != '/' && c != '@' && !isBlank(c) })
		if at > colon+1 && at < len(s) && s[at] == '@' {
			return start, user, at + 1
		}
	}
	return -1, 0, 0
}

var secretNames = []string{"password", "passwd", "secret", "token", "apikey", "api_key", "accesskey", "access_key"}

// findAssignment is \b([A-Za-z0-9_-]{0,40}(?:password|passwd|secret|token|api_?key|access_?key))=[^\s&"',;]+
// in any case.
func findAssignment(s string, from int) (start, keep, end int) {
	for equals, ok := next(s, "=", from); ok; equals, ok = next(s, "=", equals+1) {
		value := runOf(s[equals+1:], func(c byte) bool { return !isBlank(c) && strings.IndexByte(`&"',;`, c) < 0 })
		if value == 0 {
			continue
		}
		if first, ok := secretName(s, from, equals); ok {
			return first, equals + 1, equals + 1 + value
		}
	}
	return -1, 0, 0
}

// secretName is where a name begins that ends before the equals sign, with what belongs to it.
func secretName(s string, from, equals int) (first int, ok bool) {
	for _, name := range secretNames {
		at := equals - len(name)
		if at < from || !strings.EqualFold(s[at:equals], name) {
			continue
		}
		first = at
		for first > max(from, at-40) && isKeyByte(s[first-1]) {
			first--
		}
		for ; first <= at; first++ {
			if atBoundary(s, first) {
				return first, true
			}
		}
	}
	return 0, false
}

// next is where part stands, at from or later.
func next(s, part string, from int) (at int, ok bool) {
	if from > len(s) {
		return 0, false
	}
	at = strings.Index(s[from:], part)
	return from + at, at >= 0
}

// runOf is how many bytes at the beginning are in a class.
func runOf(s string, in func(byte) bool) int {
	for i := range len(s) {
		if !in(s[i]) {
			return i
		}
	}
	return len(s)
}

// atBoundary is \b: either the byte before or the one at a place is of a word.
func atBoundary(s string, at int) bool {
	before := at > 0 && isWordByte(s[at-1])
	after := at < len(s) && isWordByte(s[at])
	return before != after
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isKeyByte(c byte) bool { return c == '-' || isWordByte(c) }

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
