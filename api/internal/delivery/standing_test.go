package delivery

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// TestWhatRefusesEverybodyIsTheProvider: one contact may be wrong, three in a row are not.
func TestWhatRefusesEverybodyIsTheProvider(t *testing.T) {
	began := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	refused := try{called: true, err: notify.Permanent(errors.New("550 quota"))}
	ours := try{called: true, err: notify.Installation(errors.New("the connection broke"))}
	type said struct {
		after   time.Duration
		contact byte
		done    try
	}
	for name, c := range map[string]struct {
		said []said
		at   time.Duration
		want bool
	}{
		"nothing":                   {nil, time.Hour, false},
		"one is wrong":              {[]said{{0, 1, refused}, {time.Minute, 1, refused}}, 2 * time.Minute, false},
		"three":                     {[]said{{0, 1, refused}, {1, 2, refused}, {2, 3, refused}}, time.Minute, true},
		"three, but just now":       {[]said{{0, 1, refused}, {1, 2, refused}, {2, 3, refused}}, time.Minute - 1, false},
		"one was taken":             {[]said{{0, 1, refused}, {1, 2, refused}, {2, 4, try{called: true}}, {3, 3, refused}}, time.Minute, false},
		"ours":                      {[]said{{0, 1, ours}}, time.Minute, true},
		"an address of its own":     {[]said{{0, 1, ours}, {1, 2, try{called: true}}, {2, 1, ours}, {time.Minute, 1, ours}}, 3 * time.Minute, false},
		"and then the server":       {[]said{{0, 1, ours}, {1, 2, try{called: true}}, {2, 1, ours}, {3, 2, ours}}, 3 * time.Minute, true},
		"ours, long ago":            {[]said{{0, 1, ours}}, failedWithin + 1, false},
		"who was not called":        {[]said{{0, 1, ours}, {1, 2, try{}}}, time.Minute, true},
		"three that are days apart": {[]said{{0, 1, refused}, {24 * time.Hour, 2, refused}, {48 * time.Hour, 3, refused}}, 48*time.Hour + time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			var s standing
			for _, one := range c.said {
				s.note(uuid.UUID{15: one.contact}, one.done, began.Add(one.after))
			}
			if since, ok := s.failing(began.Add(c.at)); ok != c.want {
				t.Errorf("since %s: %t", since, ok)
			}
		})
	}
}
