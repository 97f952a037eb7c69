package delivery_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// TestFailuresOfWeeksAgoMakeNoContactDead: Ada's contact failed twice for a moment three weeks ago, and does so again.
// The housekeeping of the meantime knows no better. One that was dead is dead again with its first failure.
func TestFailuresOfWeeksAgoMakeNoContactDead(t *testing.T) {
	for name, c := range map[string]struct {
		failures       int
		rested, failed string
		paged          []string
	}{
		"a moment": {2, "0 false false ", "1 true true HTTP 502", []string{"0.0 Ada", "0.0 Ada"}},
		"for good": {8, "6 true false HTTP 502", "7 true true HTTP 502", []string{"0.0 Ada", "0.0 Ada", "0.1 Bob"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			o.provider.answers(func(context.Context, notify.Message) error { return errors.New("HTTP 502") })
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			for range c.failures {
				deliver(t, o.deliverer)
				o.Clock.Advance(15 * time.Second)
			}
			o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
			state := func() string {
				return o.Texts(t, `SELECT failures || ' ' || (failing_since IS NOT NULL) || ' ' || (next_try_at IS NOT NULL) || ' ' || failing_for FROM contact_method WHERE org_id = $1 AND user_id = $2`, o.Org, o.Ada)[0]
			}
			o.Clock.Advance(21 * 24 * time.Hour)
			watch.New(o.DB, nil, watch.Options{Logger: slog.New(slog.DiscardHandler), RetentionDays: 90}).Housekeep(t.Context())
			if got := state(); got != c.rested {
				t.Errorf("after the housekeeping: %q, want %q", got, c.rested)
			}
			o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
			deliver(t, o.deliverer)
			o.Sweep(t)
			if got := state(); got != c.failed {
				t.Errorf("after the failure: %q, want %q", got, c.failed)
			}
			if got := o.Paged(t); !slices.Equal(got, c.paged) {
				t.Errorf("paged %q, want %q", got, c.paged)
			}
		})
	}
}
