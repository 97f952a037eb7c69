package app

import (
	"net/http"
	"strings"
	"testing"
)

// TestWhatAGetReturnedCanBeSentBack: read, change one thing, send back. What only answers have is
// ignored then, and refused in a body that somebody wrote by hand.
func TestWhatAGetReturnedCanBeSentBack(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob")), "id")
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{"name": "Nights", "steps": []object{
		{"delay_seconds": 60, "targets": []object{{"kind": "schedule", "id": schedule}}},
	}})
	for path, noun := range map[string]string{"/v1/schedules/" + schedule: "schedule", "/v1/escalation-policies/" + policy: "escalation_policy"} {
		read := at[object](t, n.call(n.owner(), http.MethodGet, path, nil), noun)
		read["name"] = "Renamed"
		n.call(n.owner(), http.MethodPatch, path, read)
		if now := at[string](t, n.call(n.owner(), http.MethodGet, path, nil), noun, "name"); now != "Renamed" {
			t.Errorf("%s is named %s", path, now)
		}
		delete(read, "id")
		if status, message, _ := n.refused(n.owner(), http.MethodPatch, path, read); status != http.StatusUnprocessableEntity || !strings.Contains(message, "used_by does not exist") {
			t.Errorf("without the id: %d %s", status, message)
		}
	}
}

// TestAWrongTypeIsNamedByItsPath: the twentieth step of a policy is not found by "user_id".
func TestAWrongTypeIsNamedByItsPath(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	target := func(id any) object { return object{"kind": "user", "id": id} }
	for want, c := range map[string]struct {
		path string
		body object
	}{
		"steps[1].targets[0].id must be a string.": {"/v1/escalation-policies", object{"name": "A", "steps": []object{
			{"targets": []object{target(n.people["Ada"])}}, {"targets": []object{target(7)}},
		}}},
		"steps[0].targets[0] must be an object.":                              {"/v1/escalation-policies", object{"steps": []object{{"targets": []string{"Ada"}}}}},
		"steps must be a list.":                                               {"/v1/escalation-policies", object{"steps": object{}}},
		"rotations[0].turns[1].user_ids[0] must be a string.":                 {"/v1/schedules", object{"rotations": []object{{"turns": []object{{}, {"user_ids": []any{1}}}}}}},
		"rotations[0].length must be a whole number that fits.":               {"/v1/schedules", object{"rotations": []object{{"length": 1.5}}}},
		"rotations[0].starts_at must be a time such as 2026-11-22T03:00:00Z.": {"/v1/schedules", object{"rotations": []object{{"starts_at": "monday"}}}},
	} {
		status, message, _ := n.refused(n.owner(), http.MethodPost, c.path, c.body)
		if status != http.StatusUnprocessableEntity || message != want {
			t.Errorf("%d %s, want %s", status, message, want)
		}
	}
}
