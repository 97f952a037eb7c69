package nightbell

import (
	"context"
	"errors"
	"net/url"
	"time"
)

// ping is one sign of life.
type ping struct {
	Status            string `json:"status"` // ok, start, fail or stop
	RunID             string `json:"run_id,omitempty"`
	EverySeconds      int    `json:"every_seconds,omitempty"`
	GraceSeconds      int    `json:"grace_seconds,omitempty"`
	Schedule          string `json:"schedule,omitempty"`
	TimeZone          string `json:"time_zone,omitempty"`
	MaxRuntimeSeconds int    `json:"max_runtime_seconds,omitempty"`
}

func pathPing(name string) string { return "/v1/heartbeats/" + url.PathEscape(name) + "/ping" }

// pingItem makes a ping that is queued.
func pingItem(name string, p ping) *item {
	body, _ := encode(p) // it has nothing that JSON cannot write
	return &item{kind: kindPing, path: pathPing(name), body: body, size: len(body), weight: High.weight()}
}

// Heartbeat says regularly that the program lives. Nightbell opens an incident when
// it stops saying so.
type Heartbeat struct{ stop func() }

// HeartbeatOption changes a heartbeat.
type HeartbeatOption func(*ping)

// Grace is how late a ping may be.
func Grace(d time.Duration) HeartbeatOption {
	return func(p *ping) { p.GraceSeconds = wholeSeconds(d) }
}

// Heartbeat pings now and every interval (such as time.Minute) until Stop or Close,
// which say that this is no failure.
func (c *Client) Heartbeat(name string, interval time.Duration, options ...HeartbeatOption) (*Heartbeat, error) {
	if name == "" || interval < time.Second {
		return nil, errors.New("nightbell: a heartbeat needs a name and an interval of at least a second")
	}
	if !c.on() {
		return nil, nil
	}
	p := ping{Status: "ok", EverySeconds: wholeSeconds(interval)}
	for _, option := range options {
		option(&p)
	}
	i := pingItem(name, p)
	ctx, cancel := context.WithCancel(c.root)
	heartbeat := &Heartbeat{stop: c.onClose(func() {
		cancel()
		c.enqueue(pingItem(name, ping{Status: "stop"}))
	})}
	c.goroutine(func(context.Context) {
		c.every(ctx, interval, func(ctx context.Context) { c.beat(ctx, i) })
	})
	return heartbeat, nil
}

// Stop ends the heartbeat in order. It may be called more than once.
func (h *Heartbeat) Stop() {
	if h != nil {
		h.stop()
	}
}

// beat pings once, and again after a second if that failed. A ping that is later than
// the next one says nothing, so it is not queued.
func (c *Client) beat(ctx context.Context, i *item) {
	r := request{kind: kindPing, path: i.path, body: i.body}
	for attempt := 1; attempt <= 2; attempt++ {
		if !c.on() || c.gate.wait(time.Now()) > 0 {
			return
		}
		v := judge(kindPing, nil, c.transport.send(ctx, r, attempt), time.Now())
		if ctx.Err() == context.Canceled {
			return
		}
		c.noted(r, v)
		if v.outcome == delivered {
			return
		}
		c.log.warn("heartbeat", "nightbell: a heartbeat was not delivered", "path", i.path, "error", v.err.Error())
		if v.outcome != tryAgain || !sleep(ctx, max(v.wish, time.Second)) {
			return
		}
	}
}

func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
