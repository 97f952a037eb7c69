package app

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWhatLetsSomebodyInIsStoredSealed: whoever has the database or a backup of it, but not the data
// key, reads no address of a webhook and no link of a mail.
func TestWhatLetsSomebodyInIsStoredSealed(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	n.subscribe("https://hooks.example.com/T0001/very-secret?token=quiet", nil)
	mailID := n.makeMail()
	text := at[string](t, n.call(n.owner(), http.MethodGet, "/v1/inbox/"+mailID, nil), "mail", "text")
	link, _, _ := strings.Cut("http"+strings.SplitN(text, "http", 2)[1], "\n")
	for table, secrets := range map[string][]string{"webhook_subscription": {"very-secret", "quiet"}, "inbox_mail": {link}} {
		stored := pgtest.One[string](t, n.database, `SELECT string_agg(t::text, '') FROM `+table+` t`)
		for _, secret := range secrets {
			if strings.Contains(stored, secret) || strings.Contains(stored, hex.EncodeToString([]byte(secret))) {
				t.Errorf("%s holds %q in clear", table, secret)
			}
		}
	}
	if hint := pgtest.One[string](t, n.database, `SELECT string_agg(hint, ' ') FROM webhook_subscription`); !strings.Contains(hint, "https://hooks.example.com/…") {
		t.Errorf("the hints are %s", hint)
	}
}

// spoil makes a sealed column as it is once the data key is lost.
func (n *tenant) spoil(table string, columns ...string) {
	n.t.Helper()
	for _, column := range columns {
		n.database.Exec(n.t, `UPDATE `+table+` SET `+column+` = set_byte(`+column+`, 20, 255 - get_byte(`+column+`, 20)) WHERE length(`+column+`) > 20`)
	}
}

// TestASubscriptionWhoseKeyIsLostIsEnteredAgain: it is shown by its host, says what is missing, and works
// again with an address and a secret of the new key.
func TestASubscriptionWhoseKeyIsLostIsEnteredAgain(t *testing.T) {
	t.Parallel()
	n, receiver := newRota(t), newReceiver(t)
	path := n.subscribe(receiver.URL+"/very-secret", nil)
	n.spoil("webhook_subscription", "url_sealed", "secret_sealed")

	shown := at[object](t, n.call(n.owner(), http.MethodGet, path, nil), "webhook_subscription")
	if shown["url"] != receiver.URL+"/…" {
		t.Errorf("it is shown as %v", shown["url"])
	}
	if got := n.get(path+"/key", n.owner()); got.status != http.StatusConflict || !strings.Contains(got.body, "sealed_with_another_key") {
		t.Errorf("the whole address: %s", got.whole())
	}
	for _, edit := range []object{{"name": "Renamed"}, shown} {
		if status, message, _ := n.refused(n.owner(), http.MethodPatch, path, edit); status != http.StatusUnprocessableEntity || !strings.Contains(message, "lost") {
			t.Errorf("without its address: %d %s", status, message)
		}
	}
	n.call(n.owner(), http.MethodPatch, path, object{"url": receiver.URL + "/another"})
	n.call(n.owner(), http.MethodPost, path+"/rotate-secret", object{})
	n.declare("Down", nil)
	n.publish()
	if got := at[[]any](t, n.call(n.owner(), http.MethodGet, path+"/deliveries", nil), "webhook_deliveries"); len(got) != 1 || got[0].(object)["status"] != "delivered" {
		t.Errorf("after it was entered again: %v", got)
	}
}

func TestAMailWhoseKeyIsLostSaysSo(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	mailID := n.makeMail()
	n.spoil("inbox_mail", "text_sealed")
	if got := n.get("/v1/inbox/"+mailID, n.owner()); got.status != http.StatusConflict || !strings.Contains(got.body, "sent again") {
		t.Errorf("%s", got.whole())
	}
}
