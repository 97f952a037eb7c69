package prometheus

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden reads what real senders sent. The Alertmanager 0.25 files were
// captured from that program; a golden file is the Batch as JSON.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			batch, err := Parse(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(batch, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".json") + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := strings.TrimSpace(string(read(t, golden))); string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func read(tb testing.TB, file string) []byte {
	tb.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// one wraps an alert's fields into a message and returns the alert that comes of it.
func one(t *testing.T, fields string) alert.Received {
	t.Helper()
	batch, err := Parse([]byte(`{"alerts":[{` + fields + `}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Alerts) != 1 {
		t.Fatalf("got %d alerts", len(batch.Alerts))
	}
	return batch.Alerts[0]
}

func TestSeverity(t *testing.T) {
	for labels, want := range map[string]alert.Severity{
		`"severity":"critical"`:                      alert.Critical,
		`"severity":" PAGE "`:                        alert.Critical,
		`"priority":"P1"`:                            alert.Critical,
		`"severity":"error"`:                         alert.High,
		`"priority":2`:                               alert.High,
		`"severity":"warning"`:                       alert.Medium,
		`"severity":"info"`:                          alert.Low,
		`"severity":"none"`:                          alert.Low,
		`"level":"p5"`:                               alert.Low,
		`"severity":"spicy"`:                         alert.High,
		`"severity":"spicy","priority":"P1"`:         alert.Critical,
		`"severity":"info","priority":"P1"`:          alert.Low,
		`"severity":""`:                              alert.High,
		`"severity":null`:                            alert.High,
		`"alertname":"Nobody graded this one"`:       alert.High,
		`"severity":{"nobody":"writes it so"},"a":1`: alert.High,
	} {
		if got := one(t, `"labels":{`+labels+`}`).Severity; got != want {
			t.Errorf("%s: got %s, want %s", labels, got, want)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		message, own string
		want         alert.Status
	}{
		{"firing", "resolved", alert.Resolved},
		{"resolved", "firing", alert.Firing},
		{"resolved", "", alert.Resolved},
		{"", "", alert.Firing},
		{"", "OK", alert.Resolved},
		{"resolved", "on fire", alert.Firing},
	} {
		body := fmt.Sprintf(`{"status":%q,"alerts":[{"status":%q,"fingerprint":"f"}]}`, c.message, c.own)
		batch, err := Parse([]byte(body))
		if err != nil || batch.Alerts[0].Status != c.want {
			t.Errorf("%s: got %v, %v, want %s", body, batch, err, c.want)
		}
	}
}

func TestTitle(t *testing.T) {
	for fields, want := range map[string]string{
		`"annotations":{"summary":"Disk\nfull\u0000 soon"}`:            "Disk full\uFFFD soon",
		`"annotations":{"summary":" ","title":"Disk"}`:                 "Disk",
		`"labels":{"alertname":"DiskFull","instance":"db-1:90"}`:       "DiskFull on db-1:90",
		`"labels":{"alertname":"DiskFull"}`:                            "DiskFull",
		`"labels":{"instance":"db-1"}`:                                 "db-1",
		`"fingerprint":"f"`:                                            "Alert without a name",
		`"annotations":{"summary":"` + strings.Repeat("é", 600) + `"}`: strings.Repeat("é", 499) + "…",
	} {
		if got := one(t, fields).Title; got != want {
			t.Errorf("%.80s: got %q, want %q", fields, got, want)
		}
	}
}

func TestDescription(t *testing.T) {
	long := strings.Repeat("żółć", 6000)
	got := one(t, `"annotations":{"description":"`+long+`"}`).Description
	if utf8.RuneCountInString(got) != maxDescription || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d characters", utf8.RuneCountInString(got))
	}
	if got := one(t, `"annotations":{"message":"two\nlines"}`).Description; got != "two\nlines" {
		t.Errorf("got %q", got)
	}
}

func TestLink(t *testing.T) {
	for sent, want := range map[string]string{
		"https://prometheus.example.com/graph":  "https://prometheus.example.com/graph",
		"javascript:alert(1)":                   "http://am:9093",
		"//evil.example.com":                    "http://am:9093",
		"http://a/" + strings.Repeat("x", 5000): "http://am:9093",
		"":                                      "http://am:9093",
	} {
		body := fmt.Sprintf(`{"externalURL":"http://am:9093","alerts":[{"fingerprint":"f","generatorURL":%q}]}`, sent)
		batch, err := Parse([]byte(body))
		if err != nil || batch.Alerts[0].Link != want {
			t.Errorf("%.40s: got %+v, %v", sent, batch, err)
		}
	}
}

func TestKey(t *testing.T) {
	if got := one(t, `"fingerprint":" e7ec7c95c14b24e8 "`).Key; got != "e7ec7c95c14b24e8" {
		t.Errorf("a fingerprint is the key, got %q", got)
	}
	a := one(t, `"labels":{"a":"1","b":"2"},"startsAt":"2026-01-01T00:00:00Z"`).Key
	b := one(t, `"labels":{"b":"2","a":"1"},"annotations":{"summary":"x"}`).Key
	if a != b || len(a) != 16 {
		t.Errorf("the same labels in another order: %q and %q", a, b)
	}
	different := map[string]string{}
	for _, fields := range []string{
		`"labels":{"a":"1","b":"2"}`, `"labels":{"a":"12","b":""}`, `"labels":{"a":"1"}`,
		`"annotations":{"summary":"x"}`, `"annotations":{"summary":"y"}`,
		`"labels":{"a":"` + strings.Repeat("x", 5000) + `1"}`, `"labels":{"a":"` + strings.Repeat("x", 5000) + `2"}`,
		`"labels":{` + manyLabels(100, 1) + `}`, `"labels":{` + manyLabels(100, 2) + `}`,
		`"fingerprint":"` + strings.Repeat("f", 300) + `1"`, `"fingerprint":"` + strings.Repeat("f", 300) + `2"`,
	} {
		key := one(t, fields).Key
		if other, taken := different[key]; taken || len(key) > maxKeyBytes {
			t.Errorf("%.60s has the key of %.60s (or one too long): %q", fields, other, key)
		}
		different[key] = fields
	}
}

// manyLabels writes n labels that sort before "alertname"; the last one has the value last.
func manyLabels(n, last int) string {
	var b strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&b, `"a%06d":"v",`, i)
	}
	fmt.Fprintf(&b, `"a%06d":"%d"`, n-1, last)
	return b.String()
}

func TestTooManyLabels(t *testing.T) {
	got := one(t, `"labels":{`+manyLabels(100_000, 1)+`,"alertname":"Flood","severity":"critical","a000001":"last"}`)
	if len(got.Labels) != maxLabels || got.Title != "Flood" || got.Severity != alert.Critical {
		t.Errorf("kept %d labels, title %q, severity %s", len(got.Labels), got.Title, got.Severity)
	}
	if got.Labels["a000061"] != "v" || got.Labels["a000062"] != "" || got.Labels["a000001"] != "last" {
		t.Errorf("the first labels by name should stay: %v", maps.Collect(maps.All(got.Labels)))
	}
	if noted := got.Annotations["nightbell_omitted_labels"]; noted != "99938" {
		t.Errorf("omitted labels: %s", noted)
	}
}

func TestTooManyAlerts(t *testing.T) {
	body := `{"truncatedAlerts":5,"alerts":[` + strings.Repeat(`{"fingerprint":"a"},`, maxAlerts+2) + `{},7]}`
	batch, err := Parse([]byte(body))
	if err != nil || len(batch.Alerts) != maxAlerts || batch.Truncated != 9 {
		t.Errorf("got %d alerts, %d truncated, %v", len(batch.Alerts), batch.Truncated, err)
	}
}

func TestDuplicateKeysLoseNothing(t *testing.T) {
	batch, err := Parse([]byte(`{"alerts":[{"fingerprint":"a","labels":{"x":"1"}}],
		"alerts":[{"fingerprint":"b","labels":{"x":"1","x":"2"},"status":"firing","status":"resolved"}]}`))
	if err != nil || len(batch.Alerts) != 2 || batch.Alerts[1].Labels["x"] != "2" || batch.Alerts[1].Status != alert.Resolved {
		t.Errorf("got %+v, %v", batch, err)
	}
}

func TestGroup(t *testing.T) {
	for _, c := range []struct{ envelope, group, title string }{
		{`"groupKey":"{}:{a=\"b\"}","groupLabels":{"alertname":"A","b":"2","a":"1"}`, `{}:{a="b"}`, "A (a=1, b=2)"},
		{`"groupKey":"k","groupLabels":{"team":"blue"},"commonLabels":{"alertname":"A"}`, "k", "A (team=blue)"},
		{`"groupKey":"k","groupLabels":{"team":"blue"}`, "k", "team=blue"},
		{`"groupKey":"k"`, "k", ""},
		{`"version":"4"`, "", ""},
	} {
		batch, err := Parse([]byte(`{` + c.envelope + `,"alerts":[{"fingerprint":"f"}]}`))
		if err != nil || batch.Alerts[0].Group != c.group || batch.Alerts[0].GroupTitle != c.title {
			t.Errorf("%s: got %+v, %v", c.envelope, batch, err)
		}
	}
	batch, err := Parse([]byte(`{"groupKey":"` + strings.Repeat("x", 3000) + `","alerts":[{"fingerprint":"f"}]}`))
	if err != nil || !strings.HasPrefix(batch.Alerts[0].Group, "sha256:") {
		t.Errorf("a group key too long for an index should be hashed: %+v, %v", batch, err)
	}
}

func TestWhatIsNotGroupedIsGroupedByName(t *testing.T) {
	long := strings.Repeat("n", maxGroupBytes)
	batch, err := Parse([]byte(`{"groupKey":"{}:{}","groupLabels":{},"commonLabels":{"job":"node"},"alerts":[
		{"labels":{"alertname":"DiskFull","instance":"a"}},{"labels":{"alertname":"DiskFull","instance":"b"}},
		{"labels":{"alertname":"PaymentsDown"}},{"labels":{"job":"node"}},{"labels":{"alertname":"` + long + `"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, 4)
	for _, received := range batch.Alerts[:4] {
		got = append(got, received.Group+" | "+received.GroupTitle)
	}
	want := []string{"{}:{} alertname=DiskFull | DiskFull", "{}:{} alertname=DiskFull | DiskFull", "{}:{} alertname=PaymentsDown | PaymentsDown", "{}:{} | "}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if group := batch.Alerts[4].Group; !strings.HasPrefix(group, "sha256:") {
		t.Errorf("a name too long for an index should be hashed: %s", group)
	}
}

func TestRefusals(t *testing.T) {
	for body, code := range map[string]string{
		``:                           CodeNotJSON,
		`alerts`:                     CodeNotJSON,
		`{"alerts":[{"labels":`:      CodeNotJSON,
		`[]`:                         CodeUnknownShape,
		`"alerts"`:                   CodeUnknownShape,
		`{"text":"custom payload"}`:  CodeUnknownShape,
		`{"alerts":"2"}`:             CodeUnknownShape,
		`{"alerts":[{"msg":"x"},1]}`: CodeUnknownShape,
		`{"alerts":[]}`:              CodeNoAlerts,
		`{"alerts":null}`:            CodeNoAlerts,
	} {
		_, err := Parse([]byte(body))
		refusal, ok := fault.Of(err)
		if !ok || refusal.Kind != fault.Invalid || refusal.Code != code || !strings.Contains(refusal.Message, "Send ") {
			t.Errorf("%s: got %v, want %s and what to send", body, err, code)
		}
	}
}

// hundred is a message of a hundred alerts as Alertmanager writes them.
func hundred(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"receiver":"nightbell","status":"firing","alerts":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"status":"firing","labels":{"alertname":"HighErrorRate","cluster":"eu-1","instance":"web-%d:9090","job":"checkout","namespace":"shop","pod":"checkout-%d","service":"checkout","severity":"critical"},"annotations":{"description":"7.3 %% of requests to web-%d failed in the last 5 minutes.","runbook_url":"https://runbooks.example.com/high-error-rate","summary":"5xx above 5 %% on web-%d"},"startsAt":"2026-11-21T08:25:38.980858227Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":"http://prometheus.example.com:9090/graph?g0.expr=rate%%28http_errors%%5B5m%%5D%%29+%%3E+0.05\u0026g0.tab=1","fingerprint":"%016x"}`, i, i, i, i, i)
	}
	b.WriteString(`],"groupLabels":{"alertname":"HighErrorRate"},"commonLabels":{"alertname":"HighErrorRate"},"commonAnnotations":{},"externalURL":"http://am:9093","version":"4","groupKey":"{}:{alertname=\"HighErrorRate\"}","truncatedAlerts":0}`)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1, 100, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			body := hundred(n)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if batch, err := Parse(body); err != nil || len(batch.Alerts) != n {
					b.Fatal(len(batch.Alerts), err)
				}
			}
		})
	}
}

// FuzzParse: whatever arrives, nothing panics and what is returned can be stored.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		f.Add(read(f, file))
	}
	f.Add([]byte(`{"alerts":[{"labels":{"\u0000":"\u0000","a\ud800":"` + "\xff" + `"},"startsAt":"9999-12-31T23:59:59-12:00"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		batch, err := Parse(body)
		if err != nil {
			if !fault.Is(err, fault.Invalid) || len(batch.Alerts) > 0 {
				t.Fatalf("%v with %d alerts", err, len(batch.Alerts))
			}
			return
		}
		if len(batch.Alerts) == 0 || len(batch.Alerts) > maxAlerts || batch.Truncated < 0 {
			t.Fatalf("%d alerts, %d truncated", len(batch.Alerts), batch.Truncated)
		}
		for _, received := range batch.Alerts {
			checkStorable(t, received)
		}
	})
}

func checkStorable(t *testing.T, received alert.Received) {
	t.Helper()
	text := func(what, s string, limit int) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, 0) || len(s) > limit {
			t.Fatalf("%s: %q", what, s)
		}
	}
	text("key", received.Key, maxKeyBytes)
	text("group", received.Group, maxGroupBytes)
	text("group title", received.GroupTitle, 4*maxTitle)
	text("title", received.Title, 4*maxTitle)
	text("description", received.Description, 4*maxDescription)
	text("link", received.Link, maxValueBytes)
	for name, value := range received.Labels {
		text("label name", name, maxNameBytes)
		text("label", value, maxValueBytes)
	}
	for name, value := range received.Annotations {
		text("annotation name", name, maxNameBytes)
		text("annotation", value, maxValueBytes)
	}
	switch {
	case received.Key == "", received.Title == "", received.Count != 1,
		received.Status != alert.Firing && received.Status != alert.Resolved,
		received.Status == alert.Firing && !received.EndsAt.IsZero(),
		len(received.Labels) > maxLabels, len(received.Annotations) > maxLabels+8,
		strings.ContainsAny(received.Title, "\r\n"):
		t.Fatalf("unusable alert: %+v", received)
	}
	if _, err := json.Marshal(received); err != nil { // a year beyond 9999 would fail
		t.Fatal(err)
	}
}
