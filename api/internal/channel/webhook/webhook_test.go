package webhook

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/egress"
)

func page(address string, incidents int) notify.Message {
	message := notify.Message{
		ID:         uuid.MustParse("01980000-0000-7000-8000-0000000000aa"),
		DeliveryID: uuid.MustParse("01980000-0000-7000-8000-0000000000dd"),
		OrgID:      uuid.MustParse("01980000-0000-7000-8000-000000000001"),
		OrgName:    "Acme",
		UserID:     uuid.MustParse("01980000-0000-7000-8000-000000000002"),
		PersonName: "Mara Lindqvist",
		To:         notify.Contact{Kind: notify.Webhook, Address: address, Secret: []byte("0123456789abcdef0123456789abcdef")},
		AckURL:     "https://nightbell.example/ack/token",
		SentAt:     time.Date(2026, 11, 21, 3, 8, 15, 0, time.UTC),
	}
	for n := range incidents {
		message.Incidents = append(message.Incidents, notify.Incident{
			ID: uuid.MustParse("01900000-0000-7000-8000-00000000c41e"), Number: n + 1, Title: "Payments failing <&>",
			Description: "38% of attempts", Severity: alert.Critical, Status: "triggered", ServiceName: "Checkout API",
			Reason: "24/7 Support (step 1)", URL: "https://nightbell.example/incidents/01900000-0000-7000-8000-00000000c41e",
			TriggeredAt: message.SentAt.Add(-time.Second), AlertCount: 3,
		})
	}
	return message
}

// receiver is a webhook endpoint that keeps the last request.
type receiver struct {
	*httptest.Server
	request *http.Request
	body    []byte
}

func receive(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.request = request
		r.body, _ = io.ReadAll(request.Body)
		answer(w, request)
	}))
	t.Cleanup(r.Close)
	return r
}

func local() *egress.Client {
	return egress.New(egress.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
}

// TestSignatureVector is the example of the Standard Webhooks specification.
func TestSignatureVector(t *testing.T) {
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRequest(t *testing.T) {
	hook := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	message := page(hook.URL+"/secret-path", 1)
	receipt, err := New(local()).Send(t.Context(), message)
	if err != nil || receipt.Detail != "HTTP 204" {
		t.Fatalf("%+v, %v", receipt, err)
	}
	header := hook.request.Header
	if header.Get("Webhook-Id") != message.ID.String() || header.Get("Webhook-Timestamp") != "1795230495" || header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", header)
	}
	if got, want := header.Get("Webhook-Signature"), Sign(message.To.Secret, message.ID.String(), message.SentAt, hook.body); got != want {
		t.Errorf("signature %q, want %q", got, want)
	}
	sameAs(t, "testdata/page.json", hook.body)
}

func TestATestSaysSo(t *testing.T) {
	message := page("https://x.example", 0)
	message.Test, message.AckURL = true, ""
	body, err := encode(message)
	if err != nil {
		t.Fatal(err)
	}
	sameAs(t, "testdata/test.json", body)
}

// sameAs compares a body with the example that the contract is tested with.
func sameAs(t *testing.T, example string, body []byte) {
	t.Helper()
	var got any
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	pretty, _ := json.MarshalIndent(got, "", "  ")
	golden, err := os.ReadFile(example)
	if err != nil || string(golden) != string(pretty)+"\n" {
		t.Errorf("the body differs from %s (%v):\n%s", example, err, pretty)
	}
}

func TestCountsAndSharedChannels(t *testing.T) {
	message := page("https://x.example", 45)
	message.UserID, message.AckURL = uuid.Nil, ""
	encoded, err := encode(message)
	if err != nil {
		t.Fatal(err)
	}
	var body payload
	if err := json.Unmarshal(encoded, &body); err != nil {
		t.Fatal(err)
	}
	if body.Data.User != nil || body.Data.IncidentCount != 45 || len(body.Data.Incidents) != notify.MaxShown {
		t.Errorf("user %v, %d of %d incidents", body.Data.User, len(body.Data.Incidents), body.Data.IncidentCount)
	}
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status     int
		retryAfter string
		permanent  bool
		wait       time.Duration
	}{
		{400, "", true, 0},
		{401, "", true, 0},
		{404, "", true, 0},
		{410, "", true, 0},
		{408, "", false, 0},
		{409, "", false, 0},
		{425, "", false, 0},
		{429, "30", false, 30 * time.Second},
		{429, "Sat, 21 Nov 2026 03:09:15 GMT", false, time.Minute},
		{429, "-5", false, 0},
		{429, "soon", false, 0},
		{500, "", false, 0},
		{503, "120", false, 2 * time.Minute},
		{302, "", true, 0},
	} {
		hook := receive(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.retryAfter != "" {
				w.Header().Set("Retry-After", c.retryAfter)
			}
			if c.status == http.StatusFound {
				w.Header().Set("Location", "http://127.0.0.1:1/")
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte("internal banner"))
		})
		_, err := New(local()).Send(t.Context(), page(hook.URL+"/secret-path", 1))
		if err == nil {
			t.Errorf("%d: no error", c.status)
			continue
		}
		if errors.Is(err, notify.ErrPermanent) != c.permanent {
			t.Errorf("%d: permanent is %t: %v", c.status, !c.permanent, err)
		}
		if wait, _ := notify.RetryAfter(err); wait != c.wait {
			t.Errorf("%d with Retry-After %q: wait %s, want %s", c.status, c.retryAfter, wait, c.wait)
		}
		if strings.Contains(err.Error(), "secret-path") || strings.Contains(err.Error(), "banner") {
			t.Errorf("%d: the log would show a secret or an answer: %v", c.status, err)
		}
	}
}

func TestWhatTheNetworkDoes(t *testing.T) {
	closed := receive(t, func(http.ResponseWriter, *http.Request) {})
	closed.Close()
	hang := make(chan struct{})
	slow := receive(t, func(http.ResponseWriter, *http.Request) { <-hang })
	defer close(hang)
	drop := receive(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for _, c := range []struct {
		name, address string
		permanent     bool
		says          string
	}{
		{"refused connection", closed.URL + "/secret-path", false, "the connection failed"},
		{"hangs", slow.URL + "/secret-path", false, "no answer in time"},
		{"drops", drop.URL + "/secret-path", false, "the connection failed"},
		{"no such host", "https://host.invalid/secret-path", false, egress.Unreachable},
		{"a private address", "https://10.1.2.3/secret-path", true, ""},
		{"not a URL", "https://%zz/secret-path", true, "not a valid URL"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		_, err := New(local()).Send(ctx, page(c.address, 1))
		cancel()
		if err == nil || errors.Is(err, notify.ErrPermanent) != c.permanent || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: permanent %t, says %q: %v", c.name, c.permanent, c.says, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret-path") {
			t.Errorf("%s: the log would show the address: %v", c.name, err)
		}
	}
}
