package analyticsdb

// Statements are those whose cost grows with the period.
func Statements() []string { return []string{readIncidentsSQL, readPagesSQL} }
