package nightbell

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	maxExceptions      = 8
	fingerprintFrames  = 8
	fingerprintMessage = 500
)

// fingerprint names the problem behind an error: the same in every process, release
// and language, whatever the message says. text is what was hashed.
func fingerprint(environment string, exceptions []Exception) (sum, text string) {
	exceptions = exceptions[:min(len(exceptions), maxExceptions)]
	lines := []string{"nightbell/1", "environment " + environment}
	var frames []Frame
	for _, e := range exceptions {
		lines = append(lines, "type "+e.Type)
		if len(e.Frames) > 0 {
			frames = e.Frames
		}
	}
	switch {
	case len(frames) > 0:
		lines = append(lines, fingerprintLines(frames)...)
	case len(exceptions) > 0:
		lines = append(lines, "message "+messageShape(exceptions[0].Message))
	default:
		lines = append(lines, "message ")
	}
	text = strings.Join(lines, "\n")
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:16]), text
}

// fingerprintLines are the frames of the application, or all if none is, without
// line numbers, and a recursion once. Outermost callers without a name do not count:
// some languages lose them.
func fingerprintLines(frames []Frame) []string {
	own := make([]Frame, 0, len(frames))
	for _, f := range frames {
		if f.InApp {
			own = append(own, f)
		}
	}
	if len(own) == 0 {
		own = frames
	}
	for len(own) > 1 && nameless(own[len(own)-1].Function) {
		own = own[:len(own)-1]
	}
	var lines []string
	for _, f := range own {
		place := f.Module
		if place == "" {
			place = f.File[strings.LastIndexAny(f.File, `/\`)+1:]
		}
		line := "at " + place + ":" + f.Function
		if len(lines) == 0 || lines[len(lines)-1] != line {
			lines = append(lines, line)
		}
	}
	return lines[:min(len(lines), fingerprintFrames)]
}

// nameless is how Node.js and Python call a function or a file that has no name.
func nameless(function string) bool { return function == "<anonymous>" || function == "<module>" }

// messageShape is the first line of a message without what changes from one to the next.
func messageShape(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if runes := []rune(message); len(runes) > fingerprintMessage {
		message = string(runes[:fingerprintMessage])
	}
	var b strings.Builder
	for i := 0; i < len(message); {
		word := message[i : i+runOf(message[i:], isKeyByte)]
		switch {
		case word == "":
			word = message[i : i+1]
			b.WriteString(word)
		case strings.ContainsAny(word, "0123456789"):
			b.WriteByte('#')
		default:
			b.WriteString(word)
		}
		i += len(word)
	}
	return b.String()
}
