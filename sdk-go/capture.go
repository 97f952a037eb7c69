package nightbell

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"
)

// CaptureOption says more about a captured error.
type CaptureOption func(*Event)

// WithUser says who was affected.
func WithUser(id string) CaptureOption {
	return func(e *Event) { e.User = &User{ID: strings.Clone(id)} }
}

// WithOperation says what was going on, such as "checkout".
func WithOperation(name string) CaptureOption {
	return func(e *Event) { e.Operation = strings.Clone(name) }
}

// WithTag adds a tag.
func WithTag(key, value string) CaptureOption {
	return func(e *Event) { e.Tags = merged(e.Tags, cloneTags(map[string]string{key: value})) }
}

// WithMetadata adds facts of any shape.
func WithMetadata(metadata map[string]any) CaptureOption {
	return func(e *Event) { e.Metadata = merged(e.Metadata, snapshot(metadata)) }
}

// WithSeverity replaces medium, and high of a panic.
func WithSeverity(severity Severity) CaptureOption { return func(e *Event) { e.Severity = severity } }

// WithDedupKey replaces the fingerprint: errors with the same key are one problem.
func WithDedupKey(key string) CaptureOption {
	return func(e *Event) { e.DedupKey = strings.Clone(key) }
}

// captured is a captured error in one allocation; its stack is another, as long as it is deep.
type captured struct {
	item       item
	event      Event
	details    ErrorDetails
	exceptions [1]Exception
}

// CaptureError reports an error with the stack of its caller and everything the scope
// of ctx knows. It returns the id of the event at once, or "" if nothing is sent: err
// is nil, ignored, not sampled, or was captured in this scope before.
func (c *Client) CaptureError(ctx context.Context, err error, options ...CaptureOption) string {
	if !c.on() || err == nil {
		return ""
	}
	return c.captureError(ctx, err, Medium, false, 1, options)
}

// CapturePanic reports what recover returned. Call it in the deferred function itself.
func (c *Client) CapturePanic(ctx context.Context, fault any, options ...CaptureOption) string {
	if !c.on() || fault == nil {
		return ""
	}
	err, ok := fault.(error)
	if !ok {
		err = panicError{fmt.Sprint(fault)}
	}
	return c.captureError(ctx, err, High, true, 1, options)
}

// panicError is a panic with a value that is no error.
type panicError struct{ text string }

func (e panicError) Error() string { return e.text }

func (c *Client) captureError(ctx context.Context, err error, severity Severity, panicked bool, skip int, options []CaptureOption) string {
	errs := chain(err)
	scope := scopeOf(ctx)
	if !scope.first(errs) || c.ignored(err) || (c.sampleRate < 1 && rand.Float64() >= c.sampleRate) {
		return ""
	}
	p := &captured{}
	p.details.Exceptions = p.exceptions[:0]
	for _, err := range errs {
		p.details.Exceptions = append(p.details.Exceptions, describe(err))
	}
	if _, ok := err.(panicError); ok { //nolint:errorlint // only the one made above
		p.exceptions[0].Type = "panic"
		p.details.Exceptions[0].Type = "panic"
	}
	p.event = Event{Action: "trigger", ID: c.newID(), Severity: severity, Error: &p.details, OccurredAt: Timestamp{time.Now()}}
	for _, option := range options {
		option(&p.event)
	}
	scope.snapshot().apply(&p.event)
	var callers [stackDepth]uintptr
	stack := slices.Clone(callers[:runtime.Callers(skip+2, callers[:])])
	p.item = item{stack: stack, panicked: panicked, merge: mergeKey(&p.event, stack)}
	id := p.event.ID // from now on the worker has the event
	c.enqueueEvent(&p.event, &p.item)
	return id
}

var mergeSeed = maphash.MakeSeed()

// mergeKey is equal for an error that happens again: same place, message, user and
// operation. While the first waits to be sent, the others only count.
func mergeKey(e *Event, stack []uintptr) uint64 {
	var h maphash.Hash
	h.SetSeed(mergeSeed)
	var b [8]byte
	for _, pc := range stack {
		binary.NativeEndian.PutUint64(b[:], uint64(pc))
		_, _ = h.Write(b[:])
	}
	for _, exception := range e.Error.Exceptions {
		_, _ = h.WriteString(exception.Type)
		_, _ = h.WriteString(exception.Message)
	}
	if e.User != nil {
		_, _ = h.WriteString(e.User.ID)
	}
	_, _ = h.WriteString(e.Operation)
	_, _ = h.WriteString(string(e.Severity))
	return max(h.Sum64(), 1)
}

// Recover reports a panic, delivers within the flush timeout and panics on. Defer it:
//
//	defer client.Recover(ctx)
func (c *Client) Recover(ctx context.Context) {
	fault := recover()
	if fault == nil {
		return
	}
	c.CapturePanic(ctx, fault)
	c.flushBeforeExit()
	if c != nil {
		c.unwatchCrashes() // it is reported; the next start must not do so again
	}
	panic(fault)
}

// Go runs fn in a goroutine whose panic is reported before it ends the program.
func (c *Client) Go(ctx context.Context, fn func(context.Context)) {
	go func() {
		defer c.Recover(ctx)
		fn(ctx)
	}()
}
