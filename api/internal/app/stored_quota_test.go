package app

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// TestWhatIsDeclaredIsCountedAndShortBeyondTheQuota: it opens an incident and pages as ever, with its title; the audit
// row says who did it, and hardly more.
func TestWhatIsDeclaredIsCountedAndShortBeyondTheQuota(t *testing.T) {
	t.Parallel()
	n := newTestServer(t).newTenant("acme")
	text := strings.Repeat("Orders have stopped. ", 500)
	body := object{"description": text, "tags": object{"region": "eu"}, "metadata": object{"trace": "abc"}, "service_id": n.objects["service"]}
	stored := func(incident string) (description, details string, paged int) {
		return pgtest.One[string](t, n.database, `SELECT description FROM incident WHERE id = $1`, incident),
			pgtest.One[string](t, n.database, `SELECT details::text FROM incident WHERE id = $1`, incident),
			pgtest.One[int](t, n.database, `SELECT count(*) FROM incident WHERE id = $1 AND paging_status = 'active'`, incident)
	}
	row := func() int {
		return pgtest.One[int](t, n.database, `SELECT octet_length(request::text) FROM audit_event WHERE method LIKE '%CreateIncident' ORDER BY at DESC, id DESC LIMIT 1`)
	}
	flush := func() { must(t, n.storage.Flush(t.Context())) }
	flush()
	counted := func() int {
		return pgtest.One[int](t, n.database, `SELECT stored_bytes FROM org WHERE id = $1`, n.orgID)
	}
	before := counted()
	description, details, paged := stored(n.declare("All of it", body))
	if description != strings.TrimSpace(text) && description != text || !strings.Contains(details, "trace") || paged != 1 || row() < 2000 {
		t.Errorf("within the quota: %d bytes of text, %s, %d paged, %d bytes of audit", len(description), details, paged, row())
	}
	flush()
	if added := counted() - before; added < len(text)*3/2 {
		t.Errorf("%d bytes were counted of an incident with %d, and its audit row", added, len(text))
	}
	n.storage.Add(n.orgID, int64(n.quotas.StoredMiBPerDay)<<20)
	flush()
	incident := n.declare("Beyond it", body)
	description, details, paged = stored(incident)
	if len(description) > 1100 || !strings.HasPrefix(description, "Orders have stopped.") || strings.Contains(details, "trace") || paged != 1 || row() > 400 {
		t.Errorf("beyond the quota: %d bytes of text, %s, %d paged, %d bytes of audit", len(description), details, paged, row())
	}
	if told := pgtest.One[int](t, n.database, `SELECT count(*) FROM timeline_event WHERE message LIKE '%It was stored in short%'`); told != 1 {
		t.Errorf("%d timelines tell that what was said is not all there", told)
	}
	if got := n.plainly(http.MethodPost, "/v1/incidents/"+incident+"/acknowledge", n.owner(), []byte(`{}`)); got.status != http.StatusOK {
		t.Error(got.whole())
	}
}
