package oncallrpc

import (
	"fmt"
	"slices"
	"strings"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// What the contract calls days and times of day.

func weekdayOf(word string) time.Weekday {
	for day := range time.Weekday(7) {
		if word == weekdayWord(day) {
			return day
		}
	}
	return time.Monday
}

func weekdayWord(day time.Weekday) string { return strings.ToLower(day.String()) }

// clockOf reads "08:30"; what is no time of day is one that Validate refuses.
func clockOf(text string) oncall.Clock {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return -1
	}
	return oncall.Clock(60*at.Hour() + at.Minute())
}

func clockWord(clock oncall.Clock) string { return fmt.Sprintf("%02d:%02d", clock/60, clock%60) }

func windowOf(window *nightbellv1.TimeWindow) oncall.Window {
	read := oncall.Window{From: clockOf(window.GetFrom()), To: clockOf(window.GetTo())}
	for _, word := range window.GetDays() {
		read.Days = append(read.Days, weekdayOf(word))
	}
	slices.Sort(read.Days)
	read.Days = slices.Compact(read.Days)
	return read
}

func windowMessage(window oncall.Window) *nightbellv1.TimeWindow {
	message := &nightbellv1.TimeWindow{From: clockWord(window.From), To: clockWord(window.To)}
	for _, day := range window.Days {
		message.Days = append(message.Days, weekdayWord(day))
	}
	return message
}
