package delivery_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
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
