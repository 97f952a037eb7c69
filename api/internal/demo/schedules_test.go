package demo

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Whatever the hour and the day, also where clocks change, a newcomer is on call, sees one
// gap and one cover ahead, and nobody is booked twice.
func TestTheScheduleFitsEveryFirstStart(t *testing.T) {
	for _, week := range []time.Time{
		time.Date(2026, 3, 23, 0, 14, 0, 0, time.UTC), time.Date(2026, 10, 19, 0, 14, 0, 0, time.UTC), time.Date(2026, 12, 28, 0, 0, 0, 0, time.UTC),
	} {
		for hour := range 24 * 7 {
			now := week.Add(time.Duration(hour) * time.Hour)
			made := schedulesAt(now)
			if got := problems(now, made); got != "" {
				t.Errorf("made on %s: %s", now.In(zoneOf(data().Timezone)).Format("Mon 2 Jan 15:04"), got)
			}
		}
	}
}

func problems(now time.Time, made []oncall.Schedule) string {
	round := made[0]
	if on := oncall.At(round, now).People; !slices.Equal(on, []uuid.UUID{personID(data().Owner)}) {
		return fmt.Sprintf("%d people are on call, or not the owner", len(on))
	}
	gaps := oncall.Survey(round, now, now.AddDate(0, 0, 30), nil).Gaps
	if len(gaps) != 1 || gaps[0].End.Sub(gaps[0].Start) != 6*time.Hour || gaps[0].Start.In(round.Zone).Weekday() != time.Saturday || gaps[0].Start.Sub(now) > 8*24*time.Hour {
		return fmt.Sprintf("the gaps are %v", gaps)
	}
	if gaps := oncall.Survey(made[len(made)-1], now, now.AddDate(0, 0, 30), nil).Gaps; len(gaps) != 0 {
		return fmt.Sprintf("the backup has gaps: %v", gaps)
	}
	if hidden := oncall.Survey(round, now, now.AddDate(0, 0, 14), nil).Hidden; len(hidden) != 0 {
		return fmt.Sprintf("an override changes nothing: %v", hidden[0].Reason)
	}
	var booked []oncall.Booking
	for _, one := range made {
		booked = append(booked, oncall.Booking{Schedule: one.ID, Shifts: oncall.PersonShifts(one, now.AddDate(0, 0, -14), now.AddDate(0, 0, 60))})
	}
	twice := ""
	oncall.DoubleBooked(booked, nil, func(c oncall.Conflict) {
		twice = fmt.Sprintf("%s is on call twice from %s", firstOf(c.Person), c.Start)
	})
	if twice != "" {
		return twice
	}
	for _, s := range made {
		if err := oncall.Validate(s); err != nil {
			return err.Error()
		}
		for _, o := range s.Overrides {
			if err := oncall.ValidateOverride(o); err != nil || !o.Start.After(now) {
				return fmt.Sprintf("the override %s: %v", o.Reason, err)
			}
		}
	}
	return ""
}
