package auth

import "github.com/nightbell/nightbell/api/internal/kernel/fault"

// Role is what a member may do, from least to most: viewer, responder, admin, owner.
type Role string

// The roles, in order.
const (
	Viewer    Role = "viewer"
	Responder Role = "responder"
	Admin     Role = "admin"
	Owner     Role = "owner"
)

var rank = map[Role]int{Viewer: 1, Responder: 2, Admin: 3, Owner: 4}

// Known reports whether r is one of the four roles.
func (r Role) Known() bool { return rank[r] > 0 }

// AtLeast reports whether r may do all that least may. An unknown role on either
// side may nothing.
func (r Role) AtLeast(least Role) bool {
	return r.Known() && least.Known() && rank[r] >= rank[least]
}

// Rule is a method's own word on who may call it (the option nightbell.v1.authz).
type Rule struct {
	// Public lets anyone call, signed in or not.
	Public bool
	// Role is the least role that may call.
	Role Role
	// Scope lets a key with it and that role call as well. Without one, only people call.
	Scope Scope
}

// Allow returns nil when the actor may call a method with this rule, and the
// refusal otherwise. It fails closed: without a rule, or with an unknown role in
// it, nobody may call.
func Allow(rule *Rule, actor Actor) error {
	switch {
	case rule == nil:
		return fault.New(fault.Denied, "method_closed", "This method cannot be called.")
	case rule.Public:
		return nil
	case !rule.Role.Known():
		return fault.New(fault.Denied, "method_closed", "This method cannot be called.")
	case actor.Kind == APIKey && rule.Scope == "":
		return fault.New(fault.Denied, "api_key_not_allowed",
			"An API key cannot do this. Sign in and do it in the browser.")
	case actor.Kind != APIKey && actor.Kind != User:
		return ErrNoToken
	}
	if err := actor.Holds(rule.Scope); err != nil {
		return err
	}
	if !actor.Role.AtLeast(rule.Role) {
		return fault.Newf(fault.Denied, "role_too_low",
			"This needs the role %s or higher; yours is %s. Ask an admin of your organization.", rule.Role, actor.Role)
	}
	return nil
}

// The refusals of calls without a valid token, in the words the site shows.
var (
	ErrNoToken = fault.New(fault.Unauthenticated, "no_token",
		"No authentication token found. Please log in again.")
	ErrTokenExpired = fault.New(fault.Unauthenticated, "token_expired",
		"Authentication expired. Please log in again.")
)
