//go:build !rlsonly

package app

import (
	"testing"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestTenantAnswersDoNotDependOnNeighbours compares what an organization reads while it is
// alone with what it reads beside a full one. It sees what canaries cannot: counts,
// figures and the order of lists.
func TestTenantAnswersDoNotDependOnNeighbours(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.page()                       // what the fixture left due
	then := r.database.Clock.Now() // what is told of now is compared, too
	r.database.Clock.Freeze(then)
	alone := a.reads(t)
	r.database.Clock.SetNow(time.Now())
	b := r.newTenant("umbrella")
	if theirs := b.reads(t); len(theirs) != len(alone) {
		t.Errorf("untested: the neighbour reads %d answers, and not %d", len(theirs), len(alone))
	}
	r.database.Clock.Freeze(then)
	for method, answer := range a.reads(t) {
		if answer != alone[method] {
			t.Errorf("%s answers\n%s\nand, while there was nobody else,\n%s", method, answer, alone[method])
		}
	}
	t.Logf("%d reads compared", len(alone))
}

// reads makes every read with the organization's own things.
func (n *tenant) reads(t *testing.T) map[string]string {
	t.Helper()
	answers := map[string]string{}
	for _, method := range methods() {
		if !isRead(method) || method.Name() == "ListAuditEvents" { // the reads before it leave rows there
			continue
		}
		fill := filling{variant: variant{}, own: n.own}
		answers[shortName(method)] = n.send(t.Context(), sending{via: viaREST, method: method, body: fill.request(method), bearer: n.owner()}).body
		if without := n.withoutReferences(t, method); without != "" {
			answers[shortName(method)+" without filters"] = without
		}
	}
	return answers
}

// withoutReferences is the answer to a list without its filters; empty for what is none.
func (n *tenant) withoutReferences(t *testing.T, method protoreflect.MethodDescriptor) string {
	t.Helper()
	if len(referencesOf(method.Input())) == 0 || method.Input().Fields().ByName("id") != nil {
		return ""
	}
	fill := filling{variant: variant{}, own: func(string) string { return "" }}
	return n.send(t.Context(), sending{via: viaREST, method: method, body: fill.request(method), bearer: n.owner()}).body
}
