package slack

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

var update = flag.Bool("update", false, "write the golden files again")

func incident(n int, severity alert.Severity) notify.Incident {
	key := fmt.Sprintf("01900000-0000-7000-8000-00000000%04x", n)
	return notify.Incident{
		ID: uuid.MustParse(key), Number: n, Title: "Checkout payments failing in eu-west-1", Description: "38% of attempts fail.\nGateway answers 503.",
		Severity: severity, Status: "triggered", ServiceName: "Checkout API", Reason: "24/7 Support (step 1)",
		URL: "https://nightbell.example/incidents/" + key, TriggeredAt: time.Date(2026, 11, 21, 3, 8, 14, 0, time.UTC), AlertCount: 3,
	}
}

func page(incidents ...notify.Incident) notify.Message {
	return notify.Message{
		ID: uuid.MustParse("01980000-0000-7000-8000-0000000000aa"), OrgName: "Acme", PersonName: "Mara Lindqvist",
		To: notify.Contact{Kind: notify.Slack, Name: "#incidents"}, Incidents: incidents,
		AckURL: "https://nightbell.example/ack/token", SentAt: time.Date(2026, 11, 21, 3, 8, 15, 0, time.UTC),
	}
}

func TestGolden(t *testing.T) {
	var incidents []notify.Incident
	for n := range 25 {
		incidents = append(incidents, incident(0x1000+n, []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}[min(3, n/6)]))
	}
	hostile := incident(0xbad, alert.High)
	hostile.Title = "<!channel> <@U123> <https://evil.example|click> *bold* :bell: &amp; \u202eexe"
	hostile.Description = strings.Repeat("<&>", 2000)
	hostile.ServiceName = "@here <!everyone>"
	shared := page(incident(0xc41e, alert.Critical))
	shared.PersonName, shared.AckURL = "", ""
	for name, message := range map[string]notify.Message{
		"one": page(incident(0xc41e, alert.Critical)), "many": page(incidents...), "hostile": page(hostile), "shared": shared,
	} {
		got, err := json.MarshalIndent(render(message), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || string(want) != string(got)+"\n" {
			t.Errorf("%s differs (%v); run the test with -update and look at the change:\n%s", path, err, got)
		}
	}
}

// TestAlertTextHasNoPower walks everything that is sent for hostile texts.
func TestAlertTextHasNoPower(t *testing.T) {
	for _, attack := range []string{
		"<!channel>", "<!here|here>", "<@U024BE7LH>", "<#C024BE7LR>", "<https://evil.example|bank>", "&lt;!channel&gt;",
		"`code` *b* _i_ ~s~", ":rotating_light:", strings.Repeat("<", 5000), strings.Repeat("🔔", 4000), "\xff\xfe", "\u202e\u200b", "",
	} {
		bad := incident(1, alert.Low)
		bad.Title, bad.Description, bad.ServiceName, bad.Reason = attack, attack, attack, attack
		for _, message := range []notify.Message{page(bad), page(bad, bad)} {
			message.OrgName, message.PersonName = attack, attack
			encoded, err := json.Marshal(render(message))
			if err != nil {
				t.Fatal(err)
			}
			var sent any
			if err := json.Unmarshal(encoded, &sent); err != nil {
				t.Fatal(err)
			}
			walk(t, attack, sent)
		}
	}
}

func walk(t *testing.T, attack string, node any) {
	t.Helper()
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			walk(t, attack, child)
		}
	case map[string]any:
		if kind, ok := node["type"].(string); ok && kind == "mrkdwn" {
			t.Errorf("%.20q: a text object formats", attack)
		}
		if emoji, ok := node["emoji"].(bool); ok && emoji {
			t.Errorf("%.20q: a text object shows emoji", attack)
		}
		if text, ok := node["text"].(string); ok {
			if text == "" || length(text) > 3000 || strings.ContainsAny(text, "<>") || strings.Contains(strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(text), "&") {
				t.Errorf("%.20q: text %.60q of %d characters", attack, text, length(text))
			}
		}
		for _, child := range node {
			walk(t, attack, child)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("<&>", 10)
	f.Add("🔔🔔🔔", 4)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = 10 + int(uint(limit)%3000)
		if got := plain(text, limit); length(got) > limit || strings.ContainsAny(got, "<>") {
			t.Errorf("plain(%q, %d) = %q", text, limit, got)
		}
	})
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		status    int
		body      string
		wait      time.Duration
		ok        bool
		permanent bool
		says      string
	}{
		{200, "ok", 0, true, false, ""},
		{200, "ok\n", 0, true, false, ""},
		{200, "<html>captive portal</html>", 0, false, true, "not that of a Slack incoming webhook"},
		{400, "invalid_payload", 0, false, true, "invalid_payload"},
		{403, "action_prohibited", 0, false, true, "an administrator"},
		{404, "no_service", 0, false, true, "was removed"},
		{404, "channel_not_found", 0, false, true, "channel of this webhook is gone"},
		{410, "channel_is_archived", 0, false, true, "archived"},
		{429, "rate_limited", 30 * time.Second, false, false, "HTTP 429: rate_limited"},
		{500, "rollup_error", 0, false, false, "HTTP 500: rollup_error"},
		{502, "<h1>Secret internal page</h1>", 0, false, false, "HTTP 502"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var sent payload
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || len(sent.Blocks) == 0 {
				t.Errorf("not a Slack message: %v", err)
			}
			if c.wait > 0 {
				w.Header().Set("Retry-After", fmt.Sprint(int(c.wait.Seconds())))
			}
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		message := page(incident(1, alert.High))
		message.To.Address = server.URL + "/services/T000/B000/secret"
		_, err := New(server.Client()).Send(t.Context(), message)
		server.Close()
		if (err == nil) != c.ok || errors.Is(err, notify.ErrPermanent) != c.permanent {
			t.Errorf("%d %s: %v", c.status, c.body, err)
			continue
		}
		if err == nil {
			continue
		}
		if wait, _ := notify.RetryAfter(err); wait != c.wait || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "Secret") {
			t.Errorf("%d %s: wait %s, %v", c.status, c.body, wait, err)
		}
	}
}

// TestAnAnswerThatBreaksOffTellsNothing: Slack may have posted the message. Only what came whole is not Slack's "ok".
func TestAnAnswerThatBreaksOffTellsNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "o")
	}))
	defer server.Close()
	message := page(incident(1, alert.High))
	message.To.Address = server.URL
	_, err := New(server.Client()).Send(t.Context(), message)
	if !errors.Is(err, notify.ErrUnknownOutcome) || errors.Is(err, notify.ErrPermanent) {
		t.Errorf("%v", err)
	}
}

func TestPost(t *testing.T) {
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewDecoder(r.Body).Decode(&sent)
		_, _ = io.WriteString(w, "ok")
	}))
	defer server.Close()
	if err := New(server.Client()).Post(t.Context(), server.URL, "#incidents", "A test <!channel>"); err != nil {
		t.Fatal(err)
	}
	if sent["text"] != "A test &lt;!channel&gt;" || sent["channel"] != "#incidents" {
		t.Errorf("sent %v", sent)
	}
}
