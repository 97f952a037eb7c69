package app

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// TestOnCallShownIsWhatWasAskedFor makes random schedules by calls and compares what is
// drawn with what the rules say of the same schedule that never was in a database.
func TestOnCallShownIsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	n := newRota(t)
	random, shifts := rand.New(rand.NewPCG(2026, 11)), 0
	for i := range 30 {
		rotations, meant := n.anySchedule(random)
		zone := []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu"}[i%5]
		meant.Zone = sure(time.LoadLocation(zone))
		made := at[object](t, n.call(n.owner(), http.MethodPost, "/v1/schedules", object{"name": fmt.Sprint("Random ", i), "timezone": zone, "rotations": rotations}), "schedule")
		for j := range meant.Rotations {
			meant.Rotations[j].ID = uuid.MustParse(at[string](t, made["rotations"].([]any)[j].(object), "id"))
		}
		from := wednesday.AddDate(0, random.IntN(12)-2, 0)
		to := from.AddDate(0, 0, 21)
		drawn := n.call(n.owner(), http.MethodGet, fmt.Sprintf("/v1/schedules/%s/timeline?from=%s&to=%s", made["id"], from.Format(time.RFC3339), to.Format(time.RFC3339)), nil)
		var got, want []string
		for _, shift := range at[[]any](t, drawn, "timeline", "final") {
			got = append(got, plainShift(shift.(object)))
		}
		for _, shift := range oncall.Shifts(meant, from, to) {
			want = append(want, fmt.Sprint(shift.Start.Format(time.RFC3339), shift.End.Format(time.RFC3339), shift.People, shift.Because.Kind, shift.Because.Name))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v\nis drawn as\n%v\nand means\n%v", rotations, got, want)
		}
		shifts += len(got)
	}
	t.Logf("%d shifts compared", shifts)
}

func plainShift(shift object) string {
	people := []uuid.UUID{}
	for _, person := range shift["users"].([]any) {
		people = append(people, uuid.MustParse(person.(object)["id"].(string)))
	}
	name, _ := shift["because_name"].(string)
	return fmt.Sprint(shift["starts_at"], shift["ends_at"], people, shift["because"], name)
}

// anySchedule is one to three rotations, as they are asked for and as they are meant.
func (n *rota) anySchedule(random *rand.Rand) (asked []object, meant oncall.Schedule) {
	meant.Active = true
	for i := range 1 + random.IntN(3) {
		unit := []oncall.Unit{oncall.Hour, oncall.Day, oncall.Week}[random.IntN(3)]
		r := oncall.Rotation{
			Name: fmt.Sprint("Layer ", i), Unit: unit, Length: 1 + random.IntN(12), Handover: oncall.Clock(random.IntN(24 * 60)),
			Weekday: time.Weekday(random.IntN(7)), Start: wednesday.Add(-time.Duration(random.IntN(4000)) * time.Hour),
		}
		body := object{
			"name": r.Name, "unit": unit, "length": r.Length, "handover": clockText(r.Handover), "weekday": dayText(r.Weekday),
			"starts_at": r.Start.Format(time.RFC3339),
		}
		if random.IntN(3) == 0 {
			r.End = r.Start.AddDate(1, 0, 0)
			body["ends_at"] = r.End.Format(time.RFC3339)
		}
		var turns, windows []object
		for range 1 + random.IntN(4) {
			turn, seat := oncall.Turn{}, []string{}
			for _, name := range []string{"Ada", "Bob", "Cem"}[:random.IntN(4)] {
				turn.People, seat = append(turn.People, uuid.MustParse(n.people[name])), append(seat, n.people[name])
			}
			r.Turns, turns = append(r.Turns, turn), append(turns, object{"user_ids": seat})
		}
		for range random.IntN(3) {
			window := oncall.Window{From: oncall.Clock(random.IntN(24 * 60)), To: oncall.Clock(random.IntN(24 * 60))}
			days := []string{}
			for day := range time.Weekday(random.IntN(8)) {
				window.Days, days = append(window.Days, day), append(days, dayText(day))
			}
			r.Windows = append(r.Windows, window)
			windows = append(windows, object{"days": days, "from": clockText(window.From), "to": clockText(window.To)})
		}
		body["turns"], body["windows"] = turns, windows
		asked, meant.Rotations = append(asked, body), append(meant.Rotations, r)
	}
	return asked, meant
}

func clockText(clock oncall.Clock) string { return fmt.Sprintf("%02d:%02d", clock/60, clock%60) }

func dayText(day time.Weekday) string {
	return []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}[day]
}
