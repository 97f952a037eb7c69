package delivery_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// TestTheMailOfARiseIsAcknowledgedAgain: Ada has a low incident, it becomes critical, and
// the link of the mail that says so acknowledges what it is now.
func TestTheMailOfARiseIsAcknowledgedAgain(t *testing.T) {
	o := newOutbox(t)
	low := pagingtest.Firing("slow", "db", pagingtest.Began)
	low.Severity = alert.Low
	o.Accept(t, low)
	o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Ada, "Ada")})
	o.Accept(t, pagingtest.Firing("down", "db", pagingtest.Began))
	deliver(t, o.deliverer)
	sent := o.provider.messages()
	if len(sent) != 1 || len(sent[0].Incidents) != 1 || !strings.HasPrefix(sent[0].Incidents[0].Reason, "Acknowledged when it was low, and critical now") {
		t.Fatalf("sent %+v", sent)
	}
	if page := o.follow(http.MethodGet, sent[0].AckURL).Body.String(); !strings.Contains(page, "when it was low: acknowledge it again") || !strings.Contains(page, ">Acknowledge again<") {
		t.Errorf("the link shows\n%s", page)
	}
	o.follow(http.MethodPost, sent[0].AckURL)
	if got := o.Texts(t, `SELECT status || ' ' || acknowledged_severity FROM incident WHERE org_id = $1`, o.Org); got[0] != "acknowledged critical" {
		t.Errorf("the incident is %q", got)
	}
	if page := o.follow(http.MethodGet, sent[0].AckURL).Body.String(); !strings.Contains(page, "You have it") {
		t.Errorf("afterwards:\n%s", page)
	}
}

// TestNoMailOfARiseAfterItWasAcknowledged: the answer came between decision and send.
func TestNoMailOfARiseAfterItWasAcknowledged(t *testing.T) {
	o := newOutbox(t)
	low := pagingtest.Firing("slow", "db", pagingtest.Began)
	low.Severity = alert.Low
	o.Accept(t, low)
	o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Ada, "Ada")})
	o.Accept(t, pagingtest.Firing("down", "db", pagingtest.Began))
	o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 0 {
		t.Errorf("sent %+v", sent)
	}
}

// TestARiseThatCannotBeToldIsPagedAtOnce: Ada has a low incident and her only address is gone
// when it becomes critical. The policy does not wait fifteen minutes for her.
func TestARiseThatCannotBeToldIsPagedAtOnce(t *testing.T) {
	o := newOutbox(t)
	low := pagingtest.Firing("slow", "db", pagingtest.Began)
	low.Severity = alert.Low
	o.Accept(t, low)
	o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Ada, "Ada")})
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		if message.UserID == o.Ada {
			return notify.Permanent(errors.New("no such mailbox"))
		}
		return nil
	})
	o.Accept(t, pagingtest.Firing("down", "db", pagingtest.Began))
	timers := paging.NewTimerSweeper(o.DB, postgres.Sweep, quiet, paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	deliver(t, o.deliverer)
	if _, err := timers.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := o.Texts(t, `SELECT status FROM incident WHERE org_id = $1`, o.Org); got[0] != "triggered" {
		t.Fatalf("after Ada could not be told the incident is %q", got)
	}
	// The first step is hers. Her address rests after a failure, for up to 2.4 seconds.
	o.Clock.Advance(3 * time.Second)
	deliver(t, o.deliverer)
	o.Sweep(t)
	deliver(t, o.deliverer)
	sent := o.provider.messages()
	if last := sent[len(sent)-1]; last.UserID != o.Bob || last.Incidents[0].Severity != alert.Critical {
		t.Errorf("seconds after it became critical the pages are %v", o.Pages(t))
	}
}

// An owner whose address nobody has confirmed got the mail of the last resort while it was low: nobody heard that
// it is critical, because the page about that was no last resort.
func TestARiseReachesAnUnconfirmedOwner(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, o.Ada)
	o.Exec(t, `UPDATE escalation_policy SET repeats = 3`) // paging is under way when it rises
	low := pagingtest.Firing("checkout", "checkout", pagingtest.Began)
	low.Severity = alert.Low
	o.Accept(t, low)
	deliver(t, o.deliverer)
	if sent := len(o.provider.messages()); sent != 1 {
		t.Fatalf("as low: %d mails", sent)
	}
	o.Clock.Advance(6 * time.Minute)
	o.Accept(t, pagingtest.Firing("checkout-2", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := len(o.provider.messages()); sent != 2 {
		t.Errorf("as critical: %d mails\n%s", sent, o.states(t))
	}
}
