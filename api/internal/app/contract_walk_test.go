package app

import (
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const contractDebts = "testdata/contract_debts.golden"

// rule is one convention of the public contract that every method keeps.
type rule struct {
	name string
	// broken says how a method breaks the rule; empty when it keeps it, or when the rule says
	// nothing about such a method. It may make calls as the owner of c.b.
	broken func(c *campaign, method protoreflect.MethodDescriptor) string
}

// TestEveryMethodKeepsTheContract holds each method to each rule. What is known to break one stands
// in a file of debts; a method that is not there fails, and so does a debt that is paid. A rule
// without a line there holds everywhere.
func TestEveryMethodKeepsTheContract(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	owed := debts(t)
	var left []string
	for _, rule := range contractRules() {
		kept := 0
		for _, method := range methods() {
			how := rule.broken(c, method)
			if how == "" {
				kept++
				continue
			}
			debt := rule.name + ": " + shortName(method)
			left = append(left, debt)
			if !slices.Contains(owed, debt) {
				t.Errorf("%s breaks the rule %q: it %s", shortName(method), rule.name, how)
			}
		}
		t.Logf("%-12s %d of %d methods", rule.name, kept, len(methods()))
	}
	settle(t, owed, left)
}

func debts(t *testing.T) (owed []string) {
	t.Helper()
	for line := range strings.Lines(string(sure(os.ReadFile(contractDebts)))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			owed = append(owed, line)
		}
	}
	return owed
}

// settle wants paid debts taken out of the file. -update does that, and never adds any.
func settle(t *testing.T, owed, left []string) {
	t.Helper()
	remaining := []string{"# Methods that do not keep a rule of the contract yet. -update takes lines out; it adds none."}
	for _, debt := range owed {
		if slices.Contains(left, debt) {
			remaining = append(remaining, debt)
		} else if !*update {
			t.Errorf("the debt %q is paid: take it out of %s (-update does)", debt, contractDebts)
		}
	}
	if *update {
		must(t, os.WriteFile(contractDebts, []byte(strings.Join(remaining, "\n")+"\n"), 0o644))
	}
}
