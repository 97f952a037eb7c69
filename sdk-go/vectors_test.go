package nightbell

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The vectors say what the SDKs of all languages do alike.

func readVectors(t *testing.T, family string, into any) {
	t.Helper()
	data, err := os.ReadFile("../proto/vectors/" + family + ".json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s.json: %v", family, err)
	}
}

type tree = map[string]any

// parsed makes a value comparable with parsed JSON.
func parsed(t *testing.T, v any) any {
	t.Helper()
	encoded, ok := v.([]byte)
	if !ok {
		var err error
		if encoded, err = encode(v); err != nil {
			t.Fatal(err)
		}
	}
	var result any
	if err := json.Unmarshal(encoded, &result); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
	return result
}

func equalJSON(t *testing.T, what string, got, want any) {
	t.Helper()
	got, want = parsed(t, got), parsed(t, want)
	if !reflect.DeepEqual(got, want) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("%s\n got %.4000s\nwant %.4000s", what, a, b)
	}
}

// named compares the fields that want names; null is absent.
func named(t *testing.T, got, want tree) {
	t.Helper()
	for field, value := range want {
		equalJSON(t, field, got[field], value)
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// decodeInto reads a tree into a value through JSON.
func decodeInto(t *testing.T, from, into any) {
	t.Helper()
	encoded, err := encode(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, into); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// configOf maps the options of the vectors to those of Go.
func configOf(t *testing.T, args tree) Config {
	t.Helper()
	var c Config
	number := func(v any) int { f, _ := v.(float64); return int(f) }
	milliseconds := func(v any) time.Duration { return time.Duration(number(v)) * time.Millisecond }
	yes := func(v any) bool { b, _ := v.(bool); return b }
	for option, v := range args {
		switch option {
		case "api_key":
			c.APIKey = text(v)
		case "service_key":
			c.ServiceKey = text(v)
		case "base_url":
			c.BaseURL = text(v)
		case "allow_insecure":
			c.AllowInsecure = yes(v)
		case "environment":
			c.Environment = text(v)
		case "timeout_ms":
			c.Timeout = milliseconds(v)
		case "enable_auto_capture":
			c.EnableAutoCapture = Set(yes(v))
		case "debug":
			c.Debug = Set(yes(v))
		case "release":
			c.Release = text(v)
		case "server_name":
			c.ServerName = text(v)
		case "sample_rate":
			f, _ := v.(float64)
			c.SampleRate = Set(f)
		case "max_queue":
			c.MaxQueue = number(v)
		case "flush_timeout_ms":
			c.FlushTimeout = Set(milliseconds(v))
		case "spool_dir":
			c.SpoolDir = text(v)
		case "max_retries":
			c.MaxRetries = Set(number(v))
		case "disabled":
			c.Disabled = yes(v)
		case "strict":
			c.Strict = yes(v)
		default:
			t.Fatalf("unknown option %s", option)
		}
	}
	return c
}

func effective(s settings) tree {
	optional := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return tree{
		"api_key": optional(s.apiKey), "service_key": optional(s.serviceKey), "base_url": s.baseURL, "environment": s.environment,
		"timeout_ms": s.timeout.Milliseconds(), "enable_auto_capture": s.autoCapture, "debug": s.debug, "release": optional(s.release),
		"server_name": s.serverName, "sample_rate": s.sampleRate, "max_queue": s.maxQueue, "flush_timeout_ms": s.flushTimeout.Milliseconds(),
		"spool_dir": optional(s.spoolDir), "max_retries": s.maxRetries, "disabled": s.disabled, "enabled": s.enabled,
	}
}

func TestVectorsConfig(t *testing.T) {
	var file struct {
		About   string
		Options []tree
		Cases   []struct {
			Description string
			Args        tree
			Env         map[string]string
			HostName    string `json:"host_name"`
			Expect      tree
			Warnings    []string
			Error       *struct{ Option, Code string }
		}
		Masks []struct{ Description, Key, Masked string }
	}
	readVectors(t, "config", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			s, warnings, err := load(configOf(t, c.Args), func(name string) string { return c.Env[name] }, c.HostName)
			var refused *ConfigError
			switch {
			case c.Error != nil && errors.As(err, &refused):
				if refused.Option != c.Error.Option || refused.Code != c.Error.Code {
					t.Errorf("got %s %s, want %+v", refused.Option, refused.Code, c.Error)
				}
			case (c.Error != nil) != (err != nil):
				t.Fatalf("error %v, want %+v", err, c.Error)
			default:
				equalJSON(t, "warnings", append([]string{}, warnings...), append([]string{}, c.Warnings...))
				named(t, effective(s), c.Expect)
			}
		})
	}
	for _, c := range file.Masks {
		if got := mask(c.Key); got != c.Masked {
			t.Errorf("%s: %s, want %s", c.Description, got, c.Masked)
		}
	}
}

func TestVectorsIDs(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description, Kind, Random, Credential, Environment, Name, Action, Expect string

			TimeMS        int64 `json:"time_ms"`
			WindowStartMS int64 `json:"window_start_ms"`
		}
	}
	readVectors(t, "ids", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			var got string
			switch c.Kind {
			case "uuid7":
				random, _ := hex.DecodeString(c.Random)
				got = uuid7(time.UnixMilli(c.TimeMS), [10]byte(random))
			case "monitor":
				got = windowID(c.Credential, c.Environment, c.Name, c.Action, time.UnixMilli(c.WindowStartMS))
			default:
				t.Fatal("unknown kind " + c.Kind)
			}
			if got != c.Expect {
				t.Errorf("%s, want %s", got, c.Expect)
			}
		})
	}
}

func TestVectorsRedaction(t *testing.T) {
	var file struct {
		About string
		Rules struct {
			Replacement string
			Contains    []string
			EndsWith    []string `json:"ends_with"`
			Exact       []string
			Text        []struct {
				Name, Pattern, Replacement string
				IgnoreCase                 bool `json:"ignore_case"`
			}
		}
		Cases []struct {
			Description, Kind string
			RedactKeys        []string `json:"redact_keys"`
			Value, Expect     any
		}
	}
	readVectors(t, "redaction", &file)
	equalJSON(t, "contains", secretContains, file.Rules.Contains)
	equalJSON(t, "ends_with", secretEndsWith, file.Rules.EndsWith)
	equalJSON(t, "exact", secretExact, file.Rules.Exact)
	for n, rule := range file.Rules.Text {
		own := secretTexts[n]
		if own.name != rule.Name || own.pattern != rule.Pattern || own.ignoreCase != rule.IgnoreCase || own.replacement != rule.Replacement {
			t.Errorf("rule %s differs", rule.Name)
		}
	}
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			r := newRedactor(c.RedactKeys)
			switch c.Kind {
			case "value":
				equalJSON(t, "value", r.value(c.Value), c.Expect)
			case "text":
				equalJSON(t, "text", r.text(text(c.Value)), c.Expect)
			case "query":
				equalJSON(t, "query", r.query(text(c.Value)), c.Expect)
			default:
				t.Fatal("unknown kind " + c.Kind)
			}
		})
	}
}

func TestVectorsFingerprint(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description, Environment, Text, Expect string

			Exceptions []Exception
		}
	}
	readVectors(t, "fingerprint", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			if sum, text := fingerprint(c.Environment, c.Exceptions); sum != c.Expect {
				t.Errorf("%s of\n%s\nwant %s of\n%s", sum, text, c.Expect, c.Text)
			}
		})
	}
}

// expand writes out the notation of truncation.json.
func expand(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = expand(v[i])
		}
		return list
	case tree:
		return expandMap(v)
	default:
		return v
	}
}

func expandMap(v tree) any {
	whole := func(m tree, key string) int { f, _ := m[key].(float64); return int(f) }
	if s, ok := v["$repeat"]; ok {
		return strings.Repeat(text(s), whole(v, "times")) + text(v["then"])
	}
	if m, ok := v["$map"].(tree); ok {
		made := tree{}
		for i := whole(m, "from"); i <= whole(m, "to"); i++ {
			made[text(m["prefix"])+strconv.Itoa(i)] = expand(m["value"])
		}
		return made
	}
	if l, ok := v["$list"].(tree); ok {
		made := []any{}
		for i := whole(l, "from"); i <= whole(l, "to"); i++ {
			made = append(made, numbered(expand(l["item"]), strconv.Itoa(i)))
		}
		return made
	}
	if parts, ok := v["$concat"].([]any); ok {
		made := []any{}
		for _, part := range parts {
			list, _ := expand(part).([]any)
			made = append(made, list...)
		}
		return made
	}
	switch v["$number"] {
	case nil:
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	default:
		n, _ := strconv.ParseInt(text(v["$number"]), 10, 64)
		return n
	}
	made := tree{}
	for key, inner := range v {
		made[key] = expand(inner)
	}
	return made
}

func numbered(v any, i string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "{i}", i)
	case tree:
		made := tree{}
		for key, inner := range v {
			made[key] = numbered(inner, i)
		}
		return made
	default:
		return v
	}
}

func TestVectorsTruncation(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description   string
			Event, Expect tree
		}
	}
	readVectors(t, "truncation", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			event, _ := expand(c.Event).(tree)
			want, _ := expand(c.Expect).(tree)
			metadata, _ := event["metadata"].(tree)
			delete(event, "metadata")
			var e Event
			decodeInto(t, event, &e)
			e.Metadata = snapshot(metadata)
			body, err := limit(&e)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := parsed(t, body).(tree)
			for _, always := range []string{"action", "id"} { // Go writes them always
				if got[always] == "" {
					delete(got, always)
				}
			}
			withoutInApp(got)
			equalJSON(t, "event", got, want)
		})
	}
}

// withoutInApp removes in_app: false, which Go writes always.
func withoutInApp(v any) {
	switch v := v.(type) {
	case tree:
		if v["in_app"] == false {
			delete(v, "in_app")
		}
		for _, inner := range v {
			withoutInApp(inner)
		}
	case []any:
		for _, inner := range v {
			withoutInApp(inner)
		}
	}
}

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

func TestVectorsErrors(t *testing.T) {
	var file struct {
		About, Now string
		Cases      []struct {
			Description, Request, Failure string

			Answer *struct {
				Status  int
				Headers map[string]string
				Body    any
			}
			Sent     []string
			SharedID bool `json:"shared_id"`
			Expect   tree
		}
	}
	readVectors(t, "errors", &file)
	kinds := map[string]kind{"event": kindEvent, "batch": kindBatch, "change": kindChange, "ping": kindPing}
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			a := answer{header: http.Header{}}
			switch c.Failure {
			case "network":
				a.err = io.ErrUnexpectedEOF
			case "timeout":
				a.err = context.DeadlineExceeded
			default:
				a.status = c.Answer.Status
				for name, value := range c.Answer.Headers {
					a.header.Set(name, value)
				}
				if s, ok := c.Answer.Body.(string); ok {
					a.body = []byte(s)
				} else if c.Answer.Body != nil {
					a.body, _ = encode(c.Answer.Body)
				}
			}
			k, known := kinds[c.Request]
			if !known {
				t.Fatal("unknown request " + c.Request)
			}
			v := judge(k, c.Sent, a, c.SharedID, moment(t, file.Now))
			got := verdictTree(v)
			if items, ok := c.Expect["items"].([]any); ok {
				for n := range items {
					item := verdictTree(v.items[n])
					item["event_id"] = c.Sent[n]
					want, _ := items[n].(tree)
					named(t, item, want)
				}
				delete(c.Expect, "items")
			}
			if result, ok := c.Expect["result"].(tree); ok {
				own, _ := got["result"].(tree)
				named(t, own, result)
				delete(c.Expect, "result")
			}
			named(t, got, c.Expect)
		})
	}
}

func verdictTree(v verdict) tree {
	got := tree{"outcome": [...]string{"delivered", "retry", "rejected", "split", "disabled"}[v.outcome]}
	if v.wish > 0 {
		got["retry_after_ms"] = v.wish.Milliseconds()
	}
	if v.pause {
		got["pause"] = true
	}
	optional := func(key, s string) {
		if s != "" {
			got[key] = s
		}
	}
	if v.err != nil {
		classes := map[error]string{ErrAuth: "auth", ErrValidation: "validation", ErrRateLimited: "rate_limited", ErrServer: "server", ErrConnection: "connection", ErrTimeout: "timeout", ErrRefused: "api"}
		got["error"] = classes[v.err.Kind]
		optional("code", v.err.Code)
		optional("message", v.err.Message)
		optional("request_id", v.err.RequestID)
		got["details"] = v.err.Details
	}
	if v.result != nil {
		result := tree{"incident_number": v.result.Number, "status": v.result.Status, "event_id": v.result.EventID, "url": v.result.URL, "dedup_key": v.result.DedupKey}
		if v.result.ID != "" {
			result["id"] = v.result.ID
		}
		got["result"] = result
	}
	return got
}

func TestVectorsRetry(t *testing.T) {
	var file struct {
		About, Now string
		Cases      []struct {
			Description, Mode string

			TimeoutMS  int `json:"timeout_ms"`
			MaxRetries int `json:"max_retries"`
			Answers    []struct {
				Status  int
				Failure string
				TakesMS int `json:"takes_ms"`
				Headers map[string]string
			}
			Random []float64
			Expect struct {
				Outcome  string
				Attempts int
				DelaysMS []int64 `json:"delays_ms"`
			}
		}
	}
	readVectors(t, "retry", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			rule := foreground{maxRetries: c.MaxRetries, life: 3 * time.Duration(c.TimeoutMS) * time.Millisecond}
			delays, outcome, n := []int64{}, "", 0
			var elapsed time.Duration
			for ; outcome == ""; n++ {
				scriptedAnswer := c.Answers[n]
				a := answer{status: scriptedAnswer.Status, header: http.Header{}, body: []byte(`{"status":"created"}`)}
				for name, value := range scriptedAnswer.Headers {
					a.header.Set(name, value)
				}
				if scriptedAnswer.Failure != "" {
					a.err = io.ErrUnexpectedEOF
				}
				elapsed += time.Duration(scriptedAnswer.TakesMS) * time.Millisecond
				v := judge(kindEvent, nil, a, false, moment(t, file.Now))
				if v.outcome != tryAgain {
					outcome = text(verdictTree(v)["outcome"])
					continue
				}
				random := append(c.Random, 0)[min(n, len(c.Random))]
				var delay time.Duration
				var again bool
				over := "queued"
				if c.Mode == "foreground" {
					delay, again = rule.next(n, v, elapsed, random)
				} else {
					over = "gave_up"
					delay, again = background(n, v.wish, elapsed, random)
				}
				if !again {
					outcome = over
					continue
				}
				delays, elapsed = append(delays, delay.Milliseconds()), elapsed+delay
			}
			if outcome != c.Expect.Outcome || n != c.Expect.Attempts || fmt.Sprint(delays) != fmt.Sprint(c.Expect.DelaysMS) {
				t.Errorf("%s after %d tries, delays %v; want %+v", outcome, n, delays, c.Expect)
			}
		})
	}
}
