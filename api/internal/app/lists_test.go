package app

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// TestAListReadWhileRowsComeAndGoShowsEveryRowThatStayedOnce pages through teams and API keys, two
// at a time, and makes and deletes others before each page.
func TestAListReadWhileRowsComeAndGoShowsEveryRowThatStayedOnce(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for noun, list := range map[string]string{"team": "teams", "service": "services"} {
		path := "/v1/" + list
		create := func(name string) string { return n.make(path, noun, object{"name": name}) }
		var stay, leave []string
		for i := range 7 {
			stay = append(stay, create(fmt.Sprintf("Stays %d", i)))
			leave = append(leave, create(fmt.Sprintf("stays %d, and goes", i)))
		}
		var seen []string
		for cursor, first := "", true; first || cursor != ""; first = false {
			if len(leave) > 0 {
				n.call(n.owner(), http.MethodDelete, path+"/"+leave[0], nil)
				leave = leave[1:]
				create(fmt.Sprintf("Aa comes %d", len(leave)))
				create(fmt.Sprintf("stays %d, and comes", len(leave)))
			}
			answer := n.call(n.owner(), http.MethodGet, path+"?limit=2&cursor="+url.QueryEscape(cursor), nil)
			for _, one := range at[[]any](t, answer, list) {
				seen = append(seen, at[string](t, one.(object), "id"))
			}
			cursor, _ = answer["next_cursor"].(string)
		}
		for _, id := range stay {
			if times := len(slices.DeleteFunc(slices.Clone(seen), func(one string) bool { return one != id })); times != 1 {
				t.Errorf("%s shows %s %d times in %d rows", path, id, times, len(seen))
			}
		}
	}
	for _, path := range []string{"/v1/teams?cursor=x", "/v1/incidents?cursor=x", "/v1/inbox?cursor=x", "/v1/calendar-feeds?cursor=x", "/v1/overrides?cursor=x"} {
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
		"dedup_key=db":                                          {old},
		"dedup_key=other":                                       {},
	} {
		ids := []string{}
		for _, one := range at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/incidents?"+query, nil), "incidents") {
			ids = append(ids, at[string](t, one.(object), "id"))
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%s gives %v, want %v", query, ids, want)
		}
	}
	for query, field := range map[string]string{"status=gone": "status", "status=open&status=gone": "status[1]", "urgency=mid": "urgency", "sort=title": "sort"} {
		if status, message, _ := n.refused(n.owner(), http.MethodGet, "/v1/incidents?"+query, nil); status != http.StatusUnprocessableEntity || message[:len(field)+1] != field+" " {
			t.Errorf("%s: %d %s", query, status, message)
		}
	}
}
