package auth

import (
	"slices"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Scope is what an API key is for, besides its role. One does not include another.
type Scope string

// The scopes; ApiKey.scopes of the contract says what each is for.
const (
	APIKeysWrite   Scope = "api_keys:write"
	ConfigRead     Scope = "config:read"
	ConfigWrite    Scope = "config:write"
	EventsWrite    Scope = "events:write"
	IncidentsRead  Scope = "incidents:read"
	IncidentsWrite Scope = "incidents:write"
	SecretsRead    Scope = "secrets:read"
)

// anyScope is a method's word for keys whatever their scopes.
const anyScope Scope = "*"

// Scopes are all that a key can have, in the order in which they are shown.
func Scopes() []Scope {
	return []Scope{APIKeysWrite, ConfigRead, ConfigWrite, EventsWrite, IncidentsRead, IncidentsWrite, SecretsRead}
}

// ScopesOf reads stored ones.
func ScopesOf(words []string) []Scope {
	scopes := make([]Scope, len(words))
	for i, word := range words {
		scopes[i] = Scope(word)
	}
	return scopes
}

// Holds returns nil when the actor has the scope, which every person has, and the refusal that
// names it otherwise.
func (a Actor) Holds(scope Scope) error {
	if a.Kind == APIKey && scope != anyScope && !slices.Contains(a.Scopes, scope) {
		if scope == EventsWrite { // the client libraries prefer NIGHTBELL_API_KEY, which may be set for something else
			return fault.New(fault.Denied, "scope_missing",
				"This API key lacks the scope events:write. Add it to the key, use a key that has it, or unset NIGHTBELL_API_KEY where a service key is meant.")
		}
		return fault.Newf(fault.Denied, "scope_missing",
			"This API key lacks the scope %s. Add it to the key, or use a key that has it.", scope)
	}
	return nil
}

// MayTell returns nil when the actor may have somebody told of incidents at an address, which takes these
// scopes besides the one to change settings, and the refusal that names what is missing otherwise: whoever
// chooses the address reads what is sent there, and answers by the link in it.
func (a Actor) MayTell(scopes ...Scope) error {
	var missing []string
	for _, scope := range scopes {
		if a.Holds(scope) != nil {
			missing = append(missing, string(scope))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Newf(fault.Denied, "scope_missing",
		"What is sent there tells of incidents, and who reads it may answer them. This API key lacks %s for that. Let an admin do it, or use a key that has it.", strings.Join(missing, " and "))
}
