package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/ingest"
	"github.com/nightbell/nightbell/api/internal/intake"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestABrokenSweeperIsNoticed: nothing carries out what is due. The auditor notices,
// does it, counts it, and the dead-man URL hears nothing until all is well again.
func TestABrokenSweeperIsNoticed(t *testing.T) {
	r := newTestServer(t)
	var pings atomic.Int32
	deadman := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { pings.Add(1) }))
	t.Cleanup(deadman.Close)
	r.DeadmanURL = deadman.URL
	r.watch = r.newWatch()
	watch := func(wantPings int32, when string) {
		t.Helper()
		r.watch.Round(t.Context())
		if got := pings.Swap(0); got != wantPings {
			t.Errorf("%s the dead-man URL was called %d times, want %d", when, got, wantPings)
		}
	}
	watch(1, "at rest")
	key := r.serviceOfNewOrganization()
	body := `{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"Latency","severity":"critical"}}]}`
	if got := r.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+key, "", []byte(body)); got.status != http.StatusOK {
		t.Fatalf("the alert was answered with %d", got.status)
	}
	watch(1, "while a page is due")
	r.page()
	watch(1, "after the page")

	r.database.Clock.Advance(5*time.Minute + 20*time.Second) // the next step is due, and nobody sweeps

	watch(0, "when a step is late")
	for deadline := time.Now().Add(20 * time.Second); r.notifications("sent") < 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d pages were sent, want that of the late step too", r.notifications("sent"))
		}
	}
	if got := r.plainly(http.MethodGet, "/metrics", "", nil); !strings.Contains(got.body, `audit_repairs_total{kind="escalation"} 1`) {
		t.Error("the repair was not counted")
	}
	watch(1, "after the repair")
}

// TestAdminsAreToldOfProblems: what keeps pages stands above their screens.
func TestAdminsAreToldOfProblems(t *testing.T) {
	r := newTestServer(t)
	r.serviceOfNewOrganization()
	pgtest.FillDisk(t, r.database)
	r.watch.Round(t.Context())
	account := object{"email": "ada@example.com", "password": password}
	for role, want := range map[string]int{"owner": 1, "admin": 1, "responder": 0, "viewer": 0} {
		r.database.Exec(t, `UPDATE membership SET role = $1`, role)
		token := at[string](t, r.call("", http.MethodPost, "/v1/auth/login", account), "tokens", "access_token") // a sign-in keeps its role for seconds
		notices := at[[]any](t, r.call(token, http.MethodGet, "/v1/installation", nil), "notices")
		if len(notices) != want {
			t.Errorf("%s: %v", role, notices)
		}
		for _, notice := range notices {
			if kind, message := at[string](t, notice.(object), "kind"), at[string](t, notice.(object), "message"); kind != "disk" || !strings.Contains(message, "disk is full") {
				t.Errorf("%s is told %q", kind, message)
			}
		}
	}
}

// TestNoticesShowNothingOfAnotherOrganizationsPages: they are installation-wide, and one
// organization's pages are kept by a mail server whose reply holds an address.
func TestNoticesShowNothingOfAnotherOrganizationsPages(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	paged, other := r.newTenant("acme"), r.newTenant("globex")
	r.page()
	r.database.Clock.Advance(90 * time.Second) // the last mail was taken before that
	const reply = "450 4.1.8 <oncall@acme.example.com>: Sender address rejected by mail-7.acme.example.com"
	r.database.Exec(t, `UPDATE notification SET state = 'pending', channel = 'email', lease_token = NULL, lease_until = NULL,
		next_try_at = nightbell_now() + interval '1 minute', finished_at = NULL, finished_for = $2, blocked_since = nightbell_now() - interval '70 seconds'
		WHERE org_id = $1`, paged.orgID, reply)
	r.watch.Round(t.Context())
	for _, n := range []*tenant{paged, other} {
		for _, who := range []string{"owner", "admin"} {
			got := r.plainly(http.MethodGet, "/v1/installation", n.bearers[who], nil).body
			want := `{"notices":[{"kind":"blocked","message":"Pages by e-mail are delayed or lost: the mail server of this installation does not take mail at the moment."}],"mail":"inbox"}`
			if got != want {
				t.Errorf("%s of %s is told %s", who, n.name, got)
			}
		}
	}
	if logged := r.logged.take(); !strings.Contains(logged, reply) {
		t.Errorf("the log does not say why: %s", logged)
	}
}

// TestASenderThatHangsUpWithholdsNoDeadMan: what counts is what Nightbell refused.
func TestASenderThatHangsUpWithholdsNoDeadMan(t *testing.T) {
	r := newTestServer(t)
	left, leave := context.WithCancel(t.Context())
	leave()
	stuck := intake.NewIntake(r.db, r.logger, paging.Signals{}) // nobody stores what it takes
	senders := acceptor{intake: stuck, metrics: r.metrics, refused: &r.refused, storage: r.storage}
	if err := senders.Accept(left, ingest.Route{}, alert.Batch{Alerts: []alert.Received{{Key: "a"}}}); err == nil {
		t.Fatal("accepted")
	}
	if got := r.refused.Load(); got != 0 {
		t.Errorf("%d requests count as refused", got)
	}
}

// TestOneTenantsTooManyAlertsWithholdNoDeadMan: a request of several alerts that takes longer
// than a statement may is its sender's to make smaller, and so is a flood beyond its share of
// the queue. One alert that cannot be stored in time, or a database that is away, is not.
func TestOneTenantsTooManyAlertsWithholdNoDeadMan(t *testing.T) {
	r := newTestServer(t)
	_, err := r.database.Owner(t).Exec(t.Context(), `CREATE FUNCTION too_slow() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END $$;
		CREATE TRIGGER too_slow BEFORE INSERT ON alert FOR EACH ROW WHEN (NEW.title LIKE '%slow%') EXECUTE FUNCTION too_slow()`)
	if err != nil {
		t.Fatal(err)
	}
	key := r.serviceOfNewOrganization()
	refused := func(alerts ...string) int64 {
		t.Helper()
		before := r.refused.Load()
		for i, name := range alerts {
			alerts[i] = fmt.Sprintf(`{"status":"firing","labels":{"alertname":%q,"severity":"critical"},"annotations":{"summary":%q}}`, name, name)
		}
		body := `{"version":"4","status":"firing","alerts":[` + strings.Join(alerts, ",") + `]}`
		got := r.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+key, "", []byte(body))
		if got.status != http.StatusServiceUnavailable {
			t.Fatalf("%s was answered with %d", body, got.status)
		}
		return r.refused.Load() - before
	}
	if got := refused("slow one", "slow two"); got != 0 {
		t.Error("several alerts of one tenant that are too slow count as refused by the installation")
	}
	if got := refused("slow three"); got != 1 {
		t.Error("one alert that could not be stored in time does not count")
	}
	idle := acceptor{intake: intake.NewIntake(r.db, r.logger, paging.Signals{}), metrics: r.metrics, refused: &r.refused, storage: r.storage}
	ctx, leave := context.WithCancel(t.Context())
	before, flood := r.refused.Load(), alert.Batch{Alerts: []alert.Received{{Key: "a", Description: strings.Repeat("x", 50<<20)}}}
	first := make(chan error, 1)
	go func() { first <- idle.Accept(ctx, ingest.Route{}, flood) }()
	for err = nil; !errors.Is(err, intake.ErrOwnDoing); {
		brief, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
		err = idle.Accept(brief, ingest.Route{}, flood)
		end()
	}
	if got := r.refused.Load() - before; got != 0 {
		t.Errorf("%d requests beyond an organization's share count as refused by the installation", got)
	}
	leave()
	<-first
}

// TestOverItsStorageQuotaAnAlertIsStoredInShort: it opens its incident and pages all the same.
func TestOverItsStorageQuotaAnAlertIsStoredInShort(t *testing.T) {
	r := newTestServer(t)
	key := r.serviceOfNewOrganization()
	post := func(name string) {
		t.Helper()
		body := fmt.Sprintf(`{"version":"4","status":"firing","alerts":[{"status":"firing","labels":{"alertname":%q,"severity":"critical"},`+
			`"annotations":{"summary":"Latency","description":%q}}]}`, name, strings.Repeat("words ", 1000))
		if got := r.plainly(http.MethodPost, "/v1/webhooks/prometheus/"+key, "", []byte(body)); got.status != http.StatusOK {
			t.Fatalf("the alert was answered with %d", got.status)
		}
	}
	post("before")
	orgID := pgtest.One[uuid.UUID](t, r.database, `SELECT org_id FROM service_key`)
	r.storage.Add(orgID, 20<<30)
	r.countStorage(t.Context())
	post("after")
	if got := pgtest.One[string](t, r.database, `SELECT string_agg((length(description) > 5000)::text, ' ' ORDER BY number) FROM incident`); got != "true false" {
		t.Errorf("the descriptions are whole: %s", got)
	}
	if got := pgtest.One[int](t, r.database, `SELECT count(DISTINCT incident_id) FROM notification`); got != 2 {
		t.Errorf("somebody is paged for %d of 2 incidents", got)
	}
	got := r.plainly(http.MethodPost, "/v1/events", key, []byte(`{"title":"Orders stopped","metadata":{"a":"`+strings.Repeat("x", 3000)+`"},"error":{"exceptions":[{"message":"y"}]}}`))
	if kept := pgtest.One[string](t, r.database, `SELECT i.title || coalesce(i.details::text, '') || coalesce(a.details::text, '') FROM incident i JOIN alert a ON a.incident_id = i.id
		WHERE i.id = $1::text::uuid`, got.text("id")); kept != "Orders stopped{}" {
		t.Errorf("the event is stored as %.200s", kept)
	}
}

// serviceOfNewOrganization makes an organization whose owner is paged by its own
// policy twice, and gives the key of a service.
func (r *rig) serviceOfNewOrganization() (serviceKey string) {
	r.t.Helper()
	account := object{"email": "ada@example.com", "password": password}
	r.call("", http.MethodPost, "/v1/auth/register", object{
		"user_type": "organization", "name": "Ada", "email": account["email"], "password": password, "org_name": "Acme",
	})
	signedIn := r.call("", http.MethodPost, "/v1/auth/login", account)
	bearer := at[string](r.t, signedIn, "tokens", "access_token")
	person := object{"kind": "user", "id": at[string](r.t, signedIn, "user", "id")}
	var steps []object
	for range 2 {
		steps = append(steps, object{"delay_seconds": 300, "targets": []object{person}})
	}
	policy := r.call(bearer, http.MethodPost, "/v1/escalation-policies", object{"name": "Twice", "steps": steps})
	service := r.call(bearer, http.MethodPost, "/v1/services", object{
		"name": "Checkout", "escalation_policy_id": at[string](r.t, policy, "escalation_policy", "id"),
	})
	return fmt.Sprint(service["service_key"])
}

// TestAFullDiskIsNotReady: everything that only reads still works.
func TestAFullDiskIsNotReady(t *testing.T) {
	r := newTestServer(t)
	pgtest.FillDisk(t, r.database)
	got := r.plainly(http.MethodGet, "/readyz", "", nil)
	if want := `{"check":"disk","message":"The database's disk is full. Free space on it."}`; got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, want) {
		t.Errorf("readiness is %d %s", got.status, got.body)
	}
}
