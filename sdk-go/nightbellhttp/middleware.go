// Package nightbellhttp reports panics of net/http handlers, and of Chi's, which has
// the same ones:
//
//	http.ListenAndServe(":8080", nightbellhttp.Middleware(client)(mux))
//	router.Use(nightbellhttp.Middleware(client)) // Chi
package nightbellhttp

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

// Middleware gives each request a scope (method, route, trace) and reports a panic of
// its handler, which then goes on as without it. What is written is untouched. Errors
// that a handler answers itself are reported with client.CaptureError(r.Context(), err).
func Middleware(client *nightbell.Client) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var request *http.Request
			ctx := NewContext(r.Context(), client, FactsOf(r), func() string { return request.Pattern })
			request = r.WithContext(ctx)
			defer func() { Report(ctx, client, recover()) }()
			next.ServeHTTP(w, request)
		})
	}
}

// Facts are what events say of a request.
type Facts struct {
	Method, Path, Query string
	Traceparent         string // the W3C header
}

// FactsOf reads a request of net/http.
func FactsOf(r *http.Request) Facts {
	return Facts{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Traceparent")}
}

// NewContext is the scope of a request, for middleware of other frameworks. pattern
// is asked for the matched route, such as /users/{id}, when an event needs it.
func NewContext(ctx context.Context, client *nightbell.Client, facts Facts, pattern func() string) context.Context {
	return nightbell.NewContext(ctx, nightbell.Scope{
		Operation: facts.Method + " " + maskPath(facts.Path),
		Route:     func() string { return operation(facts.Method, pattern()) },
		Tags:      map[string]string{"http.method": facts.Method},
		Metadata:  map[string]any{"request": map[string]any{"method": facts.Method, "path": facts.Path, "query": client.RedactQuery(facts.Query)}},
		Trace:     traceOf(facts.Traceparent),
	})
}

// operation is the method and the route; the patterns of net/http may begin with a method.
func operation(method, pattern string) string {
	if _, path, hasMethod := strings.Cut(pattern, " "); hasMethod {
		pattern = path
	}
	if pattern == "" {
		return ""
	}
	return method + " " + pattern
}

// Report captures what recover returned and panics on. It leaves out how handlers
// abort a request on purpose, and clients that went away.
func Report(ctx context.Context, client *nightbell.Client, fault any) {
	if fault == nil {
		return
	}
	err, _ := fault.(error)
	if !errors.Is(err, http.ErrAbortHandler) && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
		client.CapturePanic(ctx, fault)
	}
	panic(fault)
}

// maskPath stands for a route while the router has not said it: parts with digits
// are mostly ids.
func maskPath(path string) string {
	parts := strings.Split(path, "/")
	for n, part := range parts {
		if strings.ContainsAny(part, "0123456789") || len(part) > 40 {
			parts[n] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// traceOf reads the W3C header traceparent.
func traceOf(header string) *nightbell.Trace {
	parts := strings.Split(header, "-")
	if len(parts) < 4 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return nil
	}
	return &nightbell.Trace{TraceID: parts[1], SpanID: parts[2]}
}
