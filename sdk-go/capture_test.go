package nightbell_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// only is the one event that arrived.
func only(t *testing.T, client *nightbell.Client, wire *nightbelltest.Wire) nightbelltest.Event {
	t.Helper()
	if _, err := client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := wire.Events()
	if len(events) != 1 {
		t.Fatalf("%d events, want one: %v", len(events), events)
	}
	return events[0]
}

func at[T any](t *testing.T, v any, path ...any) T {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				t.Fatalf("nothing at %v", path)
			}
			v = list[step]
		}
	}
	found, ok := v.(T)
	if !ok {
		t.Fatalf("%v at %v", v, path)
	}
	return found
}

type paymentError struct{ code int }

func (e *paymentError) Error() string { return fmt.Sprintf("payment refused: %d", e.code) }

func TestACapturedErrorHasItsChainItsStackAndItsContext(t *testing.T) {
	client, wire := nightbelltest.New(t)
	ctx := nightbell.NewContext(t.Context(), nightbell.Scope{Operation: "checkout", Tags: map[string]string{"region": "eu"}})
	nightbell.SetUser(ctx, "u1")
	nightbell.AddBreadcrumb(ctx, "cart opened", nil)
	client.CaptureError(ctx, fmt.Errorf("checkout: %w", &paymentError{7}))
	event := only(t, client, wire)
	if title := at[string](t, event, "title"); title != "checkout: payment refused: 7" {
		t.Errorf("title %q", title)
	}
	if kind := at[string](t, event, "error", "exceptions", 1, "type"); kind != "nightbell_test.paymentError" {
		t.Errorf("type %q", kind)
	}
	frame := at[map[string]any](t, event, "error", "exceptions", 0, "frames", 0)
	if frame["function"] != "TestACapturedErrorHasItsChainItsStackAndItsContext" || frame["in_app"] != true {
		t.Errorf("frame %v", frame)
	}
	if at[string](t, event, "user", "id") != "u1" || event["operation"] != "checkout" || at[string](t, event, "tags", "region") != "eu" ||
		at[string](t, event, "error", "breadcrumbs", 0, "message") != "cart opened" {
		t.Errorf("event %v", event)
	}
}

func TestAnErrorIsReportedOncePerScopeAlsoWhenItIsWrapped(t *testing.T) {
	client, wire := nightbelltest.New(t)
	ctx := nightbell.NewContext(t.Context(), nightbell.Scope{})
	fault := errors.New("no space left")
	first := client.CaptureError(ctx, fault)
	again := client.CaptureError(ctx, fmt.Errorf("save: %w", fault))
	if first == "" || again != "" {
		t.Errorf("%q, then %q", first, again)
	}
	only(t, client, wire)
	if client.CaptureError(t.Context(), fault) == "" {
		t.Error("outside the scope it is another occurrence")
	}
}

type secretive struct{}

func (secretive) Error() string { panic("nobody asks me") }

type looping struct{}

func (l *looping) Error() string { return "loop" }
func (l *looping) Unwrap() error { return l }

type uncomparable struct{ list []string }

func (u uncomparable) Error() string { return strings.Join(u.list, ",") }

func TestStrangeErrorsHurtNobody(t *testing.T) {
	client, _ := nightbelltest.New(t)
	ctx := nightbell.NewContext(t.Context(), nightbell.Scope{})
	var typed *paymentError
	for _, err := range []error{secretive{}, &looping{}, uncomparable{[]string{"a"}}, uncomparable{nil}, errors.Join(io.EOF, errors.Join(io.EOF, uncomparable{})), typed} {
		if client.CaptureError(ctx, err) == "" {
			t.Errorf("%T was not captured", err)
		}
	}
	if client.CaptureError(ctx, nil) != "" {
		t.Error("nil was captured")
	}
}

func TestAPanicIsReportedAtThePlaceWhereItHappened(t *testing.T) {
	client, wire := nightbelltest.New(t)
	func() {
		defer func() {
			if fault := recover(); fault == nil {
				t.Error("the panic was swallowed")
			}
		}()
		defer client.Recover(t.Context())
		var list []int
		fall(list)
	}()
	event := only(t, client, wire)
	if frame := at[map[string]any](t, event, "error", "exceptions", 0, "frames", 0); frame["function"] != "fall" {
		t.Errorf("frame %v", frame)
	}
	if event["severity"] != "high" || !strings.Contains(at[string](t, event, "title"), "index out of range") {
		t.Errorf("event %v", event)
	}
}

//go:noinline
func fall(list []int) int { return list[len(list)+3] }

func TestAProgramMayChangeItsMapsAtOnce(t *testing.T) {
	client, _ := nightbelltest.New(t)
	metadata := map[string]any{"n": 0, "inner": map[string]any{"n": 0}}
	tags := map[string]string{"n": "0"}
	ctx := nightbell.NewContext(t.Context(), nightbell.Scope{Tags: map[string]string{"a": "b"}})
	var busy sync.WaitGroup
	for n := range 200 {
		client.EnqueueIncident(ctx, nightbell.Incident{Title: "x", Metadata: metadata, Tags: tags})
		metadata["n"] = n
		tags["n"] = "1"
		metadata["inner"].(map[string]any)["n"] = n
		busy.Go(func() { nightbell.SetTag(ctx, "k", "v") })
		busy.Go(func() { client.CaptureError(ctx, fmt.Errorf("%d", n)) })
	}
	busy.Wait()
}

func TestBeforeSendHasTheLastWordAndMayPanic(t *testing.T) {
	client, wire := nightbelltest.New(t, func(c *nightbell.Config) {
		c.BeforeSend = func(e *nightbell.Event) *nightbell.Event {
			switch e.Title {
			case "drop":
				return nil
			case "panic":
				e.Title = "half done"
				panic("BeforeSend has a fault")
			}
			e.Metadata = map[string]any{"api_key": "secret", "since": time.Second}
			return e
		}
	})
	for _, title := range []string{"drop", "panic", "keep"} {
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: title})
	}
	_, _ = client.Flush(t.Context())
	events := wire.Events()
	if len(events) != 2 || events[0]["title"] != "panic" || at[string](t, events[1], "metadata", "api_key") != "[redacted]" {
		t.Errorf("events %v", events)
	}
	if _, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "drop"}); !errors.Is(err, nightbell.ErrDropped) {
		t.Errorf("error %v", err)
	}
}

func TestIgnoredAndUnsampledErrorsAreNotSent(t *testing.T) {
	client, wire := nightbelltest.New(t, func(c *nightbell.Config) { c.IgnoreErrors = []error{context.Canceled} })
	client.CaptureError(t.Context(), fmt.Errorf("query: %w", context.Canceled))
	_, _ = client.Flush(t.Context())
	if events := wire.Events(); len(events) != 0 {
		t.Errorf("events %v", events)
	}
	client, wire = nightbelltest.New(t, func(c *nightbell.Config) { c.SampleRate = nightbell.Set(0.0) })
	client.CaptureError(t.Context(), io.EOF)
	client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "x"})
	only(t, client, wire) // incidents are never sampled
}

func TestMetadataOfAnyShape(t *testing.T) {
	client, wire := nightbelltest.New(t)
	type address struct {
		City   string `json:"city"`
		Secret string `json:"secret"`
	}
	client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "x", Metadata: map[string]any{
		"struct": address{"Bern", "x"}, "pointer": &address{City: "Genf"}, "error": io.EOF, "duration": time.Second, "bytes": []byte("abc"),
		"ints": []int{1, 2}, "map": map[int]string{1: "a"}, "channel": make(chan int), "nil": (*address)(nil), "unsigned": uint8(7),
	}})
	metadata := at[map[string]any](t, only(t, client, wire), "metadata")
	want := map[string]any{"error": "EOF", "duration": "1s", "bytes": "[3 bytes]", "channel": "[chan int]", "unsigned": 7.0}
	for key, value := range want {
		if metadata[key] != value {
			t.Errorf("%s: %v, want %v", key, metadata[key], value)
		}
	}
	if at[string](t, metadata, "struct", "secret") != "[redacted]" || at[string](t, metadata, "pointer", "city") != "Genf" || at[float64](t, metadata, "ints", 1) != 2 {
		t.Errorf("metadata %v", metadata)
	}
}
