package escalation

import (
	"fmt"
	"strings"
)

const ownerMessage = "Owner of the workspace, because nobody is on call"

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

func (w *walk) pageMessage(target Target) string {
	if target.Name == "" {
		return capitalized(w.at())
	}
	return target.Name + " (" + w.at() + ")"
}

func (w *walk) skippedMessage() string {
	targets := w.policy.Steps[w.state.Step].Targets
	if len(targets) == 0 {
		return capitalized(w.at()) + " was skipped: it has no targets."
	}
	names := make([]string, 0, len(targets))
	for _, target := range targets {
		if target.Name != "" {
			names = append(names, target.Name)
		}
	}
	if len(names) == 0 {
		return capitalized(w.at()) + " was skipped: nobody is on call for it."
	}
	return capitalized(w.at()) + " was skipped: nobody is on call for " + strings.Join(names, ", ") + "."
}

func (w *walk) lastResortMessage(owners int) string {
	why := "Nobody is on call"
	if w.policy.Name != "" {
		why += " for " + w.policy.Name
	}
	if owners == 0 {
		return why + ", and the workspace has no owner to page."
	}
	return why + ", so the owners of the workspace are paged."
}

func (w *walk) exhaustedMessage() string {
	if w.policy.Name == "" {
		return "Nobody answered, and nobody is left to page."
	}
	return "Nobody answered, and " + w.policy.Name + " has nobody left to page."
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
