package watch

import "time"

// OverdueQuery is the auditor's question, for looking at its plan.
func OverdueQuery(now time.Time) (sql string, arguments []any) {
	return overdueSQL, overdueArguments(now)
}
