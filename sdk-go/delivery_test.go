package nightbell_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// bubble runs a test in moved time: a wait of minutes takes none.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func oneIncident(t *testing.T, wire *nightbelltest.Wire) {
	t.Helper()
	if found := wire.Incidents(); len(found) != 1 {
		t.Fatalf("%d incidents, want exactly one: %+v", len(found), found)
	}
}

func oneKey(t *testing.T, wire *nightbelltest.Wire, requests int) {
	t.Helper()
	keys := map[string]bool{}
	for _, r := range wire.Requests() {
		keys[r.Header.Get("Idempotency-Key")] = true
	}
	if len(wire.Requests()) != requests || len(keys) != 1 {
		t.Fatalf("%d requests with %d keys, want %d with one", len(wire.Requests()), len(keys), requests)
	}
}

var (
	busy   = nightbelltest.Failure{Status: http.StatusServiceUnavailable}
	silent = nightbelltest.Failure{Silent: true}
	lost   = nightbelltest.Failure{Lost: true}
)

func repeated(f nightbelltest.Failure, times int) []nightbelltest.Failure {
	failures := make([]nightbelltest.Failure, times)
	for n := range failures {
		failures[n] = f
	}
	return failures
}

func TestABusyServerGetsTheIncidentAtTheThirdTry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(busy, busy)
		result, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "Orders stopped"})
		if err != nil || result.ID == "" || result.Status != "created" {
			t.Fatalf("%+v, %v", result, err)
		}
		oneIncident(t, wire)
		oneKey(t, wire, 3)
	})
}

func TestRetryAfterIsObeyed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(nightbelltest.Failure{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"7"}}})
		start := time.Now()
		if _, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "Orders stopped"}); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(start); waited < 7*time.Second {
			t.Errorf("tried again after %v", waited)
		}
		oneKey(t, wire, 2)
	})
}

func TestALostAnswerMakesOneIncident(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(lost)
		result, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "Orders stopped"})
		if err != nil || result.ID == "" {
			t.Fatalf("%+v, %v", result, err)
		}
		oneIncident(t, wire)
		oneKey(t, wire, 2)
	})
}

func TestAfterTheDeadlineTheBackgroundDeliversUnderTheSameID(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(repeated(silent, 5)...)
		_, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "Orders stopped"})
		var failed *nightbell.APIError
		if !errors.As(err, &failed) || !failed.Queued || !errors.Is(err, nightbell.ErrTimeout) {
			t.Fatalf("error %v", err)
		}
		time.Sleep(time.Minute)
		oneIncident(t, wire)
		if id := wire.Events()[0]["id"]; id != failed.EventID {
			t.Errorf("id %v, want %s", id, failed.EventID)
		}
	})
}

func TestACallThatIsCancelledIsStillDelivered(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(silent)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := client.TriggerIncident(ctx, nightbell.Incident{Title: "Orders stopped"})
		var failed *nightbell.APIError
		if !errors.As(err, &failed) || !failed.Queued || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("error %v", err)
		}
		time.Sleep(time.Minute)
		oneIncident(t, wire)
	})
}

func TestAServerThatIsDownForFiveMinutesGetsEverythingOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(repeated(busy, 11)...) // 15 s on the average between the later tries
		for n := range 20 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("Incident %d", n)})
		}
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "Critical", Severity: nightbell.Critical})
		time.Sleep(10 * time.Minute)
		if found := wire.Incidents(); len(found) != 21 {
			t.Errorf("%d incidents, want 21", len(found))
		}
	})
}

func TestABurstTravelsInBatches(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		for n := range 1000 {
			client.CaptureError(t.Context(), fmt.Errorf("order %d failed", n))
		}
		if _, err := client.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if events, requests := len(wire.Events()), len(wire.Requests()); events != 1000 || requests > 12 {
			t.Errorf("%d events in %d requests", events, requests)
		}
	})
}

func TestAnErrorInALoopIsOneEventWithACount(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		for range 5000 {
			client.CaptureError(t.Context(), errors.New("cart is empty"))
		}
		_, _ = client.Flush(t.Context())
		if found := wire.Incidents(); len(found) != 1 || found[0].Count != 5000 {
			t.Errorf("%+v", found)
		}
		if events := wire.Events(); len(events) > 3 {
			t.Errorf("%d events", len(events))
		}
	})
}

func TestABatchThatIsTooLargeIsHalved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(nightbelltest.Failure{Status: http.StatusRequestEntityTooLarge})
		for n := range 40 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("Incident %d", n)})
		}
		_, _ = client.Flush(t.Context())
		if found := wire.Incidents(); len(found) != 40 {
			t.Errorf("%d incidents, want 40", len(found))
		}
		if requests := len(wire.Requests()); requests != 3 {
			t.Errorf("%d requests, want 3: whole and two halves", requests)
		}
	})
}

func TestOnlyTheRefusedPartOfABatchIsSentAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(nightbelltest.Failure{Events: []int{1, 3}})
		for n := range 5 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("Incident %d", n)})
		}
		time.Sleep(time.Minute)
		if found := wire.Incidents(); len(found) != 5 {
			t.Errorf("%d incidents, want 5", len(found))
		}
		if last := wire.Requests()[1].Body; strings.Contains(string(last), "Incident 0") {
			t.Errorf("sent what was accepted: %s", last)
		}
	})
}

// poisoned is a server that fails with 500 on one event, whatever it comes with.
type poisoned struct{ *nightbelltest.Wire }

func (p poisoned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := r.GetBody()
	text := new(strings.Builder)
	buffer := make([]byte, 1<<20)
	n, _ := body.Read(buffer)
	text.Write(buffer[:n])
	if strings.Contains(text.String(), "poison") {
		p.Fail(nightbelltest.Failure{Status: http.StatusInternalServerError})
	}
	return p.Wire.RoundTrip(r)
}

func TestAnEventThatTheServerCannotStandHoldsUpNoOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := poisoned{&nightbelltest.Wire{}}
		client, _ := nightbelltest.New(t, func(c *nightbell.Config) { c.Transport = server })
		for n := range 3 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("Incident %d", n)})
		}
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "poison"})
		time.Sleep(5 * time.Minute)
		if found := server.Incidents(); len(found) != 3 {
			t.Errorf("%d incidents, want 3", len(found))
		}
		time.Sleep(15 * time.Minute)
		if dropped := client.Stats().Dropped["expired"]; dropped != 1 {
			t.Errorf("%d expired, want the poisonous one", dropped)
		}
	})
}

func TestACriticalIncidentDoesNotWaitBehindASilentBatch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(silent)
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "Low", Severity: nightbell.Low})
		time.Sleep(2 * time.Second) // it hangs now
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "Critical", Severity: nightbell.Critical})
		synctest.Wait()
		oneIncident(t, wire)
		if title := wire.Incidents()[0].Title; title != "Critical" {
			t.Errorf("%s came first", title)
		}
	})
}

func TestAFullQueueDropsTheLeastSevereAndCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t, func(c *nightbell.Config) { c.MaxQueue = 5 })
		for n := range 4 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("Low %d", n), Severity: nightbell.Low})
		}
		for n := range 3 {
			client.EnqueueIncident(t.Context(), nightbell.Incident{Title: fmt.Sprintf("High %d", n), Severity: nightbell.High})
		}
		if dropped := client.Stats().Dropped["queue_full"]; dropped != 2 {
			t.Errorf("%d dropped, want 2", dropped)
		}
		_, _ = client.Flush(t.Context())
		high := 0
		for _, incident := range wire.Incidents() {
			if incident.Severity == "high" {
				high++
			}
		}
		if high != 3 {
			t.Errorf("%d of 3 severe incidents arrived", high)
		}
	})
}

func TestARefusedKeyPausesSending(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(nightbelltest.Failure{Status: http.StatusUnauthorized})
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "First"})
		time.Sleep(2 * time.Second)
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "Second"})
		time.Sleep(50 * time.Second)
		if requests := len(wire.Requests()); requests != 1 {
			t.Errorf("%d requests during the pause", requests)
		}
		time.Sleep(time.Minute)
		oneIncident(t, wire)
	})
}

func TestAServerThatSaysStopHearsNothingMore(t *testing.T) {
	bubble(t, func(t *testing.T) {
		client, wire := nightbelltest.New(t)
		wire.Fail(nightbelltest.Failure{Status: http.StatusGone})
		_, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "First"})
		if err == nil {
			t.Fatal("no error")
		}
		_, err = client.TriggerIncident(t.Context(), nightbell.Incident{Title: "Second"})
		if !errors.Is(err, nightbell.ErrClosed) || len(wire.Requests()) != 1 {
			t.Errorf("error %v after %d requests", err, len(wire.Requests()))
		}
	})
}

func TestASilentServerHoldsNobodyBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		wire := &nightbelltest.Wire{}
		wire.Fail(repeated(silent, 100)...)
		client, err := nightbell.New(nightbell.Config{ServiceKey: "nbs_test000000000000000000", BaseURL: "https://nightbell.test", Transport: wire})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		for n := range 3000 {
			client.CaptureError(t.Context(), fmt.Errorf("error %d", n))
		}
		if took := time.Since(start); took != 0 {
			t.Errorf("captures waited %v", took)
		}
		if err := client.Close(t.Context()); err == nil {
			t.Error("Close claims that everything was delivered")
		}
		if took := time.Since(start); took > 2500*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		stats := client.Stats()
		if stats.Dropped["queue_full"] != 2000 || stats.Dropped["closed"] != 1000 {
			t.Errorf("not everything is accounted for: %+v", stats)
		}
	})
}

func TestWhatCouldNotBeDeliveredIsDeliveredAtTheNextStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		dir := t.TempDir()
		config := nightbell.Config{
			ServiceKey: "nbs_test000000000000000000", BaseURL: "https://nightbell.test", SpoolDir: dir,
			EnableAutoCapture: nightbell.Set(false), Debug: nightbell.Set(false),
		}
		wire := &nightbelltest.Wire{}
		config.Transport = wire
		wire.Fail(repeated(lost, 50)...)
		first, err := nightbell.New(config)
		if err != nil {
			t.Fatal(err)
		}
		first.EnqueueIncident(t.Context(), nightbell.Incident{Title: "Orders stopped", Metadata: map[string]any{"password": "hunter2"}})
		_ = first.Close(t.Context())
		if files := spoolFiles(t, dir); len(files) != 1 || strings.Contains(files[0], "hunter2") {
			t.Fatalf("spool %q", files)
		}
		for len(wire.Requests()) < 50 { // use up the failures that are left
			_, _ = wire.RoundTrip(request(t))
		}
		second, err := nightbell.New(config)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		_ = second.Close(t.Context())
		oneIncident(t, wire) // stored at the first try, whose answer was lost
		if files := spoolFiles(t, dir); len(files) != 0 {
			t.Errorf("left in the spool: %q", files)
		}
	})
}

func request(t *testing.T) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://nightbell.test/nothing", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "x")
	return r
}

func spoolFiles(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, entry := range entries {
		content, err := os.ReadFile(dir + "/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(content))
	}
	return files
}

func TestNothingIsLeftAfterClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 200 {
		client, err := nightbell.New(nightbell.Config{ServiceKey: "nbs_test000000000000000000", BaseURL: "https://nightbell.test", Transport: &nightbelltest.Wire{}, Debug: nightbell.Set(false)})
		if err != nil {
			t.Fatal(err)
		}
		client.CaptureError(t.Context(), errors.New("x"))
		if _, err := client.Heartbeat("h", time.Minute); err != nil {
			t.Fatal(err)
		}
		client.Performance(t.Context(), "op").End()
		if err := client.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestANilAndADisabledClientDoNothing(t *testing.T) {
	off, err := nightbell.New(nightbell.Config{Disabled: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []*nightbell.Client{nil, off} {
		if _, err := client.TriggerIncident(t.Context(), nightbell.Incident{Title: "x"}); !errors.Is(err, nightbell.ErrClosed) {
			t.Errorf("error %v", err)
		}
		if id := client.CaptureError(t.Context(), errors.New("x")); id != "" {
			t.Errorf("captured %s", id)
		}
		client.EnqueueIncident(t.Context(), nightbell.Incident{Title: "x"})
		client.RecordSample("latency", "ms", 1)
		client.Performance(t.Context(), "x").End()
		heartbeat, err := client.Heartbeat("x", time.Minute)
		heartbeat.Stop()
		if err != nil {
			t.Error(err)
		}
		if err := client.Job(t.Context(), "x", func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		client.HandleSignals()()
		if err := client.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
