//go:build !rlsonly

package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
)

// TestTenantAudit holds every method to one audit row per call that changes something,
// refused or not, in the caller's own organization, and to none for a read.
func TestTenantAudit(t *testing.T) {
	t.Parallel()
	c := newCampaign(t)
	callers := []principal{
		{name: "owner", bearer: c.a.owner(), role: auth.Owner},
		{name: "viewer", bearer: c.a.bearers["viewer"], role: auth.Viewer},
		{name: "API key", bearer: c.a.apiKey, role: auth.Responder, apiKey: true},
		{name: "anonymous"},
	}
	rows := 0
	for _, method := range methods() {
		if authzOf(method).GetPublic() {
			continue
		}
		for _, who := range callers {
			for _, via := range []transport{viaREST, viaConnectProto} {
				rows += c.checkAudit(t, method, who, via)
			}
		}
	}
	c.checkUnharmed(t)
	t.Logf("%d rows were looked at", rows)
}

type auditRow struct {
	Method    string          `json:"method"`
	Outcome   string          `json:"outcome"`
	ActorKind string          `json:"actor_kind"`
	Address   string          `json:"address"`
	RequestID string          `json:"request_id"`
	Request   json.RawMessage `json:"request"`
}

func (c *campaign) checkAudit(t *testing.T, method protoreflect.MethodDescriptor, who principal, via transport) (rows int) {
	t.Helper()
	fill := filling{variant: variantsOf(method.Input())[0], foreign: c.b.own, own: c.a.own, values: c.values()}
	s := sending{via: via, method: method, body: fill.request(method), bearer: who.bearer}
	before := column[int](c.rig, "SELECT count(*) FROM audit_event WHERE org_id = $1", c.a.orgID)[0]
	outcome := c.send(t.Context(), s).outcome()
	added := c.auditRows(before)
	want := 0
	if (authzOf(method).GetMutates() || authzOf(method).GetReveals()) && who.role != "" {
		want = 1
	}
	if len(added) != want {
		t.Errorf("%s by %s via %s adds %d audit rows, want %d", shortName(method), who.name, via, len(added), want)
		return 0
	}
	if want == 0 {
		return 0
	}
	row := added[0]
	if row.Method != strings.TrimPrefix(procedureOf(method), "/") || row.Address == "" || row.RequestID != "tenant-test" ||
		(row.Outcome == "ok") != (outcome == http.StatusOK) || (row.ActorKind == "api_key") != who.apiKey {
		t.Errorf("%s by %s via %s, answered %d, leaves %+v", shortName(method), who.name, via, outcome, row)
	}
	for _, secret := range secretsOf(s.body.ProtoReflect()) {
		if strings.Contains(string(row.Request), secret) {
			t.Errorf("%s leaves the secret %q in the audit row", shortName(method), secret)
		}
	}
	return 1
}

// auditRows are a's in the order of their making, without so many of the first.
func (c *campaign) auditRows(known int) []auditRow {
	c.t.Helper()
	var rows []auditRow
	for _, text := range column[string](c.rig, "SELECT to_jsonb(x)::text FROM audit_event x WHERE org_id = $1 ORDER BY at, id OFFSET $2", c.a.orgID, known) {
		var row auditRow
		must(c.t, json.Unmarshal([]byte(text), &row))
		rows = append(rows, row)
	}
	return rows
}

// secretsOf lists the texts of a request that are marked as secret.
func secretsOf(message protoreflect.Message) []string {
	var found []string
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		secret, _ := proto.GetExtension(field.Options(), nightbellv1.E_Secret).(bool)
		if secret && field.Kind() == protoreflect.StringKind {
			found = append(found, value.String())
		}
		return true
	})
	return found
}
