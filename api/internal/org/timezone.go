package org

import (
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine, also on one without any
)

// Zone returns the IANA time zone of that name ("Europe/Paris", "UTC"), and the
// refusal of the field otherwise. An empty name means UTC.
func Zone(field, name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || !isZoneName(name) {
		return nil, Refuse(field, `There is no time zone of this name. Use an IANA name such as "Europe/Paris" or "UTC".`)
	}
	return zone, nil
}

// isZoneName keeps out what LoadLocation takes besides: the machine's own zone, and
// the folders of zone files that count differently.
func isZoneName(name string) bool {
	area, _, _ := strings.Cut(name, "/")
	return name != "Local" && area != "posix" && area != "right"
}
