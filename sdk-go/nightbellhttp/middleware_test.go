package nightbellhttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// The application under test, as in every framework.
func application(client *nightbell.Client) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /panic/{id}", func(http.ResponseWriter, *http.Request) { panic("no stock") })
	mux.HandleFunc("GET /missing/{id}", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no such order", http.StatusNotFound) })
	mux.HandleFunc("GET /abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("GET /captured/{id}", func(w http.ResponseWriter, r *http.Request) {
		user := r.URL.Query().Get("user")
		nightbell.SetUser(r.Context(), user)
		nightbell.SetTag(r.Context(), "cart", user)
		client.CaptureError(r.Context(), fmt.Errorf("order of %s failed", user))
		http.Error(w, "sorry", http.StatusInternalServerError)
	})
	mux.HandleFunc("GET /twice", func(_ http.ResponseWriter, r *http.Request) {
		fault := errors.New("no stock")
		client.CaptureError(r.Context(), fault)
		panic(fault)
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil {
			panic(err)
		}
		_, _ = io.WriteString(w, " second")
	})
	return mux
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = nil
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "no answer"
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(read)
}

func events(t *testing.T, client *nightbell.Client, wire *nightbelltest.Wire, want int) []nightbelltest.Event {
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

func TestAPanicIsOneEventWithItsRoute(t *testing.T) {
	client, wire := nightbelltest.New(t)
	url := serve(t, nightbellhttp.Middleware(client)(application(client)))
	get(t, url+"/panic/17?token=abc&page=2")
	event := events(t, client, wire, 1)[0]
	request, _ := event["metadata"].(map[string]any)["request"].(map[string]any)
	trace, _ := event["trace"].(map[string]any)
	if event["operation"] != "GET /panic/{id}" || request["query"] != "token=[redacted]&page=2" || trace["span_id"] != "b7ad6b7169203331" {
		t.Errorf("event %v", event)
	}
}

func TestWhatIsNoFaultIsNoEvent(t *testing.T) {
	client, wire := nightbelltest.New(t)
	url := serve(t, nightbellhttp.Middleware(client)(application(client)))
	get(t, url+"/missing/17")
	get(t, url+"/nothing")
	get(t, url+"/abort")
	events(t, client, wire, 0)
}

func TestAnErrorThatIsCapturedAndPanicsIsOneEvent(t *testing.T) {
	client, wire := nightbelltest.New(t)
	get(t, serve(t, nightbellhttp.Middleware(client)(application(client)))+"/twice")
	events(t, client, wire, 1)
}

func TestAnswersAreTheSameWithAndWithout(t *testing.T) {
	client, _ := nightbelltest.New(t, func(c *nightbell.Config) {
		c.BeforeSend = func(*nightbell.Event) *nightbell.Event { panic("a fault of the program") }
	})
	plain, watched := serve(t, application(client)), serve(t, nightbellhttp.Middleware(client)(application(client)))
	for _, path := range []string{"/panic/1", "/missing/1", "/captured/1?user=u", "/abort", "/stream", "/nothing"} {
		status, body := get(t, plain+path)
		if s, b := get(t, watched+path); s != status || b != body {
			t.Errorf("%s: %d %q, without %d %q", path, s, b, status, body)
		}
	}
}

func TestRequestsAtOnceDoNotMix(t *testing.T) {
	client, wire := nightbelltest.New(t)
	url := serve(t, nightbellhttp.Middleware(client)(application(client)))
	var requests sync.WaitGroup
	for n := range 100 {
		requests.Go(func() { get(t, fmt.Sprintf("%s/captured/%d?user=u%d", url, n, n)) })
	}
	requests.Wait()
	for _, event := range events(t, client, wire, 100) {
		user, _ := event["user"].(map[string]any)
		tags, _ := event["tags"].(map[string]any)
		if event["title"] != fmt.Sprintf("order of %s failed", user["id"]) || tags["cart"] != user["id"] || event["operation"] != "GET /captured/{id}" {
			t.Errorf("event %v", event)
		}
	}
}

func TestMiddlewareOfANilClient(t *testing.T) {
	url := serve(t, nightbellhttp.Middleware(nil)(application(nil)))
	if status, _ := get(t, url+"/missing/1"); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
}
