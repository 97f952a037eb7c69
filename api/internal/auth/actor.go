package auth

import (
	"context"

	"github.com/google/uuid"
)

// ActorKind says what sort of caller an actor is; the words are those of the
// timeline and the audit log.
type ActorKind string

// The kinds of actors.
const (
	User   ActorKind = "user"    // a signed-in person
	APIKey ActorKind = "api_key" // a program with an API key
	System ActorKind = "system"  // Nightbell itself
)

// Actor is who makes a call, in which organization and with which role.
type Actor struct {
	Kind ActorKind
	// UserID is the person; the zero UUID unless Kind is User.
	UserID uuid.UUID
	// APIKeyID is the key; the zero UUID unless Kind is APIKey.
	APIKeyID uuid.UUID
	// SessionID is the sign-in that the access token belongs to; users only.
	SessionID uuid.UUID
	// Name is shown in timelines: the person's name, or the key's.
	Name string
	// OrgID is the organization that the call acts in.
	OrgID uuid.UUID
	Role  Role
	// Scopes are those of the key; a person needs none.
	Scopes []Scope
}

// ID is the key of the person or API key; nil for the system.
func (a Actor) ID() *uuid.UUID {
	switch a.Kind {
	case User:
		return &a.UserID
	case APIKey:
		return &a.APIKeyID
	default:
		return nil
	}
}

type actorKey struct{}

// WithActor returns a context that carries the actor.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorFrom returns the caller whom the authenticating step put into the
// context; ok is false on public methods and outside a call.
func ActorFrom(ctx context.Context) (actor Actor, ok bool) {
	actor, ok = ctx.Value(actorKey{}).(Actor)
	return actor, ok
}
