package org

import (
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

func TestZone(t *testing.T) {
	offered := []string{
		"UTC", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "Europe/London",
		"Europe/Paris", "Europe/Berlin", "Asia/Tokyo", "Asia/Shanghai", "Asia/Kolkata", "Australia/Sydney", "Pacific/Auckland",
	}
	for _, name := range append(offered, "Asia/Kathmandu", "America/Argentina/Buenos_Aires", "Etc/GMT+12") {
		if zone, err := Zone("timezone", name); err != nil || zone.String() != name {
			t.Errorf("%s: %v, %v", name, zone, err)
		}
	}
	if zone, err := Zone("timezone", ""); err != nil || zone.String() != "UTC" {
		t.Errorf("no name: %v, %v", zone, err)
	}
	for _, name := range []string{
		"Local", "localtime", "posixrules", "Factory", "europe/paris", "Europe/", "Mars/Olympus", "../../etc/passwd", "/etc/localtime", "Europe", "UTC+2", "right/UTC",
		"posix/Europe/Paris", " ", "Europe/Paris\x00", strings.Repeat("Europe/", 50),
	} {
		if _, err := Zone("timezone", name); !isRefusalOf(err, "timezone") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCleanName(t *testing.T) {
	for _, name := range []string{"Dana Whitfield", "  Zoë  ", "Łucja", strings.Repeat("é", 200)} {
		if got, err := CleanName("name", name); err != nil || got != strings.TrimSpace(name) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"", " \t ", "a\x00b", "a\nb", "a\x1b[31m", "\xff", strings.Repeat("é", 201)} {
		if _, err := CleanName("name", name); !isRefusalOf(err, "name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func isRefusalOf(err error, field string) bool {
	refusal, ok := fault.Of(err)
	return ok && refusal.Kind == fault.Unprocessable && len(refusal.Fields) == 1 && refusal.Fields[0].Path == field
}
