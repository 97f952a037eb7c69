package alert

import "strings"

// severityWords are the words in use for each severity, whoever sends them.
var severityWords = map[string]Severity{
	"critical": Critical, "crit": Critical, "page": Critical, "emergency": Critical,
	"emerg": Critical, "fatal": Critical, "disaster": Critical, "blocker": Critical,
	"urgent": Critical, "p0": Critical, "p1": Critical, "sev0": Critical,
	"sev1": Critical, "s1": Critical, "1": Critical,

	"high": High, "error": High, "err": High, "major": High, "alert": High,
	"p2": High, "sev2": High, "s2": High, "2": High,

	"warning": Medium, "warn": Medium, "medium": Medium, "moderate": Medium,
	"average": Medium, "minor": Medium, "p3": Medium, "sev3": Medium,
	"s3": Medium, "3": Medium,

	"info": Low, "informational": Low, "information": Low, "low": Low,
	"none": Low, "notice": Low, "debug": Low, "ok": Low, "p4": Low,
	"p5": Low, "sev4": Low, "sev5": Low, "s4": Low, "4": Low, "5": Low,
}

// SeverityOf reads a sender's word for how bad it is. A word that is not known is High: somebody
// graded the alert, and of the two mistakes the missed page is the worse one.
func SeverityOf(word string) (severity Severity, known bool) {
	severity, known = severityWords[strings.ToLower(strings.TrimSpace(word))]
	if !known {
		severity = High
	}
	return severity, known
}
