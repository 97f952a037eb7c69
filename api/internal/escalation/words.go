package escalation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// at says where in the policy the walk is, as people count: "step 2 of Default, round 3".
func (w *walk) at() string {
	place := fmt.Sprintf("step %d", w.state.Step+1)
	if w.policy.Name != "" {
		place += " of " + w.policy.Name
	}
	if w.state.Round > 0 {
		place += fmt.Sprintf(", round %d", w.state.Round+1)
	}
	return place
}

func (w *walk) nobodyMessage(step Step) string {
	if len(step.Targets) == 0 {
		return capitalized(w.at()) + " was skipped: it has no targets."
	}
	names := make([]string, 0, len(step.Targets))
	for _, target := range step.Targets {
		if target.Name != "" {
			names = append(names, target.Name)
		}
	}
	if len(names) == 0 {
		return capitalized(w.at()) + " was skipped: nobody is on call for it."
	}
	return capitalized(w.at()) + " was skipped: nobody is on call for " + strings.Join(names, ", ") + "."
}

// skippedMessage says why a step is not for this incident now.
func (w *walk) skippedMessage(step Step) string {
	if step.isFor(w.severity) {
		return fmt.Sprintf("%s was skipped: it does not page at this time (%s in %s).",
			capitalized(w.at()), w.due.In(w.policy.zone()).Format("Monday 15:04"), w.policy.zone())
	}
	severities := make([]string, len(step.Severities))
	for i, severity := range step.Severities {
		severities[i] = string(severity)
	}
	return fmt.Sprintf("%s was skipped: it is for %s incidents, and this one is %s.",
		capitalized(w.at()), listed(severities), w.severity)
}

func (w *walk) heldMessage(hold Hold) string {
	zone := w.policy.zone()
	return fmt.Sprintf("Pages are held until %s %s: %s.",
		clockOf(hold.Until, w.now, zone), hold.Until.In(zone).Format("MST"), strings.TrimRight(hold.Because, ". "))
}

func (w *walk) lastResortMessage(owners int) string {
	if owners == 0 {
		return capitalized(w.nobodyElse()) + ", and no owner of the workspace can be reached."
	}
	return capitalized(w.nobodyElse()) + ", so the owners of the workspace are paged."
}

// nobodyElse says why no step pages anybody.
func (w *walk) nobodyElse() string {
	if slices.ContainsFunc(w.policy.Steps, Step.meansSomebody) {
		return strings.TrimSuffix("no step of "+w.policy.Name, " of ") + " is for this incident now"
	}
	return strings.TrimSuffix("nobody is on call for "+w.policy.Name, " for ")
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
