package app

import (
	"net/http"
	"testing"
	"time"
)

// TestAnOverrideIsEdited: what its kind has no place for goes, who is on call follows, and what is
// over stays.
func TestAnOverrideIsEdited(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("Nights", n.weekly("Ada", "Bob")), "id")
	path := "/v1/overrides/" + n.make("/v1/schedules/"+schedule+"/overrides", "override", object{
		"kind": "cover", "user_id": n.people["Cem"], "replaces_user_id": n.people["Ada"], "ends_at": wednesday.Add(2 * time.Hour).Format(time.RFC3339),
	})
	edit := func(body object) object {
		return at[object](t, n.call(n.owner(), http.MethodPatch, path, body), "override")
	}
	onCall := func(want string) {
		t.Helper()
		if got := n.onCall(); got != "Nights: "+want {
			t.Errorf("on call: %s, want %s", got, want)
		}
	}
	onCall("Cem")
	edit(object{"user_id": n.people["Bob"]})
	onCall("Bob")
	if over := edit(object{"kind": "take_over"}); over["replaces_user"] != nil || over["replaces_user_id"] != nil {
		t.Errorf("a take-over of %v", over["replaces_user"])
	}
	if vacant := edit(object{"kind": "vacant"}); vacant["user"] != nil {
		t.Errorf("vacant, with %v", vacant["user"])
	}
	onCall("nobody")
	for _, refused := range []struct {
		body   object
		status int
		field  string
	}{
		{object{"kind": "cover"}, 422, "replaces_user_id"},
		{object{"user_id": n.people["Ada"]}, 422, "user_id"},
		{object{"ends_at": nil}, 422, "ends_at"},
		{object{"ends_at": "2026-11-25T11:00:00Z"}, 422, "ends_at"},
		{object{"ends_at": "2028-11-25T11:00:00Z"}, 422, "ends_at"},
		{object{"schedule_id": schedule}, 422, "schedule_id"},
	} {
		if status, message, field := n.refused(n.owner(), http.MethodPatch, path, refused.body); status != refused.status || field != refused.field {
			t.Errorf("%v: %d %s (%s)", refused.body, status, message, field)
		}
	}
	shown := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/schedules/"+schedule+"/timeline", nil), "timeline", "overrides")[0].(object)
	if read := at[object](t, n.call(n.owner(), http.MethodGet, path, nil), "override"); read["etag"] != shown["etag"] || read["etag"] == "" {
		t.Errorf("read with the etag %v, in the timeline %v", read["etag"], shown["etag"])
	}
	n.database.Clock.Freeze(wednesday.Add(2 * time.Hour))
	if status, message, _ := n.refused(n.owner(), http.MethodPatch, path, object{"ends_at": "2026-11-25T20:00:00Z"}); status != http.StatusConflict {
		t.Errorf("one that is over: %d %s", status, message)
	}
}

// TestAMaintenanceWindowIsEdited, also one under way, and not one that has ended.
func TestAMaintenanceWindowIsEdited(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	orders, stock := n.make("/v1/services", "service", object{"name": "Orders"}), n.make("/v1/services", "service", object{"name": "Stock"})
	path := "/v1/maintenance-windows/" + n.make("/v1/maintenance-windows", "maintenance_window", object{
		"description": "Disks", "ends_at": "2026-11-25T14:00:00Z", "service_ids": []string{orders},
	})
	edit := func(body object) object {
		return at[object](t, n.call(n.owner(), http.MethodPatch, path, body), "maintenance_window")
	}
	n.database.Clock.Freeze(wednesday.Add(time.Hour))
	if got := edit(object{"starts_at": "2026-11-25T12:30:00Z"}); got["starts_at"] != "2026-11-25T12:00:00Z" || got["status"] != "under_way" {
		t.Errorf("under way since %v (%v)", got["starts_at"], got["status"])
	}
	if got := at[[]any](t, edit(object{"service_ids": []string{stock}}), "services"); len(got) != 1 || got[0].(object)["name"] != "Stock" {
		t.Errorf("for %v", got)
	}
	if got := edit(object{"starts_at": "2026-11-25T13:30:00Z"}); got["status"] != "scheduled" {
		t.Errorf("put off: %v", got["status"])
	}
	if got := edit(object{"starts_at": "2026-11-25T12:30:00Z"}); got["starts_at"] != "2026-11-25T13:00:00Z" {
		t.Errorf("begun at %v", got["starts_at"])
	}
	for _, refused := range []struct {
		body  object
		field string
	}{
		{object{"ends_at": "2026-11-25T12:59:00Z"}, "ends_at"},
		{object{"ends_at": "2026-12-29T12:59:00Z"}, "ends_at"},
		{object{"ends_at": nil}, "ends_at"},
		{object{"service_ids": nil}, "service_ids"},
		{object{"service_ids": []string{n.people["Ada"]}}, "service_ids"},
		{object{"state": "ended"}, "state"},
	} {
		if status, message, field := n.refused(n.owner(), http.MethodPatch, path, refused.body); status != http.StatusUnprocessableEntity || field != refused.field {
			t.Errorf("%v: %d %s (%s)", refused.body, status, message, field)
		}
	}
	n.call(n.owner(), http.MethodPost, path+"/end", object{})
	if status, message, _ := n.refused(n.owner(), http.MethodPatch, path, object{"ends_at": "2026-11-25T20:00:00Z"}); status != http.StatusConflict {
		t.Errorf("one that has ended: %d %s", status, message)
	}
}
