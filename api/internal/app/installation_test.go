package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const elsewhere = `{"database": "1/1", "address": "production:5432/nightbell", "witness": "https://nightbell.example.com"}`

func TestARestoredCopyPagesNobodyUntilSomebodyConfirmsIt(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	r.page()
	before := r.notifications("sent")
	later := func(d time.Duration) {
		r.database.Clock.Advance(d)
		n.signIn("owner", "owner@acme.example.com")
		n.signIn("viewer", "viewer@acme.example.com")
		n.signIn("admin", "admin@acme.example.com")
	}
	// 1. The original, which should have paged for the first of these hours before, and will for the second.
	old, snoozed := n.makeIncident(), n.makeIncident()
	n.call(n.owner(), http.MethodPost, "/v1/incidents/"+snoozed+"/snooze", object{"duration_seconds": 8 * 3600})
	later(2 * time.Hour)

	// 2. The copy, on which one incident begins long before somebody confirms it.
	r.database.Exec(t, `UPDATE installation SET home = $1`, elsewhere)
	r.watchInstallation(t.Context())
	began := n.makeIncident()
	later(3 * time.Hour)
	young := n.makeIncident()
	r.page()
	if sent := r.notifications("sent"); sent != before {
		t.Fatalf("the copy sent %d pages", sent-before)
	}
	notices := at[[]any](t, n.call(n.bearers["viewer"], http.MethodGet, "/v1/installation", nil), "notices")
	if len(notices) != 1 || at[string](t, notices[0].(object), "kind") != "restored_copy" {
		t.Errorf("every screen should say so; it says %v", notices)
	}
	if logged := r.logged.take(); !strings.Contains(logged, "NOBODY IS PAGED") {
		t.Errorf("the log says %s", logged)
	}

	name := pgtest.One[string](t, r.database, `SELECT environment_id::text FROM installation`)
	if status := r.plainly(http.MethodPost, "/v1/installation/confirm", n.bearers["viewer"], []byte("{}")).status; status != http.StatusForbidden {
		t.Errorf("a viewer confirms: %d", status)
	}
	if status := r.plainly(http.MethodPost, "/v1/installation/confirm", n.bearers["admin"], []byte("{}")).status; status != http.StatusForbidden {
		t.Errorf("an admin confirms: %d", status)
	}
	confirmed := n.call(n.owner(), http.MethodPost, "/v1/installation/confirm", object{})
	r.watchInstallation(t.Context())
	r.page()
	pages := func(incident string) int {
		return pgtest.One[int](t, r.database, `SELECT count(*) FROM notification WHERE incident_id = $1::text::uuid AND state = 'sent'`, incident)
	}
	if pages(young) == 0 || pages(began) == 0 || pages(old) != 0 || pages(snoozed) != 0 {
		t.Errorf("after confirming, %d pages for the young incident, %d for the one that began on the copy, %d for the original's old one and %d for the snoozed one",
			pages(young), pages(began), pages(old), pages(snoozed))
	}
	if said := at[string](t, confirmed, "message"); !strings.Contains(said, "nobody is paged for") {
		t.Errorf("whoever confirms reads %q", said)
	}
	why := pgtest.One[string](t, r.database, `SELECT paging_reason FROM incident WHERE id = $1::text::uuid`, old)
	if !strings.Contains(why, "restored copy") {
		t.Errorf("the old incident says %q", why)
	}
	if pgtest.One[string](t, r.database, `SELECT environment_id::text FROM installation`) == name {
		t.Error("the copy still has its original's name")
	}
	if again := r.plainly(http.MethodPost, "/v1/installation/confirm", n.owner(), []byte("{}")); again.status != http.StatusConflict {
		t.Errorf("confirming an original: %d %s", again.status, again.body)
	}
	// 3. What was snoozed on the original comes back here.
	later(4 * time.Hour)
	r.sweep()
	r.page()
	if pages(snoozed) == 0 {
		t.Error("the snoozed incident never came back")
	}
}

// TestNoOrganizationConfirmsACopyForTheOthers: with open registration anybody is an owner,
// and the copy would page the people of all organizations.
func TestNoOrganizationConfirmsACopyForTheOthers(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	r.call("", http.MethodPost, "/v1/auth/register", object{"user_type": "individual", "name": "Eve", "email": "eve@example.org", "password": password})
	r.database.Exec(t, `UPDATE installation SET home = $1`, elsewhere)
	r.watchInstallation(t.Context())
	eve := at[string](t, r.call("", http.MethodPost, "/v1/auth/login", object{"email": "eve@example.org", "password": password}), "tokens", "access_token")
	for who, bearer := range map[string]string{"the owner": n.owner(), "a stranger": eve} {
		got := r.plainly(http.MethodPost, "/v1/installation/confirm", bearer, []byte("{}"))
		if got.status != http.StatusConflict || !strings.Contains(got.body, "nightbell restored confirm") {
			t.Errorf("%s is answered %d %s", who, got.status, got.body)
		}
	}
	r.watchInstallation(t.Context())
	if !r.copied.Load() {
		t.Fatal("the copy pages")
	}
	must(t, ConfirmRestored(t.Context(), r.Config, Options{Out: io.Discard}))
	r.watchInstallation(t.Context())
	if r.copied.Load() {
		t.Error("the operator's word does not count")
	}
}

func TestReplicasAndRestartsAgreeThatAnOriginalIsNone(t *testing.T) {
	t.Parallel()
	first := newTestServer(t)
	for name, change := range map[string]func(*Config){
		"restart":            func(*Config) {},
		"another way there":  func(c *Config) { c.DatabaseURL += "&connect_timeout=3" },
		"another public URL": func(c *Config) { c.PublicURL = "https://pages.example.com" },
	} {
		second := &rig{t: t, database: first.database, logged: &lines{}}
		config := first.Config
		config.PublicURL = ""
		change(&config)
		second.start(config)
		first.watchInstallation(t.Context())
		if second.copied.Load() || first.copied.Load() {
			t.Errorf("%s: taken for a copy", name)
		}
	}
}

// TestWhatWasOnceTakenForACopyCannotBeConfirmed: a replica with wrong settings was repaired.
// Confirming would end the paging of all organizations for what was due long before.
func TestWhatWasOnceTakenForACopyCannotBeConfirmed(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	found := `SELECT copy_found_at IS NOT NULL FROM installation`
	r.database.Exec(t, `UPDATE installation SET copy_found_at = nightbell_now()`)
	if got := r.plainly(http.MethodPost, "/v1/installation/confirm", n.owner(), []byte("{}")); got.status != http.StatusConflict {
		t.Errorf("an original was confirmed: %d %s", got.status, got.body)
	}
	if !pgtest.One[bool](t, r.database, found) {
		t.Error("another server's finding is gone")
	}
	must(t, r.claimInstallation(t.Context()))
	if pgtest.One[bool](t, r.database, found) {
		t.Error("a start on the original does not take the finding back")
	}
}

func TestAnotherDataKeyIsRefused(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	config := r.Config
	other := func(change func(*server)) error {
		s := &server{}
		s.db = r.db
		var err error
		s.settings, err = config.check()
		must(t, err)
		change(s)
		if err := s.unlockSecrets(t.Context()); err != nil {
			return err
		}
		return s.claimInstallation(t.Context())
	}
	if err := other(func(*server) {}); err != nil {
		t.Fatalf("the same key: %v", err)
	}
	for name, change := range map[string]func(*server){
		"another key": func(s *server) { s.dataKey = make([]byte, 32) },
		"a lost key":  func(s *server) { s.DataDir = t.TempDir() },
	} {
		if err := other(change); err == nil || !strings.Contains(err.Error(), "Restore it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := other(func(s *server) { s.DataDir = t.TempDir() }); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a lost key was replaced by a new one: %v", err)
	}
}

func TestWhatALostKeySealedCanBeEnteredAgainAndDisconnected(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	r.database.Exec(t, `UPDATE integration SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`)
	configure := object{"channel": "#alerts", "webhook_url": n.slack.webhook()}
	if got := r.plainly(http.MethodPost, "/v1/integrations/slack/configure", n.owner(), sure(json.Marshal(configure))); got.status != http.StatusConflict || !strings.Contains(got.body, "Enter them again") {
		t.Errorf("keeping a token that does not open: %d %s", got.status, got.body)
	}
	if got := r.plainly(http.MethodPost, "/v1/integrations/slack/test", n.owner(), []byte(`{"message":"x"}`)); got.status != http.StatusConflict {
		t.Errorf("testing: %d %s", got.status, got.body)
	}
	n.call(n.owner(), http.MethodGet, "/v1/integrations/slack/config", nil)
	n.call(n.owner(), http.MethodDelete, "/v1/integrations/slack/disconnect", nil)
	configure["bot_token"] = "xoxb-1234567890"
	n.call(n.owner(), http.MethodPost, "/v1/integrations/slack/configure", configure)
	r.database.Exec(t, `UPDATE integration SET sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))`)
	n.call(n.owner(), http.MethodPost, "/v1/integrations/slack/configure", configure)
	n.call(n.owner(), http.MethodPost, "/v1/integrations/slack/test", object{"message": "x"})
}

func TestANewKeyDisablesWhatTheLostOneSealed(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	n.subscribe("https://example.com/", nil)
	config := r.Config
	config.DataKey = strings.Repeat("5a", 32)
	must(t, AcceptNewKey(t.Context(), config, Options{Out: io.Discard}))
	left := pgtest.One[int](t, r.database, `SELECT count(*) FROM contact_method WHERE address_sealed IS NOT NULL AND disabled_at IS NULL`)
	if left != 0 {
		t.Errorf("%d contacts are paged by addresses that do not open", left)
	}
	if told := pgtest.One[bool](t, r.database, `SELECT NOT enabled AND disabled_reason LIKE '%key%lost%' AND notice_due_at IS NOT NULL FROM webhook_subscription`); !told {
		t.Error("a webhook subscription whose address does not open is not disabled, or its owners are not told")
	}
	again := &rig{t: t, database: r.database, logged: &lines{}}
	again.start(config)
}

// TestDoctorSaysWhatTheSettingsCost: what is left open, or will be refused, is said before it hurts.
func TestDoctorSaysWhatTheSettingsCost(t *testing.T) {
	t.Parallel()
	open := settings{Config: Config{PublicURL: "http://localhost:8480", SMTPHost: "mail.example.com", SMTPFrom: "Nightbell <nightbell@localhost>", RetentionDays: 90}}
	shut := settings{Config: Config{
		PublicURL: "https://nightbell.example.com", SMTPHost: "mail.example.com", SMTPFrom: "nightbell@example.com", Registration: "closed", OpsListen: "127.0.0.1:9480", RetentionDays: 30,
	}}
	for _, c := range []struct {
		settings settings
		want     []finding
	}{
		{open, []finding{
			{name: "links", state: "http://localhost:8480"},
			{name: "sender", state: "Nightbell <nightbell@localhost>"},
			{name: "registration", state: "open"},
			{name: "metrics", state: "beside the site"},
			{name: "kept", state: "90 days"},
		}},
		{shut, []finding{{name: "registration", state: "closed"}, {name: "metrics", state: "127.0.0.1:9480"}, {name: "kept", state: "30 days"}}},
	} {
		var said []finding
		for _, f := range c.settings.findings() {
			switch f.name {
			case "links", "sender", "registration", "metrics", "kept":
				said = append(said, finding{name: f.name, state: f.state})
			}
		}
		if !slices.Equal(said, c.want) {
			t.Errorf("it says %v, want %v", said, c.want)
		}
	}
}

// TestDoctorSaysQuotasEgressAndProxies: all three decide whom a page reaches, and were left out.
func TestDoctorSaysQuotasEgressAndProxies(t *testing.T) {
	t.Parallel()
	checked, err := Config{
		Listen: "127.0.0.1:8480", SMTPPort: 587, SMTPFrom: "nightbell@example.com", QuotaContacts: 77,
		TrustedProxies: []string{"10.1.0.0/16"}, EgressAllow: []string{"10.2.0.0/16", "fd00::/8"},
	}.check()
	must(t, err)
	var said strings.Builder
	for _, f := range checked.findings() {
		fmt.Fprintln(&said, f.name, f.state, f.advice)
	}
	for _, want := range []string{
		"proxies NIGHTBELL_TRUSTED_PROXIES X-Forwarded-For is believed from 10.1.0.0/16\n", "and 10.2.0.0/16, fd00::/8\n",
		"quota 77 contacts of one organization; set by NIGHTBELL_QUOTA_CONTACTS\n", "quota 300000 incidents a minute", "NIGHTBELL_QUOTA_STORED_MIB", "NIGHTBELL_QUOTA_STREAMS", "quota 60000 calls a minute",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
}

func TestDoctorSaysForHowManyProcessesPostgreSQLHasConnections(t *testing.T) {
	t.Parallel()
	for allowed, want := range map[int]string{20: "TOO FEW", 57: "one process of 32", 97: "3 processes of 32"} {
		if got := room(allowed, 32); !strings.Contains(got.advice, want) {
			t.Errorf("%d connections: %q, want %q", allowed, got.advice, want)
		}
	}
}

func TestDoctorRefusesAFolderThatIsNotThere(t *testing.T) {
	t.Parallel()
	config := Config{Listen: "127.0.0.1:8480", SMTPPort: 587, SMTPFrom: "Nightbell <nightbell@example.com>", DataDir: filepath.Join(t.TempDir(), "mistyped")}
	var said bytes.Buffer
	err := Doctor(t.Context(), config, &said)
	if err == nil || !strings.Contains(err.Error(), "no database of Nightbell is in "+config.DataDir) || strings.Contains(said.String(), "back this folder up") {
		t.Errorf("it says %v after %s", err, said.String())
	}
}

func TestDoctorSeesACopyAndALostKey(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	var said bytes.Buffer
	must(t, Doctor(t.Context(), r.Config, &said))
	if !strings.Contains(said.String(), "installation's own") || !strings.Contains(said.String(), "processes of 32") {
		t.Errorf("of an original it says %s", said.String())
	}
	r.database.Exec(t, `UPDATE installation SET home = $1`, elsewhere)
	must(t, Doctor(t.Context(), r.Config, &said))
	if !strings.Contains(said.String(), "RESTORED COPY") {
		t.Errorf("of a copy it says %s", said.String())
	}
	config := r.Config
	config.DataKey = strings.Repeat("5a", 32)
	if err := Doctor(t.Context(), config, io.Discard); err == nil || !strings.Contains(err.Error(), "Restore it") {
		t.Errorf("of another key it says %v", err)
	}
}

func TestWhatConfirmsACopyMakesNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	err := ConfirmRestored(t.Context(), Config{Listen: "127.0.0.1:0", SMTPPort: 587, SMTPFrom: "nightbell@example.com", DataDir: dir}, Options{Out: io.Discard})
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--data-dir") {
		t.Errorf("in a folder without a database: %v", err)
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("it left %v there (%v)", made, err)
	}
}

func TestWhoHasNoConfirmedAddressIsToldSo(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	a := r.newTenant("acme")
	r.SMTPHost = "mail.example.com"
	r.db.VerifiesMail()
	r.served = sure(r.routes())
	r.handler = r.served.Handler()
	kinds := func() (kinds []string) {
		notices, _ := r.call(a.owner(), http.MethodGet, "/v1/installation", nil)["notices"].([]any)
		for _, notice := range notices {
			kinds = append(kinds, at[string](t, notice.(object), "kind"))
		}
		return kinds
	}
	if told := kinds(); len(told) != 0 {
		t.Errorf("with a confirmed address: %v", told)
	}
	r.database.Exec(t, `UPDATE contact_method SET verified_at = NULL WHERE org_id = $1`, a.orgID)
	if told := kinds(); !slices.Equal(told, []string{"unconfirmed"}) {
		t.Errorf("without one: %v", told)
	}
}
