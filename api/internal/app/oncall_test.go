package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

func TestOnCallWeeksWithAnOverride(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	made := n.schedule("24/7 Support", n.weekly("Ada", "Bob", "Cem"))
	id := at[string](t, made, "id")
	if got, want := n.shifts(id, "2026-11-23T07:00:00Z", "2026-12-15T00:00:00Z"), "23.11. 08:00 Ada, 30.11. 08:00 Bob, 07.12. 08:00 Cem, 14.12. 08:00 Ada"; got != want {
		t.Errorf("the weeks are %s", got)
	}
	// In March clocks are set forward; the handover stays at 08:00.
	if got, want := n.shifts(id, "2027-03-23T00:00:00Z", "2027-03-30T00:00:00Z"), "23.03. 01:00 Cem, 29.03. 08:00 Ada"; got != want {
		t.Errorf("the weeks in March are %s", got)
	}
	spring := n.call(n.owner(), http.MethodGet, "/v1/schedules/"+id+"/timeline?from=2027-03-23T00:00:00Z", nil)
	if got := at[[]any](t, spring, "timeline", "clock_changes")[0].(object); got["at"] != "2027-03-28T01:00:00Z" || got["message"] != "02:00 becomes 03:00" {
		t.Errorf("clocks: %v", got)
	}
	override := n.make("/v1/schedules/"+id+"/overrides", "override",
		object{"kind": "cover", "user_id": n.people["Cem"], "replaces_user_id": n.people["Ada"], "ends_at": "2026-11-25T18:00:00Z", "reason": "Dentist"})
	if got := n.onCall(); got != "24/7 Support: Cem" {
		t.Errorf("with an override that begins now: %s", got)
	}
	if got, want := n.shifts(id, "2026-11-25T00:00:00Z", "2026-11-27T00:00:00Z"), "25.11. 01:00 Ada, 25.11. 13:00 Cem, 25.11. 19:00 Ada"; got != want {
		t.Errorf("the day of the override is %s", got)
	}
	listed := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/overrides?schedule_id="+id, nil), "overrides")
	if len(listed) != 1 || listed[0].(object)["created_by"].(object)["name"] != "Owner" || listed[0].(object)["reason"] != "Dentist" {
		t.Errorf("the list of overrides has %v", listed)
	}
	n.call(n.bearers["Ada"], http.MethodDelete, "/v1/overrides/"+override, nil)
	if got := n.onCall(); got != "24/7 Support: Ada" {
		t.Errorf("with the override taken back: %s", got)
	}
}

func TestOnCallPreviewStoresNothing(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	id := at[string](t, n.schedule("24/7 Support", n.weekly("Ada")), "id")
	before := n.sums(n.orgID)
	answer := n.call(n.owner(), http.MethodPost, "/v1/schedules/preview", object{
		"schedule_id": id, "timezone": "Europe/Berlin", "rotations": []object{n.weekly("Bob", "")},
		"from": "2026-11-23T07:00:00Z", "to": "2026-12-07T07:00:00Z",
	})
	if got := at[[]any](t, answer, "problems"); len(got) != 1 ||
		got[0].(object)["message"] != "Nobody is on call for 24/7 Support from Mon 30 Nov 08:00 to Mon 7 Dec 08:00." {
		t.Errorf("a vacant week is shown as %v", got)
	}
	if got := changes(before, n.sums(n.orgID)); len(got) > 0 {
		t.Errorf("to preview changes %v", got)
	}
	unnamed := n.call(n.owner(), http.MethodPost, "/v1/schedules/preview", object{"rotations": []object{n.weekly("Ada"), n.weekly("Bob")}})
	if got := at[[]any](t, unnamed, "timeline", "layers"); len(got) != 2 || got[0].(object)["rotation_id"] == got[1].(object)["rotation_id"] {
		t.Errorf("the layers of a new schedule are not told apart: %v", got)
	}
	if got := n.onCall(); got != "24/7 Support: Ada" {
		t.Errorf("after the preview: %s", got)
	}
}

func TestOnCallProblems(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	if kinds, _ := n.problems(); len(kinds) > 0 {
		t.Errorf("a new organization has problems: %v", kinds)
	}
	n.schedule("Not begun")
	worked := n.weekly("Ada")
	worked["windows"] = []object{{"days": []string{"saturday"}, "from": "14:00", "to": "08:00"}, {"days": []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday"}, "from": "08:00", "to": "08:00"}}
	worked["ends_at"] = "2026-12-05T07:00:00Z"
	n.schedule("24/7 Support", worked)
	kinds, messages := n.problems()
	if want := []string{
		"Nobody is on call for 24/7 Support from Sat 28 Nov 08:00 to 14:00.",
		"Nobody is on call for 24/7 Support from Sat 5 Dec 08:00 on.",
	}; !slices.Equal(messages, want) {
		t.Errorf("%v: %v", kinds, messages)
	}
	backup := at[string](t, n.schedule("Backup", n.weekly("Ada", "Bob")), "id")
	n.database.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = $1`, n.people["Bob"])
	for range 2 {
		n.make("/v1/schedules/"+backup+"/overrides", "override", object{"kind": "take_over", "user_id": n.people["Cem"], "starts_at": "2026-12-01T07:00:00Z", "ends_at": "2026-12-01T19:00:00Z"})
	}
	if _, messages = n.problems(); !slices.Equal(messages, []string{
		"Nobody is on call for 24/7 Support from Sat 28 Nov 08:00 to 14:00.",
		"Nobody is on call for 24/7 Support from Sat 5 Dec 08:00 on.",
		"Bob is on call for Backup from Mon 30 Nov 08:00 to Tue 1 Dec 08:00 and cannot be reached: there is no contact method that works.",
		"Ada is on call for 24/7 Support and for Backup at once until Sat 28 Nov 08:00: one of them backs up nobody.",
		"Ada is on call for 24/7 Support and for Backup at once from Sat 28 Nov 14:00 to Mon 30 Nov 08:00: one of them backs up nobody.",
		"The override of Backup for Cem from Tue 1 Dec 08:00 to 20:00 changes nothing: a later one wins, or it is so without it.",
		"The override of Backup for Cem from Tue 1 Dec 08:00 to 20:00 changes nothing: a later one wins, or it is so without it.",
	}) {
		t.Errorf("%s", strings.Join(messages, "\n"))
	}
	n.database.Exec(t, `UPDATE contact_method SET disabled_at = NULL, verified_at = NULL WHERE user_id = $1`, n.people["Bob"])
	n.db.VerifiesMail()
	n.database.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id <> $1`, n.people["Bob"])
	if _, messages = n.problems(); len(messages) < 3 || !strings.HasSuffix(messages[2], "cannot be reached: no address is confirmed yet. Open the link that was mailed to it.") {
		t.Errorf("with an address that is not confirmed: %s", strings.Join(messages, "\n"))
	}
}

// Who leaves makes a seat vacant, and the others keep their weeks.
func TestOnCallOfSomebodyWhoLeft(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	id := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob", "Cem")), "id")
	n.database.Exec(t, "DELETE FROM membership WHERE user_id = $1", n.people["Bob"])
	if got, want := n.shifts(id, "2026-11-23T07:00:00Z", "2026-12-15T00:00:00Z"), "23.11. 08:00 Ada, 30.11. 08:00 nobody, 07.12. 08:00 Cem, 14.12. 08:00 Ada"; got != want {
		t.Errorf("the weeks are %s", got)
	}
	shown := at[object](t, n.call(n.owner(), http.MethodGet, "/v1/schedules/"+id, nil), "schedule")
	turns := shown["rotations"].([]any)[0].(object)["turns"].([]any)
	if len(turns) != 3 || len(turns[1].(object)["user_ids"].([]any)) != 0 {
		t.Errorf("the turns are %v", turns)
	}
	if _, messages := n.problems(); !slices.Contains(messages, "Nobody is on call for 24/7 Support from Mon 30 Nov 08:00 to Mon 7 Dec 08:00.") {
		t.Errorf("the vacant week is no problem: %v", messages)
	}
}

func TestOnCallUpdateKeepsWhatItNames(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	made := n.schedule("24/7 Support", n.weekly("Ada"), n.weekly("Bob"))
	id, path := at[string](t, made, "id"), "/v1/schedules/"+at[string](t, made, "id")
	kept := made["rotations"].([]any)[1].(object)
	delete(kept, "starts_at") // absent keeps what is stored
	kept["turns"] = []object{n.turn("Cem"), n.turn("Bob")}
	updated := at[object](t, n.call(n.owner(), http.MethodPatch, path, object{
		"name": "Support", "timezone": "Europe/Berlin", "rotations": []any{kept, n.weekly("Ada")},
	}), "schedule")
	rotations := updated["rotations"].([]any)
	if got := rotations[0].(object); len(rotations) != 2 || got["id"] != kept["id"] || got["starts_at"] != "2026-11-23T07:00:00Z" {
		t.Errorf("the rotations are %v", rotations)
	}
	if got := n.shifts(id, "2026-11-23T07:00:00Z", "2026-11-24T00:00:00Z"); got != "23.11. 08:00 Ada" {
		t.Errorf("the later rotation wins, but it is %s", got)
	}
	n.call(n.owner(), http.MethodPatch, path, object{"status": "inactive", "rotations": nil})
	if got := n.onCall(); got != "" {
		t.Errorf("a schedule that is switched off shows %s", got)
	}
	if left := pgtest.One[int](t, n.database, "SELECT (SELECT count(*) FROM rotation) + (SELECT count(*) FROM rotation_person)"); left != 0 {
		t.Errorf("%d rows are left of rotations that are gone", left)
	}
}

// A schedule or team that a policy pages is not taken away from under it.
func TestOnCallDeleteWhatIsPaged(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada")), "id")
	team := n.make("/v1/teams", "team", object{"name": "Platform", "user_ids": []string{n.people["Ada"]}})
	n.call(n.owner(), http.MethodPatch, "/v1/teams/"+team, object{"name": "Core", "description": "Runs it", "user_ids": []string{n.people["Bob"], n.people["Ada"]}})
	if got := at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/teams", nil), "teams")[0].(object); got["name"] != "Core" || len(got["user_ids"].([]any)) != 2 {
		t.Errorf("the team is %v", got)
	}
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{"name": "Critical", "steps": []object{
		{"delay_seconds": 60, "targets": []object{{"kind": "schedule", "id": schedule}, {"kind": "team", "id": team}}},
	}})
	for path, want := range map[string]string{
		"/v1/schedules/" + schedule: "The escalation policy Critical pages this schedule. Remove it from its steps first, or switch the schedule off.",
		"/v1/teams/" + team:         "The escalation policy Critical pages this team. Remove it from its steps first.",
	} {
		if status, message, _ := n.refused(n.owner(), http.MethodDelete, path, nil); status != http.StatusConflict || message != want {
			t.Errorf("to delete %s is answered %d %s", path, status, message)
		}
	}
	shown := at[object](t, n.call(n.owner(), http.MethodGet, "/v1/schedules/"+schedule, nil), "schedule")
	if used := shown["used_by"].([]any); len(used) != 1 || used[0].(object)["name"] != "Critical" {
		t.Errorf("the schedule is used by %v", used)
	}
	n.call(n.owner(), http.MethodDelete, "/v1/escalation-policies/"+policy, nil)
	n.call(n.owner(), http.MethodDelete, "/v1/schedules/"+schedule, nil)
	n.call(n.owner(), http.MethodDelete, "/v1/teams/"+team, nil)
	if status, _, _ := n.refused(n.owner(), http.MethodDelete, "/v1/teams/"+team, nil); status != http.StatusNotFound {
		t.Errorf("a team that is gone answers %d", status)
	}
}

// What is changed while an incident waits counts for the next step: whoever is shown then
// is paged, and nobody at all means the owner.
func TestOnCallEditsUnderWay(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob")), "id")
	path, step := "/v1/schedules/"+schedule, object{"delay_seconds": 300, "targets": []object{{"kind": "schedule", "id": schedule}}}
	policy := n.make("/v1/escalation-policies", "escalation_policy", object{"name": "Critical", "steps": []object{step, step, step, step, step}})
	service := n.make("/v1/services", "service", object{"name": "Checkout", "escalation_policy_id": policy})
	n.make("/v1/incidents", "incident", object{"title": "Down", "severity": "critical", "service_id": service})
	paged := func(when, want string) {
		t.Helper()
		n.page()
		newest := pgtest.One[string](t, n.database, `SELECT u.name FROM notification x JOIN users u ON u.id = x.user_id ORDER BY x.created_at DESC, x.id DESC LIMIT 1`)
		if shown := n.onCall(); newest != want || shown != "24/7 Support: "+strings.Replace(want, "Owner", "nobody", 1) {
			t.Errorf("%s, %s is paged, want %s, and this is shown: %s", when, newest, want, shown)
		}
		n.database.Clock.Advance(5 * time.Minute)
	}
	paged("At once", "Ada")
	override := n.make(path+"/overrides", "override", object{"kind": "take_over", "user_id": n.people["Cem"], "ends_at": "2026-11-26T00:00:00Z"})
	paged("With an override", "Cem")
	n.call(n.owner(), http.MethodDelete, "/v1/overrides/"+override, nil)
	n.call(n.owner(), http.MethodPatch, path, object{"name": "24/7 Support", "timezone": "Europe/Berlin", "rotations": []object{n.weekly("Bob")}})
	paged("With another rotation", "Bob")
	n.database.Exec(t, "DELETE FROM membership WHERE user_id = $1", n.people["Bob"])
	paged("Without the only person", "Owner")
}
