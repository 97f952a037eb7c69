//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fault is what a provider does to a message instead of taking it.
type fault struct {
	latency time.Duration
	status  int  // answered instead of 200
	drop    bool // the message is taken, the answer is lost
	// hold keeps the answer back until it is closed.
	hold <-chan struct{}
}

// providers stand in for everybody who carries pages: a program that speaks HTTP,
// notes each message in the journal, and misbehaves as told, by contact.
type providers struct {
	*httptest.Server

	journal *journal[received]

	mu     sync.Mutex
	faults map[string]func() fault
}

func newProviders(t *testing.T) *providers {
	t.Helper()
	p := &providers{journal: newJournal[received](t, "received"), faults: map[string]func() fault{}}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.take))
	p.Config.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, senderKey{}, holder(conn.RemoteAddr()))
	}
	p.Start()
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
	})
	return p
}

// senderKey is where the context of a connection has the process that made it.
type senderKey struct{}

// misbehave asks fault before each answer to a contact.
func (p *providers) misbehave(contact string, ask func() fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults[contact] = ask
}

func (p *providers) take(w http.ResponseWriter, r *http.Request) {
	at := elapsed()
	body, err := io.ReadAll(r.Body)
	var message struct {
		Data struct {
			DeliveryID    string `json:"delivery_id"`
			IncidentCount int    `json:"incident_count"`
		}
	}
	if err != nil || json.Unmarshal(body, &message) != nil {
		panic(http.ErrAbortHandler) // cut off half way: nothing was received
	}
	contact := strings.TrimPrefix(r.URL.Path, "/")
	p.mu.Lock()
	ask := p.faults[contact]
	p.mu.Unlock()
	var now fault
	if ask != nil {
		now = ask()
	}
	sender, _ := r.Context().Value(senderKey{}).(int)
	note := received{
		At: at, Sender: sender, Contact: contact, MessageID: r.Header.Get("Webhook-Id"),
		DeliveryID: message.Data.DeliveryID, Incidents: message.Data.IncidentCount, Answer: "taken",
	}
	switch {
	case now.drop:
		note.Answer = "taken, answer lost"
	case now.status != 0:
		note.Answer = http.StatusText(now.status)
	}
	p.journal.add(note)
	p.answer(w, r, now)
}

func (p *providers) answer(w http.ResponseWriter, r *http.Request, now fault) {
	if now.hold != nil {
		<-now.hold
	}
	select {
	case <-time.After(now.latency):
	case <-r.Context().Done():
	}
	if now.drop {
		panic(http.ErrAbortHandler)
	}
	if now.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	if now.status != 0 {
		w.WriteHeader(now.status)
	}
}
