package app

import (
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var calendarSummary = regexp.MustCompile(`SUMMARY:(.+)\r\n`)

// feed reads a calendar as a program would and lists its entries.
func (n *rota) feed(url string) (status int, entries []string) {
	n.t.Helper()
	got := n.get(strings.TrimPrefix(url, n.PublicURL), "")
	if got.status == http.StatusOK && (got.header.Get("Content-Type") != "text/calendar; charset=utf-8" || !strings.HasPrefix(got.header.Get("Cache-Control"), "private")) {
		n.t.Errorf("the calendar has the headers %v", got.header)
	}
	for _, found := range calendarSummary.FindAllStringSubmatch(strings.ReplaceAll(got.body, "\r\n ", ""), -1) {
		entries = append(entries, found[1])
	}
	return got.status, slices.Compact(entries)
}

func TestOnCallCalendar(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob")), "id")
	n.schedule("Backup", n.weekly("Bob", "Cem"))
	made := n.call(n.bearers["Ada"], http.MethodPost, "/v1/calendar-feeds", object{"schedule_id": schedule})
	whole := at[string](t, made, "url")
	own := at[string](t, n.call(n.bearers["Bob"], http.MethodPost, "/v1/calendar-feeds", object{}), "url")
	n.logged.take()
	if _, entries := n.feed(whole); len(entries) != 14 || entries[0] != "Ada on call: 24/7 Support" || entries[1] != "Bob on call: 24/7 Support" {
		t.Errorf("the schedule's calendar has %d entries: %v", len(entries), entries)
	}
	if _, entries := n.feed(own); !slices.Equal(slices.Compact(sorted(entries)), []string{"Bob on call: 24/7 Support", "Bob on call: Backup"}) {
		t.Errorf("the person's calendar has %v", entries)
	}
	if logged := n.logged.take(); strings.Contains(logged, path.Base(whole)) || !strings.Contains(logged, "/calendar/{file}") {
		t.Errorf("the log has the secret: %s", logged)
	}
	// Ada sees the schedule's feed, and not Bob's own.
	listed := at[[]any](t, n.call(n.bearers["Ada"], http.MethodGet, "/v1/calendar-feeds", nil), "calendar_feeds")
	if len(listed) != 1 || listed[0].(object)["url"] != nil || listed[0].(object)["last_used_at"] == nil {
		t.Errorf("the feeds are %v", listed)
	}
	if status, _, _ := n.refused(n.bearers["Ada"], http.MethodDelete, "/v1/calendar-feeds/"+n.feedOf("Bob"), nil); status != http.StatusNotFound {
		t.Errorf("Ada may end Bob's feed: %d", status)
	}
	// Rotating ends the old address; leaving ends the own one.
	rotated := at[string](t, n.call(n.bearers["Ada"], http.MethodPost, "/v1/calendar-feeds", object{"schedule_id": schedule}), "url")
	if status, entries := n.feed(whole); status != http.StatusNotFound || len(entries) > 0 {
		t.Errorf("the old address answers %d with %v", status, entries)
	}
	if status, entries := n.feed(rotated); status != http.StatusOK || len(entries) != 14 {
		t.Errorf("the new address answers %d with %v", status, entries)
	}
	n.database.Exec(t, "UPDATE users SET disabled_at = nightbell_now() WHERE id = $1", n.people["Bob"])
	if status, _ := n.feed(own); status != http.StatusNotFound {
		t.Errorf("the feed of somebody who is disabled answers %d", status)
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func (n *rota) feedOf(name string) string {
	n.t.Helper()
	return pgtest.One[uuid.UUID](n.t, n.database, "SELECT id FROM calendar_feed WHERE user_id = $1", n.people[name]).String()
}

// A schedule that changes every minute costs its calendar a bounded work, and takes nothing from the
// other schedules of the person.
func TestOnCallCalendarIsBoundedByWork(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	n.schedule("Calm", n.weekly("Ada", "Bob"))
	n.schedule("Restless", n.everyMinute()...)
	own := at[string](t, n.call(n.bearers["Ada"], http.MethodPost, "/v1/calendar-feeds", object{}), "url")
	status, entries := n.feed(own)
	calm := 0
	for _, entry := range entries {
		if entry == "Ada on call: Calm" {
			calm++
		}
	}
	if status != http.StatusOK || entries[len(entries)-1] != "Not shown from here: Restless" || calm == 0 {
		t.Errorf("%d with %d entries, %d of the calm schedule, the last is %s", status, len(entries), calm, entries[len(entries)-1])
	}
}

func TestOverridesOfAScheduleAreBounded(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob")), "id")
	n.database.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, starts_at, ends_at, reason, created_at)
		SELECT org_id, gen_random_uuid(), id, 'vacant', $2, $2::timestamptz + interval '1 minute', '', $2 FROM schedule, generate_series(1, 999) WHERE id = $1`, schedule, wednesday)
	vacant := object{"kind": "vacant", "ends_at": "2026-11-26T00:00:00Z"}
	n.make("/v1/schedules/"+schedule+"/overrides", "override", vacant)
	status, message, _ := n.refused(n.owner(), http.MethodPost, "/v1/schedules/"+schedule+"/overrides", vacant)
	if status != http.StatusConflict || message != "This schedule has 1000 overrides of the last 400 days and ahead. Delete some, or change its rotations instead." {
		t.Errorf("override 1,001: %d %s", status, message)
	}
}

// A calendar that did not change is not sent again, and its use is noted once an hour.
func TestOnCallCalendarIsCheap(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	schedule := at[string](t, n.schedule("24/7 Support", n.weekly("Ada", "Bob")), "id")
	made := n.call(n.owner(), http.MethodPost, "/v1/calendar-feeds", object{"schedule_id": schedule})
	address := strings.TrimPrefix(at[string](t, made, "url"), n.PublicURL)
	used := func() time.Time {
		return pgtest.One[time.Time](t, n.database, "SELECT last_used_at FROM calendar_feed").UTC()
	}
	first := n.get(address, "")
	n.database.Clock.Advance(50 * time.Minute)
	again := n.get(address, "", "If-None-Match", first.header.Get("ETag"))
	if again.status != http.StatusNotModified || again.body != "" || !used().Equal(wednesday) {
		t.Errorf("50 minutes later: %d, used at %s", again.status, used())
	}
	later := n.database.Clock.Advance(10 * time.Minute)
	n.make("/v1/schedules/"+schedule+"/overrides", "override", object{"kind": "vacant", "ends_at": "2026-11-26T00:00:00Z"})
	if again := n.get(address, "", "If-None-Match", first.header.Get("ETag")); again.status != http.StatusOK || !used().Equal(later) {
		t.Errorf("after a change: %d, used at %s", again.status, used())
	}
	for _, wrong := range []string{"x.ics", strings.TrimSuffix(path.Base(address), ".ics"), strings.Repeat("A", 43) + ".ics", "..ics"} {
		if got := n.get("/calendar/"+wrong, ""); got.status != http.StatusNotFound || !strings.Contains(got.body, "does not work any more") {
			t.Errorf("%s is answered %s", wrong, got.whole())
		}
	}
}
