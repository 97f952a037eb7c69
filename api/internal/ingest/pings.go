package ingest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// PingTaker takes pings of heartbeats in. It returns nil only after the commit.
type PingTaker interface {
	// Take tells whether the ping was taken in before: its key is that of the last one.
	Take(ctx context.Context, route Route, name string, report heartbeat.Report) (state heartbeat.State, replayed bool, err error)
}

// PingPaths are where heartbeats are pinged, as patterns of http.ServeMux: with a key in a header, and
// where only an address can be called.
var PingPaths = []string{"/v1/heartbeats/{name}/ping", "/v1/heartbeats/{name}/ping/{service_key}"}

// PingVerbs are the methods that ping.
var PingVerbs = []string{http.MethodPost, http.MethodGet, http.MethodHead}

// maxPing is how much of a ping's body is read: its fields come before what its script printed.
const maxPing = 64 << 10

var errPingMultipart = fault.New(fault.Unsupported, "content_type",
	"A ping is no multipart form. Send its fields as JSON, or in its address: ?status=fail.")

var errPingJSON = fault.New(fault.Invalid, "invalid_json",
	`The body of the ping is not a JSON object. Send one such as {"status": "ok"}, or no body at all.`)

// Pings takes signs of life.
type Pings struct {
	Events Events
	Taker  PingTaker
}

// pingAnswer is where the heartbeat stands.
type pingAnswer struct {
	Name       string           `json:"name"`
	Status     heartbeat.Status `json:"status"`
	DueAt      *time.Time       `json:"due_at,omitempty"`
	DeadlineAt *time.Time       `json:"deadline_at,omitempty"`
	Warnings   []event.Warning  `json:"warnings"`

	replayed bool
}

// ServeHTTP answers 202 once the ping is stored.
func (p Pings) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := p.take(w, r)
	if err != nil {
		p.Events.writeError(w, r, forProgram(err))
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	if answer.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	writeJSON(w, http.StatusAccepted, answer)
}

func (p Pings) take(w http.ResponseWriter, r *http.Request) (pingAnswer, error) {
	sender, err := p.sender(r)
	if err == nil {
		err = p.Events.Quotas.Pings.Count(sender.place(), w.Header())
	}
	if err != nil {
		return pingAnswer{}, err
	}
	fields, err := p.fields(r)
	if err != nil {
		return pingAnswer{}, err
	}
	ping, err := event.ReadPing(fields, callID(r, sender))
	if err != nil {
		return pingAnswer{}, err
	}
	name := r.PathValue("name")
	state, replayed, err := p.Taker.Take(r.Context(), sender.Route, name, ping.Report)
	if err != nil {
		return pingAnswer{}, err
	}
	p.Events.called(r, sender.Route, catalog.Heartbeat)
	return pingAnswer{
		Name: name, Status: state.Status, DueAt: instant(state.DueAt), DeadlineAt: instant(state.DeadlineAt),
		Warnings: append([]event.Warning{}, ping.Warnings...), replayed: replayed,
	}, nil
}

func (p Pings) sender(r *http.Request) (Sender, error) {
	if key := r.PathValue("service_key"); key != "" {
		return p.Events.Senders.byServiceKey(r.Context(), key)
	}
	return p.Events.Senders.Identify(r)
}

// fields are those of the body; what the address says goes before them.
func (p Pings) fields(r *http.Request) (map[string]any, error) {
	fields := map[string]any{}
	if r.Method == http.MethodPost {
		var err error
		if fields, err = p.body(r); err != nil {
			return nil, err
		}
	}
	for name, values := range r.URL.Query() {
		fields[name] = values[len(values)-1]
	}
	return fields, nil
}

// body reads the fields of a body, which may be empty. Scripts send what they printed besides, and
// curl -d calls all of it a form, also JSON. No ping is lost because it is long.
func (p Pings) body(r *http.Request) (map[string]any, error) {
	body, cut, err := readPing(r)
	if err != nil {
		return nil, err
	}
	sent := bytes.TrimSpace(body)
	isJSON := len(sent) > 0 && (sent[0] == '{' || r.Header.Get("Content-Type") == "" || checkJSON(r) == nil)
	switch {
	case strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/"):
		return nil, errPingMultipart
	case cut:
		return event.StartOfPing(sent, isJSON), nil
	case len(sent) == 0:
		return map[string]any{}, nil
	case isJSON:
		fields, err := event.Decode(sent)
		if err != nil {
			return nil, errPingJSON.Because(err)
		}
		return fields, nil
	default:
		return event.PingText(sent), nil
	}
}

// readPing reads the start of a body, and whether more came. The rest is received all the same: a
// sender that is still writing would not see the answer.
func readPing(r *http.Request) (body []byte, cut bool, err error) {
	sent := &remembering{from: io.LimitReader(r.Body, maxBody)}
	plain, err := unpacked(r.Header.Get("Content-Encoding"), sent)
	if err == nil {
		body, err = io.ReadAll(io.LimitReader(plain, maxPing+1))
	}
	if err != nil {
		return nil, false, sent.blame(err)
	}
	if cut = len(body) > maxPing; !cut {
		return body, false, nil
	}
	if _, err := io.Copy(io.Discard, sent); err != nil {
		return nil, false, sent.blame(err)
	}
	return body[:maxPing], true, nil
}

func instant(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &at
}
