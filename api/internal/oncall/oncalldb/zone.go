package oncalldb

import "time"

// Zone is the time zone of an IANA name as it was stored. It is UTC, with an error for
// the log, when there is none of that name. Zones are read once and kept.
func Zone(name string) (*time.Location, error) { return zoneOf(name) }
