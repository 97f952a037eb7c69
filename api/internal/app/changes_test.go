package app

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

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
	if got := n.sendTo("/v1/changes", sure(json.Marshal(change)), "Authorization", key(n)); got.status != http.StatusUnprocessableEntity || got.text("code") != "idempotency_mismatch" {
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
