package app

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestOnCallRefusals(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	made := n.schedule("24/7 Support", n.weekly("Ada"))
	path := "/v1/schedules/" + at[string](t, made, "id")
	other := n.schedule("Backup", n.weekly("Bob"))["rotations"].([]any)[0].(object)["id"]
	with := func(changes object) object {
		rotation := n.weekly("Ada")
		maps.Copy(rotation, changes)
		return object{"name": "New", "rotations": []object{rotation}}
	}
	override := func(changes object) object {
		body := object{"kind": "take_over", "user_id": n.people["Bob"], "ends_at": "2026-11-26T00:00:00Z"}
		maps.Copy(body, changes)
		return body
	}
	strangers := uuid.NewString()
	for name, c := range map[string]struct {
		verb, path string
		body       object
		status     int
		field      string
		message    string
	}{
		"taken name":           {"POST", "/v1/schedules", object{"name": "24/7 support"}, 409, "", "There is a schedule of this name already."},
		"blank name":           {"POST", "/v1/schedules", object{"name": " "}, 422, "name", "is blank"},
		"unknown zone":         {"POST", "/v1/schedules", object{"name": "New", "timezone": "Mars/Olympus"}, 422, "timezone", "There is no time zone of this name."},
		"unknown team":         {"POST", "/v1/schedules", object{"name": "New", "team_id": strangers}, 422, "team_id", "Team not found"},
		"unknown policy":       {"PATCH", path, object{"name": "New", "escalation_policy_id": strangers}, 422, "escalation_policy_id", "Escalation policy not found"},
		"unknown person":       {"POST", "/v1/schedules", with(object{"turns": []object{n.turn("Ada"), {"user_ids": []string{n.people["Bob"], strangers}}}}), 422, "rotations[0].turns[1].user_ids[1]", "not a member"},
		"no id":                {"POST", "/v1/schedules", with(object{"turns": []object{{"user_ids": []string{"Ada"}}}}), 422, "rotations[0].turns[0].user_ids[0]", "not a member"},
		"another's rotation":   {"PATCH", path, with(object{"id": other}), 422, "rotations[0].id", "no such rotation"},
		"a new one's id":       {"POST", "/v1/schedules", with(object{"id": other}), 422, "rotations[0].id", "no such rotation"},
		"ends before start":    {"POST", "/v1/schedules", with(object{"ends_at": "2026-11-01T00:00:00Z"}), 422, "rotations[0].ends_at", "after its start"},
		"year 9999":            {"POST", "/v1/schedules", with(object{"starts_at": "9999-01-01T00:00:00Z"}), 422, "rotations[0].starts_at", "between the years"},
		"handover":             {"POST", "/v1/schedules", with(object{"handover": "8 o'clock"}), 422, "rotations[0].handover", ""},
		"unknown schedule":     {"PATCH", "/v1/schedules/" + strangers, object{"name": "New"}, 404, "", "Schedule not found"},
		"range of 93 days":     {"GET", path + "/timeline?from=2026-11-01T00:00:00Z&to=2027-02-02T00:00:01Z", nil, 422, "to", "at most 92 days"},
		"empty range":          {"GET", path + "/timeline?from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z", nil, 422, "to", "after the beginning"},
		"time in the year 1":   {"GET", "/v1/on-call?at=0001-01-01T00:00:00Z", nil, 422, "at", "between the years"},
		"no time":              {"GET", "/v1/on-call?at=today", nil, 422, "at", "must be a time such as"},
		"override backwards":   {"POST", path + "/overrides", override(object{"ends_at": "2026-11-25T11:00:00Z"}), 422, "ends_at", "after its start"},
		"override in the past": {"POST", path + "/overrides", override(object{"starts_at": "2026-11-25T10:00:00Z", "ends_at": "2026-11-25T12:00:00Z"}), 422, "ends_at", "over already"},
		"override for years":   {"POST", path + "/overrides", override(object{"ends_at": "2028-01-01T00:00:00Z"}), 422, "ends_at", "366 days"},
		"override for ever":    {"POST", path + "/overrides", override(object{"ends_at": nil}), 422, "ends_at", "Say when the override ends."},
		"covers oneself":       {"POST", path + "/overrides", override(object{"kind": "cover", "replaces_user_id": n.people["Bob"]}), 422, "replaces_user_id", "two different people"},
		"covers nobody":        {"POST", path + "/overrides", override(object{"kind": "cover"}), 422, "replaces_user_id", "Choose who is covered."},
		"covers a stranger":    {"POST", path + "/overrides", override(object{"kind": "cover", "replaces_user_id": strangers}), 422, "replaces_user_id", "not a member"},
		"a stranger":           {"POST", path + "/overrides", override(object{"user_id": strangers}), 422, "user_id", "not a member"},
		"vacant with a person": {"POST", path + "/overrides", override(object{"kind": "vacant"}), 422, "user_id", "Leave out the person"},
		"unknown feed":         {"DELETE", "/v1/calendar-feeds/" + strangers, nil, 404, "", "Calendar feed not found"},
	} {
		status, message, field := n.refused(n.owner(), c.verb, c.path, c.body)
		if status != c.status || field != c.field || !strings.Contains(message, c.message) {
			t.Errorf("%s: %d %q, field %q", name, status, message, field)
		}
	}
}
