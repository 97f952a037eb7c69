package alert

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestIncidentKeyAndTitle(t *testing.T) {
	grouped := Received{Key: "f1", Group: "{}:{job=\"api\"}", GroupTitle: "api is slow", Title: "p99 of api-1"}
	untitledGroup := Received{Key: "f1", Group: "g", GroupTitle: " ", Title: "p99 of api-1"}
	alone := Received{Key: "f1", Title: " p99 "}
	for _, test := range []struct {
		grouping   string
		r          Received
		key, title string
	}{
		{ByGroup, grouped, "group:{}:{job=\"api\"}", "api is slow"},
		{ByGroup, untitledGroup, "group:g", "p99 of api-1"},
		{ByGroup, alone, "alert:f1", "p99"},
		{ByAlert, grouped, "alert:f1", "p99 of api-1"},
		{"", grouped, "alert:f1", "p99 of api-1"},
		{ByAlert, Received{Key: "f1"}, "alert:f1", "f1"},
		{ByAlert, Received{}, "alert:", "Untitled alert"},
	} {
		if key, title := IncidentKey(test.grouping, test.r), IncidentTitle(test.grouping, test.r); key != test.key || title != test.title {
			t.Errorf("%s of %+v: %q, %q; want %q, %q", test.grouping, test.r, key, title, test.key, test.title)
		}
	}
}

func TestIncidentDescription(t *testing.T) {
	grouped := Received{Key: "f1", Group: "g", GroupTitle: "ApiSlow", Title: "p99 of api-1 is 4 s"}
	for _, test := range []struct{ grouping, description, want string }{
		{ByGroup, "See the dashboard.", "p99 of api-1 is 4 s\nSee the dashboard."},
		{ByGroup, "", "p99 of api-1 is 4 s"},
		{ByGroup, "p99 of api-1 is 4 s since noon", "p99 of api-1 is 4 s since noon"},
		{ByAlert, "See the dashboard.", "See the dashboard."},
	} {
		grouped.Description = test.description
		if got := IncidentDescription(test.grouping, grouped); got != test.want {
			t.Errorf("by %s, %q: %q, want %q", test.grouping, test.description, got, test.want)
		}
	}
}

func TestBoundKeyKeepsLongKeysApart(t *testing.T) {
	long := strings.Repeat("é", 5_000)
	a, b := BoundKey(long+"a"), BoundKey(long+"b")
	if a == b || len(a) > keyLimit || !utf8.ValidString(a) || !strings.HasPrefix(a, "éé") {
		t.Errorf("%q and %q", a, b)
	}
	if BoundKey(a) != a || BoundKey("short") != "short" {
		t.Error("what fits must stay as it is")
	}
}
