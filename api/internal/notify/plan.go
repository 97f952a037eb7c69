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
	// Urgency is "high" or "low".
	Urgency string
	Delay   time.Duration
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

// Plan says where and when a person is paged, for a page decided at now. Equal rules
// count once; the order is by time, then by contact method, whatever order the rules
// come in. A person with rules for the other urgency only is paged by those rather
// than not at all. Without rules there is nothing to plan: the caller passes the
// person's contact methods as rules without delay.
func Plan(rules []Rule, urgency string, now time.Time) []Planned {
	chosen := slices.DeleteFunc(slices.Clone(rules), func(rule Rule) bool { return rule.Urgency != urgency })
	if len(chosen) == 0 {
		chosen = slices.Clone(rules)
	}
	for i := range chosen {
		chosen[i].Delay = max(chosen[i].Delay, 0)
	}
	slices.SortFunc(chosen, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Delay, b.Delay), bytes.Compare(a.ContactMethodID[:], b.ContactMethodID[:]))
	})
	sent := map[uuid.UUID]int{}
	var plan []Planned
	for _, rule := range slices.CompactFunc(chosen, sameMoment) {
		plan = append(plan, Planned{rule.ContactMethodID, rule.Kind, now.Add(rule.Delay), sent[rule.ContactMethodID]})
		sent[rule.ContactMethodID]++
	}
	return plan
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
