package publish_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

// barelyAnyTime is a timeout of which tests see only that it ends a request.
const barelyAnyTime = 100 * time.Millisecond

// hangs answers nothing until the sender gives up.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// TestATimeoutEndsBeforeTheLease: 10 seconds, as promised, and nobody else takes the delivery meanwhile.
func TestATimeoutEndsBeforeTheLease(t *testing.T) {
	if subscription.AnswerWithin != 10*time.Second || subscription.AnswerWithin >= subscriptiondb.Lease {
		t.Errorf("a receiver has %s, and the lease is %s", subscription.AnswerWithin, subscriptiondb.Lease)
	}
}

// TestWhatReceiversAnswer: the status decides as soon as it is there; whoever redirects, refuses or
// says nothing is tried again.
func TestWhatReceiversAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"a redirect is not followed": {func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, "/elsewhere", http.StatusPermanentRedirect)
		}, "pending 0 The address answers with a redirect, and redirects are not followed. Enter the address it leads to."},
		"no headers in time": {hangs, "pending 0 no answer in time"},
		"no end of the body": {func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusAccepted)
			_ = http.NewResponseController(rw).Flush()
			hangs(rw, r)
		}, "delivered 202 "},
		"a body that breaks off": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "100")
			_, _ = rw.Write([]byte("cut"))
		}, "delivered 200 "},
		"headers that break off": {func(rw http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-"))
			_ = conn.Close()
		}, "pending 0 the connection failed"},
		"a wait that is no time": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Retry-After", "soon")
			rw.WriteHeader(http.StatusTooManyRequests)
		}, "pending 429 HTTP 429"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.publisher = w.replicaThatWaits(t, barelyAnyTime)
			w.anyIncident(t)
			w.subscribe(t, w.Org, "/")
			w.note(t, "one")(true)
			w.says(c.answer)
			w.sweep(t)
			got := pgtest.One[string](t, w.Database, `SELECT status || ' ' || coalesce(response_status, 0) || ' ' || detail FROM webhook_delivery`)
			if got != c.want {
				t.Errorf("recorded %q, want %q", got, c.want)
			}
			if paths := w.take(); len(paths) != 1 || paths[0].path != "/" {
				t.Errorf("called %v", paths)
			}
		})
	}
}

// TestAReceiverThatDoesNotAnswerIsTriedOnceAtATime: its backlog does not wait for one timeout after
// another, and goes when it answers again.
func TestAReceiverThatDoesNotAnswerIsTriedOnceAtATime(t *testing.T) {
	w := newWorld(t)
	w.publisher = w.replicaThatWaits(t, barelyAnyTime)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	const all = 40
	for n := range all {
		w.note(t, fmt.Sprint(n))(true)
	}
	w.says(hangs)
	w.sweep(t)
	if n := len(w.take()); n != 4 {
		t.Fatalf("%d requests at first, want 4", n)
	}
	tries := 0
	for range 12 * 60 { // an hour
		w.Clock.Advance(5 * time.Second)
		w.sweep(t)
		if n := len(w.take()); n > 1 {
			t.Fatalf("%d requests at a time to a receiver that does not answer", n)
		} else if n == 1 {
			tries++
		}
	}
	if tries < 8 || tries > 25 {
		t.Errorf("%d tries in an hour", tries)
	}
	w.status(http.StatusOK)
	w.Clock.Advance(11 * time.Minute)
	w.sweep(t)
	w.Clock.Advance(4 * time.Hour) // what was tried waits for its own next time
	w.sweep(t)
	got := messages(t, w.take())
	if len(got) != all || len(slices.Compact(got)) != all {
		t.Errorf("%d of %d came when it answered again", len(got), all)
	}
}

// TestAnEventThatIsRefusedDelaysNoOther: a receiver that cannot read one event is not away.
func TestAnEventThatIsRefusedDelaysNoOther(t *testing.T) {
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.says(func(rw http.ResponseWriter, _ *http.Request) {
		w.mu.Lock()
		refused := strings.Contains(string(w.got[len(w.got)-1].body), "poison")
		w.mu.Unlock()
		if refused {
			rw.WriteHeader(http.StatusInternalServerError)
		}
	})
	w.note(t, "poison")(true)
	w.sweep(t)
	w.note(t, "next")(true)
	w.sweep(t)
	if got := messages(t, w.take()); !slices.Equal(got, []string{"next", "poison"}) {
		t.Errorf("told %v", got)
	}
}
