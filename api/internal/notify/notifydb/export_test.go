package notifydb

// LockDueQuery is what claims the pages of contacts, for looking at its plan.
func LockDueQuery() string { return lockDueSQL }

// NextStepQuery is what makes the next step due, for looking at what comes in between.
func NextStepQuery() string { return nextStepSQL }
