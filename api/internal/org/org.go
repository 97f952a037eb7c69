// Package org is the people and their organizations: workspaces, members, teams,
// and the rules for what they may be called and where they live on the clock.
//
// Entry files: org.go (Kind, CleanName), timezone.go (Zone). Neighbours: orgdb
// stores them, orgrpc serves them, signup makes a new one.
package org

import (
	"strings"
	"unicode/utf8"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
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
// the field: it is blank, too long, or not plain (plaintext.Check).
func CleanName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	label := "the " + strings.ReplaceAll(field, "_", " ")
	switch {
	case name == "", plaintext.Blank(name) && utf8.ValidString(name):
		return "", fault.InvalidField(field, fault.Required, "Fill in "+label+".")
	case utf8.RuneCountInString(name) > longestName:
		return "", fault.InvalidField(field, fault.TooLong, "Shorten "+label+" to 200 characters.")
	case plaintext.Check(name) != "":
		return "", fault.InvalidField(field, fault.BadFormat, capital(label)+" "+plaintext.Check(name)+".")
	}
	return name, nil
}

func capital(label string) string { return strings.ToUpper(label[:1]) + label[1:] }
