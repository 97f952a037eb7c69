package app

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap grow to three times what is in use before garbage is
// collected. What is in use is a few MiB, so the collector ran every few milliseconds in
// a storm of alerts: a tenth of the processor time of an alert. 400 saves no more.
const gcPercent = 200

// tuneMemory sets the collector's pace, unless the operator has.
func tuneMemory() {
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		if os.Getenv(name) != "" {
			return
		}
	}
	debug.SetGCPercent(gcPercent)
}

// releaseMemory gives back what the start needed and nothing needs again: a first start
// unpacks PostgreSQL.
func releaseMemory() { debug.FreeOSMemory() }
