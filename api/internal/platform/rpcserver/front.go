package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"
)

// ContractVersion is the day on which the public contract last changed. All answers carry it; no
// request can ask for another one.
const ContractVersion = "2026-11-22"

const defaultBodyTimeout = 15 * time.Second

// Observation is what is measured of one finished request. Its words come from our own tables, so
// there are few of them, whatever strangers send.
type Observation struct {
	// Route is the pattern that matched; "other" for the fallback.
	Route string
	// Procedure is empty for what is no RPC.
	Procedure string
	Transport Transport
	Method    string
	Status    int
	// Code is the fault's, empty for success.
	Code string
	// Stream is true for an answer that lasts as long as somebody reads it.
	Stream   bool
	Duration time.Duration
}

// serve is the front door of every request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	known := &request{id: requestID(r.Header), peer: clientAddr(r, s.TrustedProxies), logger: s.logger}
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, known))
	s.warnOfProxy(r)
	tidy(r)
	written := &recorder{ResponseWriter: w}
	s.setHeaders(w.Header(), known)
	s.limitBody(written, r)
	defer func() {
		panicked := recover()
		s.finish(written, r, panicked)
		s.record(written, r, known, time.Since(started))
		if panicked != nil && (aborts(panicked) || written.began) {
			panic(http.ErrAbortHandler) // cuts the connection, so that half an answer is not taken for a whole one
		}
	}()
	s.table.mux.ServeHTTP(written, r)
}

// warnOfProxy says once that a proxy is not trusted: everybody behind it counts as one address.
func (s *Server) warnOfProxy(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" {
		return
	}
	if remote, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && !contains(s.TrustedProxies, remote.Addr().Unmap()) {
		s.strangeProxy.Do(func() {
			s.logger.WarnContext(r.Context(), "X-Forwarded-For comes from an address that is not in NIGHTBELL_TRUSTED_PROXIES and is not believed. "+
				"If it is your proxy, add its network: until then everybody behind it shares one limit of sign-ins", "peer", remote.Addr().Unmap().String())
		})
	}
}

func (s *Server) setHeaders(header http.Header, known *request) {
	header.Set(requestIDHeader, known.id)
	header.Set("Nightbell-Version", ContractVersion)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin") // links in mails carry a token
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	// Whoever serves pages replaces these two.
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	header.Set("Cache-Control", "no-store")
	if s.HTTPS {
		header.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

// finish answers for a plain handler that panicked. Calls have their own step for that.
func (s *Server) finish(w *recorder, r *http.Request, panicked any) {
	if panicked == nil || aborts(panicked) {
		return
	}
	s.logger.ErrorContext(r.Context(), "panic", "route", routeOf(r),
		"panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
	if !w.began {
		writeFault(w, errInternal)
		w.began = false // the answer is whole
	}
}

// aborts tells net/http's way of cutting a connection from a real panic.
func aborts(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// record writes the access log. It names the route and never the path, because a webhook's key and
// an acknowledge link's token are in the path.
func (s *Server) record(w *recorder, r *http.Request, known *request, took time.Duration) {
	seen := Observation{
		Route:     routeOf(r),
		Procedure: known.procedure,
		Transport: known.transport,
		Method:    knownVerb(r.Method),
		Status:    w.status(),
		Code:      known.refused,
		Stream:    strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"),
		Duration:  took,
	}
	for _, observe := range s.Observers {
		observe(r.Context(), seen)
	}
	level := slog.LevelInfo
	if seen.Route == "/healthz" || seen.Route == "/readyz" || seen.Route == "/metrics" {
		level = slog.LevelDebug
	}
	if !s.logger.Enabled(r.Context(), level) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("method", seen.Method),
		slog.String("route", seen.Route),
		slog.Int("status", seen.Status),
		slog.Float64("ms", float64(took.Microseconds())/1000),
		slog.Int64("bytes", w.bytes),
		slog.String("peer", known.peer.String()))
	if seen.Transport != "" {
		attrs = append(attrs, slog.String("transport", string(seen.Transport)))
	}
	if seen.Code != "" {
		attrs = append(attrs, slog.String("code", seen.Code))
	}
	s.logger.LogAttrs(r.Context(), level, "request", attrs...)
}

func routeOf(r *http.Request) string {
	if r.Pattern == "" || r.Pattern == "/" {
		return "other"
	}
	return r.Pattern
}

func knownVerb(verb string) string {
	switch verb {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return verb
	}
	return "other"
}

// limitBody gives the body a time limit of its own: a limit on the whole request would end live
// streams, and none lets a slow sender hold a connection for ever.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	timeout := s.BodyTimeout
	if timeout == 0 {
		timeout = defaultBodyTimeout
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(timeout)) != nil {
		return // not a network connection
	}
	r.Body = &timedBody{ReadCloser: r.Body, control: control}
}

// timedBody takes the deadline off once the body has arrived; past it, net/http would end the
// request's context.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// recorder remembers what was answered. http.ResponseController sees through it.
type recorder struct {
	http.ResponseWriter
	code  int
	bytes int64
	began bool
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush is for Connect's streams.
func (w *recorder) Flush() {
	w.began = true
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(code int) {
	if !w.began && code >= http.StatusOK {
		w.code, w.began = code, true
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(content []byte) (int, error) {
	w.began = true
	n, err := w.ResponseWriter.Write(content)
	w.bytes += int64(n)
	return n, err
}

func (w *recorder) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}
