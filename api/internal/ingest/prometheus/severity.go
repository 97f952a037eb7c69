package prometheus

import (
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// severityLabels are where people write how bad it is, in the order they are asked.
var severityLabels = []string{"severity", "priority", "level"}

// severityWords are the words in use for each severity.
var severityWords = map[string]alert.Severity{
	"critical": alert.Critical, "crit": alert.Critical, "page": alert.Critical, "emergency": alert.Critical,
	"emerg": alert.Critical, "fatal": alert.Critical, "disaster": alert.Critical, "blocker": alert.Critical,
	"urgent": alert.Critical, "p0": alert.Critical, "p1": alert.Critical, "sev0": alert.Critical,
	"sev1": alert.Critical, "s1": alert.Critical, "1": alert.Critical,

	"high": alert.High, "error": alert.High, "err": alert.High, "major": alert.High, "alert": alert.High,
	"p2": alert.High, "sev2": alert.High, "s2": alert.High, "2": alert.High,

	"warning": alert.Medium, "warn": alert.Medium, "medium": alert.Medium, "moderate": alert.Medium,
	"average": alert.Medium, "minor": alert.Medium, "p3": alert.Medium, "sev3": alert.Medium,
	"s3": alert.Medium, "3": alert.Medium,

	"info": alert.Low, "informational": alert.Low, "information": alert.Low, "low": alert.Low,
	"none": alert.Low, "notice": alert.Low, "debug": alert.Low, "ok": alert.Low, "p4": alert.Low,
	"p5": alert.Low, "sev4": alert.Low, "sev5": alert.Low, "s4": alert.Low, "4": alert.Low, "5": alert.Low,
}

// severityOf reads the severity from an alert's labels.
//
// A word that we do not know is Medium: somebody graded the alert, and not as one
// of the words for the worst. No word at all is High: nobody graded it, and of the
// two mistakes the missed page is the worse one. Only Low may wait for the morning,
// so neither guess ever keeps a person from being paged.
func severityOf(labels map[string]string) alert.Severity {
	guess := alert.High
	for _, label := range severityLabels {
		word := strings.ToLower(strings.TrimSpace(labels[label]))
		if severity, known := severityWords[word]; known {
			return severity
		}
		if word != "" {
			guess = alert.Medium
		}
	}
	return guess
}
