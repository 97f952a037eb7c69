package nightbell

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a server that keeps what it gets.
type scripted struct {
	mu       sync.Mutex
	requests []sentRequest
}

type sentRequest struct {
	method, path string
	header       http.Header
	body         []byte
	at           time.Time
}

func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, errors.New("send less than 1 KiB in these tests")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, sentRequest{r.Method, r.URL.EscapedPath(), r.Header, body, time.Now()})
	answer := `{"status":"created"}`
	if strings.HasSuffix(r.URL.Path, "/batch") {
		answer = acceptBatch(body)
	}
	return &http.Response{StatusCode: http.StatusCreated, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

func acceptBatch(body []byte) string {
	var batch struct{ Events []Event }
	_ = json.Unmarshal(body, &batch)
	var results []string
	for _, e := range batch.Events {
		results = append(results, `{"event_id":"`+e.ID+`","status":"created"}`)
	}
	return `{"results":[` + strings.Join(results, ",") + `]}`
}

func (s *scripted) take() []sentRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.requests
	s.requests = nil
	return taken
}

type payloadCase struct {
	Description, Call, Now, ID string

	Config, Scope, Input tree
	Expect               struct {
		Method, Path string
		Headers      tree
		Body         any
	}
	Error *FieldError
}

func TestVectorsPayload(t *testing.T) {
	var file struct {
		About          string
		Cases, Refused []payloadCase
	}
	readVectors(t, "payload", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(moment(t, c.Now)))
				server := &scripted{}
				client := payloadClient(t, c, server)
				if err := makeCall(t, client, c); err != nil {
					t.Fatal(err)
				}
				_ = client.Close(t.Context())
				requests := server.take()
				if len(requests) != 1 {
					t.Fatalf("%d requests", len(requests))
				}
				r := requests[0]
				if r.method != c.Expect.Method || r.path != c.Expect.Path {
					t.Errorf("%s %s, want %s %s", r.method, r.path, c.Expect.Method, c.Expect.Path)
				}
				for name, value := range c.Expect.Headers {
					if got := r.header.Get(name); got != text(value) {
						t.Errorf("%s: %q, want %q", name, got, value)
					}
				}
				equalJSON(t, "body", r.body, c.Expect.Body)
			})
		})
	}
	for _, c := range file.Refused {
		t.Run(c.Description, func(t *testing.T) {
			c.Config = tree{"service_key": "nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s", "base_url": "https://nightbell.acme.test"}
			client := payloadClient(t, c, &scripted{})
			defer func() { _ = client.Close(t.Context()) }()
			var refused *APIError
			if err := makeCall(t, client, c); !errors.As(err, &refused) || !errors.Is(err, ErrValidation) {
				t.Fatalf("error %v", err)
			}
			if got := refused.Details[0]; got.Field != c.Error.Field || got.Code != c.Error.Code {
				t.Errorf("%+v, want %+v", got, c.Error)
			}
		})
	}
}

func payloadClient(t *testing.T, c payloadCase, server http.RoundTripper) *Client {
	t.Helper()
	config := configOf(t, c.Config)
	config.Transport = server
	client, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if v, given := c.Config["server_name"]; given && v == nil {
		client.serverName = ""
	}
	client.newID = func() string { return c.ID }
	client.debug = false
	return client
}

// incidentOf reads the input of a trigger.
func incidentOf(t *testing.T, input tree) Incident {
	t.Helper()
	var e Event
	decodeInto(t, input, &e)
	return Incident{
		Title: e.Title, Severity: e.Severity, Description: e.Description, Tags: e.Tags, Metadata: e.Metadata, Links: e.Links,
		DedupKey: e.DedupKey, OccurredAt: e.OccurredAt.Time, Test: e.Test,
	}
}

func makeCall(t *testing.T, client *Client, c payloadCase) error {
	t.Helper()
	ctx := t.Context()
	if c.Scope != nil {
		var scope struct {
			User        *User
			Operation   string
			Tags        map[string]string
			Trace       *Trace
			Breadcrumbs []Breadcrumb
		}
		decodeInto(t, c.Scope, &scope)
		ctx = NewContext(ctx, Scope{User: scope.User, Operation: scope.Operation, Tags: scope.Tags, Trace: scope.Trace, Breadcrumbs: scope.Breadcrumbs})
	}
	switch c.Call {
	case "trigger":
		_, err := client.TriggerIncident(ctx, incidentOf(t, c.Input))
		return err
	case "acknowledge":
		_, err := client.Acknowledge(ctx, text(c.Input["dedup_key"]))
		return err
	case "resolve":
		_, err := client.Resolve(ctx, text(c.Input["dedup_key"]))
		return err
	case "capture_error":
		captureGiven(ctx, t, client, c.Input)
		return nil
	case "change":
		var change Change
		decodeInto(t, c.Input, &change)
		_, err := client.RecordChange(change)
		return err
	case "sample":
		value, _ := c.Input["value"].(float64)
		client.RecordSample(text(c.Input["name"]), text(c.Input["unit"]), value)
		return nil
	case "ping":
		var p ping
		name := text(c.Input["name"])
		if name == "" {
			return invalid("name", "required", "give the heartbeat a name")
		}
		delete(c.Input, "name")
		decodeInto(t, c.Input, &p)
		client.enqueue(pingItem(name, p))
		return nil
	default:
		t.Fatal("unknown call " + c.Call)
		return nil
	}
}

// captureGiven does what CaptureError does once the stack was read.
func captureGiven(ctx context.Context, t *testing.T, client *Client, input tree) {
	t.Helper()
	var given struct {
		Exceptions []Exception
		Handled    *bool
		Severity   Severity
		User       *User
		Operation  string
		Tags       map[string]string
		Metadata   map[string]any
		DedupKey   string `json:"dedup_key"`
	}
	decodeInto(t, input, &given)
	severity := Medium
	if given.Handled != nil && !*given.Handled {
		severity = High
	}
	if given.Severity != "" {
		severity = given.Severity
	}
	e := &Event{
		Action: "trigger", ID: client.newID(), Severity: severity, OccurredAt: Timestamp{time.Now()}, Error: &ErrorDetails{Exceptions: given.Exceptions},
		User: given.User, Operation: given.Operation, Tags: given.Tags, Metadata: given.Metadata, DedupKey: given.DedupKey,
	}
	scopeOf(ctx).snapshot().apply(e)
	client.enqueueEvent(e, &item{})
}
