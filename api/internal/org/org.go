// Package org is the people and their organizations: workspaces, members, teams,
// and the rules for what they may be called and where they live on the clock.
//
// Entry files: org.go (Kind, CleanName), timezone.go (Zone). Neighbours: orgdb
// stores them, orgrpc serves them, signup makes a new one.
package org

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Kind is what sort of workspace an organization is.
type Kind string

// The kinds.
const (
	Individual   Kind = "individual"   // one person's own
	Organization Kind = "organization" // a team's or a company's
)

// Known reports whether k is one of the two kinds.
func (k Kind) Known() bool { return k == Individual || k == Organization }

// longestName is the longest name of a person, a team or an organization, in characters.
const longestName = 200

// CleanName trims a name and returns it, or the refusal that says what is wrong with
// the field: it is blank, too long, or holds control characters.
func CleanName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	label := "the " + strings.ReplaceAll(field, "_", " ")
	switch {
	case name == "":
		return "", Refuse(field, "Fill in "+label+".")
	case utf8.RuneCountInString(name) > longestName:
		return "", Refuse(field, "Shorten "+label+" to 200 characters.")
	case !IsPlainText(name):
		return "", Refuse(field, "Remove the control characters from "+label+".")
	}
	return name, nil
}

// IsPlainText reports whether text is valid and has no control characters.
func IsPlainText(text string) bool {
	return utf8.ValidString(text) && strings.IndexFunc(text, unicode.IsControl) < 0
}

// Refuse is the refusal of one field of a request, with a sentence for people.
func Refuse(field, sentence string) *fault.Error {
	refusal := fault.New(fault.Unprocessable, "invalid_field", sentence)
	refusal.Fields = []fault.Field{{Path: field, Message: sentence}}
	return refusal
}
