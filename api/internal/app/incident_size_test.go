package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestListOfTheLargestIncidentsIsBounded lists a thousand incidents that each have as much
// text, tags and metadata as there may be. It is not parallel: it counts what is allocated.
func TestListOfTheLargestIncidentsIsBounded(t *testing.T) {
	n := newRota(t)
	for name, letter := range map[string]string{"ASCII": "x", "two bytes": "ä", "four bytes": "🔔"} {
		n.database.Exec(t, `DELETE FROM incident`)
		n.incidents(1000, strings.Repeat(letter, 500), strings.Repeat(letter, 20_000), strings.Repeat("m", 16_000))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := n.plainly(http.MethodGet, "/v1/incidents?limit=1000", n.owner(), nil)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %.2f MB of text, %.1f MiB allocated", name, float64(len(got.body))/1e6, float64(allocated)/(1<<20))
		if got.status != http.StatusOK || strings.Count(got.body, `"id":`) < 1000 {
			t.Fatalf("%s: %d %.200s", name, got.status, got.body)
		}
		if len(got.body) > 2_000_000 || allocated > 20<<20 {
			t.Errorf("%s: the list has %d bytes and allocates %d", name, len(got.body), allocated)
		}
	}
}

// A list of ordinary incidents stays under 0.6 MB without gzip.
func TestListOfOrdinaryIncidentsIsSmall(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	n.incidents(1000, "Error rate of checkout-1000 is above 5%", "5% of the requests to checkout-1000 have failed for 5 minutes. Look at the gateway first.", "")
	n.database.Exec(t, `UPDATE incident SET status = 'resolved', acknowledged_at = triggered_at + interval '5 minutes', resolved_at = triggered_at + interval '40 minutes',
		acknowledged_by = $1, resolved_by = $1`, n.people["Ada"])
	got := n.plainly(http.MethodGet, "/v1/incidents?limit=1000", n.owner(), nil)
	t.Logf("%d bytes", len(got.body))
	if got.status != http.StatusOK || len(got.body) > 600_000 {
		t.Errorf("%d, %d bytes: %.600s", got.status, len(got.body), got.body)
	}
	for _, field := range []string{"id", "number", "title", "description", "status", "severity", "service_name", "triggered_at", "acknowledged_by"} {
		if count := strings.Count(got.body, `"`+field+`":`); count < 1000 {
			t.Errorf("%d of 1000 incidents have the field %s", count, field)
		}
	}
}

// incidents stores incidents without what the page path would do for each.
func (n *rota) incidents(count int, title, description, metadata string) {
	n.t.Helper()
	service := uuid.New()
	n.database.Exec(n.t, `INSERT INTO service (org_id, id, name, created_at, updated_at) VALUES ($1, $2, $3, nightbell_now(), nightbell_now())`,
		n.orgID, service, fmt.Sprint("Service ", service.String()[:8]))
	n.database.Exec(n.t, `INSERT INTO incident (org_id, id, number, service_id, title, description, status, severity, urgency, source, details, triggered_at, updated_at, alert_count)
		SELECT $1, gen_random_uuid(), n, $2, $3, $4, 'triggered', 'critical', 'high', 'prometheus',
		       CASE WHEN $5 = '' THEN '{}' ELSE jsonb_build_object('tags', jsonb_build_object('team', 'shop'), 'metadata', jsonb_build_object('text', $5::text)) END,
		       nightbell_now() - n * interval '1 second', nightbell_now(), 1
		FROM generate_series(1, $6) n`, n.orgID, service, title, description, metadata, count)
}

// Tags and metadata have a size, and the refusal says which.
func TestTagsAndMetadataAreBounded(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	body := func(size int) object {
		return object{"title": "Down", "tags": object{"team": "shop"}, "metadata": object{"text": strings.Repeat("x", size)}}
	}
	made := n.call(n.owner(), http.MethodPost, "/v1/incidents", body(16_300))
	shown := at[object](t, n.call(n.owner(), http.MethodGet, "/v1/incidents/"+at[string](t, made, "incident", "id"), nil), "incident")
	if got := shown["metadata"].(object)["text"].(string); len(got) != 16_300 || shown["tags"].(object)["team"] != "shop" {
		t.Errorf("%d bytes of metadata are left, tags %v", len(got), shown["tags"])
	}
	status, message, field := n.refused(n.owner(), http.MethodPost, "/v1/incidents", body(16_384))
	if status != http.StatusUnprocessableEntity || field != "metadata" || !strings.Contains(message, "larger than 16 KiB together") {
		t.Errorf("%d %s %s", status, field, message)
	}
	listed := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/incidents", nil), "incidents")[0].(object)
	if _, given := listed["metadata"]; given || listed["title"] != "Down" {
		t.Errorf("the list gives %v", sure(json.Marshal(listed)))
	}
}
