package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/demo"
)

// watcher tells the status of a stream as soon as it is known.
type watcher struct {
	*httptest.ResponseRecorder
	status chan int
}

func (w watcher) WriteHeader(status int) {
	w.ResponseRecorder.WriteHeader(status)
	w.status <- status
}

// TestOneGuestLeavesTheOthersTheirScreensAndCalls: all guests of the demo have one account.
func TestOneGuestLeavesTheOthersTheirScreensAndCalls(t *testing.T) {
	t.Parallel()
	r := newQuotaServer(t)
	n := r.newTenant("acme")
	email := n.enroll(demo.GuestID(), "guest", auth.Viewer)
	n.signIn("one guest", email)
	n.signIn("another", email)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	get := func(path, who, from string) int {
		request := newRequest(ctx, http.MethodGet, path, nil)
		request.RemoteAddr = from + ":4711"
		request.Header.Set("Authorization", "Bearer "+n.bearers[who])
		seen := watcher{httptest.NewRecorder(), make(chan int, 1)}
		go r.handler.ServeHTTP(seen, request)
		return <-seen.status
	}
	want := func(what string, got, status int) {
		t.Helper()
		if got != status {
			t.Errorf("%s: %d, want %d", what, got, status)
		}
	}
	for range 20 {
		want("one guest", get("/v1/stream", "one guest", "203.0.113.7"), http.StatusOK)
		want("a guest behind a proxy on this machine", get("/v1/stream", "one guest", "127.0.0.1"), http.StatusOK)
	}
	want("one more", get("/v1/stream", "one guest", "203.0.113.7"), http.StatusTooManyRequests)
	want("by another sign-in", get("/v1/stream", "another", "203.0.113.7"), http.StatusTooManyRequests)
	want("a guest elsewhere", get("/v1/stream", "another", "203.0.113.8"), http.StatusOK)
	want("one more behind the proxy", get("/v1/stream", "one guest", "127.0.0.1"), http.StatusTooManyRequests)
	want("another behind the proxy", get("/v1/stream", "another", "127.0.0.1"), http.StatusOK)

	for range 41 {
		get("/v1/teams", "one guest", "203.0.113.7")
	}
	want("beyond the quota", get("/v1/teams", "one guest", "203.0.113.7"), http.StatusTooManyRequests)
	want("calls of a guest elsewhere", get("/v1/teams", "another", "203.0.113.8"), http.StatusOK)
	want("calls of a member", get("/v1/teams", "owner", "203.0.113.7"), http.StatusOK)
}
