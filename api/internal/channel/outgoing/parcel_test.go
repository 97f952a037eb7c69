package outgoing_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/channel/outgoing"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// TestTheOutcomeIsUnknownOnceAllLeft: what was taken may be shown to somebody, and what was not can be sent again.
func TestTheOutcomeIsUnknownOnceAllLeft(t *testing.T) {
	away, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = away.Close()
	for name, c := range map[string]struct {
		address string
		answer  http.HandlerFunc
		unknown bool
	}{
		"no answer":          {"", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true},
		"the answer is lost": {"", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true},
		"refused for now":    {"", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, false},
		"nobody listens":     {"http://" + away.Addr().String(), nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				c.answer(w, r)
			}))
			defer server.Close()
			if c.address == "" {
				c.address = server.URL
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := outgoing.Post(ctx, server.Client(), c.address, nil, []byte(`{}`), time.Now())
			if err == nil || errors.Is(err, notify.ErrUnknownOutcome) != c.unknown || errors.Is(err, notify.ErrPermanent) {
				t.Errorf("%v, unknown is %t", err, errors.Is(err, notify.ErrUnknownOutcome))
			}
		})
	}
}

// TestAMessageThatIsNotWantedAnyMoreDoesNotLeave: somebody answered while the connection came about.
func TestAMessageThatIsNotWantedAnyMoreDoesNotLeave(t *testing.T) {
	for name, protocols := range map[string][]string{"HTTP/1.1": {"http/1.1"}, "HTTP/2": {"h2"}} {
		for _, wanted := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				var whole, requests atomic.Int32
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					requests.Add(1)
					if body, err := io.ReadAll(r.Body); err == nil && string(body) == `{"page":1}` && r.ContentLength == 10 {
						whole.Add(1)
					}
				}))
				server.EnableHTTP2, server.TLS = true, &tls.Config{NextProtos: protocols, MinVersion: tls.VersionTLS12}
				server.StartTLS()
				defer server.Close()
				connected := false
				transport := server.Client().Transport.(*http.Transport)
				transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					connected = true
					return (&net.Dialer{}).DialContext(ctx, network, address)
				}
				ctx := notify.WithLastLook(t.Context(), func(context.Context) bool {
					if !connected {
						t.Error("asked before there was a connection")
					}
					return wanted
				})
				_, err := outgoing.Post(ctx, server.Client(), server.URL, nil, []byte(`{"page":1}`), time.Now())
				server.Close()
				if (err == nil) != wanted || (whole.Load() == 1) != wanted || requests.Load() != whole.Load() || errors.Is(err, notify.ErrNotWanted) == wanted {
					t.Errorf("wanted is %t: %v, %d arrived, %d whole", wanted, err, requests.Load(), whole.Load())
				}
			})
		}
	}
}
