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

// rota is who is on call in the workspace, from now on and in the weeks before.
type rota struct {
	now       time.Time
	schedules map[string]*oncall.Schedule
}

// newRota lays the schedules around now, so that the owner is on call for 24/7 Support at
// whatever hour the workspace is made: who is looks is who is paged.
func newRota(now time.Time) *rota {
	r := &rota{now: now, schedules: map[string]*oncall.Schedule{}}
	for _, sample := range schedules {
		built := sample.at(now, "")
		if on := oncall.At(built, now).People; sample.name == support && !slices.Contains(on, personID(owner)) {
			built = sample.at(now, firstOf(on[0]))
		}
		built.Overrides = overridesOf(sample, now)
		r.schedules[sample.name] = &built
	}
	return r
}

// at is the schedule with its current turns at now. Who is named by instead changes
// places with the owner.
func (s sampleSchedule) at(now time.Time, instead string) oncall.Schedule {
	built := oncall.Schedule{ID: scheduleID(s.name), Name: s.name, Zone: zoneOf(s.timezone), Active: s.active}
	for _, layer := range s.layers {
		rotation := oncall.Rotation{
			ID: keyOf("rotation", s.name+"/"+layer.name), Name: layer.name, Unit: oncall.Week, Length: 1,
			Handover: clock(mondayMorning), Weekday: time.Monday, Windows: layer.windows,
			Start: thisMonday(now, built.Zone, -len(layer.turns)),
		}
		for _, first := range layer.turns {
			switch {
			case instead == "":
			case first == owner:
				first = instead
			case first == instead:
				first = owner
			}
			rotation.Turns = append(rotation.Turns, oncall.Turn{People: []uuid.UUID{personID(first)}})
		}
		built.Rotations = append(built.Rotations, rotation)
	}
	return built
}

// thisMonday is the hand-over of this week, or of another so many weeks after it, on the
// clock of the zone. Weeks are those of policyZone, so that all schedules count the same.
func thisMonday(now time.Time, zone *time.Location, weeks int) time.Time {
	home := zoneOf(policyZone)
	monday := onDay(now, home, 0, mondayMorning)
	for monday.Weekday() != time.Monday || monday.After(now) {
		monday = monday.AddDate(0, 0, -1)
	}
	return time.Date(monday.Year(), monday.Month(), monday.Day()+7*weeks, mondayMorning, 0, 0, 0, zone).UTC()
}

// onDay is an hour of a day, so many days after the one of now.
func onDay(now time.Time, zone *time.Location, days, hour int) time.Time {
	local := now.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day()+days, hour, 0, 0, 0, zone)
}

// comingSaturday is the first one after today.
func comingSaturday(now time.Time, zone *time.Location) (days int) {
	return 1 + int(time.Saturday-now.In(zone).AddDate(0, 0, 1).Weekday()+7)%7
}

// overridesOf are what people changed: on the coming Saturday nobody is on call for six
// hours, and next Thursday night somebody covers for a colleague.
func overridesOf(s sampleSchedule, now time.Time) []oncall.Override {
	if s.name != support {
		return nil
	}
	zone := zoneOf(s.timezone)
	saturday := comingSaturday(now, zone)
	evening := onDay(thisMonday(now, zone, 1), zone, 3, 20)
	return []oncall.Override{
		{
			ID: keyOf("override", "gap"), Kind: oncall.Vacant, Reason: "In the air until 13:30. Who can take the morning?",
			Start: onDay(now, zone, saturday, 8).UTC(), End: onDay(now, zone, saturday, 14).UTC(), CreatedAt: now.Add(-hours(20, 15)),
		},
		{
			ID: keyOf("override", "cover"), Kind: oncall.Cover, Person: personID("Priya"), Replaces: personID("Jonas"),
			Reason: "School concert, back on Friday", Start: evening.UTC(), End: evening.Add(12 * time.Hour).UTC(), CreatedAt: now.Add(-hours(44, 30)),
		},
	}
}

// madeBy is who made the overrides.
var madeBy = map[uuid.UUID]string{keyOf("override", "gap"): "Amira", keyOf("override", "cover"): "Jonas"}

func zoneOf(name string) *time.Location {
	zone, _ := oncalldb.Zone(name) // every sample's exists
	return zone
}

// firstOf is the name that the tables use for a person.
func firstOf(id uuid.UUID) string {
	i := slices.IndexFunc(people, func(p samplePerson) bool { return personID(p.first) == id })
	return people[i].first
}

// addSchedules writes the schedules with their rotations and overrides.
func addSchedules(r *rows, rota *rota, began time.Time) {
	for _, s := range schedules {
		status := "inactive"
		if s.active {
			status = "active"
		}
		r.add("schedule", "org_id, id, name, description, team_id, timezone, status, escalation_policy_id, created_at",
			orgID, scheduleID(s.name), s.name, s.description, teamID(s.team), s.timezone, status, policyID(s.policy), began)
	}
	for _, s := range schedules {
		for position, layer := range rota.schedules[s.name].Rotations {
			addRotation(r, s.name, position, layer)
		}
		for _, o := range rota.schedules[s.name].Overrides {
			r.add("schedule_override", "org_id, id, schedule_id, kind, user_id, replaces_user_id, starts_at, ends_at, reason, created_by, created_at",
				orgID, o.ID, scheduleID(s.name), string(o.Kind), optional(o.Person, o.Person != uuid.Nil), optional(o.Replaces, o.Replaces != uuid.Nil),
				o.Start, o.End, o.Reason, personID(madeBy[o.ID]), o.CreatedAt)
		}
	}
}

func addRotation(r *rows, schedule string, position int, layer oncall.Rotation) {
	r.add("rotation", "org_id, id, schedule_id, position, name, unit, length, turns, handover, weekday, starts_at, windows",
		orgID, layer.ID, scheduleID(schedule), position, layer.Name, string(layer.Unit), layer.Length, len(layer.Turns),
		int(layer.Handover), int(layer.Weekday), layer.Start, oncalldb.StoreWindows(layer.Windows))
	for turn, t := range layer.Turns {
		for place, person := range t.People {
			r.add("rotation_person", "org_id, rotation_id, turn, position, user_id", orgID, layer.ID, turn, place, person)
		}
	}
}
