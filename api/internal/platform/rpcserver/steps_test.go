package rpcserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var errAway = errors.New("dial unix /var/run/pg.sock: connection refused")

func classifyAway(err error) *fault.Error {
	if errors.Is(err, errAway) {
		return fault.New(fault.Unavailable, "database_away", "The database is away. Try again.").After(7)
	}
	return nil
}

// Every built-in step does on every transport what it promises.
func TestBuiltInStepsOnEveryTransport(t *testing.T) {
	for name, c := range map[string]struct {
		get     func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error)
		status  int
		code    connect.Code
		word    string
		message string
		retry   string
		logged  string
	}{
		"success": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				return &nightbellv1.GetIncidentResponse{}, nil
			},
			status: 200,
		},
		"panic": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				panic("secret")
			},
			status: 500, code: connect.CodeInternal, word: "internal", message: "on our side", logged: "panic=secret",
		},
		"nothing at all": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				return nil, nil
			},
			status: 500, code: connect.CodeInternal, word: "internal", message: "on our side",
		},
		"unknown error": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				return nil, errors.New("ERROR: relation secret does not exist")
			},
			status: 500, code: connect.CodeInternal, word: "internal", message: "on our side", logged: "relation secret",
		},
		"database away": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				return nil, fmt.Errorf("load secret: %w", errAway)
			},
			status: 503, code: connect.CodeUnavailable, word: "database_away", message: "The database is away.", retry: "7", logged: "pg.sock",
		},
		"fault with a cause": {
			get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				return nil, fault.New(fault.NotFound, "incident_not_found", "There is no such incident.").Because(errors.New("secret row"))
			},
			status: 404, code: connect.CodeNotFound, word: "incident_not_found", message: "There is no such incident.", logged: "secret row",
		},
		"too slow": {
			get: func(ctx context.Context, _ *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
				if CallFrom(ctx).Stream { // has no limit of its own
					return nil, context.DeadlineExceeded
				}
				<-ctx.Done()
				return nil, ctx.Err()
			},
			status: 503, code: connect.CodeUnavailable, word: "timeout", message: "took too long", retry: "1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var logs lockedBuffer
			server := New(slog.New(slog.NewTextHandler(&logs, nil)),
				Recover(), MapFaults(classifyAway), Validate(), Timeout(20*time.Millisecond), stamp)
			mountProbe(t, server, &probe{get: c.get})
			handler := server.Handler()

			got := rest(handler, http.MethodGet, "/v1/incidents/asked", "")
			if got.status != c.status || !strings.Contains(got.body, c.message) || !strings.Contains(got.body, c.word) ||
				got.header.Get("Retry-After") != c.retry || got.header.Get("Stamp") != "asked" || strings.Contains(got.body, "secret") {
				t.Errorf("rest: %d %s %v", got.status, got.body, got.header)
			}
			for transport, call := range clients(t, handler) {
				if name == "nothing at all" && strings.Contains(transport, "stream") {
					continue // Send(nil) is a success without content
				}
				header, err := call(t.Context())
				if c.status == 200 {
					if err != nil || header.Get("Stamp") != "asked" {
						t.Errorf("%s: %v %v", transport, err, header)
					}
					continue
				}
				expectRefusal(t, transport, err, c.code, c.word, c.message, c.retry)
			}
			if !strings.Contains(logs.String(), c.logged) {
				t.Errorf("the log lacks %q: %s", c.logged, logs.String())
			}
		})
	}
}

func stamp(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
	call.ResponseHeader.Set("Stamp", message.(interface{ GetId() string }).GetId())
	return next(ctx, message)
}

func expectRefusal(t *testing.T, transport string, err error, code connect.Code, word, message, retry string) {
	t.Helper()
	var refused *connect.Error
	if !errors.As(err, &refused) {
		t.Errorf("%s: no error, want %s", transport, code)
		return
	}
	if refused.Code() != code || !strings.Contains(refused.Message(), message) || strings.Contains(refused.Error(), "secret") {
		t.Errorf("%s: %v, want %s with %q", transport, refused, code, message)
	}
	if refused.Meta().Get("Retry-After") != retry || refused.Meta().Get("Stamp") != "asked" {
		t.Errorf("%s: metadata %v", transport, refused.Meta())
	}
	if got := reason(refused); got != word {
		t.Errorf("%s: the reason is %q, want %q", transport, got, word)
	}
}

func reason(refused *connect.Error) string {
	for _, one := range refused.Details() {
		if value, err := one.Value(); err == nil {
			if info, ok := value.(*errdetails.ErrorInfo); ok {
				return info.GetReason()
			}
		}
	}
	return ""
}

func TestStepsRunInOrderAndMayAnswer(t *testing.T) {
	var order []string
	note := func(name string) Step {
		return func(ctx context.Context, _ *Call, message proto.Message, next Next) (proto.Message, error) {
			order = append(order, name)
			return next(ctx, message)
		}
	}
	instead := func(context.Context, *Call, proto.Message, Next) (proto.Message, error) {
		order = append(order, "instead")
		return &nightbellv1.GetIncidentResponse{Incident: &nightbellv1.Incident{Title: "from the step"}}, nil
	}
	server := New(quiet(), note("first"), note("second"), instead, note("never"))
	mountProbe(t, server, &probe{})
	handler := server.Handler()
	if got := rest(handler, http.MethodGet, "/v1/incidents/x", ""); !strings.Contains(got.body, "from the step") {
		t.Errorf("rest: %s", got.body)
	}
	got := rest(handler, http.MethodPost, "/nightbell.v1.IncidentService/GetIncident", "{}", "Content-Type", "application/json")
	if !strings.Contains(got.body, "from the step") || !strings.Contains(got.body, `"alert_count"`) {
		t.Errorf("connect: %s", got.body)
	}
	if want := "[first second instead first second instead]"; fmt.Sprint(order) != want {
		t.Errorf("order %v, want %s", order, want)
	}
}

func TestAStepCannotReplaceTheRequestOverConnect(t *testing.T) {
	server := New(quiet(), func(ctx context.Context, _ *Call, _ proto.Message, next Next) (proto.Message, error) {
		return next(ctx, &nightbellv1.GetIncidentRequest{Id: "another"})
	})
	mountProbe(t, server, &probe{})
	got := rest(server.Handler(), http.MethodPost, "/nightbell.v1.IncidentService/GetIncident", "{}", "Content-Type", "application/json")
	if got.status != http.StatusInternalServerError {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A caller that hangs up is no failure of ours.
func TestCallerHangsUp(t *testing.T) {
	var status atomic.Int64
	entered := make(chan struct{})
	server := New(quiet(), Recover(), MapFaults(nil))
	finished := make(chan struct{})
	server.Observers = append(server.Observers, func(_ context.Context, seen Observation) {
		status.Store(int64(seen.Status))
		close(finished)
	})
	mountProbe(t, server, &probe{get: func(ctx context.Context, _ *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
		close(entered)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, hangUp := context.WithCancel(t.Context())
	front := listen(t, server.Handler())
	go func() {
		<-entered
		hangUp()
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, front+"/v1/incidents/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("the call succeeded")
	}
	<-finished
	if status.Load() != int64(statusClientGone) {
		t.Errorf("recorded as %d", status.Load())
	}
}

func TestValidationSpeaksToPeople(t *testing.T) {
	long := strings.Repeat("x", 501)
	for body, want := range map[string]string{
		`{}`:                                                "title is required.",
		`{"title":"` + long + `"}`:                          "title is too long: at most 500 characters are allowed.",
		`{"title":"x","severity":"bad"}`:                    "severity must be critical, high, medium or low.",
		`{"title":"\u0000"}`:                                "title is required.",
		`{"title":"x","service_id":"\u0000"}`:               "service_id holds a control or invisible character (U+0000); remove it.",
		`{"title":"x","tags":{"a\u0000":"b"}}`:              "tags holds a control or invisible character (U+0000); remove it.",
		`{"title":"x","metadata":{"a\u0000":["b"]}}`:        "holds a control or invisible character (U+0000); remove it.",
		`{"severity":"bad"}`:                                "title is required, and severity must be",
		`{"title":"x","tags":` + manyTags() + `}`:           "tags has too many entries: at most 64 are allowed.",
		`{"title":"x","metadata":{"a":` + nested(64) + `}}`: "nested",
	} {
		server := New(quiet(), MapFaults(nil), Validate())
		mountProbe(t, server, &probe{create: func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
			return &nightbellv1.CreateIncidentResponse{}, nil
		}})
		handler := server.Handler()
		got := rest(handler, http.MethodPost, "/v1/incidents", body)
		if got.status != http.StatusUnprocessableEntity && got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
			t.Errorf("%.80s: %d %s, want %q", body, got.status, got.body, want)
		}
		over := rest(handler, http.MethodPost, "/nightbell.v1.IncidentService/CreateIncident", body, "Content-Type", "application/json")
		if over.status != http.StatusBadRequest || !strings.Contains(over.body, want) {
			t.Errorf("connect, %.80s: %d %s, want %q", body, over.status, over.body, want)
		}
	}
}

func TestValidationNamesFieldsInDetails(t *testing.T) {
	server := New(quiet(), MapFaults(nil), Validate())
	mountProbe(t, server, &probe{})
	got := rest(server.Handler(), http.MethodGet, "/v1/incidents?limit=2000&status=gone", "")
	for _, want := range []string{
		`"code":"invalid_fields"`, `{"field":"limit","code":"out_of_range","message":"must be at least 0 and at most 1000"}`,
		`{"field":"status","code":"not_one_of","message":"must be open, triggered, acknowledged or resolved"}`,
	} {
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, want) {
			t.Errorf("%d %s, want %s", got.status, got.body, want)
		}
	}
}

func manyTags() string {
	var tags []string
	for i := range 65 {
		tags = append(tags, fmt.Sprintf(`"t%d":"x"`, i))
	}
	return "{" + strings.Join(tags, ",") + "}"
}

func nested(depth int) string {
	return strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth)
}

// lockedBuffer is a log that several requests write.
type lockedBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer
}

func (b *lockedBuffer) Write(content []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.Write(content)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.content.String()
}
