package delivery_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// TestAnAnswerStopsAPageThatIsStillConnecting: the connection takes three seconds, and somebody answers meanwhile, or
// nobody does. Where it is there at once nothing is asked again.
func TestAnAnswerStopsAPageThatIsStillConnecting(t *testing.T) {
	for name, c := range map[string]struct {
		takes    time.Duration
		answered bool
		looks    int32 // how often the clock was read: before and after the last look, and once or twice for another
		posts    int32
		want     string
	}{
		"answered meanwhile": {3 * time.Second, true, 4, 0, "cancelled: acknowledged"},
		"not answered":       {3 * time.Second, false, 4, 1, "sent"},
		"connected at once":  {100 * time.Millisecond, false, 3, 1, "sent"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			var posts, looks atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
			defer server.Close()
			var uptime atomic.Int64
			client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				uptime.Add(int64(c.takes))
				if c.answered {
					o.Respond(t, incident.Acknowledge{By: pagingtest.By(o.Bob, "Bob")})
				}
				return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
			}}}
			hooks := delivery.New(o.DB, notify.Webhook, webhook.New(client), delivery.Options{
				Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey,
				Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
				Uptime: func() time.Duration { looks.Add(1); return time.Duration(uptime.Load()) },
			})
			hook := o.hookFirst(t, -1)
			o.Exec(t, `UPDATE contact_method SET address = 'http://ada.example', address_sealed = NULL WHERE id = $1`, hook)
			o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
			deliver(t, hooks)
			if got := o.states(t); posts.Load() != c.posts || got != c.want || looks.Load() != c.looks {
				t.Errorf("%d posts, the page is %q, the clock was read %d times, want %d, %q, %d", posts.Load(), got, looks.Load(), c.posts, c.want, c.looks)
			}
			if got := o.deliveries(t); c.posts == 0 && got != "skipped 0 somebody answered before it was sent" {
				t.Errorf("the delivery is %q", got)
			}
		})
	}
}
