//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

const (
	otherName  = "Jonas Weber"
	otherEmail = "jonas@acme.example"
)

// TestTwoAdminsEditTheSame in two browsers: the second is shown what the first has stored beside what
// is written here, and decides. Nothing that either wrote is lost without that.
func TestTwoAdminsEditTheSame(t *testing.T) {
	e := newEditStory(t)
	team := e.create(t, "/v1/teams", "team", map[string]any{"name": "Platform", "user_ids": []string{e.userID}})
	schedule := e.create(t, "/v1/schedules", "schedule", map[string]any{"name": "Nights", "team_id": team, "rotations": []any{map[string]any{
		"name": "Weeks", "unit": "week", "length": 1, "handover": "08:00", "turns": []any{map[string]any{"user_ids": []string{e.userID}}},
	}}})
	policy := e.create(t, "/v1/escalation-policies", "escalation_policy", map[string]any{"name": "Checkout", "steps": []any{map[string]any{
		"delay_seconds": stepDelay, "targets": []any{map[string]string{"kind": "schedule", "id": schedule}},
	}}})
	for _, kind := range []struct{ noun, page, dialog, open, save, path string }{
		{"schedule", "/oncall/schedules/" + schedule, "", "", "Save schedule", "/v1/schedules/" + schedule},
		{"escalation_policy", "/oncall/policies/" + policy, "", "", "Save policy", "/v1/escalation-policies/" + policy},
		{"team", "/oncall/teams", "Edit team", "Edit %s", "Save team", "/v1/teams/" + team},
	} {
		t.Run(kind.noun, func(t *testing.T) {
			begin := func(p *tab) {
				p.open(t, e.url+kind.page)
				p.see(t, "h1", "")
				if kind.open != "" {
					p.press(t, fmt.Sprintf(kind.open, e.read(t, kind.path, kind.noun)["name"]))
				}
			}
			fill := func(p *tab, label, text string) { p.fillIn(t, kind.dialog, label, text) }
			save := func(p *tab) { p.pressIn(t, kind.dialog, kind.save) }
			for round, way := range []string{"Keep mine on top", "Take theirs"} {
				begin(e.mara)
				begin(e.jonas)
				theirs, mine, own := fmt.Sprintf("Of Mara, %d", round), fmt.Sprintf("Jonas %d", round), fmt.Sprintf("Of Jonas, %d", round)
				fill(e.mara, "Description optional", theirs)
				before := e.read(t, kind.path, kind.noun)["name"]
				save(e.mara)
				e.awaitField(t, kind.path, kind.noun, "description", theirs)
				fill(e.jonas, "Name", mine)
				fill(e.jonas, "Description optional", own)
				save(e.jonas)
				e.jonas.see(t, ".edit-conflict-conflict td", theirs)
				e.jonas.see(t, ".edit-conflict-conflict td", own)
				if stored := e.read(t, kind.path, kind.noun); stored["name"] != before || stored["description"] != theirs {
					t.Errorf("before he decides, it is %v, %v", stored["name"], stored["description"])
				}
				if round == 0 {
					e.jonas.look(t, "conflict-"+kind.noun)
				}
				e.jonas.pressIn(t, kind.dialog, way)
				if way == "Take theirs" {
					continue // what is stored is on his screen, and nothing is to be saved
				}
				save(e.jonas)
				e.awaitField(t, kind.path, kind.noun, "name", mine)
				e.awaitField(t, kind.path, kind.noun, "description", own)
			}
			if stored := e.read(t, kind.path, kind.noun); stored["name"] != "Jonas 0" || stored["description"] != "Of Mara, 1" {
				t.Errorf("after he took theirs, it is %v, %v", stored["name"], stored["description"])
			}
		})
	}
	t.Run("deleting", func(t *testing.T) {
		e.mara.open(t, e.url+"/oncall/teams")
		e.mara.press(t, "Delete Jonas 0")
		e.person.do(t, http.MethodPatch, "/v1/teams/"+team, map[string]string{"description": "Still needed"}, nil)
		e.mara.pressIn(t, "Delete team", "Delete team")
		e.mara.see(t, ".edit-conflict-conflict td", "Still needed")
		e.mara.look(t, "conflict-delete")
		e.mara.pressIn(t, "Delete team", "Delete it anyway")
		eventually(t, "the team to be deleted", func() error {
			if n := pgtest.One[int](t, e.database, `SELECT count(*) FROM team`); n > 0 {
				return fmt.Errorf("%d teams", n)
			}
			return nil
		})
	})
	t.Run("calendar", func(t *testing.T) { e.assertCalendarIsCopied(t, schedule) })
	for _, complaint := range e.browser.complaints(t) {
		if !strings.Contains(complaint, "412") {
			t.Error(complaint)
		}
	}
}

// assertCalendarIsCopied makes an address, forgets it with the page, and copies it: what the
// clipboard has is the calendar.
func (e *editStory) assertCalendarIsCopied(t *testing.T, schedule string) {
	t.Helper()
	page := e.url + "/oncall?schedule=" + schedule
	e.mara.open(t, page)
	e.mara.press(t, "Subscribe")
	e.mara.do(t, "press", map[string]any{"text": "Make an address", "first": true})
	e.mara.see(t, "section input.mono", "")
	e.mara.open(t, page)
	e.mara.press(t, "Subscribe")
	e.mara.press(t, "Copy") // of the one that there is
	e.mara.see(t, "[role=status]", "Copied to clipboard")
	var url string
	e.browser.ask(t, map[string]any{"do": "clipboard", "tab": e.mara.name}, &url)
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err != nil || !strings.HasPrefix(string(text), "BEGIN:VCALENDAR") {
		t.Errorf("%s gives %s: %s %v", url, response.Status, text, err)
	}
}

// editStory is an organization with two admins, each in a browser of their own.
type editStory struct {
	*nightbell

	database    *pgtest.Database
	browser     *browser
	person      *caller
	userID      string
	mara, jonas *tab
}

func newEditStory(t *testing.T) *editStory {
	t.Helper()
	clearOutDir(t)
	e := &editStory{database: pgtest.New(t)}
	e.nightbell = serve(t, emptyDataDir(t), freeAddress(t), "DATABASE_URL="+e.database.DSN())
	e.person, e.userID = register(t, e.url)
	other := id.New()
	e.database.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at)
		SELECT $1, $2, $3, password_hash, nightbell_now() FROM users WHERE id = $4`, other, otherName, otherEmail, e.userID)
	e.database.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) SELECT org_id, $1, 'admin', nightbell_now() FROM membership WHERE user_id = $2`, other, e.userID)
	e.browser = startBrowser(t)
	e.mara, e.jonas = e.signIn(t, "mara", personEmail), e.signIn(t, "jonas", otherEmail)
	return e
}

func (e *editStory) signIn(t *testing.T, name, email string) *tab {
	t.Helper()
	p := &tab{browser: e.browser, name: name}
	p.open(t, e.url+"/oncall/teams")
	p.fillIn(t, "Log in", "Email", email)
	p.fillIn(t, "Log in", "Password", password)
	p.pressIn(t, "Log in", "Log in")
	p.see(t, "h1", "Teams")
	return p
}

// look leaves pictures in both themes and widths, and fails on what is wrong with them.
func (p *tab) look(t *testing.T, name string) {
	t.Helper()
	var faults []string
	p.browser.ask(t, map[string]any{"do": "look", "tab": p.name, "path": filepath.Join(outDir(t), name)}, &faults)
	for _, fault := range slices.Compact(faults) {
		t.Error(fault)
	}
}

func (e *editStory) create(t *testing.T, path, noun string, body map[string]any) (resourceID string) {
	t.Helper()
	var made map[string]map[string]any
	e.person.post(t, path, body, &made)
	resourceID, _ = made[noun]["id"].(string)
	return resourceID
}

func (e *editStory) read(t *testing.T, path, noun string) map[string]any {
	t.Helper()
	var answer map[string]map[string]any
	e.person.get(t, path, &answer)
	return answer[noun]
}

func (e *editStory) awaitField(t *testing.T, path, noun, field, want string) {
	t.Helper()
	eventually(t, noun+" with the "+field+" "+want, func() error {
		if got := e.read(t, path, noun)[field]; got != want {
			return fmt.Errorf("it is %v", got)
		}
		return nil
	})
}
