package delivery_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var errQuota = notify.Installation(notify.Refused(errors.New("the mail server refused the mail: 550 5.4.5 hourly sending limit exceeded")))

// TestAQuotaThatIsUsedUpLosesNoPage: the provider refuses each mail for a while. Who is next is tried after a minute,
// and once mail is taken again, everybody gets theirs: there was nobody else to tell.
func TestAQuotaThatIsUsedUpLosesNoPage(t *testing.T) {
	for _, quota := range []time.Duration{45 * time.Second, 75 * time.Second, 10 * time.Minute} {
		t.Run(quota.String(), func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			start := o.Clock.Now()
			o.provider.answers(func(context.Context, notify.Message) error {
				if o.Clock.Now().Sub(start) < quota {
					return errQuota
				}
				return nil
			})
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			for o.Clock.Now().Sub(start) < quota+75*time.Second {
				deliver(t, o.deliverer)
				o.Clock.Advance(time.Second)
				o.Sweep(t)
				if since := o.Clock.Now().Sub(start); since == 70*time.Second && quota > since && len(o.Pages(t)) < 2 {
					t.Errorf("after five refusals the next step waits: %v", o.Pages(t))
				}
			}
			if got := o.Texts(t, `SELECT DISTINCT state FROM notification WHERE org_id = $1 AND due_at < nightbell_now() - interval '5 seconds'`, o.Org); !slices.Equal(got, []string{"sent"}) {
				t.Errorf("the pages are %v", o.Pages(t))
			}
		})
	}
}

// TestTheNextStepFollowsFiveRefusals, and that of what is refused for good is the last resort. Whoever is refused is
// tried each minute for two hours, as whom a server turns away.
func TestTheNextStepFollowsFiveRefusals(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.SetSteps(t, pagingtest.Page(pagingtest.User(o.Ada)), pagingtest.Page(pagingtest.User(o.Bob)))
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		if message.UserID == o.Ada {
			return errQuota
		}
		return nil
	})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	tries := func() int {
		return pgtest.One[int](t, o.Database, `SELECT faults FROM notification WHERE user_id = $1`, o.Ada)
	}
	due := func() bool {
		return pgtest.One[bool](t, o.Database, `SELECT paging_due_at <= nightbell_now() FROM incident`)
	}
	for tries() < 5 {
		if due() {
			t.Fatalf("the next step follows after %d refusals", tries())
		}
		o.Clock.Advance(time.Second)
		deliver(t, o.deliverer)
	}
	if !due() {
		t.Error("the next step waits after five refusals")
	}
	start := o.Clock.Now()
	for o.Clock.Now().Sub(start) < notify.MaxAge-3*time.Minute {
		o.Clock.Advance(20 * time.Second)
		deliver(t, o.deliverer)
	}
	if got := tries(); got < 80 || got > 140 || o.states(t) != "pending: "+errQuota.Error() {
		t.Errorf("after nearly two hours and %d tries the page is %q", got, o.states(t))
	}
	o.Clock.Advance(5 * time.Minute)
	deliver(t, o.deliverer)
	if got := o.states(t); !strings.HasPrefix(got, "failed: "+errQuota.Error()) {
		t.Errorf("after two hours the page is %q", got)
	}
}

// TestAMailThatIsRefusedTakesNoOtherAlongWhenItIsGivenUp: both are kept, and go together now and then. Only what is
// refused alone is given up.
func TestAMailThatIsRefusedTakesNoOtherAlongWhenItIsGivenUp(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.SetSteps(t, pagingtest.Page(pagingtest.User(o.Ada)))
	full := true
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		for _, told := range message.Incidents {
			if full || told.Title == "spam" {
				return errQuota
			}
		}
		return nil
	})
	o.Accept(t, pagingtest.Firing("spam", "spam", pagingtest.Began), pagingtest.Firing("sound", "sound", pagingtest.Began))
	o.Exec(t, `UPDATE notification SET faults = 5, due_at = due_at - interval '119 minutes'`) // both were kept for long
	deliver(t, o.deliverer)
	if got := o.provider.messages(); len(got) != 1 || len(got[0].Incidents) != 2 {
		t.Fatalf("what is kept leaves one by one: %d messages", len(got))
	}
	full = false
	for range 20 {
		o.Clock.Advance(time.Minute)
		deliver(t, o.deliverer)
	}
	if got := o.states(t); !strings.Contains(got, "failed: "+errQuota.Error()) || !strings.Contains(got, "sent") {
		t.Errorf("the pages are %q", got)
	}
}
