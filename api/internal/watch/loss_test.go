package watch

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestWhatLosesEverybodysPagesIsTheProvider: one contact may be wrong, three in a row are not, and one is enough
// while no other mail is taken.
func TestWhatLosesEverybodysPagesIsTheProvider(t *testing.T) {
	began := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	lost := func(org, contact byte, first, last time.Duration, ours bool) loss {
		return loss{uuid.UUID{15: org}, uuid.UUID{15: contact}, began.Add(first), began.Add(last), ours}
	}
	const minute = time.Minute
	for name, c := range map[string]struct {
		losses  []loss
		at      time.Duration
		several bool
		quiet   bool
		want    bool
	}{
		"nothing":                    {nil, time.Hour, true, false, false},
		"one is wrong":               {[]loss{lost(1, 1, 0, minute, false)}, minute, true, false, false},
		"three of two organizations": {[]loss{lost(1, 1, 0, 0, false), lost(2, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, true, false, true},
		"three of one among several": {[]loss{lost(1, 1, 0, 0, false), lost(1, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, true, false, false},
		"three of the only one":      {[]loss{lost(1, 1, 0, 0, false), lost(1, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, false, false, true},
		"within seconds":             {[]loss{lost(1, 1, 0, 0, false), lost(2, 2, 1, 1, false), lost(1, 3, 2, 2, false)}, 5 * minute, true, false, false},
		"one on a quiet night":       {[]loss{lost(1, 1, 0, 0, false)}, minute, true, true, true},
		"one, a moment ago":          {[]loss{lost(1, 1, 0, 0, false)}, minute - 1, true, true, false},
		"none on a quiet night":      {nil, time.Hour, true, true, false},
		"ours":                       {[]loss{lost(1, 1, 0, minute, true)}, minute, true, false, true},
		"ours, once":                 {[]loss{lost(1, 1, 0, 0, true)}, minute, true, false, true},
		"ours, a moment ago":         {[]loss{lost(1, 1, 0, 0, true)}, minute - 1, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if since, ok := losing(c.losses, began.Add(c.at), c.several, c.quiet); ok != c.want {
				t.Errorf("since %s: %t", since, ok)
			}
		})
	}
}
