package nightbellhttp_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/internal/conformance"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// net/http has no errors of its own: a handler answers, or panics.
func serve(t *testing.T, client *nightbell.Client) string {
	t.Helper()
	mux := http.NewServeMux()
	failed := func(w http.ResponseWriter) { http.Error(w, "sorry", http.StatusInternalServerError) }
	mux.HandleFunc("GET /panic/{id}", func(http.ResponseWriter, *http.Request) { panic("no stock") })
	mux.HandleFunc("GET /fail/{id}", func(http.ResponseWriter, *http.Request) { panic(conformance.ErrNoStock) })
	mux.HandleFunc("GET /missing/{id}", http.NotFound)
	mux.HandleFunc("GET /abort", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("GET /captured/{id}", func(w http.ResponseWriter, r *http.Request) {
		conformance.Capture(r.Context(), client, r.URL.Query().Get("user"))
		failed(w)
	})
	mux.HandleFunc("GET /twice/{id}", func(_ http.ResponseWriter, r *http.Request) {
		client.CaptureError(r.Context(), conformance.ErrNoStock)
		panic(conformance.ErrNoStock)
	})
	mux.HandleFunc("GET /stream", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil {
			panic(err)
		}
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	if client != nil {
		server.Config.Handler = nightbellhttp.Middleware(client)(mux)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func TestConformance(t *testing.T) {
	conformance.Run(t, serve, "GET /panic/{id}", "GET /captured/{id}")
}

func TestAbortingAndStreamingAreNoFaults(t *testing.T) {
	client, wire := nightbelltest.New(t)
	url := serve(t, client)
	conformance.Get(t, url+"/abort")
	if answer := conformance.Get(t, url+"/stream"); answer.Body != "first" {
		t.Errorf("answer %+v", answer)
	}
	_, _ = client.Flush(t.Context())
	if found := wire.Events(); len(found) != 0 {
		t.Errorf("events %v", found)
	}
}

func TestMiddlewareOfANilClient(t *testing.T) {
	server := httptest.NewServer(nightbellhttp.Middleware(nil)(http.NotFoundHandler()))
	defer server.Close()
	if answer := conformance.Get(t, server.URL); answer.Status != http.StatusNotFound {
		t.Errorf("answer %+v", answer)
	}
}
