package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
)

// wednesday is when the stories of this file begin: 13:00 in Berlin.
var wednesday = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// rota is a new organization with Ada, Bob and Cem, who can be reached, and a stopped
// clock.
type rota struct {
	*tenant
}

func newRota(t *testing.T) *rota {
	t.Helper()
	n := &rota{&tenant{rig: newTestServer(t), name: "acme", bearers: map[string]string{}, people: map[string]string{}}}
	n.call("", http.MethodPost, "/v1/auth/register", object{
		"user_type": "organization", "name": "Owner", "email": "owner@acme.example.com", "password": password, "org_name": "Acme",
	})
	n.signIn("owner", "owner@acme.example.com")
	for _, name := range []string{"Ada", "Bob", "Cem"} {
		n.joinReachable(name)
	}
	n.database.Clock.Freeze(wednesday)
	return n
}

func (n *rota) joinReachable(name string) {
	n.t.Helper()
	n.join(name, auth.Responder)
	n.database.Exec(n.t, `UPDATE users SET name = $2 WHERE id = $1`, n.people[name], name)
	n.call(n.bearers[name], http.MethodPost, "/v1/contact-methods", object{"kind": "email", "name": "Mail", "address": name + "@acme.example.com"})
}

// weekly is a rotation in which the people take turns at 08:00 on Mondays, Ada first.
func (n *rota) weekly(names ...string) object {
	var turns []object
	for _, name := range names {
		turns = append(turns, n.turn(name))
	}
	return object{
		"name": "Weeks", "unit": "week", "length": 1, "handover": "08:00", "weekday": "monday",
		"starts_at": "2026-11-23T07:00:00Z", "turns": turns,
	}
}

// turn is a turn of one person, or of nobody for no name.
func (n *rota) turn(name string) object {
	if name == "" {
		return object{"user_ids": []string{}}
	}
	return object{"user_ids": []string{n.people[name]}}
}

func (n *rota) schedule(name string, rotations ...object) object {
	n.t.Helper()
	return at[object](n.t, n.call(n.owner(), http.MethodPost, "/v1/schedules",
		object{"name": name, "timezone": "Europe/Berlin", "rotations": rotations}), "schedule")
}

// shifts says who is on call from when, in Berlin, as the final timeline shows it.
func (n *rota) shifts(scheduleID, from, to string) string {
	n.t.Helper()
	answer := n.call(n.owner(), http.MethodGet, "/v1/schedules/"+scheduleID+"/timeline?from="+from+"&to="+to, nil)
	var lines []string
	for _, shift := range at[[]any](n.t, answer, "timeline", "final") {
		lines = append(lines, n.shiftLine(shift.(object)))
	}
	return strings.Join(lines, ", ")
}

func (n *rota) shiftLine(shift object) string {
	n.t.Helper()
	berlin := sure(time.LoadLocation("Europe/Berlin"))
	names := []string{}
	for _, person := range shift["users"].([]any) {
		names = append(names, person.(object)["name"].(string))
	}
	if len(names) == 0 {
		names = []string{"nobody"}
	}
	start, _ := shift["starts_at"].(string) // absent where it began out of sight
	began, _ := time.Parse(time.RFC3339, start)
	return began.In(berlin).Format("02.01. 15:04 ") + strings.Join(names, "+")
}

// onCall is who is on call for each schedule now.
func (n *rota) onCall() string {
	n.t.Helper()
	var lines []string
	for _, one := range at[[]any](n.t, n.call(n.owner(), http.MethodGet, "/v1/on-call", nil), "on_call") {
		shift := one.(object)["current"].(object)
		_, who, _ := strings.Cut(strings.SplitN(n.shiftLine(shift), " ", 2)[1], " ")
		lines = append(lines, one.(object)["schedule"].(object)["name"].(string)+": "+who)
	}
	return strings.Join(lines, ", ")
}

func (n *rota) problems() (kinds, messages []string) {
	n.t.Helper()
	for _, one := range at[[]any](n.t, n.call(n.owner(), http.MethodGet, "/v1/on-call/problems", nil), "problems") {
		kinds, messages = append(kinds, one.(object)["kind"].(string)), append(messages, one.(object)["message"].(string))
	}
	return kinds, messages
}

// refused makes a call that must be refused, and returns the status, the sentence and the
// field that it names.
func (n *rota) refused(bearer, verb, path string, body object) (status int, message, field string) {
	n.t.Helper()
	got := n.plainly(verb, path, bearer, sure(json.Marshal(body)))
	var refusal struct {
		Message string
		Details []struct{ Field string }
	}
	if err := json.Unmarshal([]byte(got.body), &refusal); err != nil || got.outcome() == http.StatusOK {
		n.t.Fatalf("%s %s is not refused: %s", verb, path, got.whole())
	}
	for _, detail := range refusal.Details {
		field = detail.Field
	}
	return got.status, refusal.Message, field
}
