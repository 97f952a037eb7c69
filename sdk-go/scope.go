package nightbell

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Scope is what all events of a request, a job or another piece of work have in common.
type Scope struct {
	User      *User
	Operation string
	// Route names the operation once it is known, such as the route of a request,
	// which its router finds out later. Operation stands in for an empty answer.
	Route       func() string
	Tags        map[string]string
	Metadata    map[string]any
	Breadcrumbs []Breadcrumb
	Trace       *Trace
}

// scope is the Scope of a context. It may change while its work runs, so a user
// that becomes known late is on the events after it.
type scope struct {
	mu   sync.Mutex
	data Scope
	seen []error // captured already in this scope
}

type scopeKey struct{}

// NewContext gives a context a scope of its own: that of the context around it with
// these additions. Changes inside it do not show outside.
func NewContext(ctx context.Context, add Scope) context.Context {
	s := &scope{data: scopeOf(ctx).snapshot()}
	if add.User != nil {
		s.data.User = &User{ID: strings.Clone(add.User.ID)}
	}
	if add.Operation != "" {
		s.data.Operation, s.data.Route = strings.Clone(add.Operation), nil
	}
	if add.Route != nil {
		s.data.Route = add.Route
	}
	if add.Trace != nil {
		trace := *add.Trace
		s.data.Trace = &trace
	}
	s.data.Tags = merged(s.data.Tags, cloneTags(add.Tags))
	s.data.Metadata = merged(s.data.Metadata, snapshot(add.Metadata))
	s.data.Breadcrumbs = append(s.data.Breadcrumbs, add.Breadcrumbs...)
	return context.WithValue(ctx, scopeKey{}, s)
}

// SetUser sets the user of the context's scope. Without a scope it does nothing.
func SetUser(ctx context.Context, id string) {
	scopeOf(ctx).change(func(s *Scope) { s.User = &User{ID: strings.Clone(id)} })
}

// SetOperation names what the context's scope does, such as "checkout".
func SetOperation(ctx context.Context, operation string) {
	scopeOf(ctx).change(func(s *Scope) { s.Operation, s.Route = strings.Clone(operation), nil })
}

// SetTag adds a tag to the context's scope.
func SetTag(ctx context.Context, key, value string) {
	scopeOf(ctx).change(func(s *Scope) { s.Tags = merged(s.Tags, cloneTags(map[string]string{key: value})) })
}

// AddBreadcrumb remembers what happened, for an error that may follow. The last 50 are kept.
func AddBreadcrumb(ctx context.Context, message string, data map[string]any) {
	crumb := Breadcrumb{At: Timestamp{time.Now()}, Message: strings.Clone(message), Data: snapshot(data)}
	scopeOf(ctx).change(func(s *Scope) {
		s.Breadcrumbs = append(s.Breadcrumbs, crumb)
		if len(s.Breadcrumbs) > maxBreadcrumbs {
			s.Breadcrumbs = slices.Clone(s.Breadcrumbs[1:])
		}
	})
}

func scopeOf(ctx context.Context) *scope {
	if ctx == nil {
		return nil
	}
	s, _ := ctx.Value(scopeKey{}).(*scope)
	return s
}

func (s *scope) change(change func(*Scope)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.data)
}

// snapshot copies what may still change. Maps are replaced when they change, never
// written to, so they can be shared.
func (s *scope) snapshot() Scope {
	if s == nil {
		return Scope{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data := s.data
	data.Breadcrumbs = slices.Clone(s.data.Breadcrumbs)
	return data
}

// first reports whether the scope sees this error for the first time, so that a
// handler and the middleware around it report it once, also when it was wrapped between.
func (s *scope) first(chain []error) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, err := range chain {
		if slices.ContainsFunc(s.seen, func(seen error) bool { return same(seen, err) }) {
			return false
		}
	}
	s.seen = append(s.seen, chain[0])
	return true
}

// cloneTags copies the strings as well: those of Fiber are overwritten by its next request.
func cloneTags(tags map[string]string) map[string]string {
	if len(tags) == 0 {
		return nil
	}
	m := make(map[string]string, len(tags))
	for key, value := range tags {
		m[strings.Clone(key)] = strings.Clone(value)
	}
	return m
}

func merged[V any](a, b map[string]V) map[string]V {
	if len(b) == 0 {
		return a
	}
	m := make(map[string]V, len(a)+len(b))
	maps.Copy(m, a)
	maps.Copy(m, b)
	return m
}

// apply adds the scope to an event; what the call said wins.
func (s Scope) apply(e *Event) {
	if e.User == nil {
		e.User = s.User
	}
	if e.Operation == "" && s.Route != nil {
		e.Operation = s.Route()
	}
	if e.Operation == "" {
		e.Operation = s.Operation
	}
	if e.Trace == nil {
		e.Trace = s.Trace
	}
	if len(s.Tags) > 0 {
		e.Tags = merged(s.Tags, e.Tags)
	}
	if len(s.Metadata) > 0 {
		e.Metadata = merged(s.Metadata, e.Metadata)
	}
	if e.Error != nil && len(s.Breadcrumbs) > 0 {
		e.Error.Breadcrumbs = s.Breadcrumbs
	}
}
