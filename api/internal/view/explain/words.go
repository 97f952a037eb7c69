package explain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/escalation"
)

// mostNamed is how many people a sentence names; the others are counted.
const mostNamed = 3

// pagedMessage says who is paged: "Mara Lindqvist and Jonas Weber are paged".
func pagedMessage(m *nightbellv1.ExplainMoment) string {
	if reached := reached(m); len(reached) > 0 {
		return named(reached) + " " + areOrIs(reached) + " paged."
	}
	return named(m.GetPages()) + " " + areOrIs(m.GetPages()) + " skipped: no contact method is confirmed."
}

// reached are the pages of a moment that have a contact by which they go out.
func reached(m *nightbellv1.ExplainMoment) []*nightbellv1.ExplainPage {
	return slices.DeleteFunc(slices.Clone(m.GetPages()), func(page *nightbellv1.ExplainPage) bool {
		return !slices.ContainsFunc(page.GetContacts(), func(c *nightbellv1.ExplainContact) bool { return c.GetSkippedBecause() == "" })
	})
}

// summary is the whole answer in one sentence.
func (t *answer) summary(moments []*nightbellv1.ExplainMoment) string {
	paging := slices.DeleteFunc(slices.Clone(moments), func(m *nightbellv1.ExplainMoment) bool { return len(reached(m)) == 0 })
	if len(paging) == 0 {
		return nobody(moments)
	}
	first := paging[0]
	text := fmt.Sprintf("%s %s paged %s", named(reached(first)), areOrIs(reached(first)), after(first))
	if first.GetOutcome() == "last_resort" {
		whom := "last resort is"
		if first.GetPages()[0].GetWhy().GetTargetKind() == string(escalation.Owner) {
			whom = "owners are"
		}
		text = fmt.Sprintf("No step pages anybody, so the %s paged: %s %s", whom, named(reached(first)), after(first))
	}
	if next := nextOthers(paging); next != nil {
		text += fmt.Sprintf("; if nobody answers, %s %s", named(reached(next)), after(next))
	}
	if !t.Hold.Until.IsZero() {
		text += ", because pages are held until then: " + strings.TrimRight(t.Hold.Because, ". ")
	}
	return text + "."
}

// nobody says why nobody would be paged: the policy is quiet, or nobody can be reached.
func nobody(moments []*nightbellv1.ExplainMoment) string {
	for _, m := range moments {
		if m.GetOutcome() == outcomes[escalation.PagesNobody] || m.GetOutcome() == outcomes[escalation.LastResort] {
			return "Nobody would be paged. " + m.GetMessage()
		}
	}
	return "Nobody would be paged: no step pages anybody, and the policy has no last resort."
}

// nextOthers is the first moment that pages somebody else than the first; nil when none does.
func nextOthers(paging []*nightbellv1.ExplainMoment) *nightbellv1.ExplainMoment {
	for _, m := range paging[1:] {
		if named(reached(m)) != named(reached(paging[0])) {
			return m
		}
	}
	return nil
}

func named(pages []*nightbellv1.ExplainPage) string {
	var names []string
	for _, page := range pages {
		name := page.GetWhy().GetTarget().GetName()
		if page.GetUser() != nil {
			name = page.GetUser().GetName()
		}
		names = append(names, name)
	}
	if more := len(names) - mostNamed; more > 0 {
		names = append(names[:mostNamed], fmt.Sprintf("%d more", more))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

func areOrIs(pages []*nightbellv1.ExplainPage) string {
	if len(pages) == 1 {
		return "is"
	}
	return "are"
}

// after is "at once", "after 5 minutes", "after 2 hours and 5 minutes".
func after(m *nightbellv1.ExplainMoment) string {
	wait := time.Duration(m.GetAfterSeconds()) * time.Second
	if wait <= 0 {
		return "at once"
	}
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		n := int(wait / unit.length)
		wait %= unit.length
		switch {
		case n == 1:
			parts = append(parts, "1 "+unit.name)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, unit.name))
		}
	}
	return "after " + strings.Join(parts[:min(2, len(parts))], " and ")
}
