//go:build !rlsonly

package app

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// follow opens the live feed from its beginning and gives its lines. It ends when the
// server ends it.
func (n *tenant) follow(t *testing.T, server *httptest.Server, bearer string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request := sure(http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/v1/stream?last_event_id=0", http.NoBody))
	request.Header.Set("Authorization", "Bearer "+bearer)
	response, err := server.Client().Do(request)
	must(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("the stream answers %d", response.StatusCode)
	}
	found := make(chan string, 1000)
	go func() {
		defer close(found)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			found <- lines.Text()
		}
	}()
	return found
}

// until reads lines up to one that contains the text.
func until(t *testing.T, feed <-chan string, text string) string {
	t.Helper()
	var seen strings.Builder
	for deadline := time.After(10 * time.Second); ; {
		select {
		case line, ok := <-feed:
			seen.WriteString(line + "\n")
			if !ok || strings.Contains(line, text) {
				return seen.String()
			}
		case <-deadline:
			t.Fatalf("the feed does not show %q in 10 s, but\n%s", text, seen.String())
		}
	}
}

func TestTenantStream(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	server := httptest.NewServer(c.handler)
	t.Cleanup(server.Close)
	t.Cleanup(c.hub.Close)
	ours, theirs := c.a.follow(t, server, c.a.bearers["viewer"]), c.b.follow(t, server, c.b.bearers["viewer"])
	secret := c.b.makeIncident()
	if shown := until(t, theirs, secret); !canaries.MatchString(shown) {
		t.Errorf("untested: the organization's own feed shows no canary: %s", shown)
	}
	shown := until(t, ours, c.a.makeIncident())
	if leaks := c.leaks(shown); len(leaks) > 0 || strings.Contains(shown, secret) {
		t.Errorf("the feed shows the other organization's %v: %s", leaks, shown)
	}
	for name, bearer := range map[string]string{"nobody": "", "an expired token": c.a.expiredToken(), "a service key": c.a.serviceKey} {
		if got := c.get("/v1/stream", bearer); got.status != http.StatusUnauthorized {
			t.Errorf("%s may follow: %d", name, got.status)
		}
	}
	if got := c.get("/v1/stream", c.a.newAPIKey("admin", auth.EventsWrite)); got.status != http.StatusForbidden || !strings.Contains(got.body, "incidents:read") {
		t.Errorf("a key that is for something else may follow: %s", got.whole())
	}
}

// A stream outlives the token it was opened with, and must not outlive the membership.
func TestTenantStreamEndsWithTheMembership(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(n *tenant){
		"removed": func(n *tenant) {
			n.database.Exec(n.t, "DELETE FROM membership WHERE org_id = $1 AND user_id = $2", n.orgID, n.people["leaving"])
		},
		"account deleted": func(n *tenant) {
			n.call(n.bearers["leaving"], http.MethodPost, "/v1/account/erase", deletion())
		},
		"organization deleted": func(n *tenant) {
			n.call(n.owner(), http.MethodPost, "/v1/organizations/"+n.orgID.String()+"/erase", object{"name": n.name, "password": password})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newTestServer(t)
			n := r.newTenant("acme")
			server := httptest.NewServer(r.handler)
			t.Cleanup(server.Close)
			t.Cleanup(r.hub.Close)
			n.join("leaving", auth.Viewer)
			feed := n.follow(t, server, n.bearers["leaving"])
			until(t, feed, n.makeIncident())
			end(n)
			ended := time.Now()
			for range feed { // until the server ends it
			}
			took := time.Since(ended)
			t.Logf("the stream ended after %.1f s", took.Seconds())
			if took > removalTakes+leeway {
				t.Errorf("the stream went on for %s, want %s at most", took, removalTakes)
			}
		})
	}
}

func TestTenantWebhook(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	alarm := sure(json.Marshal(object{
		"version": "4", "status": "firing", "groupKey": "{}:{alertname=\"Other\"}",
		"alerts": []object{{
			"status": "firing", "labels": object{"alertname": "Other", "service_id": c.b.objects["service"], "org_id": c.b.orgID.String()},
			"startsAt": time.Now().Format(time.RFC3339),
		}},
	}))
	for _, verb := range ingest.Verbs {
		got := c.plainly(verb, "/v1/webhooks/prometheus/"+c.a.serviceKey, "", alarm)
		if leaks := c.leaks(got.whole()); got.status != http.StatusOK || len(leaks) > 0 {
			t.Errorf("%s with our own key is answered %s, which shows %v", verb, got.whole(), leaks)
		}
	}
	// What gives access to one thing is no key to another.
	for name, key := range map[string]string{"a made-up key": uuid.NewString(), "an access token": c.b.owner(), "an id": c.b.objects["service"]} {
		if got := c.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+key, "", alarm); got.status != http.StatusNotFound {
			t.Errorf("%s is taken for a service key: %s", name, got.whole())
		}
	}
	if got := c.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+c.b.apiKey, "", alarm); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "wrong_key_kind") {
		t.Errorf("an API key is taken for a service key: %s", got.whole())
	}
	c.checkUnharmed(t)
	if got := c.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+c.b.serviceKey, "", alarm); got.status != http.StatusOK {
		t.Errorf("untested: the other organization's own key is answered %s", got.whole())
	}
	if changed := changes(c.sums, c.rig.sums(c.b.orgID)); len(changed) == 0 {
		t.Error("untested: its own key changes nothing either")
	}
}

// An acknowledge link names one message of one person; no part of it can be exchanged.
func TestTenantAcknowledgeLink(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	key := c.box.Derive(acknowledgeLinks)
	theirs := c.b.linkClaims()
	mixed := map[string]notify.AckClaims{
		"their message in our organization": {OrgID: c.a.orgID, UserID: theirs.UserID, DeliveryID: theirs.DeliveryID, Expires: theirs.Expires},
		"their message for our person":      {OrgID: c.b.orgID, UserID: uuid.MustParse(c.a.people["owner"]), DeliveryID: theirs.DeliveryID, Expires: theirs.Expires},
		"their message, too late":           {OrgID: c.b.orgID, UserID: theirs.UserID, DeliveryID: theirs.DeliveryID, Expires: time.Now().Add(-time.Hour)},
	}
	for name, claims := range mixed {
		c.refusesLink(t, name, notify.MintAck(key, claims))
	}
	for name, token := range map[string]string{
		"signed by somebody else": notify.MintAck(make([]byte, len(key)), theirs), "an id": theirs.DeliveryID.String(), "an access token": c.b.owner(),
	} {
		c.refusesLink(t, name, token)
	}
	c.checkUnharmed(t)
	link := "/ack/" + notify.MintAck(key, theirs)
	if got := c.get(link, ""); got.status != http.StatusOK || !canaries.MatchString(got.body) {
		t.Errorf("untested: the link itself is answered %s", got.whole())
	}
	if got := c.plainly(http.MethodPost, link, "", nil, "Sec-Fetch-Site", "same-origin"); got.status != http.StatusSeeOther || len(changes(c.sums, c.rig.sums(c.b.orgID))) == 0 {
		t.Errorf("untested: the link itself acknowledges nothing: %s", got.whole())
	}
}

func (c *campaign) refusesLink(t *testing.T, name, token string) {
	t.Helper()
	for _, verb := range []string{http.MethodGet, http.MethodPost} {
		got := c.plainly(verb, "/ack/"+token, "", nil, "Sec-Fetch-Site", "same-origin")
		if leaks := c.leaks(got.body); got.status != http.StatusNotFound || len(leaks) > 0 {
			t.Errorf("%s a link that is %s answers %d and shows %v", verb, name, got.status, leaks)
		}
	}
}

// A calendar's address names one feed, and whoever has it reads one schedule or person.
func TestTenantCalendarFeed(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	if got := c.get(c.a.calendar(), ""); got.status != http.StatusOK || len(c.leaks(got.whole())) > 0 {
		t.Errorf("our own calendar is answered %s, which shows %v", got.whole(), c.leaks(got.whole()))
	}
	theirs := c.b.calendar()
	c.startAfresh()
	for name, file := range map[string]string{
		"a made-up secret": base64.RawURLEncoding.EncodeToString(make([]byte, 32)), "an id": c.b.objects["calendar_feed"],
		"an access token": c.b.owner(), "an API key": c.b.apiKey, "a service key": c.b.serviceKey,
	} {
		if got := c.get("/calendar/"+file+".ics", ""); got.status != http.StatusNotFound || len(c.leaks(got.body)) > 0 {
			t.Errorf("%s is taken for a calendar's secret: %s", name, got.whole())
		}
	}
	c.checkUnharmed(t)
	if got := c.get(theirs, ""); got.status != http.StatusOK || !canaries.MatchString(got.body) {
		t.Errorf("untested: the address itself is answered %s", got.whole())
	}
}

// A key that makes a repeat harmless means something in its own organization only.
func TestTenantIdempotencyKey(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	key, incident := uuid.NewString(), sure(json.Marshal(object{"title": "The same words"}))
	declare := func(n *tenant) string {
		got := c.plainly(http.MethodPost, "/v1/incidents", n.owner(), incident, "Idempotency-Key", key)
		var made object
		must(t, json.Unmarshal([]byte(got.body), &made))
		return at[string](t, made, "incident", "id")
	}
	first := declare(c.b)
	c.startAfresh()
	if ours := declare(c.a); ours == first {
		t.Error("a repeat of another organization's request is answered with its incident")
	}
	if again := declare(c.b); again != first {
		t.Errorf("untested: a repeat of one's own makes %s after %s", again, first)
	}
}
