package app

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/subscription"
)

// TestSubscriptionsHearOnlyOfTheirOrganization, whatever their filter names and whoever made them.
func TestSubscriptionsHearOnlyOfTheirOrganization(t *testing.T) {
	t.Parallel()
	c, sink := newCampaign(t), newReceiver(t)
	service, team := c.b.objects["service"], c.b.objects["team"]
	for field, ids := range map[string]string{"service_ids": service, "team_ids": team} {
		body := object{"name": "Spy", "url": sink.URL + "/spy", "event_types": allTypes(), "filter": object{field: []string{ids}}}
		mine := c.a.subscribe(sink.URL+"/spy", nil)
		for verb, path := range map[string]string{http.MethodPost: "/v1/webhook-subscriptions", http.MethodPatch: mine} {
			got := c.a.plainly(verb, path, c.a.owner(), []byte(fmt.Sprintf(`{"name":"Spy","url":%q,"event_types":["incident.triggered"],"filter":{%q:[%q]}}`, body["url"], field, ids)))
			if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "filter."+field) {
				t.Errorf("%s %s of another organization: %s", verb, field, got.whole())
			}
		}
	}
	// As if the refusal above had failed.
	c.database.Exec(t, `UPDATE webhook_subscription SET service_ids = ARRAY[$1::text::uuid] WHERE id = $2::text::uuid`, service,
		strings.TrimPrefix(c.a.subscribe(sink.URL+"/a/forged", object{"event_types": allTypes()}), "/v1/webhook-subscriptions/"))
	for _, n := range []*tenant{c.a, c.b} {
		n.call(n.bearers["admin"], http.MethodPost, "/v1/webhook-subscriptions", object{"name": "All", "url": sink.URL + "/" + n.name, "event_types": allTypes()})
	}
	c.database.Exec(t, `DELETE FROM membership WHERE user_id = $1::text::uuid`, c.a.people["admin"]) // who made it has left
	for _, n := range []*tenant{c.a, c.b} {
		n.declare("Only for "+n.name, object{"service_id": n.objects["service"], "severity": "critical"})
		if got := n.sendTo("/v1/changes", []byte(`{"summary":"Only for `+n.name+`"}`), "Authorization", "Bearer "+n.serviceKey); got.status != http.StatusCreated {
			t.Fatal(got.whole())
		}
	}
	c.page()
	for range 3 {
		c.publish()
	}
	if spied := sink.take(t, "/spy"); slices.ContainsFunc(spied, func(event object) bool { return strings.Contains(fmt.Sprint(event), c.b.name) }) {
		t.Errorf("told of another organization: %v", spied)
	}
	if forged := sink.take(t, "/a/forged"); len(forged) > 0 {
		t.Errorf("a forged filter lets through %v", types(forged))
	}
	for n, other := range map[*tenant]*tenant{c.a: c.b, c.b: c.a} {
		events := sink.take(t, "/"+n.name)
		if got := types(events); !slices.Contains(got, "incident.triggered") || !slices.Contains(got, "change.created") || !slices.Contains(got, "service.health_changed") {
			t.Errorf("%s is told of %v", n.name, got)
		}
		if text := fmt.Sprint(events); strings.Contains(text, "for "+other.name) || strings.Contains(text, other.objects["service"]) {
			t.Errorf("%s is told of %s: %s", n.name, other.name, text)
		}
	}
}

// TestSubscriptionsReachNoPrivateAddress, neither when they are made nor when a name leads there later.
func TestSubscriptionsReachNoPrivateAddress(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, url := range []string{"https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/", "ftp://example.com/", "https://user@example.com/"} {
		body := []byte(fmt.Sprintf(`{"name":"x","url":%q,"event_types":["incident.triggered"]}`, url))
		if got := n.plainly(http.MethodPost, "/v1/webhook-subscriptions", n.owner(), body); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"url"`) {
			t.Errorf("%s: %s", url, got.whole())
		}
	}
	path := n.subscribe("https://example.com/", nil)
	orgID, subscriptionID := pgtest.One[uuid.UUID](t, n.database, `SELECT org_id FROM webhook_subscription`), uuid.MustParse(path[strings.LastIndexByte(path, '/')+1:])
	moved := n.box.Seal([]byte("https://10.0.0.1/"), subscription.URLPlace(orgID, subscriptionID))
	n.database.Exec(t, `UPDATE webhook_subscription SET url_sealed = $1`, moved) // as after a name was moved there
	n.declare("Down", nil)
	n.publish()
	deliveries := at[[]any](t, n.call(n.owner(), http.MethodGet, path+"/deliveries", nil), "webhook_deliveries")
	if len(deliveries) != 1 || deliveries[0].(object)["response_status"] != nil || deliveries[0].(object)["detail"] == "" {
		t.Errorf("delivered to a private address: %v", deliveries)
	}
}

// TestPagesWaitForNoSubscription: receivers hang on every sender, the publisher's connections are
// all taken, and a long queue waits; a page leaves all the same.
func TestPagesWaitForNoSubscription(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	release, hanging := make(chan struct{}), make(chan struct{}, 1000)
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		hanging <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hang.Close)
	var holding sync.WaitGroup
	t.Cleanup(func() { close(release); holding.Wait(); n.publisher.Wait() })
	const underWay = 16 // as many as one organization may have, each of another subscription
	for range underWay {
		n.subscribe(hang.URL, nil)
	}
	service := n.make("/v1/services", "service", object{"name": "Checkout", "escalation_policy_id": n.make("/v1/escalation-policies", "escalation_policy", object{
		"name": "Nights", "steps": []object{{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}},
	})})
	incident := n.declare("Up", nil)
	n.page()
	before := n.notifications("sent")
	n.database.Exec(t, `INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at)
		SELECT i.org_id, gen_random_uuid(), i.id, 'comment', 'system', 'x', nightbell_now() FROM incident i, generate_series(1, 300) WHERE i.id = $1::text::uuid`, incident)
	for range 10 {
		_, err := n.publisher.Sweep(t.Context())
		must(t, err)
	}
	for range underWay {
		<-hanging
	}
	for range 3 {
		taken := make(chan struct{})
		holding.Go(func() {
			_ = n.db.InSystem(context.WithoutCancel(t.Context()), postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `SELECT`)
				close(taken)
				<-release
				return err
			})
		})
		<-taken
	}
	n.declare("Down", object{"service_id": service})
	n.page()
	if sent := n.notifications("sent"); sent != before+1 {
		t.Errorf("%d pages were sent, want 1", sent-before)
	}
	if queued := pgtest.One[int](t, n.database, `SELECT count(*) FROM webhook_delivery WHERE finished_at IS NULL`); queued < 1000 {
		t.Errorf("untested: only %d deliveries wait", queued)
	}
}
