package watch

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

// TestWhatLosesEverybodysPagesIsTheProvider: one contact may be wrong, three in a row are not.
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
		want    bool
	}{
		"nothing":                    {nil, time.Hour, true, false},
		"one is wrong":               {[]loss{lost(1, 1, 0, minute, false)}, minute, true, false},
		"three of two organizations": {[]loss{lost(1, 1, 0, 0, false), lost(2, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, true, true},
		"three of one among several": {[]loss{lost(1, 1, 0, 0, false), lost(1, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, true, false},
		"three of the only one":      {[]loss{lost(1, 1, 0, 0, false), lost(1, 2, 1, 1, false), lost(1, 3, minute, minute, false)}, minute, false, true},
		"within seconds":             {[]loss{lost(1, 1, 0, 0, false), lost(2, 2, 1, 1, false), lost(1, 3, 2, 2, false)}, 5 * minute, true, false},
		"ours":                       {[]loss{lost(1, 1, 0, minute, true)}, minute, true, true},
		"ours, once":                 {[]loss{lost(1, 1, 0, 0, true)}, minute, true, true},
		"ours, a moment ago":         {[]loss{lost(1, 1, 0, 0, true)}, minute - 1, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if since, ok := losing(c.losses, began.Add(c.at), c.several); ok != c.want {
				t.Errorf("since %s: %t", since, ok)
			}
		})
	}
}
