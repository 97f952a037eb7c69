package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

func TestRolesAreOrdered(t *testing.T) {
	order := []Role{Viewer, Responder, Admin, Owner}
	for i, have := range order {
		for j, least := range order {
			if got := have.AtLeast(least); got != (i >= j) {
				t.Errorf("%s.AtLeast(%s) = %v", have, least, got)
			}
		}
	}
	for _, unknown := range []Role{"", "root", "Owner", "OWNER "} {
		if unknown.AtLeast(Viewer) || Owner.AtLeast(unknown) || unknown.AtLeast(unknown) {
			t.Errorf("the unknown role %q is ranked", unknown)
		}
	}
}

func TestAllow(t *testing.T) {
	person := func(role Role) Actor { return Actor{Kind: User, Role: role} }
	key := func(role Role, scopes ...Scope) Actor { return Actor{Kind: APIKey, Role: role, Scopes: scopes} }
	for _, c := range []struct {
		name  string
		rule  *Rule
		actor Actor
		kind  fault.Kind // empty means allowed
	}{
		{"no rule closes the method", nil, person(Owner), fault.Denied},
		{"an empty rule closes the method", &Rule{}, person(Owner), fault.Denied},
		{"a misspelt role closes the method", &Rule{Role: "Admin"}, person(Owner), fault.Denied},
		{"public needs nobody", &Rule{Public: true}, Actor{}, ""},
		{"nobody", &Rule{Role: Viewer}, Actor{}, fault.Unauthenticated},
		{"the system is not a caller", &Rule{Role: Viewer}, Actor{Kind: System, Role: Owner}, fault.Unauthenticated},
		{"enough", &Rule{Role: Responder}, person(Responder), ""},
		{"more than enough", &Rule{Role: Responder}, person(Owner), ""},
		{"too little", &Rule{Role: Admin}, person(Responder), fault.Denied},
		{"no role at all", &Rule{Role: Viewer}, person(""), fault.Denied},
		{"a key with the scope", &Rule{Role: Responder, Scope: ConfigWrite}, key(Admin, ConfigRead, ConfigWrite), ""},
		{"a key with another scope", &Rule{Role: Responder, Scope: ConfigWrite}, key(Admin, ConfigRead), fault.Denied},
		{"a key without scopes", &Rule{Role: Viewer, Scope: ConfigRead}, key(Admin), fault.Denied},
		{"a key without scopes where none is asked for", &Rule{Role: Viewer, Scope: "*"}, key(Viewer), ""},
		{"a misspelt scope closes the method to keys", &Rule{Role: Viewer, Scope: "config"}, key(Admin, Scopes()...), fault.Denied},
		{"a key too weak", &Rule{Role: Admin, Scope: ConfigWrite}, key(Responder, ConfigWrite), fault.Denied},
		{"a key where only people may", &Rule{Role: Viewer}, key(Admin, Scopes()...), fault.Denied},
		{"a person needs no scope", &Rule{Role: Viewer, Scope: ConfigWrite}, person(Viewer), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Allow(c.rule, c.actor)
			if c.kind == "" && err != nil {
				t.Fatalf("refused: %v", err)
			}
			if c.kind != "" && !fault.Is(err, c.kind) {
				t.Fatalf("got %v, want %s", err, c.kind)
			}
		})
	}
}

func TestARefusalNamesWhoCanHelp(t *testing.T) {
	for least, whom := range map[Role]string{Responder: "Ask an admin ", Admin: "Ask an admin ", Owner: "Ask an owner "} {
		err := Allow(&Rule{Role: least}, Actor{Kind: User, Role: Viewer})
		if err == nil || !strings.Contains(err.Error(), whom) {
			t.Errorf("what needs the role %s: %v", least, err)
		}
	}
}

func TestNobodyGivesMoreThanTheyHave(t *testing.T) {
	without := func(lacking Scope) []Scope {
		return slices.DeleteFunc(Scopes(), func(s Scope) bool { return s == lacking })
	}
	for _, c := range []struct {
		actor Actor
		gives []Role
	}{
		{Actor{Kind: User, Role: Responder}, nil},
		{Actor{Kind: User, Role: Admin}, []Role{Viewer, Responder, Admin}},
		{Actor{Kind: User, Role: Owner}, []Role{Viewer, Responder, Admin, Owner}},
		{Actor{Kind: APIKey, Role: Admin, Scopes: Scopes()}, []Role{Viewer, Responder, Admin}},
		{Actor{Kind: APIKey, Role: Admin, Scopes: without(IncidentsRead)}, []Role{Viewer, Responder}},
		{Actor{Kind: APIKey, Role: Admin, Scopes: without(ConfigWrite)}, nil},
		{Actor{Kind: APIKey, Role: Responder, Scopes: Scopes()}, nil},
		{Actor{Kind: APIKey}, nil},
	} {
		if got := c.actor.Gives(); !slices.Equal(got, c.gives) {
			t.Errorf("%+v gives %v, want %v", c.actor, got, c.gives)
		}
	}
}
