package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/internal/conformance"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

func serve(t *testing.T, client *nightbell.Client) string {
	t.Helper()
	router := chi.NewRouter()
	router.Use(recoverer)
	if client != nil {
		router.Use(nightbellhttp.Middleware(client))
	}
	router.Get("/panic/{id}", func(http.ResponseWriter, *http.Request) { panic("no stock") })
	router.Get("/fail/{id}", func(http.ResponseWriter, *http.Request) { panic(conformance.ErrNoStock) })
	router.Get("/missing/{id}", http.NotFound)
	router.Get("/captured/{id}", func(w http.ResponseWriter, r *http.Request) {
		conformance.Capture(r.Context(), client, r.URL.Query().Get("user"))
		http.Error(w, "sorry", http.StatusInternalServerError)
	})
	router.Get("/twice/{id}", func(_ http.ResponseWriter, r *http.Request) {
		client.CaptureError(r.Context(), conformance.ErrNoStock)
		panic(conformance.ErrNoStock)
	})
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	return server.URL
}

// recoverer is Chi's without its output.
func recoverer(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if recover() != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func TestConformance(t *testing.T) {
	conformance.Run(t, serve, "GET /panic/{id}", "GET /captured/{id}")
}
