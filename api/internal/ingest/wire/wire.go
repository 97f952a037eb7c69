// Package wire reads JSON that a stranger sent, within bounds.
//
// encoding/json alone decides what is JSON (Read). Walking a document that is
// known to be valid is then simple, and done here rather than by unmarshalling
// into Go values for three reasons: a number or an object where text was expected
// becomes text instead of an error, a body of a million empty objects or labels
// costs no more memory than its own bytes, and it is faster.
//
// Whatever leaves this package as a string can be stored: it is valid UTF-8, has
// no NUL (PostgreSQL refuses it) and is no longer than was asked for.
// Neighbours: the parsers beside it, one per sender.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// Value is one JSON value, known to be valid and without space around it. It
// points into the body that was read, which must not change while it is used.
type Value []byte

// ErrNotJSON is wrapped by every error of Read.
var ErrNotJSON = errors.New("not JSON")

// Read checks that body is one JSON value, at most 10,000 levels deep, and
// returns it. A byte order mark before it is skipped. The error is a phrase that
// says where the document stops making sense; it quotes nothing of the body.
func Read(body []byte) (Value, error) {
	doc := bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if len(doc) == 0 {
		return nil, fmt.Errorf("%w: the body is empty", ErrNotJSON)
	}
	if json.Valid(doc) {
		return Value(doc), nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(doc, new(json.RawMessage))); ok {
		return nil, fmt.Errorf("%w: it stops making sense at byte %d of %d", ErrNotJSON, syntax.Offset, len(doc))
	}
	return nil, ErrNotJSON
}

// IsObject reports whether the value has fields.
func (v Value) IsObject() bool { return len(v) > 0 && v[0] == '{' }

// IsArray reports whether the value has elements.
func (v Value) IsArray() bool { return len(v) > 0 && v[0] == '[' }

// IsNull reports whether the value is null or was never set.
func (v Value) IsNull() bool { return len(v) == 0 || v[0] == 'n' }

// Fields yields an object's fields in the order they were sent, a repeated name
// as often as it was sent. It yields nothing for any other value. The name may
// point into the body; keep it as a string, made by Text, not as it is.
func (v Value) Fields() iter.Seq2[Name, Value] {
	return func(yield func(Name, Value) bool) {
		if !v.IsObject() {
			return
		}
		for i := skipSpace(v, 1); v[i] != '}'; i = skipComma(v, i) {
			end := endOfString(v, i)
			name := Name(v[i+1 : end-1])
			i = skipSpace(v, end)
			i = skipSpace(v, i+1) // the colon
			end = endOfValue(v, i)
			if !yield(name, v[i:end]) {
				return
			}
			i = end
		}
	}
}

// Elements yields an array's elements. It yields nothing for any other value.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if !v.IsArray() {
			return
		}
		for i := skipSpace(v, 1); v[i] != ']'; i = skipComma(v, i) {
			end := endOfValue(v, i)
			if !yield(v[i:end]) {
				return
			}
			i = end
		}
	}
}

// skipComma moves from the end of a field or element to the next one, or to the
// closing bracket.
func skipComma(v []byte, i int) int {
	i = skipSpace(v, i)
	if v[i] == ',' {
		return skipSpace(v, i+1)
	}
	return i
}

func skipSpace(v []byte, i int) int {
	for v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r' {
		i++
	}
	return i
}

func endOfValue(v []byte, i int) int {
	switch v[i] {
	case '"':
		return endOfString(v, i)
	case '{', '[':
		return endOfNest(v, i)
	default:
		return endOfWord(v, i)
	}
}

func endOfString(v []byte, i int) int {
	for i++; ; i++ {
		i += bytes.IndexByte(v[i:], '"')
		backslashes := 0
		for v[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i + 1
		}
	}
}

func endOfNest(v []byte, i int) int {
	for depth := 0; ; i++ {
		switch v[i] {
		case '"':
			i = endOfString(v, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// endOfWord ends a number, true, false or null.
func endOfWord(v []byte, i int) int {
	for ; i < len(v); i++ {
		switch v[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
	}
	return i
}
