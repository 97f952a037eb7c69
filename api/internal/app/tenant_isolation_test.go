//go:build !rlsonly

package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestTenantIsolation calls every method, in every way, as everybody whom one
// organization knows, naming things of another one. Nobody may see a difference from
// things that do not exist, nor anything else of the other organization, nor change it;
// and the other organization's own owner must succeed with the same request.
func TestTenantIsolation(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	everybody := principalsOf(c.a)
	c.startAfresh()
	table, requests, tested := newTable(everybody), 0, 0
	for _, method := range methods() {
		ok := t.Run(shortName(method), func(t *testing.T) {
			requests += c.attackAll(t, method, everybody, table)
			c.checkUnharmed(t)
			c.controlAll(t, method, table)
			c.startAfresh()
		})
		if ok {
			tested++
		}
	}
	t.Logf("methods tested / methods: %d / %d, with %d requests, as\n%s", tested, len(methods()), requests, table)
	if tested == len(methods()) {
		golden(t, "tenant_table.golden", table.String())
	}
}

// attackAll runs every variant of a request through every transport as everybody.
func (c *campaign) attackAll(t *testing.T, method protoreflect.MethodDescriptor, everybody []principal, table *table) (requests int) {
	t.Helper()
	for _, v := range variantsOf(method.Input()) {
		for _, who := range everybody {
			for _, via := range transportsOf(method) {
				theirs, nobody := c.attempt(t.Context(), via, method, v, who)
				c.judge(t, fmt.Sprintf("%s via %s, naming %s", who.name, via, v), theirs, nobody)
				checkRole(t, method, who, theirs.outcome())
				table.add(method, who.name, theirs.outcome())
				requests += 2
			}
		}
	}
	return requests
}

func (c *campaign) judge(t *testing.T, what string, theirs, nobody answer) {
	t.Helper()
	theirs.header.Del("Date")
	nobody.header.Del("Date")
	theirs.header.Del("RateLimit") // one call fewer is left
	nobody.header.Del("RateLimit")
	if theirs.whole() != nobody.whole() {
		t.Errorf("%s: the other organization's things are told from things that do not exist:\n%s\n%s", what, theirs.whole(), nobody.whole())
	}
	if leaks := c.leaks(theirs.whole()); len(leaks) > 0 {
		t.Errorf("%s: the answer shows %v", what, leaks)
	}
	if theirs.outcome() >= 500 {
		t.Errorf("%s: %s", what, theirs.whole())
	}
}

// controlAll proves that the requests would work for whoever may.
func (c *campaign) controlAll(t *testing.T, method protoreflect.MethodDescriptor, table *table) {
	t.Helper()
	seen := 0
	for _, via := range transportsOf(method) {
		for _, v := range variantsOf(method.Input()) {
			if len(v.foreign) != len(referencesOf(method.Input())) {
				continue // the same request, when everything is the caller's own
			}
			if c.control(t, method, v, via) {
				seen++
			}
		}
	}
	if isRead(method) && !showsNothing(method) && seen == 0 {
		t.Error("untested: the organization's own owner sees no canary either")
	}
	table.control(method, seen > 0)
}

// table is what is printed: for each method, how each principal was answered.
type table struct {
	principals []string
	cells      map[string]map[string]bool
	canaries   map[string]bool
}

func newTable(everybody []principal) *table {
	made := &table{cells: map[string]map[string]bool{}, canaries: map[string]bool{}}
	for _, who := range everybody {
		made.principals = append(made.principals, who.name)
	}
	return made
}

func (m *table) add(method protoreflect.MethodDescriptor, who string, outcome int) {
	cell := shortName(method) + " " + who
	if m.cells[cell] == nil {
		m.cells[cell] = map[string]bool{}
	}
	m.cells[cell][strconv.Itoa(outcome)] = true
}

func (m *table) control(method protoreflect.MethodDescriptor, canaries bool) {
	m.canaries[shortName(method)] = canaries
}

// String has a row per method and a column per principal: the HTTP statuses with which
// attempts were answered. The last column says whether the owner of what was asked for,
// whose same request succeeds, is shown a canary.
func (m *table) String() string {
	var text strings.Builder
	line := func(name string, cell func(who string) string, last string) {
		fmt.Fprintf(&text, "%-42s", name)
		for _, who := range m.principals {
			fmt.Fprintf(&text, " %-11s", cell(who))
		}
		fmt.Fprintf(&text, " %s\n", last)
	}
	line("method", func(who string) string { return who }, "its owner")
	for _, method := range methods() {
		name := shortName(method)
		line(name, func(who string) string { return words(m.cells[name+" "+who]) }, word(m.canaries[name], "succeeds, sees canaries", "succeeds"))
	}
	return text.String()
}

func words(set map[string]bool) string {
	var list []string
	for one := range set {
		list = append(list, one)
	}
	slices.Sort(list)
	return strings.Join(list, "/")
}
