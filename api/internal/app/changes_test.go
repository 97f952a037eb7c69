package app

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestAChangeIsKeptOnceAndPagesNobody(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	n, incidents := c.a, c.a.incidentCount()
	key := func(n *tenant) string { return "Bearer " + n.serviceKey }
	change := object{"id": uuid.NewString(), "summary": "Deploy 7", "kind": "deployment", "version": "7", "metadata": object{"commit": "9c6bfff"}}
	body := sure(json.Marshal(change))
	for i, replayed := range []string{"", "true"} {
		got := n.sendTo("/v1/changes", body, "Authorization", key(n))
		if got.status != http.StatusCreated || got.text("id") != change["id"] || got.header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("call %d: %d %s", i, got.status, got.body)
		}
	}
	if got := c.b.sendTo("/v1/changes", body, "Authorization", key(c.b)); got.status != http.StatusCreated || got.header.Get("Idempotent-Replayed") != "" {
		t.Errorf("the same id of another organization: %d %s", got.status, got.body)
	}
	change["summary"] = "Deploy 8"
	if got := n.sendTo("/v1/changes", sure(json.Marshal(change)), "Authorization", key(n)); got.status != http.StatusUnprocessableEntity || got.text("code") != "idempotency_mismatch" || !strings.HasPrefix(got.text("message"), "Another change was sent") {
		t.Errorf("the id for something else: %d %s", got.status, got.body)
	}
	kept := pgtest.One[string](t, n.database, `SELECT string_agg(kind || ' ' || description || ' ' || version || ' ' || (metadata->>'commit'), ',') FROM change_event
		WHERE org_id = $1 AND id = $2::text::uuid`, n.orgID, change["id"])
	if kept != "deployment Deploy 7 7 9c6bfff" || n.incidentCount() != incidents {
		t.Errorf("kept %q, %d incidents more", kept, n.incidentCount()-incidents)
	}
	if got := n.sendTo("/v1/changes", []byte(`{}`), "Authorization", key(n)); got.status != http.StatusUnprocessableEntity {
		t.Errorf("without a summary: %d %s", got.status, got.body)
	}
	odd := `{"summary":"a\u0000","kind":"deploy","links":[7],"metadata":{"\u0000":1e999},"occurred_at":"9999-01-01T00:00:00Z","colour":1}`
	if got := n.sendTo("/v1/changes", []byte(odd), "Authorization", key(n)); got.status != http.StatusCreated || !strings.Contains(got.body, "colour") {
		t.Errorf("odd: %d %s", got.status, got.body)
	}
}

func TestChangesThatSDKsSendAreKept(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	var vectors struct {
		Cases []struct {
			Description string
			Expect      struct {
				Path string
				Body object
			}
		}
	}
	must(t, json.Unmarshal(sure(os.ReadFile("../../../proto/vectors/payload.json")), &vectors))
	sent := 0
	for _, c := range vectors.Cases {
		if c.Expect.Path != "/v1/changes" {
			continue
		}
		sent++
		c.Expect.Body["id"] = uuid.NewString()
		got := n.sendTo("/v1/changes", sure(json.Marshal(c.Expect.Body)), "Authorization", "Bearer "+n.serviceKey)
		if got.status != http.StatusCreated || !strings.Contains(got.body, `"truncated":[],"warnings":[]`) {
			t.Errorf("%s: %d %s", c.Description, got.status, got.body)
		}
	}
	if sent == 0 {
		t.Error("no case is a change")
	}
}

// sendChange posts a change that occurred minutes ago, and gives its id.
func (n *tenant) sendChange(minutes int, change object) string {
	n.t.Helper()
	change["id"] = uuid.NewString()
	change["occurred_at"] = pgtest.One[time.Time](n.t, n.database, `SELECT nightbell_now() - $1 * interval '1 minute'`, minutes)
	if got := n.sendTo("/v1/changes", sure(json.Marshal(change)), "Authorization", "Bearer "+n.serviceKey); got.status != http.StatusCreated {
		n.t.Fatalf("%d %s", got.status, got.body)
	}
	return change["id"].(string)
}

// walk reads a list to its end, a page of two at a time, and gives a field of each row.
func (n *tenant) walk(path, list, field string) (all []string) {
	n.t.Helper()
	for cursor := ""; ; {
		got := n.call(n.bearers["viewer"], http.MethodGet, path+"limit=2&cursor="+cursor, nil)
		for _, row := range at[[]any](n.t, got, list) {
			all = append(all, at[string](n.t, row.(object), field))
		}
		if cursor, _ = got["next_cursor"].(string); cursor == "" {
			return all
		}
	}
}

func TestChangesAreReadByServiceKindAndTime(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	n := c.a
	c.b.sendChange(1, object{"summary": "theirs"})
	n.database.Exec(t, `DELETE FROM change_event WHERE org_id = $1`, n.orgID)
	last := n.sendChange(1, object{
		"summary": "Deploy 9", "kind": "deployment", "version": "9", "author": "Ada", "environment": "production",
		"links": []object{{"href": "https://example.com/9", "text": "Diff"}}, "metadata": object{"commit": "9c6bfff"},
	})
	n.sendChange(3, object{"summary": "Flag", "kind": "feature_flag"})
	n.sendChange(2, object{"summary": "Deploy 8", "kind": "deployment"})
	n.sendChange(90, object{"summary": "Old", "kind": "configuration"})
	other := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Search"})
	n.sendTo("/v1/changes", []byte(`{"summary":"Reindex"}`), "Authorization", "Bearer "+at[string](t, other, "service_key"))
	hour := url.QueryEscape(pgtest.One[time.Time](t, n.database, `SELECT nightbell_now() - interval '1 hour'`).Format(time.RFC3339))
	for filter, want := range map[string]string{
		"": "Reindex,Deploy 9,Deploy 8,Flag,Old",
		"service_id=" + n.objects["service"] + "&":                    "Deploy 9,Deploy 8,Flag,Old",
		"service_id=" + at[string](t, other, "service", "id") + "&":   "Reindex",
		"kind=deployment&kind=feature_flag&":                          "Deploy 9,Deploy 8,Flag",
		"service_id=" + n.objects["service"] + "&since=" + hour + "&": "Deploy 9,Deploy 8,Flag",
		"until=" + hour + "&":                                         "Old",
		"until=0001-01-01T00:00:00Z&":                                 "",
		"since=0001-01-01T00:00:00Z&kind=configuration&":              "Old",
		"service_id=" + c.b.objects["service"] + "&":                  "",
	} {
		if got := strings.Join(n.walk("/v1/changes?"+filter, "changes", "summary"), ","); got != want {
			t.Errorf("%s: %s, want %s", filter, got, want)
		}
	}
	change := at[object](t, n.call(n.bearers["viewer"], http.MethodGet, "/v1/changes/"+last, nil), "change")
	text := string(sure(json.Marshal(change)))
	for _, want := range []string{`"author":"Ada"`, `"commit":"9c6bfff"`, `"environment":"production"`, `"href":"https://example.com/9"`, `"name":"Checkout"`, `"version":"9"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if got := n.get("/v1/changes?limit=1", n.bearers["viewer"]); strings.Contains(got.body, "metadata") {
		t.Errorf("the list has metadata that nobody asked for: %s", got.body)
	}
	if got := n.get("/v1/changes?include=metadata", n.apiKey); !strings.Contains(got.body, "9c6bfff") {
		t.Errorf("with metadata: %d %s", got.status, got.body)
	}
	if got := c.b.get("/v1/changes/"+last, c.b.owner()); got.status != http.StatusNotFound || !strings.Contains(got.body, "change_not_found") {
		t.Errorf("another organization: %d %s", got.status, got.body)
	}
}

func TestAServiceShowsItsChangesAndIncidents(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.database.Exec(t, `DELETE FROM change_event WHERE org_id = $1`, n.orgID)
	made := n.call(n.owner(), http.MethodPost, "/v1/services", object{"name": "Search"})
	n.serviceKey = at[string](t, made, "service_key")
	n.sendChange(3, object{"summary": "Deploy 7", "kind": "deployment", "version": "7"})
	n.sendChange(2, object{"summary": "Deploy 8", "kind": "deployment", "version": "8"})
	n.sendEvent(object{"title": "Search is down", "severity": "critical"})
	path := "/v1/services/" + at[string](t, made, "service", "id") + "/activity?"
	if got := strings.Join(n.walk(path, "activity", "summary"), ","); got != "Search is down,Deploy 8,Deploy 7" {
		t.Errorf("the activity is %s", got)
	}
	got := n.get(path, n.bearers["viewer"])
	for _, want := range []string{`"kind":"incident"`, `"severity":"critical"`, `"status":"triggered"`, `"version":"8"`} {
		if !strings.Contains(got.body, want) {
			t.Errorf("no %s in %s", want, got.body)
		}
	}
}
