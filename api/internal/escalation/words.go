package escalation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// place says where in the policy the walk is, as people count: "step 2 of Default, round 3".
func (w *walk) place() string { return w.policy.place(w.at, w.state.Round) }

func (p Policy) place(step, round int) string {
	place := fmt.Sprintf("step %d", step+1)
	if p.Name != "" {
		place += " of " + p.Name
	}
	if round > 0 {
		place += fmt.Sprintf(", round %d", round+1)
	}
	return place
}

func (w *walk) nobodyMessage(step Step) string {
	if len(step.Targets) == 0 {
		return capitalized(w.place()) + " was skipped: it has no targets."
	}
	var absent, reasons []string
	for _, target := range step.Targets {
		switch reason := target.uselessness(); {
		case reason != "" && !slices.Contains(reasons, reason): // a team that takes turns is a target for each member
			reasons = append(reasons, reason)
		case reason == "" && target.Name != "":
			absent = append(absent, target.Name)
		}
	}
	if len(reasons) == 0 || len(absent) > 0 {
		reasons = append([]string{"nobody is on call for " + cmp.Or(strings.Join(absent, ", "), "it")}, reasons...)
	}
	return capitalized(w.place()) + " was skipped: " + strings.Join(reasons, "; ") + "."
}

// uselessness says why a target that names somebody or something can page nobody; it is empty
// for one that means nobody now.
func (t Target) uselessness() string {
	const nothing = "contact method that is confirmed and switched on"
	switch {
	case t.Kind == Channel && t.Channel == uuid.Nil:
		return "no page can be sent to " + cmp.Or(t.Name, "the shared channel")
	case !t.unreachable:
		return ""
	case t.Schedule != nil:
		return "whoever is on call for " + t.Name + " has no " + nothing
	case t.Kind == Team:
		return "nobody in " + t.Name + " has a " + nothing
	default:
		return t.Name + " has no " + nothing
	}
}

// skippedMessage says why a step is not for this incident now.
func (w *walk) skippedMessage(step Step) string {
	if step.isFor(w.severity) {
		return fmt.Sprintf("%s was skipped: it does not page at this time (%s in %s).",
			capitalized(w.place()), w.due.In(w.policy.zone()).Format("Monday 15:04"), w.policy.zone())
	}
	severities := make([]string, len(step.Severities))
	for i, severity := range step.Severities {
		severities[i] = string(severity)
	}
	return fmt.Sprintf("%s was skipped: it is for %s incidents, and this one is %s.",
		capitalized(w.place()), listed(severities), w.severity)
}

func (w *walk) heldMessage(hold Hold) string {
	zone := w.policy.zone()
	return fmt.Sprintf("Pages are held until %s %s: %s.",
		clockOf(hold.Until, w.now, zone), hold.Until.In(zone).Format("MST"), strings.TrimRight(hold.Because, ". "))
}

func (w *walk) lastResortMessage(targets []Target) string {
	because := capitalized(w.nobodyElse())
	switch owners := targets[0].Kind == Owner; {
	case owners && len(targets[0].People) == 0:
		return because + ", and no owner of the workspace can be reached."
	case owners:
		return because + ", so the owners of the workspace are paged."
	default:
		return because + ", so " + targets[0].Name + " is paged as the last resort."
	}
}

// nobodyElse says why the last resort is paged.
func (w *walk) nobodyElse() string {
	switch {
	case w.unreached, !slices.ContainsFunc(w.policy.Steps, Step.meansSomebody) && slices.ContainsFunc(w.policy.Steps, Step.meansUnreachable):
		return strings.TrimSuffix("nobody could be reached by "+w.policy.Name, " by ")
	case w.anybody():
		return strings.TrimSuffix("nobody answered "+w.policy.Name, " ")
	case slices.ContainsFunc(w.policy.Steps, Step.meansSomebody):
		return strings.TrimSuffix("no step of "+w.policy.Name, " of ") + " is for this incident now"
	default:
		return strings.TrimSuffix("nobody is on call for "+w.policy.Name, " for ")
	}
}

// quietMessage says why the policy pages nobody for this incident now.
func (w *walk) quietMessage() string {
	return fmt.Sprintf("%s pages nobody for %s incidents at this time (%s in %s).", cmp.Or(w.policy.Name, "The policy"),
		w.severity, w.due.In(w.policy.zone()).Format("Monday 15:04"), w.policy.zone())
}

// quietUntilThen says why a quiet time holds pages.
func (p Policy) quietUntilThen(severity alert.Severity) string {
	return fmt.Sprintf("%s pages nobody for %s incidents until then", cmp.Or(p.Name, "the policy"), severity)
}

// confirmSentence says what whoever has the incident is asked for.
func (w *walk) confirmSentence(q Question) string {
	zone := w.policy.zone()
	return fmt.Sprintf("Acknowledged when it was %s, and %s now: unless it is acknowledged again, %s pages from its first step at %s %s.",
		cmp.Or(string(q.Acknowledged), "less severe"), w.severity, cmp.Or(w.policy.Name, "the policy"), clockOf(q.Until, w.now, zone), zoneName(q.Until, zone))
}

func (w *walk) exhaustedMessage() string {
	if w.policy.Name == "" {
		return "Nobody answered, and nobody is left to page."
	}
	return "Nobody answered, and " + w.policy.Name + " has nobody left to page."
}

// listed joins words as people do: "critical, high and medium".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

func capitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
