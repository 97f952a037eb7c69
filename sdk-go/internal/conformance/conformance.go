// Package conformance is what the middleware of every framework must do, as tests
// against its true server.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// ErrNoStock is the error of the application's routes.
var ErrNoStock = errors.New("no stock")

// Serve starts the application of a framework, with the middleware unless client is
// nil, and returns its address. Its routes:
//
//	GET /panic/{id}     panics with "no stock"
//	GET /fail/{id}      fails with ErrNoStock, by the framework's own way if it has one
//	GET /missing/{id}   answers 404, by the framework's own way
//	GET /captured/{id}  calls Capture and answers 500
//	GET /twice/{id}     captures ErrNoStock and fails with it
type Serve func(t *testing.T, client *nightbell.Client) (url string)

// Capture is what the handler of /captured does.
func Capture(ctx context.Context, client *nightbell.Client, user string) {
	nightbell.SetUser(ctx, user)
	nightbell.SetTag(ctx, "cart", user)
	client.CaptureError(ctx, fmt.Errorf("order of %s failed", user))
}

// Run runs all cases. routes are the operations of /panic and /captured as the
// framework writes them.
func Run(t *testing.T, serve Serve, panicRoute, capturedRoute string) {
	t.Helper()
	watched := func(t *testing.T, change ...func(*nightbell.Config)) (string, func(want int) []nightbelltest.Event) {
		t.Helper()
		client, wire := nightbelltest.New(t, change...)
		return serve(t, client), func(want int) []nightbelltest.Event { return arrived(t, client, wire, want) }
	}

	t.Run("a panic is one event with its route", func(t *testing.T) {
		url, events := watched(t)
		Get(t, url+"/panic/17?token=abc&page=2")
		event := events(1)[0]
		request, trace := object(object(event["metadata"])["request"]), object(event["trace"])
		if event["operation"] != panicRoute || event["severity"] != "high" || request["query"] != "token=[redacted]&page=2" || trace["span_id"] != "b7ad6b7169203331" {
			t.Errorf("event %v", event)
		}
	})
	t.Run("an error is one event", func(t *testing.T) {
		url, events := watched(t)
		Get(t, url+"/fail/17")
		if event := events(1)[0]; event["title"] != ErrNoStock.Error() {
			t.Errorf("event %v", event)
		}
	})
	t.Run("an error that was captured already is one event", func(t *testing.T) {
		url, events := watched(t)
		Get(t, url+"/twice/17")
		events(1)
	})
	t.Run("what the application refuses is no event", func(t *testing.T) {
		url, events := watched(t)
		Get(t, url+"/missing/17")
		Get(t, url+"/nothing")
		events(0)
	})
	t.Run("answers are the same, also when BeforeSend panics", func(t *testing.T) {
		url, _ := watched(t, func(c *nightbell.Config) {
			c.BeforeSend = func(*nightbell.Event) *nightbell.Event { panic("a fault of the program") }
		})
		plain := serve(t, nil)
		for _, path := range []string{"/fail/1", "/missing/1", "/captured/1?user=u", "/twice/1", "/nothing"} {
			if with, without := Get(t, url+path), Get(t, plain+path); !reflect.DeepEqual(with, without) {
				t.Errorf("%s: %v, without %v", path, with, without)
			}
		}
	})
	t.Run("requests at once do not mix", func(t *testing.T) {
		url, events := watched(t)
		var requests sync.WaitGroup
		for n := range 100 {
			requests.Go(func() { Get(t, fmt.Sprintf("%s/captured/%d?user=u%d", url, n, n)) })
		}
		requests.Wait()
		for _, event := range events(100) {
			user, tags := object(event["user"])["id"], object(event["tags"])
			if event["title"] != fmt.Sprintf("order of %s failed", user) || tags["cart"] != user || tags["http.method"] != "GET" || event["operation"] != capturedRoute {
				t.Errorf("event %v", event)
			}
		}
	})
	t.Run("a silent Nightbell holds up no request", func(t *testing.T) { besideSilence(t, serve) })
}

// besideSilence makes requests while Nightbell takes what is sent and does not answer.
func besideSilence(t *testing.T, serve Serve) {
	t.Helper()
	client, wire := nightbelltest.New(t, func(c *nightbell.Config) { c.Timeout = 300 * time.Millisecond })
	wire.Fail(nightbelltest.Failure{Silent: true})
	url := serve(t, client)
	for n := range 20 {
		Get(t, fmt.Sprintf("%s/captured/%d?user=u", url, n))
	}
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func arrived(t *testing.T, client *nightbell.Client, wire *nightbelltest.Wire, want int) []nightbelltest.Event {
	t.Helper()
	if _, err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	found := wire.Events()
	if len(found) != want {
		t.Fatalf("%d events, want %d: %v", len(found), want, found)
	}
	return found
}

// Answer is what a client sees.
type Answer struct {
	Status int
	Type   string
	Body   string
}

// client keeps no connection, because a server that ends in order waits for it.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// Get asks the application. No answer is the zero Answer.
func Get(t *testing.T, url string) Answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Error(err)
		return Answer{}
	}
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	response, err := client.Do(r)
	if err != nil {
		return Answer{}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return Answer{response.StatusCode, response.Header.Get("Content-Type"), string(body)}
}
