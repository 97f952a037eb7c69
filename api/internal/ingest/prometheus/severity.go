package prometheus

import (
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// severityLabels are where people write how bad it is, in the order they are asked.
var severityLabels = []string{"severity", "priority", "level"}

// severityOf reads the severity from an alert's labels. No word at all is High, as a word that
// is not known is (alert.SeverityOf): nobody graded it.
func severityOf(labels map[string]string) alert.Severity {
	for _, label := range severityLabels {
		if severity, known := alert.SeverityOf(labels[label]); known && strings.TrimSpace(labels[label]) != "" {
			return severity
		}
	}
	return alert.High
}
