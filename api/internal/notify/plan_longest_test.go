package notify

import (
	"testing"
	"time"
)

func TestAPlanHasTheHundredEarliestPages(t *testing.T) {
	var rules []Rule
	for second := range 10 * longestPlan {
		rules = append(rules, Rule{ContactMethodID: mail, Kind: Email, Urgency: "high", Delay: time.Duration(10*longestPlan-second) * time.Second})
	}
	plan := Plan(rules, "high", noon)
	if last := plan[len(plan)-1]; len(plan) != longestPlan || last.N != longestPlan-1 || !last.DueAt.Equal(noon.Add(longestPlan*time.Second)) {
		t.Errorf("%d pages, the last is %v", len(plan), last)
	}
}
