// Package id makes the keys of everything we store: UUID version 7 (RFC 9562),
// so that rows written together lie together in an index.
package id

import "github.com/google/uuid"

// New returns a fresh key. It panics only when the machine has no randomness,
// in which case nothing we do would be safe.
func New() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// Parse reads a key from text; ok is false for anything that is not a UUID in
// its 36-character form.
func Parse(text string) (key uuid.UUID, ok bool) {
	if len(text) != 36 {
		return uuid.Nil, false
	}
	key, err := uuid.Parse(text)
	return key, err == nil
}

// ParseAll reads keys. Text that is none names nothing: it becomes Nil, which is nobody's.
func ParseAll(texts []string) []uuid.UUID {
	keys := make([]uuid.UUID, len(texts))
	for i, text := range texts {
		keys[i], _ = Parse(text)
	}
	return keys
}

// Optional reads the key of a field that was validated; nil for a field that is empty.
func Optional(text string) *uuid.UUID {
	if text == "" {
		return nil
	}
	key, _ := Parse(text)
	return &key
}

// Text is the key as a field of an answer, absent for none.
func Text(key *uuid.UUID) *string {
	if key == nil {
		return nil
	}
	return new(key.String())
}

// Last4 is the short name people see, as in "#c41e". It is for display only and
// never looks anything up.
func Last4(key uuid.UUID) string {
	text := key.String()
	return text[len(text)-4:]
}
