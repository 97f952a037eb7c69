package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// hourly is a rotation in which two people take turns every hour: on two schedules it is
// 720 double bookings in 30 days.
func (n *rota) hourly() object {
	rotation := n.weekly("Ada", "Bob")
	rotation["unit"] = "hour"
	return rotation
}

// A real gap stays first, however many people are on two schedules at once.
func TestOnCallProblemsGapsComeBeforeDoubleBookings(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	n.schedule("First", n.hourly())
	n.schedule("Second", n.hourly())
	third := at[string](t, n.schedule("Third", n.weekly("Cem")), "id")
	n.make("/v1/schedules/"+third+"/overrides", "override", object{"kind": "vacant", "starts_at": "2026-12-20T07:00:00Z", "ends_at": "2026-12-20T19:00:00Z"})
	kinds, messages := n.problems()
	if len(kinds) != 201 || kinds[0] != "gap" || kinds[1] != "double_booked" ||
		messages[0] != "Nobody is on call for Third from Sun 20 Dec 08:00 to 20:00." {
		t.Errorf("%d problems, the first is %s", len(kinds), messages[0])
	}
	answer := n.call(n.owner(), http.MethodGet, "/v1/on-call/problems", nil)
	if got := fmt.Sprint(at[[]any](t, answer, "counts")); answer["truncated"] != true || answer["incomplete"] != nil ||
		!strings.Contains(got, "count:1 kind:gap") || !strings.Contains(got, "count:720 kind:double_booked") {
		t.Errorf("truncated: %v, incomplete: %v, counts: %s", answer["truncated"], answer["incomplete"], got)
	}
}

func TestOnCallProblemsByKindAndSchedule(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	first := at[string](t, n.schedule("First", n.weekly("Ada", "")), "id")
	second := at[string](t, n.schedule("Second", n.weekly("Ada", "Bob", "")), "id")
	third := at[string](t, n.schedule("Third", n.weekly("Cem")), "id")
	for query, want := range map[string]string{
		"":                          "gap First, gap Second, gap First, double_booked First",
		"kind=gap":                  "gap First, gap Second, gap First",
		"kind=gap&kind=unreachable": "gap First, gap Second, gap First",
		"schedule_id=" + second:     "gap Second, double_booked First",
		"schedule_id=" + third:      "",
		"kind=double_booked&schedule_id=" + first + "&schedule_id=" + third: "double_booked First",
	} {
		var got []string
		for _, one := range at[[]any](t, n.call(n.owner(), http.MethodGet, "/v1/on-call/problems?"+query, nil), "problems") {
			got = append(got, fmt.Sprint(one.(object)["kind"], " ", one.(object)["schedule"].(object)["name"]))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q gives %q, want %q", query, got, want)
		}
	}
	if status, message, _ := n.refused(n.owner(), http.MethodGet, "/v1/on-call/problems?schedule_id=none", nil); status != http.StatusUnprocessableEntity {
		t.Errorf("a schedule that does not exist: %d %s", status, message)
	}
	if status, message, _ := n.refused(n.owner(), http.MethodGet, "/v1/on-call/problems?kind=gaps", nil); status != http.StatusUnprocessableEntity {
		t.Errorf("a kind that does not exist: %d %s", status, message)
	}
}

// Valid schedules that change every minute cost a bounded work and hide no gap of another.
func TestOnCallProblemsOfSchedulesThatChangeEveryMinute(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	for i := range 3 {
		n.schedule(fmt.Sprint("Restless ", i), n.everyMinute()...)
	}
	n.schedule("Calm", n.weekly("Ada", ""))
	answer := n.call(n.owner(), http.MethodGet, "/v1/on-call/problems?days=92&kind=gap", nil)
	own := ""
	for _, one := range at[[]any](t, answer, "problems") {
		if own == "" && one.(object)["schedule"].(object)["name"] == "Calm" {
			own = one.(object)["message"].(string)
		}
	}
	if own != "Nobody is on call for Calm from Mon 30 Nov 08:00 to Mon 7 Dec 08:00." {
		t.Errorf("the gap of the calm schedule is told as %q", own)
	}
	if got := answer["incomplete"].(string); !strings.Contains(got, "Restless 0, Restless 1, Restless 2") {
		t.Errorf("incomplete: %q", got)
	}
	status, message, _ := n.refused(n.owner(), http.MethodPost, "/v1/schedules/preview", object{
		"rotations": n.everyMinute(), "from": "2026-11-23T07:00:00Z", "to": "2027-02-20T07:00:00Z",
	})
	if status != http.StatusUnprocessableEntity || message != "This schedule changes too often to draw so many days. Choose fewer." {
		t.Errorf("a picture of 89 days: %d %s", status, message)
	}
}

// everyMinute is as many rotations and windows as a schedule may have, all with ends at
// other minutes of the day.
func (n *rota) everyMinute() (rotations []object) {
	clock := func(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60%24, minute%60) }
	for i := range 20 {
		rotation := n.hourly()
		var windows []object
		for w := range 20 {
			windows = append(windows, object{"from": clock(72*w + 3*i), "to": clock(72*w + 3*i + 1)})
		}
		rotation["windows"] = windows
		rotations = append(rotations, rotation)
	}
	return rotations
}

// What a schedule leaves out every week is one sentence in a preview, too.
func TestOnCallPreviewTellsWeeklyGapsOnce(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	worked := n.weekly("Ada")
	worked["windows"] = []object{{"days": []string{"monday", "tuesday", "wednesday", "thursday", "friday"}, "from": "08:00", "to": "20:00"}}
	answer := n.call(n.owner(), http.MethodPost, "/v1/schedules/preview", object{
		"timezone": "Europe/Berlin", "rotations": []object{worked}, "from": "2026-11-30T12:00:00Z", "to": "2026-12-28T12:00:00Z",
	})
	problems := at[[]any](t, answer, "problems")
	if len(problems) != 1 || problems[0].(object)["weekly"] != true ||
		!strings.HasPrefix(problems[0].(object)["message"].(string), "Nobody is on call for this schedule at the same times every week: Mon 20:00 to Tue 08:00") {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
}
