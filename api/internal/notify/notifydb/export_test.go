package notifydb

// LockDueQuery is what claims the pages of contacts, for looking at its plan.
func LockDueQuery() string { return lockDueSQL }
