package nightbell

import (
	"errors"
	"fmt"
	"strconv"
)

// What went wrong, for errors.Is.
var (
	ErrAuth        = errors.New("nightbell: the key was refused")
	ErrValidation  = errors.New("nightbell: the event was refused")
	ErrRateLimited = errors.New("nightbell: too many events")
	ErrServer      = errors.New("nightbell: the server failed")
	ErrConnection  = errors.New("nightbell: the server could not be reached")
	ErrTimeout     = errors.New("nightbell: the server did not answer in time")
	ErrRefused     = errors.New("nightbell: the server refused the call")
	ErrClosed      = errors.New("nightbell: the client is closed or disabled")
	ErrDropped     = errors.New("nightbell: BeforeSend dropped the event")
)

// APIError is a call that failed. errors.Is finds the kind among the Err variables.
type APIError struct {
	Kind      error
	Status    int    // 0 without an answer
	Code      string // such as "invalid_fields"
	Message   string // says what to do
	RequestID string
	EventID   string
	Details   []FieldError
	// Queued says that the background goes on trying under the same id: the page
	// still goes out, and calling again would make a second event.
	Queued bool

	cause error
}

// FieldError is one field that was refused.
type FieldError struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *APIError) Error() string {
	text := e.Kind.Error()
	if e.Status != 0 {
		text += " (" + strconv.Itoa(e.Status) + ")"
	}
	if e.Message != "" {
		text += ": " + e.Message
	} else if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	if e.Queued {
		text += "; it is queued and will be sent"
	}
	return text
}

// Unwrap lets errors.Is find the kind and the cause.
func (e *APIError) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.cause}
}

func invalid(field, code, message string) *APIError {
	return &APIError{Kind: ErrValidation, Code: "invalid_fields", Message: message, Details: []FieldError{{field, code, message}}}
}

func quote(s string) string { return fmt.Sprintf("%q", s) }
