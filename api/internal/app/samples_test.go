package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// sendSamples posts samples with a service key, and further headers.
func (n *tenant) sendSamples(body object, headers ...string) answer {
	n.t.Helper()
	return n.sendTo("/v1/samples", sure(json.Marshal(body)), append([]string{"Authorization", "Bearer " + n.serviceKey}, headers...)...)
}

// minute is the beginning of the minute that was so many minutes ago.
func (n *tenant) minute(ago int) time.Time {
	n.t.Helper()
	return pgtest.One[time.Time](n.t, n.database, `SELECT date_trunc('minute', nightbell_now()) - $1 * interval '1 minute'`, ago).UTC()
}

func points(from time.Time, every time.Duration, values ...any) (all []object) {
	for i, value := range values {
		all = append(all, object{"at": from.Add(time.Duration(i) * every).Format(time.RFC3339Nano), "value": value})
	}
	return all
}

// series reads a service's samples as "name unit: count average min max last, ...".
func (n *tenant) series(query string) string {
	n.t.Helper()
	got := n.call(n.bearers["viewer"], http.MethodGet, "/v1/services/"+n.objects["service"]+"/samples?"+query, nil)
	var all []string
	for _, one := range at[[]any](n.t, got, "series") {
		row := one.(object)
		text := fmt.Sprint(row["name"], " ", row["unit"], ":")
		for _, p := range row["points"].([]any) {
			point := p.(object)
			text += fmt.Sprint(" ", point["sample_count"], " ", point["average"], " ", point["min"], " ", point["max"], " ", point["last"], ",")
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestSamplesAreAddedUpByTheMinuteAndPageNobody(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	incidents, start := n.incidentCount(), n.minute(10)
	for _, body := range []object{
		{"name": "latency", "unit": "ms", "points": points(start, 20*time.Second, 10, 30, 20, 5)},
		{"name": "latency", "points": points(start.Add(10*time.Second), time.Second, 100)}, // late: not the last of its minute
		{"name": "error_rate", "points": points(start, time.Minute, 0.25)},
	} {
		if got := n.sendSamples(body); got.status != http.StatusOK || !strings.Contains(got.body, `"name":"Checkout"`) {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	if got := n.series(""); !strings.HasPrefix(got, "error_rate <nil>: 1 0.25 0.25 0.25 0.25,; latency ms: ") {
		t.Errorf("all names by the chosen step: %s", got)
	}
	if got, want := n.series("name=latency&step_seconds=60"), "latency ms: 4 40 10 100 20, 1 5 5 5 5,"; got != want {
		t.Errorf("by the minute %s, want %s", got, want)
	}
	if got := n.series("name=nothing"); got != "" {
		t.Errorf("a name that nothing was sent for: %s", got)
	}
	if n.incidentCount() != incidents {
		t.Error("samples opened incidents")
	}
}

// TestACountOfSamplesThatIsFullIsStillReadAndAddedTo: of one minute, and of two that are read together.
func TestACountOfSamplesThatIsFullIsStillReadAndAddedTo(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	samples := object{"name": "latency", "points": points(n.minute(10), time.Minute, 1, 1)}
	n.sendSamples(samples)
	n.database.Exec(t, `UPDATE sample SET sample_count = 2147483647, sum = 2147483647 WHERE org_id = $1`, n.orgID)
	if got := n.sendSamples(samples); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if got := n.series("name=latency&step_seconds=3600"); !strings.HasPrefix(got, "latency <nil>: 2.147483647e+09 ") {
		t.Errorf("read together: %s", got)
	}
}

func TestARepeatedCallOfSamplesAddsNothing(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	body := object{"name": "latency", "points": points(n.minute(3), time.Minute, 1, 2)}
	key := []string{"Idempotency-Key", uuid.NewString()}
	answers := append([]answer{n.sendSamples(body, key...)}, atOnce(5, func(int) answer { return n.sendSamples(body, key...) })...)
	for i, got := range answers {
		if got.status != http.StatusOK || got.body != answers[0].body || (got.header.Get("Idempotent-Replayed") == "true") != (i > 0) {
			t.Errorf("call %d: %d %s", i, got.status, got.body)
		}
	}
	if got, want := n.series("name=latency&step_seconds=60"), "latency <nil>: 1 1 1 1 1, 1 2 2 2 2,"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	body["unit"] = "ms"
	if got := n.sendSamples(body, key...); got.status != http.StatusUnprocessableEntity || got.text("code") != "idempotency_mismatch" || !strings.HasPrefix(got.text("message"), "Other samples were sent") {
		t.Errorf("the key for something else: %d %s", got.status, got.body)
	}
	for _, id := range []string{uuid.NewString(), ""} { // other calls count
		body["id"] = id
		if id == "" {
			delete(body, "id")
		}
		n.sendSamples(body)
	}
	if got, want := n.series("name=latency&step_seconds=60"), "latency ms: 3 1 1 1 1, 3 2 2 2 2,"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
}

func TestSamplesThatDoNotFitAreRefusedByField(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	soon, good := n.minute(0), points(n.minute(1), time.Minute, 1)
	for name, try := range map[string]struct {
		body  any
		field string
	}{
		"no name":         {object{"points": good}, "name"},
		"a long name":     {object{"name": strings.Repeat("n", 201), "points": good}, "name"},
		"no points":       {object{"name": "a"}, "points"},
		"1001 points":     {object{"name": "a", "points": points(n.minute(1), time.Millisecond, make([]any, 1001)...)}, "points"},
		"no value":        {object{"name": "a", "points": points(soon, time.Minute, nil)}, "points[0].value"},
		"text":            {object{"name": "a", "points": points(soon, time.Second, 1, "2")}, "points[1].value"},
		"beyond numbers":  {json.RawMessage(`{"name":"a","points":[{"at":"2026-11-22T03:00:00Z","value":1e999}]}`), "points[0].value"},
		"too large":       {object{"name": "a", "points": points(soon, time.Minute, 1e101)}, "points[0].value"},
		"no time":         {object{"name": "a", "points": []object{{"value": 1}}}, "points[0].at"},
		"too old":         {object{"name": "a", "points": points(n.minute(60*24*8), time.Minute, 1)}, "points[0].at"},
		"too far ahead":   {object{"name": "a", "points": points(soon, 10*time.Minute, 1, 2)}, "points[1].at"},
		"another service": {object{"name": "a", "service": "Search", "points": good}, "service"},
		"a bad id":        {object{"name": "a", "id": "7", "points": good}, "id"},
	} {
		got := n.sendTo("/v1/samples", sure(json.Marshal(try.body)), "Authorization", "Bearer "+n.serviceKey)
		if got.status != http.StatusUnprocessableEntity || got.text("code") != "invalid_fields" || !strings.Contains(got.body, `"field":"`+try.field+`"`) {
			t.Errorf("%s: %d %s, want %s", name, got.status, got.body, try.field)
		}
	}
	if got := n.sendTo("/v1/samples", []byte(`{"name":"a","points":[{"at":"x","value":NaN}]}`), "Authorization", "Bearer "+n.serviceKey); got.status != http.StatusBadRequest {
		t.Errorf("NaN: %d %s", got.status, got.body)
	}
	for i := range 19 { // one is there
		n.sendSamples(object{"name": fmt.Sprint("own ", i), "points": good})
	}
	if got := n.sendSamples(object{"name": "own 20", "points": good}); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"name"`) {
		t.Errorf("a 21st name: %d %s", got.status, got.body)
	}
	if got := n.sendSamples(object{"name": "own 7", "service": n.objects["service"], "colour": 1, "points": good}); got.status != http.StatusOK || !strings.Contains(got.body, "colour") {
		t.Errorf("one of the twenty: %d %s", got.status, got.body)
	}
	service := "/v1/services/" + n.objects["service"] + "/samples?"
	for query, field := range map[string]string{
		"step_seconds=90": "step_seconds", "since=2026-01-01T00:00:00Z&until=2025-01-01T00:00:00Z": "since",
		"since=2020-01-01T00:00:00Z": "since", "until=0001-01-01T00:00:00Z": "since", "step_seconds=60&since=" + n.minute(60*24*7).Format(time.RFC3339): "step_seconds",
	} {
		if got := n.get(service+query, n.owner()); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
}

// TestTenantSamples: readings, calls and names are each service's own.
func TestTenantSamples(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	body := object{"id": uuid.NewString(), "name": "latency", "points": points(c.b.minute(2), time.Minute, 7)}
	c.b.sendSamples(body)
	body["points"] = points(c.a.minute(2), time.Minute, 1)
	if got := c.a.sendSamples(body); got.status != http.StatusOK || got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the id of another organization's call: %d %s", got.status, got.body)
	}
	if got, want := c.a.series("name=latency&step_seconds=60"), "latency <nil>: 1 1 1 1 1,"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	delete(body, "id")
	apiKey := []string{"Authorization", "Bearer " + c.a.newAPIKey("responder")}
	send := func(service string) answer {
		body["service"] = service
		return c.a.sendTo("/v1/samples", sure(json.Marshal(body)), apiKey...)
	}
	for _, theirs := range []string{c.b.objects["service"], uuid.NewString()} {
		if got := send(theirs); got.status != http.StatusUnprocessableEntity || len(c.leaks(got.whole())) > 0 {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	for _, ours := range []string{c.a.objects["service"], "checkout", ""} {
		if got := send(ours); got.status != http.StatusOK || len(c.leaks(got.whole())) > 0 {
			t.Errorf("%q: %d %s", ours, got.status, got.body)
		}
	}
	if got, want := c.a.series("name=latency&step_seconds=60"), "latency <nil>: 3 1 1 1 1,"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestSamplesThatSDKsSendAreKept(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	var vectors struct {
		Cases []struct {
			Expect struct {
				Path string
				Body object
			}
		}
	}
	must(t, json.Unmarshal(sure(os.ReadFile("../../../proto/vectors/payload.json")), &vectors))
	sent := 0
	for _, c := range vectors.Cases {
		if c.Expect.Path != "/v1/samples" {
			continue
		}
		sent++
		for _, point := range c.Expect.Body["points"].([]any) {
			point.(object)["at"] = n.minute(1).Format("2006-01-02T15:04:05.000Z07:00")
		}
		if got := n.sendSamples(c.Expect.Body); got.status != http.StatusOK || !strings.Contains(got.body, `"warnings":[]`) {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if sent == 0 {
		t.Error("no case is a sample")
	}
}
