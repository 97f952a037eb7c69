// Package fault is the one vocabulary of refusals and failures.
//
// Domains return faults; the table in platform/rpcserver turns a kind into a
// Connect code and an HTTP status. Whatever is not a fault is internal: it is
// logged with its request id and answered with a generic sentence, so that no
// SQL, path or stack ever reaches a caller.
package fault

import (
	"errors"
	"fmt"
)

// Kind says what the caller can do about a fault.
type Kind string

// The kinds, with the HTTP status each is answered with.
const (
	Invalid         Kind = "invalid"         // 400: the request cannot be understood
	Unauthenticated Kind = "unauthenticated" // 401: sign in (again)
	Denied          Kind = "denied"          // 403: signed in, but not allowed
	NotFound        Kind = "not_found"       // 404: no such thing in this organization
	WrongVerb       Kind = "wrong_verb"      // 405: this address takes another verb
	Conflict        Kind = "conflict"        // 409: the state of things does not allow it
	Stale           Kind = "stale"           // 412: it was changed since the caller read it
	TooLarge        Kind = "too_large"       // 413: send less
	Unsupported     Kind = "unsupported"     // 415: send it in another form
	Unprocessable   Kind = "unprocessable"   // 422: understood, but a field breaks a rule
	Limited         Kind = "limited"         // 429: slow down
	Internal        Kind = "internal"        // 500: our mistake
	Unavailable     Kind = "unavailable"     // 503: try again soon
)

// Error is a refusal or failure that a caller may see.
type Error struct {
	Kind Kind
	// Code is a stable lower_snake_case word for programs, one of Codes.
	Code string
	// Message is a sentence for people that says what to do.
	Message string
	// RetryAfterSeconds is set on Limited and Unavailable when a time is known.
	RetryAfterSeconds int
	// Fields names what is wrong where, for Unprocessable.
	Fields []Field
	cause  error
}

// Field is one broken rule of a request.
type Field struct {
	Path    string
	Code    FieldCode
	Message string
}

// FieldCode says to programs what is wrong with a field.
type FieldCode string

// The codes of fields.
const (
	Required   FieldCode = "required"     // it is missing or empty
	Unknown    FieldCode = "unknown"      // there is no field of this name
	TooLong    FieldCode = "too_long"     // text or a list
	OutOfRange FieldCode = "out_of_range" // a number, a time, or a text or list that is too short
	NotOneOf   FieldCode = "not_one_of"   // it is none of the words that are allowed
	BadFormat  FieldCode = "bad_format"   // it is of another type or form
	Missing    FieldCode = "not_found"    // it names something that does not exist
)

// InvalidFields is the one refusal of fields: what was asked is understood, and cannot be.
func InvalidFields(message string, fields ...Field) *Error {
	refusal := New(Unprocessable, "invalid_fields", message)
	refusal.Fields = fields
	return refusal
}

// InvalidField is InvalidFields for one field, with the same sentence for both.
func InvalidField(path string, code FieldCode, sentence string) *Error {
	return InvalidFields(sentence, Field{Path: path, Code: code, Message: sentence})
}

// New makes a fault with a sentence for people.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Newf is New with a formatted sentence.
func Newf(kind Kind, code, format string, args ...any) *Error {
	return New(kind, code, fmt.Sprintf(format, args...))
}

// Because returns a copy that carries the cause for logs; the cause is never shown.
func (e *Error) Because(cause error) *Error {
	next := *e
	next.cause = cause
	return &next
}

// After returns a copy that tells the caller when to try again.
func (e *Error) After(seconds int) *Error {
	next := *e
	next.RetryAfterSeconds = seconds
	return &next
}

// Error is for logs; people are shown Message.
func (e *Error) Error() string {
	if e.cause != nil {
		return e.Code + ": " + e.Message + ": " + e.cause.Error()
	}
	return e.Code + ": " + e.Message
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// Of finds the fault in an error chain; ok is false for anything else.
func Of(err error) (fault *Error, ok bool) {
	ok = errors.As(err, &fault)
	return fault, ok
}

// Is reports whether err carries a fault of this kind.
func Is(err error, kind Kind) bool {
	fault, ok := Of(err)
	return ok && fault.Kind == kind
}
