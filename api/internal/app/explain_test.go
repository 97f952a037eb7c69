package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // also on a machine without zones

	"github.com/alecthomas/kong"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

func TestExplanationIsReadable(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 28, 22, 58, 0, 0, time.UTC)
	answer := &nightbellv1.ExplainResponse{
		Service: &nightbellv1.Reference{Name: "Payments"}, EscalationPolicy: &nightbellv1.Reference{Name: "Payments, critical"}, Severity: "critical", At: timestamppb.New(at),
		Summary: "Mara Lindqvist is paged at once.",
		Moments: []*nightbellv1.ExplainMoment{
			{At: timestamppb.New(at), Step: 1, Round: 1, Outcome: "paged", Message: "Mara Lindqvist is paged.", Pages: []*nightbellv1.ExplainPage{{
				User: &nightbellv1.Reference{Name: "Mara Lindqvist"},
				Why:  &nightbellv1.Why{Sentence: "On call for 24/7 Support (Night) until Sun 08:00; step 1 of Payments, critical."},
				Contacts: []*nightbellv1.ExplainContact{
					{Channel: "email", Hint: "mara@acme.example", At: timestamppb.New(at), SkippedBecause: new("skipped until the address is confirmed")},
					{Channel: "webhook", At: timestamppb.New(at.Add(2 * time.Minute))},
				},
			}}},
			{At: timestamppb.New(at.Add(5 * time.Minute)), Step: 1, Round: 2, Outcome: "last_resort", Message: "The owners are paged."},
			{At: timestamppb.New(at.Add(10 * time.Minute)), Step: 1, Round: 2, Outcome: "exhausted", Message: "Nobody answered."},
		},
	}
	want := `Payments, critical, Sat 28 Nov 2026 23:58 CET
Mara Lindqvist is paged at once.

Policy: Payments, critical
  23:58  step 1                Mara Lindqvist is paged.
         Mara Lindqvist: On call for 24/7 Support (Night) until Sun 08:00; step 1 of Payments, critical.
           23:58  email (mara@acme.example), skipped until the address is confirmed
           00:00  webhook
Sun 29 Nov
  00:03  last resort, round 2  The owners are paged.
  00:08  gives up              Nobody answered.
`
	if got := explanation(answer, berlin); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestExplainPrintsNoRawEscape: names may be older than the rule that refuses such ones, and a
// terminal obeys what it is sent.
func TestExplainPrintsNoRawEscape(t *testing.T) {
	const evil = "Pay\x1b[2Jments\u009b31m\u202e"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"serviceName": evil, "policyName": evil, "summary": evil,
			"moments": []any{map[string]any{"message": evil, "pages": []any{map[string]any{"user": map[string]any{"name": evil}}}}},
		})
	}))
	defer server.Close()
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		if err := Explain(t.Context(), ExplainOptions{URL: server.URL, APIKey: "nba_x", Severity: "critical", JSON: asJSON}, &out); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\u009b\u202e") || !strings.Contains(out.String(), "Pay") {
			t.Errorf("JSON %v: printed %q", asJSON, out.String())
		}
		if asJSON && !json.Valid(out.Bytes()) {
			t.Errorf("not JSON: %q", out.String())
		}
	}
	services := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"services": []any{map[string]any{"id": "1", "name": evil}}})
	}))
	defer services.Close()
	err := Explain(t.Context(), ExplainOptions{URL: services.URL, APIKey: "nba_x", Service: "other", Severity: "critical"}, &bytes.Buffer{})
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\u009b\u202e") {
		t.Errorf("the refusal is %q", err)
	}
}

// TestExplainAsksARunningNightbell answers as the API does, and spoils one thing after
// the other.
func TestExplainAsksARunningNightbell(t *testing.T) {
	var asked map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer nbk_key":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":"unauthenticated","message":"no"}`))
		case strings.HasSuffix(r.URL.Path, "/ListServices"):
			_, _ = w.Write([]byte(`{"services":[{"id":"7","name":"Payments"}]}`))
		default:
			_ = json.NewDecoder(r.Body).Decode(&asked)
			_, _ = w.Write([]byte(`{"summary":"Mara is paged at once."}`))
		}
	}))
	defer server.Close()
	good := ExplainOptions{URL: server.URL + "/", APIKey: "nbk_key", Service: "payments", Severity: "low", At: "2026-11-28T03:00:00Z"}
	for _, test := range []struct {
		name  string
		spoil func(*ExplainOptions)
		want  string
	}{
		{"as it should be", func(*ExplainOptions) {}, "Mara is paged at once."},
		{"JSON", func(o *ExplainOptions) { o.JSON = true }, `"severity":`},
		{"no key", func(o *ExplainOptions) { o.APIKey = "" }, "NIGHTBELL_API_KEY is not set"},
		{"a wrong key", func(o *ExplainOptions) { o.APIKey = "other" }, "check NIGHTBELL_API_KEY"},
		{"no such service", func(o *ExplainOptions) { o.Service = "Checkout" }, "there are: Payments"},
		{"no such time", func(o *ExplainOptions) { o.At = "tonight" }, "use 2026-11-28T03:00:00Z"},
		{"nobody there", func(o *ExplainOptions) { o.URL = "http://127.0.0.1:1" }, "set NIGHTBELL_URL to where it runs (NIGHTBELL_BASE_URL"},
		{"no scheme", func(o *ExplainOptions) { o.URL = "127.0.0.1:8480" }, "it begins with http:// or https://"},
		{"a name without a scheme", func(o *ExplainOptions) { o.URL = "localhost:8480" }, "it begins with http:// or https://"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := good
			test.spoil(&options)
			var out bytes.Buffer
			if err := Explain(t.Context(), options, &out); err != nil {
				out.WriteString(err.Error())
			}
			if !strings.Contains(out.String(), test.want) {
				t.Errorf("it says %q, want %q", out.String(), test.want)
			}
		})
	}
	if asked["serviceId"] != "7" || asked["severity"] != "low" || asked["at"] != "2026-11-28T03:00:00Z" {
		t.Errorf("it asked for %v", asked)
	}
}

func TestTimesWithoutAZoneAreThoseHere(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	for _, text := range []string{"2026-11-28T03:00", "2026-11-28 03:00", "2026-11-28T03:00:00", "2026-11-28T02:00:00Z"} {
		if at, err := askedTime(text, zone); err != nil || !at.Equal(time.Date(2026, 11, 28, 2, 0, 0, 0, time.UTC)) {
			t.Errorf("%s is %s, %v", text, at, err)
		}
	}
}

// TestExplainReadsTheAddressOfTheSDKs: one variable serves them all; NIGHTBELL_URL stays for who has it.
func TestExplainReadsTheAddressOfTheSDKs(t *testing.T) {
	for _, set := range []map[string]string{
		{"NIGHTBELL_BASE_URL": "https://bell.example"},
		{"NIGHTBELL_BASE_URL": "https://other.example", "NIGHTBELL_URL": "https://bell.example"},
	} {
		t.Setenv("NIGHTBELL_URL", "")
		_ = os.Unsetenv("NIGHTBELL_URL")
		for name, value := range set {
			t.Setenv(name, value)
		}
		var options ExplainOptions
		parser, err := kong.New(&options)
		must(t, err)
		if _, err := parser.Parse(nil); err != nil || options.URL != "https://bell.example" {
			t.Errorf("with %v it asks %q: %v", set, options.URL, err)
		}
	}
}
