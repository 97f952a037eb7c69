package notify

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Rule is "page me by this, so long after the page, for this urgency".
type Rule struct {
	ContactMethodID uuid.UUID
	Kind            Kind
	// Urgency is "high" or "low"; empty for a contact method that its owner made no rule for.
	Urgency string
	Delay   time.Duration
	// Unconfirmed is set for an e-mail address that gets only pages of the last resort.
	Unconfirmed bool
}

// Planned is one page to one contact method.
type Planned struct {
	ContactMethodID uuid.UUID
	Kind            Kind
	DueAt           time.Time
	// N counts the pages of this plan to this contact method, from 0. It is part of
	// the effect key.
	N int
}

// longestPlan is how many pages one event makes for one person at most, whatever rules are stored: those of all
// organizations are written by one loop.
const longestPlan = 100

// Plan says where and when a person is paged, for a page decided at now: equal rules once, by time, then contact
// method, whatever order the rules have; the earliest longestPlan. Where this urgency's rules reach nobody, the other
// urgency's do, or else contact methods without rules: better paged otherwise than asked than not at all.
func Plan(rules []Rule, urgency string, now time.Time) []Planned {
	var chosen []Rule
	for _, level := range []func(Rule) bool{
		func(r Rule) bool { return r.Urgency == urgency },
		func(r Rule) bool { return r.Urgency != urgency && r.Urgency != "" },
		func(r Rule) bool { return r.Urgency == "" },
	} {
		for _, rule := range rules {
			if level(rule) && (len(chosen) == 0 || level(chosen[0]) || !rule.Unconfirmed) {
				chosen = append(chosen, rule)
			}
		}
		if Reaches(chosen) {
			break
		}
	}
	for i := range chosen {
		chosen[i].Delay = max(chosen[i].Delay, 0)
	}
	slices.SortFunc(chosen, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Delay, b.Delay), bytes.Compare(a.ContactMethodID[:], b.ContactMethodID[:]))
	})
	chosen = slices.CompactFunc(chosen, sameMoment)
	sent := map[uuid.UUID]int{}
	var plan []Planned
	for _, rule := range chosen[:min(len(chosen), longestPlan)] {
		plan = append(plan, Planned{rule.ContactMethodID, rule.Kind, now.Add(rule.Delay), sent[rule.ContactMethodID]})
		sent[rule.ContactMethodID]++
	}
	return plan
}

// Reaches reports whether a page by one of these rules would go out: somebody whose only addresses are
// not confirmed is told nothing but by the last resort.
func Reaches(rules []Rule) bool {
	return slices.ContainsFunc(rules, func(r Rule) bool { return !r.Unconfirmed })
}

func sameMoment(a, b Rule) bool {
	return a.ContactMethodID == b.ContactMethodID && a.Delay == b.Delay
}

// Order puts what a person must see first to the front: the most severe, then the
// newest. It sorts in place.
func Order(incidents []Incident) {
	slices.SortStableFunc(incidents, func(a, b Incident) int {
		return cmp.Or(
			cmp.Compare(a.Severity.Rank(), b.Severity.Rank()),
			b.TriggeredAt.Compare(a.TriggeredAt),
			cmp.Compare(b.Number, a.Number),
		)
	})
}
