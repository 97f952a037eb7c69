package auth

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// The bounds of a password, in characters (Unicode code points, not bytes).
const (
	MinPasswordLength = 12
	MaxPasswordLength = 256
)

// CheckPassword returns nil for a password that may be used, and otherwise the refusal that says what to change. about
// is what an attacker knows of the person: name, e-mail address, organization. Length and not being guessable count,
// and no kind of character is demanded (NIST SP 800-63B-4, 3.1.1.2).
func CheckPassword(password string, about ...string) error {
	length := utf8.RuneCountInString(password)
	switch {
	case !utf8.ValidString(password):
		return weak("The password holds bytes that are not text. Choose another one.")
	case length < MinPasswordLength:
		return weak("The password is too short. Use 12 characters or more; four unrelated words work well.")
	case length > MaxPasswordLength:
		return weak("The password is too long. Use 256 characters at most.")
	case isRegular(password):
		return weak("This password is easy to guess: it repeats or counts up. Choose another one; four unrelated words work well.")
	case isBuiltFromKnown(password, wordsOf(about)):
		return weak("This password is easy to guess: it is made of a well-known password, your name or your organization's. " +
			"Choose another one; four unrelated words work well.")
	}
	return nil
}

func weak(sentence string) error {
	return fault.InvalidField("password", fault.BadFormat, sentence)
}

//go:embed common_passwords.txt
var commonPasswords string

// wellKnown is the embedded list as a set, with the words of this product.
var wellKnown = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for line := range strings.Lines(commonPasswords) {
		if word := strings.TrimSpace(line); word != "" && !strings.HasPrefix(word, "#") {
			known[word] = true
		}
	}
	for _, word := range []string{"nightbell", "night", "bell", "oncall", "pager", "incident", "alert", "escalation", "responder"} {
		known[word] = true
	}
	return known
})

// shortestPiece is how long a known word must be to count as a piece of a
// password: shorter ones turn up in anything.
const shortestPiece, longestPiece = 4, 32

// wordsOf cuts names and addresses into lower-case words, and keeps each as a
// whole too ("Acme Corp" gives acme, corp and acmecorp).
func wordsOf(about []string) map[string]bool {
	words := map[string]bool{}
	for _, text := range about {
		local, _, _ := strings.Cut(strings.ToLower(text), "@")
		parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, word := range append(parts, local, strings.Join(parts, "")) {
			if utf8.RuneCountInString(word) >= shortestPiece {
				words[word] = true
			}
		}
	}
	return words
}

// unleet undoes the substitutions that everybody tries, rune by rune.
var unleet = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t", "8", "b")

// isBuiltFromKnown holds when a password is one or two known words with a few
// digits or signs around them: "Football2026!!", "p@ssw0rd-nightbell".
func isBuiltFromKnown(password string, about map[string]bool) bool {
	lower := strings.ToLower(password)
	if wellKnown()[lower] {
		return true
	}
	plain := []rune(lower)
	return isFewPieces(plain, plain, about) || isFewPieces(plain, []rune(unleet.Replace(lower)), about)
}

const (
	// fewPieces is how many known words, or single letters beside them, are too
	// few to be worth guessing at.
	fewPieces = 2
	// fewFillers is how many digits and signs around them do not help.
	fewFillers = 8
)

// cover is the cheapest way to read a beginning of a password.
type cover struct{ pieces, known, fillers int }

func (c cover) cheaperThan(other cover) bool {
	if c.pieces != other.pieces {
		return c.pieces < other.pieces
	}
	return c.fillers < other.fillers
}

// isFewPieces looks for the reading of the password with the fewest pieces, as known words, letters and fillers: each
// word or letter is a piece, the same word again is not. Words are looked for in text, which is plain with or without
// substitutions undone; what is left over is counted in plain.
func isFewPieces(plain, text []rune, about map[string]bool) bool {
	best := make([]cover, len(text)+1)
	for end := 1; end <= len(text); end++ {
		best[end] = afterOne(best[end-1], plain[end-1])
		for start := max(0, end-longestPiece); start <= end-shortestPiece; start++ {
			word := string(text[start:end])
			if !about[word] && !wellKnown()[word] {
				continue
			}
			reading := best[start]
			reading.known++
			if !strings.Contains(string(text[:start]), word) {
				reading.pieces++
			}
			if reading.cheaperThan(best[end]) {
				best[end] = reading
			}
		}
	}
	whole := best[len(text)]
	return whole.known > 0 && whole.pieces <= fewPieces && whole.fillers <= fewFillers
}

func afterOne(before cover, r rune) cover {
	if unicode.IsLetter(r) {
		before.pieces++
	} else {
		before.fillers++
	}
	return before
}

// isRegular holds for what a rule of a few characters describes: few different
// characters, a short unit repeated, a run along the alphabet or the keyboard.
func isRegular(password string) bool {
	text := []rune(strings.ToLower(password))
	return countDistinct(text) < 5 || isRepeatedUnit(text) || isMostlyRuns(text)
}

func countDistinct(text []rune) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// longestUnit is the longest unit whose repetition is refused.
const longestUnit = 6

func isRepeatedUnit(text []rune) bool {
	for unit := 1; unit <= min(longestUnit, len(text)/2); unit++ {
		same := true
		for i := unit; i < len(text) && same; i++ {
			same = text[i] == text[i-unit]
		}
		if same {
			return true
		}
	}
	return false
}

// keyRows are the rows of the common keyboards, and the alphabet and the digits.
var keyRows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "qwertzuiopü", "azertyuiop",
}

// isMostlyRuns holds when three quarters of the steps from one character to the
// next go to its neighbour, in either direction.
func isMostlyRuns(text []rune) bool {
	near := 0
	for i := 1; i < len(text); i++ {
		if areNeighbours(string(text[i-1 : i+1])) {
			near++
		}
	}
	return near*4 >= (len(text)-1)*3
}

func areNeighbours(pair string) bool {
	runes := []rune(pair)
	back := string([]rune{runes[1], runes[0]})
	for _, row := range keyRows {
		if strings.Contains(row, pair) || strings.Contains(row, back) {
			return true
		}
	}
	return false
}
