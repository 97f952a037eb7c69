//go:build e2e

package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fault is how a door treats a request. The zero fault lets it through.
type fault struct {
	status     int           // answers so, in the place of the server
	retryAfter string        // beside status
	silent     bool          // takes the request and never answers
	lost       bool          // the server answers, and its answer is cut off
	until      time.Time     // this fault is for all requests until then
	late       time.Duration // the server gets the request after this
}

// door stands before the real server, sees what an SDK sends, and treats it with faults.
type door struct {
	inside string
	server *http.Server
	addr   string
	client *http.Client

	mu       sync.Mutex
	faults   []fault
	requests []knock
}

// knock is a request that came to the door.
type knock struct {
	path, key string
	body      map[string]any
	answered  int // by the server
}

// openDoor opens a door before a server. Faults are of the first requests, in turn.
func openDoor(t *testing.T, inside string, faults ...fault) *door {
	t.Helper()
	d := &door{inside: inside, addr: freeAddress(t), faults: faults}
	d.client = &http.Client{Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8}}
	t.Cleanup(d.client.CloseIdleConnections)
	d.open(t)
	t.Cleanup(d.shut)
	return d
}

func (d *door) url() string { return "http://" + d.addr }

// open lets requests come, also after shut.
func (d *door) open(t *testing.T) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", d.addr)
	if err != nil {
		t.Fatal(err)
	}
	d.server = &http.Server{Handler: d, ReadHeaderTimeout: time.Minute}
	go func() { _ = d.server.Serve(listener) }()
}

// shut refuses connections, as a server that is down.
func (d *door) shut() { _ = d.server.Close() }

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // it was cut off on its way here
	}
	n, f := d.note(r, body)
	switch {
	case f.silent:
		<-r.Context().Done()
		return
	case f.status != 0:
		if f.retryAfter != "" {
			w.Header().Set("Retry-After", f.retryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(f.status)
		_, _ = io.WriteString(w, `{"code":"overloaded","message":"Too much at once. Send this again later."}`)
		return
	}
	time.Sleep(f.late)
	answer, err := d.forward(r, body)
	d.mu.Lock()
	d.requests[n].answered = answer.status
	d.mu.Unlock()
	if err != nil || f.lost {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), answer.header)
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body)
}

// note remembers a request and takes the fault that is next.
func (d *door) note(r *http.Request, body []byte) (n int, f fault) {
	k := knock{path: r.URL.Path, key: r.Header.Get("Idempotency-Key")}
	var reader io.Reader = bytes.NewReader(body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		if unpacked, err := gzip.NewReader(reader); err == nil {
			reader = unpacked
		}
	}
	_ = json.NewDecoder(reader).Decode(&k.body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, k)
	n = len(d.requests) - 1
	if len(d.faults) == 0 {
		return n, fault{}
	}
	next := d.faults[0]
	switch {
	case next.until.IsZero():
		d.faults = d.faults[1:]
	case time.Now().After(next.until):
		d.faults = nil
		return n, fault{}
	}
	return n, next
}

type passed struct {
	status int
	header http.Header
	body   []byte
}

// forward asks the server behind, also when who asks is gone meanwhile.
func (d *door) forward(r *http.Request, body []byte) (passed, error) {
	request, err := http.NewRequest(r.Method, d.inside+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return passed{}, err
	}
	request.Header = r.Header.Clone()
	response, err := d.client.Do(request)
	if err != nil {
		return passed{}, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return passed{response.StatusCode, response.Header, text}, err
}

// seen is what came to the door so far.
func (d *door) seen() []knock {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]knock{}, d.requests...)
}

// events are those that came, each once however often it was sent.
func (d *door) events() []map[string]any {
	var events []map[string]any
	known := map[any]bool{}
	add := func(event map[string]any) {
		if !known[event["id"]] {
			known[event["id"]] = true
			events = append(events, event)
		}
	}
	for _, k := range d.seen() {
		switch {
		case strings.HasSuffix(k.path, "/v1/events"):
			add(k.body)
		case strings.HasSuffix(k.path, "/v1/events/batch"):
			items, _ := k.body["events"].([]any)
			for _, item := range items {
				event, _ := item.(map[string]any)
				add(event)
			}
		}
	}
	return events
}
