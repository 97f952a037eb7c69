// Package ingest receives alerts over HTTP.
//
// One handler serves every sender; senders.go is the table of them. A request is a
// key that names a service, a body that the sender's parser turns into alerts, and
// one call that commits them: a 2xx is written after the commit and never before.
// Monitoring systems do not repeat what was answered with a 4xx, so a body that
// cannot be read is stored and pages somebody too.
//
// Entry file: webhook.go. Neighbours: prometheus (a parser), wire (bounded JSON),
// alert (what the bodies become), intake/store.go (what happens then).
package ingest

import (
	"context"
	"errors"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
)

// ErrUnknownKey says that no service has this key, or no longer.
var ErrUnknownKey = errors.New("unknown service key")

// Keys finds the service a key belongs to.
type Keys interface {
	// Find fails with ErrUnknownKey when no service has the key, and with anything
	// else when that cannot be said at the moment.
	Find(ctx context.Context, key string) (Route, error)
}

// Route is where the alerts of a key go.
type Route = catalog.Route

// Calls is told of calls that were taken in. Note must not block: an answer waits for it.
type Calls interface {
	Note(call catalog.SenderCall)
}

// Acceptor commits what was received. Both calls return nil only after the commit,
// and an error only when nothing was committed that the sender must not repeat.
type Acceptor interface {
	Accept(ctx context.Context, route Route, batch alert.Batch) error
	// AcceptUndecodable keeps a body that could not be read and sees to it that
	// somebody is paged about it. The body is at most 64 KiB and may hold any bytes.
	AcceptUndecodable(ctx context.Context, route Route, sender, reason string, body []byte) error
}
