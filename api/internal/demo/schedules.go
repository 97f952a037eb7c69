package demo

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// The schedules, by the names that policies use.
const (
	support = "24/7 Support"
	weekend = "Weekend Coverage"
	holiday = "Holiday Support"
	nights  = "Night Shift"
	backup  = "Backup Support"
)

type sampleSchedule struct {
	name, description, team, policy string
	timezone                        string
	active                          bool
	layers                          []sampleLayer
}

// sampleLayer is one rotation. Everybody hands over on Monday at 08:00, and the first of
// the turns has this week.
type sampleLayer struct {
	name    string
	turns   []string
	windows []oncall.Window
}

// Hours and days of layers. A window belongs to the day on which it begins.
var (
	workdays   = []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	weekends   = []time.Weekday{time.Saturday, time.Sunday}
	everyNight = []oncall.Window{{From: clock(20), To: clock(8)}}
	worknights = []oncall.Window{{Days: workdays, From: clock(20), To: clock(8)}}
	workhours  = []oncall.Window{{Days: workdays, From: clock(8), To: clock(20)}}
	weekendDay = []oncall.Window{{Days: weekends, From: clock(8), To: clock(20)}}
)

func clock(hour int) oncall.Clock { return oncall.Clock(hour * 60) }

// schedules. In no week is anybody on two of them at once, and 24/7 Support is covered
// around the clock but for the hours of gap in rotations.go.
var schedules = []sampleSchedule{
	{support, "Round-the-clock cover for tier 1 services", "Platform", "Payments, critical", "Europe/Berlin", true, []sampleLayer{
		{"Night", []string{owner, "Jonas", "Lena", "Priya"}, everyNight},
		{"Weekdays", []string{"Wei", "Amira"}, workhours},
		{"Weekend", []string{"Amira", "Tomás"}, weekendDay},
	}},
	{weekend, "Saturday and Sunday, 08:00 to 20:00", "Platform", "Standard, 5 minutes", "Europe/Berlin", true, []sampleLayer{
		{"Weekend", []string{"Priya", "Amira", "Wei", "Jonas"}, weekendDay},
	}},
	{holiday, "Public holidays in Germany and Ireland", "Support", "Standard, 15 minutes", "Europe/Berlin", false, []sampleLayer{
		{"Holidays", []string{"Lena", "Amira"}, nil},
	}},
	{nights, "20:00 to 08:00 on working days", "Infrastructure", "Platform, critical", "Europe/Paris", true, []sampleLayer{
		{"Night", []string{"Tomás", "Wei"}, worknights},
	}},
	{backup, "Second in line for every schedule", "Platform", "Managers, last step", "Europe/London", true, []sampleLayer{
		{"Backup", []string{"Jonas", "Lena"}, nil},
	}},
}

func scheduleID(name string) uuid.UUID { return keyOf("schedule", name) }
