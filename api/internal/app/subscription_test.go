package app

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// receiver keeps the requests of its subscriptions, by path.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	requests map[string][]told
	status   int
}

type told struct {
	header http.Header
	body   []byte
}

// newReceiver answers 410 at /gone, and elsewhere what it is told to.
func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{requests: map[string][]told{}, status: http.StatusOK}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.requests[request.URL.Path] = append(r.requests[request.URL.Path], told{request.Header, body})
		if request.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
			return
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// takeRaw gives the requests that came at a path since it was last called.
func (r *receiver) takeRaw(path string) []told {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer delete(r.requests, path)
	return r.requests[path]
}

// take gives the events that came at a path since it was last called.
func (r *receiver) take(t *testing.T, path string) (events []object) {
	t.Helper()
	for _, one := range r.takeRaw(path) {
		event := object{}
		must(t, json.Unmarshal(one.body, &event))
		events = append(events, event)
	}
	return events
}

// types are those of events, sorted.
func types(events []object) (list []string) {
	for _, event := range events {
		list = append(list, event["type"].(string))
	}
	slices.Sort(list)
	return list
}

// publish tells subscriptions everything that there is to tell now.
func (r *rig) publish() {
	r.t.Helper()
	for again := true; again; {
		var err error
		again, err = r.publisher.Sweep(r.t.Context())
		must(r.t, err)
		r.publisher.Wait()
	}
}

// subscribe makes a subscription and gives its path.
func (n *tenant) subscribe(url string, more object) string {
	n.t.Helper()
	body := object{"name": "Tickets", "url": url, "event_types": []string{"incident.triggered", "incident.resolved", "incident.commented"}}
	maps.Copy(body, more)
	return "/v1/webhook-subscriptions/" + n.make("/v1/webhook-subscriptions", "webhook_subscription", body)
}

func (n *tenant) declare(title string, more object) string {
	n.t.Helper()
	body := object{"title": title, "severity": "high"}
	maps.Copy(body, more)
	return at[string](n.t, n.call(n.owner(), http.MethodPost, "/v1/incidents", body), "incident", "id")
}

// TestASubscriptionThatIsEnabledAgain is told what happens from then on; a replay brings what
// happened while it was disabled.
func TestASubscriptionThatIsEnabledAgain(t *testing.T) {
	t.Parallel()
	n, sink := newRota(t), newReceiver(t)
	path := n.subscribe(sink.URL+"/", nil)
	sink.answers(http.StatusGone)
	n.declare("Before", nil)
	n.publish()
	read := func() object {
		return at[object](t, n.call(n.owner(), http.MethodGet, path, nil), "webhook_subscription")
	}
	if got := read(); got["enabled"] != false || !strings.Contains(got["disabled_reason"].(string), "410") || got["failing_since_at"] == nil {
		t.Fatalf("after 410: %v", got)
	}
	sink.answers(http.StatusOK)
	sink.take(t, "/")
	n.declare("Meanwhile", nil)
	n.publish()
	n.call(n.owner(), http.MethodPatch, path, object{"enabled": true})
	if got := read(); got["enabled"] != true || got["disabled_reason"] != nil || got["failing_since_at"] != nil {
		t.Errorf("enabled again: %v", got)
	}
	if pgtest.One[bool](t, n.database, `SELECT bool_or(notice_due_at IS NOT NULL) FROM webhook_subscription`) {
		t.Error("the owners are mailed of what is over")
	}
	n.declare("After", nil)
	n.publish()
	titles := func() (list []string) {
		for _, event := range sink.take(t, "/") {
			list = append(list, at[string](t, event, "data", "incident", "title"))
		}
		slices.Sort(list)
		return list
	}
	if got := titles(); !slices.Equal(got, []string{"After"}) {
		t.Errorf("told of %v", got)
	}
	n.call(n.owner(), http.MethodPost, path+"/replay", object{"since": wednesday})
	n.publish()
	if got := titles(); !slices.Equal(got, []string{"After", "Before", "Meanwhile"}) {
		t.Errorf("replayed %v", got)
	}
}

// TestAFilterThatNamesWhatIsGone refuses no edit of something else.
func TestAFilterThatNamesWhatIsGone(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	team := n.make("/v1/teams", "team", object{"name": "Platform"})
	path := n.subscribe("https://example.com/", object{"filter": object{"team_ids": []string{team}}})
	n.call(n.owner(), http.MethodDelete, "/v1/teams/"+team, nil)
	n.call(n.owner(), http.MethodPatch, path, object{"name": "Renamed"})
	other := "0192f000-0000-7000-8000-000000000000"
	status, message, field := n.refused(n.owner(), http.MethodPatch, path, object{"filter": object{"team_ids": []string{team, other}}})
	if status != http.StatusUnprocessableEntity || field != "filter.team_ids" {
		t.Errorf("an unknown team: %d %s, %s", status, field, message)
	}
}

// TestADeliveryIsSentAgainWhenAskedFor: one that was given up, one that waits for its next try, and
// one that was delivered, each at once and under the webhook-id it had.
func TestADeliveryIsSentAgainWhenAskedFor(t *testing.T) {
	t.Parallel()
	n, sink := newRota(t), newReceiver(t)
	path := n.subscribe(sink.URL+"/", nil)
	sink.answers(http.StatusServiceUnavailable)
	n.declare("Orders stopped", nil)
	n.publish()
	first := sink.takeRaw("/")
	deliveryID := n.first(path+"/deliveries", "webhook_deliveries")
	read := func() object {
		return at[[]any](t, n.call(n.owner(), http.MethodGet, path+"/deliveries", nil), "webhook_deliveries")[0].(object)
	}
	again := func(state string) {
		t.Helper()
		if got := read(); got["status"] != state {
			t.Errorf("before it is asked for: %v, want %s", got, state)
		}
		n.call(n.owner(), http.MethodPost, path+"/deliveries/"+deliveryID+"/redeliver", object{})
		n.publish()
		got := sink.takeRaw("/")
		if len(got) != 1 || got[0].header.Get("Webhook-Id") != first[0].header.Get("Webhook-Id") || !bytes.Equal(got[0].body, first[0].body) {
			t.Errorf("%s: sent %d times again, or as another event", state, len(got))
		}
	}
	again("pending") // its receiver is left alone for five seconds; the person is not
	n.database.Exec(t, `UPDATE webhook_delivery SET retry_since = nightbell_now() - interval '48 hours', next_try_at = nightbell_now()`)
	n.database.Clock.Advance(time.Minute)
	n.publish()
	sink.takeRaw("/")
	again("failed")
	sink.answers(http.StatusOK)
	again("pending")
	if got := read(); got["status"] != "delivered" || got["response_status"] != 200.0 {
		t.Errorf("after a success: %v", got)
	}
	again("delivered")
	n.call(n.owner(), http.MethodPatch, path, object{"enabled": false})
	if status, message, _ := n.refused(n.owner(), http.MethodPost, path+"/deliveries/"+deliveryID+"/redeliver", object{}); status != http.StatusConflict {
		t.Errorf("a disabled subscription: %d %s", status, message)
	}
}

// TestNullEnablesASubscription: null clears a field, and a subscription of which nothing is said is
// enabled. One that is disabled stays so while nothing is said of that.
func TestNullEnablesASubscription(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	path := n.subscribe("https://example.com/", nil)
	for _, edit := range []struct {
		body object
		want bool
	}{
		{object{"enabled": nil}, true},
		{object{"enabled": false}, false},
		{object{"name": "Others"}, false},
		{object{"enabled": nil}, true},
		{object{"name": "Tickets"}, true},
	} {
		if got := n.call(n.owner(), http.MethodPatch, path, edit.body); at[bool](t, got, "webhook_subscription", "enabled") != edit.want {
			t.Errorf("after %v it is %v", edit.body, got)
		}
	}
}
