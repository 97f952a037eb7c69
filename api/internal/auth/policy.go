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
			"This needs the role %s or higher; yours is %s. Ask an %s of your organization.", rule.Role, actor.Role, whoMay(rule.Role))
	}
	return nil
}

// whoMay is whom to ask for what needs a role.
func whoMay(least Role) Role {
	if least == Owner {
		return Owner
	}
	return Admin
}

// MayGive returns nil when the actor may make somebody this role, and the refusal otherwise. An admin may do
// what every scope is for, so a key that lacks one would give more than it has itself.
func (a Actor) MayGive(role Role) error {
	if !a.Role.AtLeast(Admin) {
		return fault.Newf(fault.Denied, "role_too_low", "Only admins and owners say what others may do; your role is %s. Ask one of them.", a.Role)
	}
	if !a.Role.AtLeast(role) {
		return fault.Newf(fault.Denied, "role_too_low", "Your role is %s; you cannot give a higher one. Choose another role, or ask an owner.", a.Role)
	}
	needed := []Scope{ConfigWrite}
	if role.AtLeast(Admin) {
		needed = Scopes()
	}
	for _, scope := range needed {
		if a.Holds(scope) != nil {
			return fault.Newf(fault.Denied, "scope_missing",
				"An API key gives the role %s only with every scope that such a person has; this one lacks %s. Give a lower role, let an admin do it, or use a key that has it.", role, scope)
		}
	}
	return nil
}

// Gives are the roles that the actor may give.
func (a Actor) Gives() (roles []Role) {
	for _, role := range []Role{Viewer, Responder, Admin, Owner} {
		if a.MayGive(role) == nil {
			roles = append(roles, role)
		}
	}
	return roles
}

// The refusals of calls without a valid token, in the words the site shows.
var (
	ErrNoToken = fault.New(fault.Unauthenticated, "no_token",
		"No authentication token found. Please log in again.")
	ErrTokenExpired = fault.New(fault.Unauthenticated, "token_expired",
		"Authentication expired. Please log in again.")
)
