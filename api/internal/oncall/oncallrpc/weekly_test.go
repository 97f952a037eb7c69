package oncallrpc

import (
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Hours that a schedule leaves out each week are one problem; a hole that happens once
// stays one of its own, also beside them, and also when clocks change.
func TestWeeklyGapsAreOneProblem(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	local := func(day, hour int) time.Time { return time.Date(2026, time.October, day, hour, 0, 0, 0, berlin).UTC() }
	var gaps []oncall.Span
	for week := range 4 { // from Monday 12 October, over the change of 25 October
		gaps = append(gaps,
			oncall.Span{Start: local(12+7*week, 8), End: local(12+7*week, 20)},
			oncall.Span{Start: local(17+7*week, 8), End: local(19+7*week, 20)})
	}
	lonely := oncall.Span{Start: local(14, 10), End: local(14, 11)}
	once, weekly := splitWeekly(append(gaps, lonely), berlin)
	if len(once) != 1 || !once[0].Start.Equal(lonely.Start) {
		t.Errorf("gaps of their own: %v", once)
	}
	schedule := oncall.Schedule{Name: "Night Shift", Zone: berlin}
	problem := weeklyProblem(schedule, weekly)
	want := "Nobody is on call for Night Shift at the same times every week: Mon 08:00 to 20:00, Sat 08:00 to Mon 20:00."
	if problem.GetMessage() != want || !problem.GetWeekly() || !problem.GetStartsAt().AsTime().Equal(gaps[0].Start) {
		t.Errorf("got %v", problem)
	}
}

// What lasts for more than a week never comes back in the same week.
func TestLongGapsAreNeverWeekly(t *testing.T) {
	start := time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC)
	long := oncall.Span{Start: start, End: start.AddDate(0, 0, 8)}
	same := oncall.Span{Start: start.AddDate(0, 0, 14), End: start.AddDate(0, 0, 22)}
	if once, weekly := splitWeekly([]oncall.Span{long, same, {}}, time.UTC); len(once) != 3 || weekly != nil {
		t.Errorf("once %v, weekly %v", once, weekly)
	}
}
