package delivery_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/ackpage"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// follow requests a message's link as a browser, or a mail scanner, does.
func (o *outbox) follow(method, link string) *httptest.ResponseRecorder {
	page := ackpage.New(ackpage.Options{Logger: quiet, Acknowledger: o.Responder, Key: linkKey})
	answer, request := httptest.NewRecorder(), httptest.NewRequest(method, link, nil)
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	page.ServeHTTP(answer, request)
	return answer
}

func TestOnlyTheButtonOfALinkAcknowledges(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.Accept(t, pagingtest.Firing("b", "b", pagingtest.Began))
	deliver(t, o.deliverer)
	link := o.provider.messages()[0].AckURL
	for range 20 {
		if answer := o.follow(http.MethodGet, link); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "Acknowledge all 2") {
			t.Fatalf("%d\n%s", answer.Code, answer.Body)
		}
		o.follow(http.MethodHead, link)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM incident WHERE status = 'triggered'`); got != 2 {
		t.Fatalf("opening the link left %d of 2 incidents triggered", got)
	}
	var storm sync.WaitGroup
	for range 8 {
		storm.Go(func() { o.follow(http.MethodPost, link) })
	}
	storm.Wait()
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM incident WHERE status = 'acknowledged' AND acknowledged_by = $1`, o.Ada); got != 2 {
		t.Errorf("the button acknowledged %d of 2 incidents", got)
	}
	if got := pgtest.One[int](t, o.Database, `SELECT count(*) FROM timeline_event WHERE kind = 'acknowledged'`); got != 2 {
		t.Errorf("%d acknowledgements of 2 incidents are told", got)
	}
	if page := o.follow(http.MethodGet, link).Body.String(); !strings.Contains(page, "All 2 incidents are answered") {
		t.Errorf("afterwards:\n%s", page)
	}
}

func TestALinkReachesNothingElse(t *testing.T) {
	o := newOutbox(t)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	message := o.provider.messages()[0]
	good := notify.AckClaims{OrgID: o.Org, DeliveryID: message.DeliveryID, UserID: o.Ada, Expires: o.Clock.Now().Add(notify.AckLifetime)}
	for name, change := range map[string]func(*notify.AckClaims){
		"another person":       func(c *notify.AckClaims) { c.UserID = o.Bob },
		"another delivery":     func(c *notify.AckClaims) { c.DeliveryID = uuid.New() },
		"another organization": func(c *notify.AckClaims) { c.OrgID = uuid.New() },
	} {
		claims := good
		change(&claims)
		link := "https://nightbell.example/ack/" + notify.MintAck(linkKey, claims)
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if answer := o.follow(method, link); answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "Latency of a") {
				t.Errorf("%s, %s: %d", name, method, answer.Code)
			}
		}
	}
	if got := pgtest.One[string](t, o.Database, `SELECT status FROM incident`); got != "triggered" {
		t.Errorf("the incident is %s", got)
	}
}

// TestALinkExpiresByTheClockThatMadeIt moves the database's clock and not the process's,
// as when the two disagree.
func TestALinkExpiresByTheClockThatMadeIt(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(pagingtest.Began)
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	deliver(t, o.deliverer)
	link := o.provider.messages()[0].AckURL
	o.Clock.Freeze(pagingtest.Began.Add(notify.AckLifetime))
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if answer := o.follow(method, link); answer.Code != http.StatusNotFound || !strings.Contains(answer.Body.String(), "This link has expired.") {
			t.Errorf("%s after a day: %d\n%s", method, answer.Code, answer.Body)
		}
	}
	o.Clock.Freeze(pagingtest.Began.Add(notify.AckLifetime - time.Second))
	if answer := o.follow(http.MethodGet, link); answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "23 hours ago") {
		t.Errorf("a second before: %d\n%s", answer.Code, answer.Body)
	}
}
