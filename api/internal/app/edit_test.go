package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// editable is a kind of resource that is edited.
type editable struct {
	noun, list, path string
	create           object
	// clears are fields that null clears, with what is read afterwards.
	clears object
	// tables hold it.
	tables []string
	// in is where it is created, when that is not path.
	in string
	// label is the field that edits change, name when empty, and words are what they write.
	label string
	words []any
}

// field is what the tests edit.
func (e editable) field() string { return cmp.Or(e.label, "name") }

// word is another value for it.
func (e editable) word(n int) any {
	if e.words == nil {
		return []any{"Renamed", "First", "Second"}[n]
	}
	return e.words[n]
}

// place is where it is created.
func (e editable) place() string { return cmp.Or(e.in, e.path) }

func editables(n *rota) []editable {
	team := n.make("/v1/teams", "team", object{"name": "Platform"})
	contact := n.make("/v1/contact-methods", "contact_method", object{"kind": "email", "name": "Day mail", "address": "day@acme.example.com"})
	step := object{"delay_seconds": 60, "targets": []object{{"kind": "user", "id": n.people["Ada"]}}}
	return []editable{
		{
			noun: "schedule", list: "schedules", path: "/v1/schedules",
			create: object{
				"name": "Nights", "description": "Who is up", "team_id": team, "timezone": "Europe/Berlin", "status": "inactive",
				"rotations": []object{n.weekly("Ada", "Bob")},
			},
			clears: object{"description": "", "team_id": nil, "timezone": "UTC", "status": "active", "rotations": []any{}},
			tables: []string{"schedule", "rotation", "rotation_person"},
		},
		{
			noun: "escalation_policy", list: "escalation_policies", path: "/v1/escalation-policies",
			create: object{
				"name": "Nights", "description": "Who is paged", "repeat_count": 2, "ack_timeout_seconds": 600, "auto_resolve_seconds": 6000,
				"timezone": "Europe/Berlin", "steps": []object{step}, "last_resort": "target",
				"last_resort_target": object{"kind": "user", "id": n.people["Bob"]}, "quiet": []object{{"severities": []string{"low"}}},
			},
			clears: object{
				"description": "", "repeat_count": 0., "ack_timeout_seconds": nil, "auto_resolve_seconds": nil, "timezone": "UTC",
				"last_resort": "owners", "quiet": []any{},
			},
			tables: []string{"escalation_policy", "escalation_step", "escalation_target"},
		},
		{
			noun: "service", list: "services", path: "/v1/services",
			create: object{
				"name": "Checkout", "description": "Takes money", "team_id": team, "owner_id": n.people["Ada"],
				"repo_url": "https://example.com/checkout", "runbook_url": "https://example.com/runbook", "tier": 1, "grouping": "alert",
				"depends_on_ids": []string{n.make("/v1/services", "service", object{"name": "Ledger"})},
			},
			clears: object{"description": "", "team_id": nil, "owner_id": nil, "repo_url": nil, "runbook_url": nil, "tier": 3., "grouping": "group", "depends_on_ids": []any{}},
			tables: []string{"service", "service_dependency"},
		},
		{
			noun: "team", list: "teams", path: "/v1/teams",
			create: object{"name": "Night owls", "description": "Are up", "user_ids": []string{n.people["Ada"], n.people["Bob"]}},
			clears: object{"description": "", "user_ids": []any{}},
			tables: []string{"team", "team_member"},
		},
		{
			noun: "webhook_subscription", list: "webhook_subscriptions", path: "/v1/webhook-subscriptions",
			create: object{
				"name": "Tickets", "url": "https://example.com/nights", "event_types": []string{"incident.resolved", "incident.triggered"},
				"filter": object{"service_ids": []any{}, "team_ids": []string{team}, "severities": []string{"critical"}},
			},
			clears: object{"filter": object{"service_ids": []any{}, "team_ids": []any{}, "severities": []any{}}, "enabled": true},
			tables: []string{"webhook_subscription"},
		},
		{
			noun: "override", list: "overrides", path: "/v1/overrides", in: "/v1/schedules/" + n.make("/v1/schedules", "schedule", object{"name": "Days"}) + "/overrides",
			create: object{
				"kind": "cover", "user_id": n.people["Ada"], "replaces_user_id": n.people["Bob"], "reason": "Holidays",
				"starts_at": "2026-11-25T12:00:00Z", "ends_at": "2026-11-26T12:00:00Z",
			},
			tables: []string{"schedule_override", "schedule"}, label: "reason",
		},
		{
			noun: "maintenance_window", list: "maintenance_windows", path: "/v1/maintenance-windows",
			create: object{
				"description": "Disks", "starts_at": "2026-11-25T13:00:00Z", "ends_at": "2026-11-26T12:00:00Z",
				"service_ids": []string{n.make("/v1/services", "service", object{"name": "Orders"})},
			},
			tables: []string{"maintenance_window", "maintenance_service"}, label: "description",
		},
		{
			noun: "contact_method", list: "contact_methods", path: "/v1/contact-methods",
			create: object{"kind": "email", "name": "Night mail", "address": "night@acme.example.com"}, tables: []string{"contact_method"},
		},
		{
			noun: "notification_rule", list: "notification_rules", path: "/v1/notification-rules",
			create: object{"contact_method_id": contact, "urgency": "low", "delay_seconds": 600}, tables: []string{"notification_rule"},
			label: "delay_seconds", words: []any{60., 120., 180.},
		},
	}
}

// read is the resource as its list shows it.
func (n *rota) read(kind editable, id string) object {
	n.t.Helper()
	for _, one := range at[[]any](n.t, n.call(n.owner(), http.MethodGet, kind.path, nil), kind.list) {
		if one.(object)["id"] == id {
			return one.(object)
		}
	}
	n.t.Fatalf("%s %s is not listed", kind.noun, id)
	return nil
}

// rows tells which transactions wrote the rows of a resource's tables.
func (n *rota) rows(kind editable) (written string) {
	n.t.Helper()
	for _, table := range kind.tables {
		written += pgtest.One[string](n.t, n.database, "SELECT coalesce(string_agg(x.ctid::text || x.xmin::text, ' ' ORDER BY x.ctid), '') FROM "+table+" x")
	}
	return written
}

// differing are the names of the fields in which two resources differ, but for those that follow.
func differing(before, after object) (names []string) {
	for name, value := range before {
		if !reflect.DeepEqual(value, after[name]) && !slices.Contains([]string{"etag", "updated_at", "on_call", "team", "owner", "escalation_policy", "services"}, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestAnEditChangesOnlyWhatItNames(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, kind := range editables(n) {
		t.Run(kind.noun, func(t *testing.T) {
			id := n.make(kind.place(), kind.noun, kind.create)
			path, before := kind.path+"/"+id, n.read(kind, id)
			n.call(n.owner(), http.MethodPatch, path, object{kind.field(): kind.word(0)})
			after := n.read(kind, id)
			if got := differing(before, after); !slices.Equal(got, []string{kind.field()}) || after[kind.field()] != kind.word(0) {
				t.Errorf("a new name changed %v", got)
			}
			if status, message, field := n.refused(n.owner(), http.MethodPatch, path, object{kind.field(): kind.word(1), "time_zone": "UTC"}); status != http.StatusUnprocessableEntity || field != "time_zone" {
				t.Errorf("a misspelt field: %d %s, %s", status, message, field)
			}
			if kind.noun == "override" || kind.noun == "notification_rule" {
				return // what they are called by can be cleared
			}
			if status, _, field := n.refused(n.owner(), http.MethodPatch, path, object{kind.field(): nil}); status != http.StatusUnprocessableEntity || field != kind.field() {
				t.Errorf("a name cannot be cleared: %d %s", status, field)
			}
			if got := differing(after, n.read(kind, id)); got != nil {
				t.Errorf("a refused edit changed %v", got)
			}
			for field, cleared := range kind.clears {
				before := n.read(kind, id)
				n.call(n.owner(), http.MethodPatch, path, object{field: nil})
				after := n.read(kind, id)
				if !reflect.DeepEqual(after[field], cleared) {
					t.Errorf("null leaves %s at %v", field, after[field])
				}
				if got := differing(before, after); len(got) > 2 || len(got) == 2 && !slices.Equal(got, []string{"last_resort", "last_resort_target"}) {
					t.Errorf("clearing %s changed %v", field, got)
				}
			}
		})
	}
}

func TestAnEditWithoutAChangeWritesNothing(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, kind := range editables(n) {
		t.Run(kind.noun, func(t *testing.T) {
			id := n.make(kind.place(), kind.noun, kind.create)
			path, before := kind.path+"/"+id, n.read(kind, id)
			rows := n.rows(kind)
			whole := maps.Clone(before)
			delete(whole, "etag")
			for what, body := range map[string]object{
				"nothing": {}, "what was read": whole, "what it was made of": kind.create,
			} {
				if kind.noun == "schedule" && what == "what it was made of" {
					continue // rotations without their ids are new ones
				}
				if kind.noun == "contact_method" || kind.noun == "notification_rule" {
					body = maps.Clone(body) // what they are made of cannot be changed
					delete(body, "address")
					delete(body, "kind")
					delete(body, "contact_method_id")
				}
				n.call(n.owner(), http.MethodPatch, path, body)
				if after := n.read(kind, id); !reflect.DeepEqual(before, after) || n.rows(kind) != rows {
					t.Errorf("%s sent back changed %v or wrote rows", what, differing(before, after))
				}
			}
		})
	}
}

func TestAnEditOfWhatSomebodyElseChangedIsRefused(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, kind := range editables(n) {
		t.Run(kind.noun, func(t *testing.T) {
			made := n.plainly(http.MethodPost, kind.place(), n.owner(), sure(json.Marshal(kind.create)))
			var created object
			if err := json.Unmarshal([]byte(made.body), &created); err != nil {
				t.Fatal(err, made.body)
			}
			id, etag := at[string](t, created, kind.noun, "id"), at[string](t, created, kind.noun, "etag")
			path := kind.path + "/" + id
			if listed := n.read(kind, id)["etag"]; made.header.Get("ETag") != `"`+etag+`"` || listed != etag || etag == "" {
				t.Fatalf("made with %s and %s, listed with %s", made.header.Get("ETag"), etag, listed)
			}
			edit := func(body object, header ...string) edited {
				got := n.plainly(http.MethodPatch, path, n.owner(), sure(json.Marshal(body)), header...)
				var refusal struct{ Code string }
				_ = json.Unmarshal([]byte(got.body), &refusal)
				return edited{got.status, refusal.Code, strings.Trim(got.header.Get("ETag"), `"`)}
			}
			first := edit(object{kind.field(): kind.word(1)}, "If-Match", `"`+etag+`"`)
			if first.status != http.StatusOK || first.etag == etag {
				t.Errorf("the first edit: %v", first)
			}
			rows := n.rows(kind)
			for what, late := range map[string]edited{
				"If-Match": edit(object{kind.field(): kind.word(2)}, "If-Match", `"`+etag+`"`),
				"the body": edit(object{kind.field(): kind.word(2), "etag": etag}),
				"no edit":  edit(object{}, "If-Match", etag),
			} {
				if late.status != http.StatusPreconditionFailed || late.code != "etag_mismatch" || n.rows(kind) != rows {
					t.Errorf("a late edit by %s: %v", what, late)
				}
			}
			for _, header := range []string{`"` + first.etag + `"`, `W/"` + first.etag + `"`, `"x", ` + first.etag, "*"} {
				if got := edit(object{kind.field(): kind.word(1)}, "If-Match", header); got.status != http.StatusOK {
					t.Errorf("If-Match: %s: %v", header, got)
				}
			}
			if kind.noun == "maintenance_window" {
				return // is ended, and not deleted
			}
			for what, late := range map[string]answer{"If-Match": n.remove(path, `"`+etag+`"`), "the query": n.remove(path+"?etag="+etag, "")} {
				if late.status != http.StatusPreconditionFailed || !strings.Contains(late.body, "etag_mismatch") || n.rows(kind) != rows {
					t.Errorf("a late removal by %s: %s", what, late.whole())
				}
			}
			if back := edit(object{kind.field(): kind.create[kind.field()]}); back.status != http.StatusOK || back.etag != etag {
				t.Errorf("as it was before, it has another etag: %v", back)
			}
			if gone := n.remove(path, `"`+etag+`"`); gone.status != http.StatusOK {
				t.Errorf("the removal of what was read: %s", gone.whole())
			}
		})
	}
}

// remove deletes what is at an address; the condition may be empty.
func (n *rota) remove(address, ifMatch string) answer {
	if ifMatch == "" {
		return n.plainly(http.MethodDelete, address, n.owner(), nil)
	}
	return n.plainly(http.MethodDelete, address, n.owner(), nil, "If-Match", ifMatch)
}

type edited struct {
	status     int
	code, etag string
}

func (a edited) String() string { return fmt.Sprintf("%d %s, etag %s", a.status, a.code, a.etag) }

// An item that is sent back with its id is the same one, whatever else of it changes.
func TestItemsSentBackKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, kind := range editables(n)[:2] {
		list := map[string]string{"schedule": "rotations", "escalation_policy": "steps"}[kind.noun]
		id := n.make(kind.place(), kind.noun, kind.create)
		items := n.read(kind, id)[list].([]any)
		item := maps.Clone(items[0].(object))
		for field, value := range (object{"name": "Other", "length": 2, "delay_seconds": 90}) {
			if _, has := item[field]; has {
				item[field] = value
			}
		}
		n.call(n.owner(), http.MethodPatch, kind.path+"/"+id, object{list: []any{item}})
		after := n.read(kind, id)[list].([]any)
		if len(after) != 1 || after[0].(object)["id"] != item["id"] || reflect.DeepEqual(after[0], items[0]) {
			t.Errorf("%s: %v", kind.noun, after)
		}
	}
}

// A new name does not take the seat of somebody who cannot sign in for a while.
func TestANewNameKeepsTheSeatsOfDisabledPeople(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	path := "/v1/schedules/" + at[string](t, n.schedule("Nights", n.weekly("Ada", "Bob")), "id")
	n.database.Exec(t, `UPDATE users SET disabled_at = nightbell_now() WHERE id = $1`, n.people["Bob"])
	n.call(n.owner(), http.MethodPatch, path, object{"name": "Renamed"})
	if seats := pgtest.One[int](t, n.database, "SELECT count(*) FROM rotation_person"); seats != 2 {
		t.Errorf("%d of 2 seats are left", seats)
	}
}

func TestThereIsNoPUT(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for _, kind := range editables(n) {
		path := kind.path + "/" + n.make(kind.place(), kind.noun, kind.create)
		if got := n.plainly(http.MethodPut, path, n.owner(), []byte(`{"name":"New"}`)); got.status != http.StatusMethodNotAllowed || !strings.Contains(got.header.Get("Allow"), "PATCH") {
			t.Errorf("PUT %s: %s", path, got.whole())
		}
	}
}

// Over Connect and gRPC, update_mask says what the keys of the body say over REST.
func TestUpdateMaskSaysWhatIsCleared(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	kind := editables(n)[3]
	id := n.make(kind.place(), kind.noun, kind.create)
	update := func(body object) answer {
		body["id"] = id
		return n.plainly(http.MethodPost, "/nightbell.v1.OrgService/UpdateTeam", n.owner(), sure(json.Marshal(body)))
	}
	before := n.read(kind, id)
	if got := update(object{"name": "Not named", "description": "Not read", "update_mask": "description,userIds", "user_ids": []string{}}); got.status != http.StatusOK {
		t.Error(got.whole())
	}
	if after := n.read(kind, id); !slices.Equal(differing(before, after), []string{"description", "user_ids"}) || after["description"] != "Not read" {
		t.Errorf("%v", after)
	}
	if got := update(object{"name": "Only this"}); got.status != http.StatusOK || n.read(kind, id)["description"] != "Not read" {
		t.Errorf("without a mask, what has a value is set: %s", got.whole())
	}
	if got := update(object{"update_mask": "naming"}); !strings.Contains(got.body, "update_mask names naming, which does not exist") {
		t.Errorf("a misspelt mask: %s", got.whole())
	}
	if status, _, field := n.refused(n.owner(), http.MethodPatch, kind.path+"/"+id, object{"name": "X", "update_mask": "name"}); status != http.StatusUnprocessableEntity || field != "update_mask" {
		t.Errorf("a mask over REST: %d %s", status, field)
	}
}
