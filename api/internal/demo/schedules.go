package demo

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
)

// mondayMorning is when everybody hands over.
const mondayMorning = 8

// schedulesAt lays the schedules around now, so that the owner is on call for the first one at
// whatever hour the workspace is made: who is looks is who is paged.
func schedulesAt(now time.Time) []oncall.Schedule {
	list := make([]oncall.Schedule, len(data().Schedules))
	for i, s := range data().Schedules {
		list[i] = s.at(now, "")
		if on := oncall.At(list[i], now).People; i == 0 && !slices.Contains(on, personID(data().Owner)) {
			list[i] = s.at(now, firstOf(on[0]))
		}
		for _, o := range s.Overrides {
			list[i].Overrides = append(list[i].Overrides, o.at(now, list[i].Zone))
		}
	}
	return list
}

// at is the schedule with its current turns at now. Who is named by instead changes places
// with the owner.
func (s schedule) at(now time.Time, instead string) oncall.Schedule {
	built := oncall.Schedule{ID: keyOf("schedule", s.Name), Name: s.Name, Zone: zoneOf(s.Timezone), Active: !s.Inactive}
	for _, layer := range s.Rotations {
		rotation := oncall.Rotation{
			ID: keyOf("rotation", s.Name+"/"+layer.Name), Name: layer.Name, Unit: oncall.Week, Length: 1,
			Handover: clock(mondayMorning), Weekday: time.Monday, Windows: data().windows(layer.Hours),
			Start: monday(now, built.Zone, -len(layer.Turns)),
		}
		for _, first := range layer.Turns {
			switch {
			case instead == "":
			case first == data().Owner:
				first = instead
			case first == instead:
				first = data().Owner
			}
			rotation.Turns = append(rotation.Turns, oncall.Turn{People: []uuid.UUID{personID(first)}})
		}
		built.Rotations = append(built.Rotations, rotation)
	}
	return built
}

// at is the override on the first such day after today, or after the next hand-over.
func (o override) at(now time.Time, zone *time.Location) oncall.Override {
	after := now
	if o.NextWeek {
		after = monday(now, zone, 1)
	}
	start := onDay(after, zone, 1+int(o.Weekday-after.In(zone).AddDate(0, 0, 1).Weekday()+7)%7, o.From).UTC()
	built := oncall.Override{
		ID: keyOf("override", o.Reason), Kind: oncall.Vacant, Reason: o.Reason,
		Start: start, End: start.Add(o.Lasts), CreatedAt: now.Add(-o.Ago),
	}
	if o.Person != "" {
		built.Kind, built.Person, built.Replaces = oncall.Cover, personID(o.Person), personID(o.Replaces)
	}
	return built
}

// monday is the hand-over of this week, or of another so many weeks after it, on the clock
// of the zone. Weeks are those of the workspace, so that all schedules count the same.
func monday(now time.Time, zone *time.Location, weeks int) time.Time {
	first := onDay(now, zoneOf(data().Timezone), 0, mondayMorning)
	for first.Weekday() != time.Monday || first.After(now) {
		first = first.AddDate(0, 0, -1)
	}
	return time.Date(first.Year(), first.Month(), first.Day()+7*weeks, mondayMorning, 0, 0, 0, zone).UTC()
}

// onDay is an hour of a day, so many days after the one of now.
func onDay(now time.Time, zone *time.Location, days, hour int) time.Time {
	local := now.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+days, hour, 0, 0, 0, zone)
}

func zoneOf(name string) *time.Location {
	zone, _ := oncalldb.Zone(name) // every one of workspace.yaml exists
	return zone
}

// firstOf is the first name of a person.
func firstOf(id uuid.UUID) string {
	return data().People[slices.IndexFunc(data().People, func(p person) bool { return personID(p.first()) == id })].first()
}
