package escalationdb

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
)

// quietRow is one line of escalation_policy.quiet.
type quietRow struct {
	Severities []alert.Severity `json:"severities"`
	Windows    json.RawMessage  `json:"windows"`
}

// StoreQuiet is what escalation_policy.quiet holds for rules.
func StoreQuiet(rules []escalation.Quiet) ([]byte, error) {
	rows := make([]quietRow, len(rules))
	for i, rule := range rules {
		rows[i] = quietRow{append([]alert.Severity{}, rule.Severities...), oncalldb.StoreWindows(rule.Windows)}
	}
	return json.Marshal(rows)
}

// ReadQuiet reads it again. A rule that cannot be read is left out, so that the policy
// pages, and is the error.
func ReadQuiet(stored []byte) (rules []escalation.Quiet, flaw error) {
	var rows []quietRow
	if len(stored) > 0 {
		if err := json.Unmarshal(stored, &rows); err != nil {
			return nil, fmt.Errorf("the rules of when nobody is paged: %w", err)
		}
	}
	for _, row := range rows {
		windows, err := oncalldb.ReadWindows(row.Windows)
		if err != nil || len(row.Severities)+len(windows) == 0 {
			flaw = errors.Join(flaw, err)
			continue
		}
		rules = append(rules, escalation.Quiet{Severities: row.Severities, Windows: windows})
	}
	return rules, flaw
}
