package watch

import "time"

// OverdueQuery is the auditor's question, for looking at its plan.
func OverdueQuery(now time.Time) (sql string, arguments []any) {
	return overdueSQL, overdueArguments(now)
}

// Expiring are the tables that retention deletes from, besides alert_event.
func Expiring() (tables []string) {
	for _, e := range expiries(LeastRetentionDays * day) {
		tables = append(tables, e.table)
	}
	return tables
}
