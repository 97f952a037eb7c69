package app

import (
	"net/http"
	"slices"
	"testing"
)

// TestABrokenCursorIsRefused asks lists of each way of paging.
func TestABrokenCursorIsRefused(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, path := range []string{"/v1/teams?cursor=x", "/v1/incidents?cursor=x", "/v1/inbox?cursor=x", "/v1/calendar-feeds?cursor=x", "/v1/overrides?cursor=x", "/v1/heartbeats?cursor=x"} {
		if status, _, fields := n.refused(n.owner(), http.MethodGet, path, nil); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %v", path, status, fields)
		}
	}
}

// TestIncidentsAreFilteredBy makes two incidents that differ in everything a filter asks for.
func TestIncidentsAreFilteredBy(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	team := n.make("/v1/teams", "team", object{"name": "Core"})
	service := n.make("/v1/services", "service", object{"name": "Checkout", "team_id": team})
	old := n.make("/v1/incidents", "incident", object{
		"title": "Old", "severity": "critical", "service_id": service, "assignee_id": n.people["Ada"], "tags": object{"type": "business", "zone": "a"},
	})
	fresh := n.make("/v1/incidents", "incident", object{"title": "Fresh", "severity": "low", "tags": object{"type": "technical"}})
	n.database.Exec(t, `UPDATE incident SET triggered_at = '2026-01-01T00:00:00Z', incident_key = 'alert:db' WHERE id = $1`, old)
	check := func(query string, want ...string) {
		t.Helper()
		var ids []string
		for _, one := range at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/incidents?"+query, nil), "incidents") {
			ids = append(ids, at[string](t, one.(object), "id"))
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s gives %v, want %v", query, ids, want)
		}
	}
	for query, want := range map[string][]string{
		"":                               {fresh, old},
		"sort=triggered_at":              {old, fresh},
		"sort=-triggered_at":             {fresh, old},
		"assignee_id=" + n.people["Ada"]: {old},
		"assignee_id=none":               {fresh},
		"assignee_id=none&assignee_id=" + n.people["Ada"]: {fresh, old},
		"team_id=" + team:            {old},
		"urgency=low":                {fresh},
		"urgency=low&urgency=high":   {fresh, old},
		"since=2026-06-01T00:00:00Z": {fresh},
		"until=2026-06-01T00:00:00Z": {old},
		"since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:01Z": {old},
		"until=2026-01-01T00:00:00Z":                            {},
		"tag=zone":                                              {old},
		"tag=type:technical":                                    {fresh},
		"tag=type:technical&tag=zone":                           {fresh, old},
		"tag=type:other":                                        {},
		"assignee_id=" + n.people["Ada"] + "&assignee_id=" + n.people["Ada"]: {old},
		"assignee_id=" + n.people["Ada"] + "&team_id=" + team:                {old},
		"assignee_id=" + n.people["Bob"] + "&team_id=" + team:                {},
		"service_id=" + service + "&team_id=" + team:                         {old},
		"service_id=" + service + "&assignee_id=none":                        {},
		"dedup_key=db&dedup_key=db&team_id=" + team:                          {old},
		"dedup_key=db&status=resolved":                                       {},
		"dedup_key=db&status=open&assignee_id=none":                          {},
		"dedup_key=db":    {old},
		"dedup_key=other": {},
	} {
		check(query, want...)
	}
	n.call(n.owner(), http.MethodPost, "/v1/incidents/"+old+"/resolve", object{})
	for _, query := range []string{"dedup_key=db&dedup_key=db", "dedup_key=db&status=resolved&team_id=" + team, "status=resolved&assignee_id=" + n.people["Ada"]} {
		check(query, old)
	}
	for query, field := range map[string]string{"status=gone": "status", "status=open&status=gone": "status[1]", "urgency=mid": "urgency", "sort=title": "sort"} {
		if status, message, _ := n.refused(n.owner(), http.MethodGet, "/v1/incidents?"+query, nil); status != http.StatusUnprocessableEntity || message[:len(field)+1] != field+" " {
			t.Errorf("%s: %d %s", query, status, message)
		}
	}
}
