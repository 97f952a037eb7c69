package rpcserver

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

const requestIDHeader = "X-Request-Id"

// request is what is known of an HTTP request, whoever handles it. One goroutine uses it.
type request struct {
	id     string
	peer   netip.Addr
	logger *slog.Logger
	// large is what the body holds until it is parsed.
	large reading
	// For the access log, once they are known.
	transport Transport
	procedure string
	refused   string
}

type requestKey struct{}

// requestFrom is never nil: a handler may run without the server around it, as in tests.
func requestFrom(ctx context.Context) *request {
	if known, ok := ctx.Value(requestKey{}).(*request); ok {
		return known
	}
	return &request{logger: slog.Default()}
}

// RequestID gives the id that names this request in logs and in its answer; empty outside of one.
func RequestID(ctx context.Context) string { return requestFrom(ctx).id }

// Peer gives the caller's address, as far as trusted proxies vouch for it; invalid when unknown.
func Peer(ctx context.Context) netip.Addr { return requestFrom(ctx).peer }

// requestID takes the caller's id when it is one that a log can carry, and makes one otherwise.
func requestID(header http.Header) string {
	given := header.Get(requestIDHeader)
	if given == "" || len(given) > 64 || strings.IndexFunc(given, notInID) >= 0 {
		return id.New().String()
	}
	return given
}

func notInID(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return r != '-' && r != '_' && r != '.'
}

// clientAddr is the address of the nearest hop that is not one of our own proxies. Whatever stands
// to the left of it in X-Forwarded-For was written by a stranger.
func clientAddr(r *http.Request, trusted []netip.Prefix) netip.Addr {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	nearest := remote.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(hops) > 0 && contains(trusted, nearest) {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[len(hops)-1]))
		if err != nil {
			break
		}
		nearest, hops = hop.Unmap(), hops[:len(hops)-1]
	}
	return nearest
}

func contains(prefixes []netip.Prefix, addr netip.Addr) bool {
	for _, prefix := range prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
