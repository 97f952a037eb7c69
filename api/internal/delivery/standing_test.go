package delivery

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// TestWhatLosesEverybodysPagesIsTheProvider: one contact may be wrong, three in a row are not.
func TestWhatLosesEverybodysPagesIsTheProvider(t *testing.T) {
	began := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	refused := try{called: true, err: notify.Permanent(errors.New("550 quota"))}
	ours := try{called: true, err: notify.Installation(errors.New("the connection broke"))}
	taken := try{called: true}
	type said struct {
		after        time.Duration
		org, contact byte
		done         try
	}
	const minute = time.Minute
	for name, c := range map[string]struct {
		said    []said
		at      time.Duration
		several bool
		want    bool
	}{
		"nothing":                         {nil, time.Hour, true, false},
		"one is wrong":                    {[]said{{0, 1, 1, refused}, {minute, 1, 1, refused}}, minute, true, false},
		"three of two organizations":      {[]said{{0, 1, 1, refused}, {1, 2, 2, refused}, {minute, 1, 3, refused}}, minute, true, true},
		"three of one among several":      {[]said{{0, 1, 1, refused}, {1, 1, 2, refused}, {minute, 1, 3, refused}}, minute, true, false},
		"three of the only one":           {[]said{{0, 1, 1, refused}, {1, 1, 2, refused}, {minute, 1, 3, refused}}, minute, false, true},
		"within seconds":                  {[]said{{0, 1, 1, refused}, {1, 2, 2, refused}, {2, 1, 3, refused}}, 5 * minute, true, false},
		"one was taken":                   {[]said{{0, 1, 1, refused}, {1, 2, 2, refused}, {2, 1, 4, taken}, {minute, 2, 3, refused}}, minute, true, false},
		"ours":                            {[]said{{0, 1, 1, ours}, {minute, 1, 1, ours}}, minute, true, true},
		"ours, long ago":                  {[]said{{0, 1, 1, ours}, {minute, 1, 1, ours}}, minute + lossesLast + 1, true, false},
		"who was not called":              {[]said{{0, 1, 1, ours}, {1, 2, 2, try{}}, {minute, 1, 1, ours}}, minute, true, true},
		"three that are hours apart":      {[]said{{0, 1, 1, refused}, {24 * time.Hour, 2, 2, refused}, {48 * time.Hour, 1, 3, refused}}, 48 * time.Hour, true, false},
		"again and again, and days apart": {[]said{{0, 1, 1, ours}, {24 * time.Hour, 1, 1, ours}}, 24 * time.Hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			var s standing
			for _, one := range c.said {
				claim := notifydb.Claim{OrgID: uuid.UUID{15: one.org}, ContactMethodID: uuid.UUID{15: one.contact}}
				s.note(claim, one.done, one.done.err != nil, began.Add(one.after))
			}
			if since, ok := s.losing(began.Add(c.at), c.several); ok != c.want {
				t.Errorf("since %s: %t", since, ok)
			}
		})
	}
}
