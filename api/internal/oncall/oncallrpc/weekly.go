package oncallrpc

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

const (
	// weeklyRepeats is how often a gap must come back in the same hours of the week to count as
	// planned: what a schedule leaves out on purpose must not bury what nobody thought of.
	weeklyRepeats = 3
	// maxWeeklyTimes is how many times of the week a sentence names.
	maxWeeklyTimes = 4
)

// splitWeekly parts gaps that come back at the same hours of the week from the others.
// Of the former, in order, the first of each.
func splitWeekly(gaps []oncall.Span, zone *time.Location) (once, weekly []oncall.Span) {
	count := map[string]int{}
	for _, gap := range gaps {
		count[hoursOfWeek(gap, zone)]++
	}
	for _, gap := range gaps {
		switch hours := hoursOfWeek(gap, zone); {
		case count[hours] >= weeklyRepeats:
			weekly = append(weekly, gap)
			count[hours] = 0
		case count[hours] > 0:
			once = append(once, gap)
		}
	}
	return once, weekly
}

// hoursOfWeek says when in the week a gap is: "Sat 08:00 to Mon 20:00", the day once when it
// is one. Gaps of more than a week have a date in it, so that they never come back.
func hoursOfWeek(gap oncall.Span, zone *time.Location) string {
	start, end := gap.Start.In(zone), gap.End.In(zone)
	switch {
	case end.Sub(start) >= 7*24*time.Hour:
		return start.Format(time.RFC3339)
	case sameDay(start, end):
		return start.Format("Mon 15:04") + end.Format(" to 15:04")
	default:
		return start.Format("Mon 15:04") + end.Format(" to Mon 15:04")
	}
}

// weeklyProblem is one for all gaps of a schedule that come back every week.
func weeklyProblem(schedule oncall.Schedule, weekly []oncall.Span) *nightbellv1.CoverageProblem {
	problem := problemOf(kindGap, schedule, weekly[0])
	problem.Weekly = true
	var times []string
	for _, gap := range weekly[:min(len(weekly), maxWeeklyTimes)] {
		times = append(times, hoursOfWeek(gap, schedule.Zone))
	}
	text := strings.Join(times, ", ")
	if more := len(weekly) - maxWeeklyTimes; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	problem.Message = fmt.Sprintf("Nobody is on call for %s at the same times every week: %s.", cmp.Or(schedule.Name, "this schedule"), text)
	return problem
}
