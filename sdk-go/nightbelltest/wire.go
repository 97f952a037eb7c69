package nightbelltest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Wire speaks what Nightbell's server speaks, in memory: it keeps events, opens one
// incident per dedup key, remembers ids, and fails when it is told to. It is an
// http.Handler for httptest.NewServer and an http.RoundTripper without any network.
type Wire struct {
	mu        sync.Mutex
	failures  []Failure
	requests  []Request
	events    []Event
	incidents []Incident
	open      map[string]int // dedup key -> place in incidents
	known     map[string][]byte
	changes   []Event
	pings     []Ping
}

// Event is an event as it arrived.
type Event = map[string]any

// Incident is what events opened.
type Incident struct {
	ID       string
	DedupKey string
	Title    string
	Severity string
	Resolved bool
	Count    int // occurrences
}

// Ping is a sign of life of a heartbeat or job.
type Ping struct {
	Name   string
	Status string
	RunID  string
}

// Request is one request that arrived, whatever became of it.
type Request struct {
	Path   string
	Header http.Header
	Body   []byte // without gzip
}

// Failure is how the server fails once.
type Failure struct {
	Status int         // answers with it; 0 with the two below
	Header http.Header // such as Retry-After
	Body   string      // a JSON error by itself
	// Lost does what was asked and drops the connection before it answers.
	Lost bool
	// Silent does nothing and never answers, until the client gives up.
	Silent bool
	// Events refuses these places of a batch instead of the whole, with the code
	// overloaded, which can be tried again.
	Events []int
}

// Fail makes the next requests fail, in turn.
func (w *Wire) Fail(failures ...Failure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failures = append(w.failures, failures...)
}

// Events are the events that were accepted, in their order, each once.
func (w *Wire) Events() []Event { return locked(w, func() []Event { return slices.Clone(w.events) }) }

// Incidents are the incidents that events opened.
func (w *Wire) Incidents() []Incident {
	return locked(w, func() []Incident { return slices.Clone(w.incidents) })
}

// Changes are the changes that were accepted.
func (w *Wire) Changes() []Event {
	return locked(w, func() []Event { return slices.Clone(w.changes) })
}

// Pings are the signs of life that arrived.
func (w *Wire) Pings() []Ping { return locked(w, func() []Ping { return slices.Clone(w.pings) }) }

// Requests are all requests that arrived.
func (w *Wire) Requests() []Request {
	return locked(w, func() []Request { return slices.Clone(w.requests) })
}

func locked[T any](w *Wire, read func() T) T {
	w.mu.Lock()
	defer w.mu.Unlock()
	return read()
}

// ServeHTTP answers one request.
func (w *Wire) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		refuse(out, http.StatusBadRequest, "invalid_json", err.Error())
		return
	}
	w.mu.Lock()
	w.requests = append(w.requests, Request{r.URL.Path, r.Header.Clone(), body})
	var failure Failure
	if len(w.failures) > 0 {
		failure, w.failures = w.failures[0], w.failures[1:]
	}
	w.mu.Unlock()
	switch {
	case failure.Silent:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case failure.Status != 0:
		fail(out, failure)
		return
	case r.Header.Get("Authorization") == "":
		refuse(out, http.StatusUnauthorized, "service_key_invalid", "Give a service key.")
		return
	}
	status, answer := w.accept(r.URL.Path, body, failure.Events)
	if failure.Lost {
		panic(http.ErrAbortHandler)
	}
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_, _ = out.Write(answer)
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(r.Body)
	}
	unzipped, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}

func fail(out http.ResponseWriter, failure Failure) {
	maps.Copy(out.Header(), failure.Header)
	if failure.Body == "" {
		refuse(out, failure.Status, "failed", "The server was told to fail.")
		return
	}
	out.WriteHeader(failure.Status)
	_, _ = io.WriteString(out, failure.Body)
}

func refuse(out http.ResponseWriter, status int, code, message string) {
	out.Header().Set("Content-Type", "application/json")
	out.WriteHeader(status)
	_, _ = out.Write(encode(map[string]any{"code": code, "message": message, "details": []any{}, "request_id": "test"}))
}

func encode(v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return encoded
}

// accept does what a request asks for.
func (w *Wire) accept(path string, body []byte, refused []int) (status int, answer []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var parsed map[string]any
	if err := json.Unmarshal(body, &parsed); err != nil {
		return http.StatusBadRequest, encode(map[string]any{"code": "invalid_json", "message": err.Error()})
	}
	switch {
	case strings.HasSuffix(path, "/v1/events"):
		return w.event(parsed)
	case strings.HasSuffix(path, "/v1/events/batch"):
		return w.batch(parsed, refused)
	case strings.HasSuffix(path, "/v1/changes"):
		w.changes = append(w.changes, parsed)
		return http.StatusCreated, encode(map[string]any{"id": parsed["id"]})
	case strings.HasSuffix(path, "/v1/samples"):
		return http.StatusAccepted, []byte(`{}`)
	case strings.HasSuffix(path, "/ping"):
		parts := strings.Split(path, "/")
		w.pings = append(w.pings, Ping{parts[len(parts)-2], text(parsed["status"]), text(parsed["run_id"])})
		return http.StatusAccepted, []byte(`{}`)
	default:
		return http.StatusNotFound, encode(map[string]any{"code": "not_found", "message": "No such path."})
	}
}

func (w *Wire) batch(parsed map[string]any, refused []int) (int, []byte) {
	events, ok := parsed["events"].([]any)
	if !ok || len(events) > 100 {
		return http.StatusUnprocessableEntity, encode(map[string]any{"code": "invalid_fields", "message": "Give up to 100 events."})
	}
	results := make([]json.RawMessage, len(events))
	for n, given := range events {
		event, _ := given.(map[string]any)
		if slices.Contains(refused, n) {
			results[n] = encode(map[string]any{"event_id": event["id"], "status": "error", "error": map[string]any{"code": "overloaded", "message": "Busy.", "retryable": true}})
			continue
		}
		status, answer := w.event(event)
		if status >= 300 {
			answer = encode(map[string]any{"event_id": event["id"], "status": "error", "error": json.RawMessage(answer)})
		}
		results[n] = answer
	}
	return http.StatusOK, encode(map[string]any{"results": results})
}

// event is one event: by its id, then by its dedup key.
func (w *Wire) event(event Event) (status int, answer []byte) {
	id, content := text(event["id"]), encode(event)
	if before, ok := w.known[id]; ok {
		if !bytes.Equal(before, content) {
			return http.StatusUnprocessableEntity, encode(map[string]any{"code": "idempotency_mismatch", "message": "Another event has this id."})
		}
		return http.StatusOK, w.answer(event, "deduplicated")
	}
	if w.known == nil {
		w.known, w.open = map[string][]byte{}, map[string]int{}
	}
	action := text(event["action"])
	if action == "trigger" && text(event["title"]) == "" {
		return http.StatusUnprocessableEntity, encode(map[string]any{"code": "invalid_fields", "message": "Give a title.", "details": []any{map[string]any{"field": "title", "code": "required", "message": "Give a title."}}})
	}
	w.known[id] = content
	w.events = append(w.events, event)
	place, isOpen := w.open[dedupKey(event)]
	switch {
	case action != "trigger" && !isOpen:
		return http.StatusOK, w.answer(event, "ignored")
	case action == "acknowledge":
		return http.StatusOK, w.answer(event, "acknowledged")
	case action == "resolve":
		w.incidents[place].Resolved = true
		answer := w.answer(event, "resolved")
		delete(w.open, dedupKey(event))
		return http.StatusOK, answer
	case isOpen:
		w.incidents[place].Count += occurrences(event)
		return http.StatusOK, w.answer(event, "deduplicated")
	}
	w.open[dedupKey(event)] = len(w.incidents)
	w.incidents = append(w.incidents, Incident{
		ID: fmt.Sprintf("00000000-0000-7000-8000-%012d", len(w.incidents)+1), DedupKey: dedupKey(event),
		Title: text(event["title"]), Severity: text(event["severity"]), Count: occurrences(event),
	})
	return http.StatusCreated, w.answer(event, "created")
}

func (w *Wire) answer(event Event, status string) []byte {
	answer := map[string]any{"event_id": event["id"], "dedup_key": dedupKey(event), "status": status, "truncated": []any{}, "warnings": []any{}}
	if place, ok := w.open[dedupKey(event)]; ok {
		answer["id"], answer["incident_number"] = w.incidents[place].ID, place+1
	}
	return encode(answer)
}

func dedupKey(event Event) string {
	if key := text(event["dedup_key"]); key != "" {
		return key
	}
	if details, ok := event["error"].(map[string]any); ok && text(details["fingerprint"]) != "" {
		return text(details["fingerprint"])
	}
	return text(event["id"])
}

func occurrences(event Event) int {
	if count, ok := event["count"].(float64); ok && count > 1 {
		return int(count)
	}
	return 1
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
