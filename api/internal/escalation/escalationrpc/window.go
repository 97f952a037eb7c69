package escalationrpc

import (
	"fmt"
	"strings"
	"time"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// windowsOf reads windows whose words the contract has checked.
func windowsOf(messages []*nightbellv1.TimeWindow) []oncall.Window {
	windows := make([]oncall.Window, 0, len(messages))
	for _, message := range messages {
		window := oncall.Window{From: clockOf(message.GetFrom()), To: clockOf(message.GetTo())}
		for _, word := range message.GetDays() {
			for day := time.Sunday; day <= time.Saturday; day++ {
				if dayWord(day) == word {
					window.Days = append(window.Days, day)
				}
			}
		}
		windows = append(windows, window)
	}
	return windows
}

func windowMessages(windows []oncall.Window) (messages []*nightbellv1.TimeWindow) {
	for _, window := range windows {
		message := &nightbellv1.TimeWindow{From: clockWord(window.From), To: clockWord(window.To)}
		for _, day := range window.Days {
			message.Days = append(message.Days, dayWord(day))
		}
		messages = append(messages, message)
	}
	return messages
}

func dayWord(day time.Weekday) string { return strings.ToLower(day.String()) }

// clockOf reads "08:30".
func clockOf(word string) oncall.Clock {
	t, _ := time.Parse("15:04", word) // the contract has checked it
	return oncall.Clock(t.Hour()*60 + t.Minute())
}

func clockWord(clock oncall.Clock) string { return fmt.Sprintf("%02d:%02d", clock/60, clock%60) }
