package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/org"
)

type oncallCommand struct {
	setting
	Schedules  int `default:"10000" help:"Schedules that are asked for one instant."`
	Incidents  int `default:"100000" help:"Open incidents that the sweep has to look after."`
	Due        int `default:"3000" help:"How many of them become due, at fifty a second."`
	Heartbeats int `default:"10000" help:"Heartbeats that are missing at one moment."`
	Rounds     int `default:"5" help:"Rounds."`
}

type oncallReport struct {
	report

	Schedules int `json:"schedules"`
	// Instant is milliseconds for who is on call for each of the schedules.
	Instant spread `json:"instant_ms"`
	// Range is milliseconds for all shifts of 90 days of a schedule of ten layers.
	Range  spread `json:"range_90_days_10_layers_ms"`
	Shifts int    `json:"range_shifts"`
	sweepResult
	heartbeatResult

	// Problems is milliseconds for the problems of 500 schedules in 30 days, over HTTP.
	Problems   spread  `json:"problems_500_schedules_ms"`
	LoadBefore float64 `json:"load_before"`
	LoadAfter  float64 `json:"load_after"`
	Targets    []bar   `json:"targets"`
}

// Run measures the resolver alone, then the sweep and the heartbeats of the real binary.
func (c oncallCommand) Run(ctx context.Context) (err error) {
	if c.Quick {
		c.Schedules, c.Incidents, c.Due, c.Heartbeats, c.Rounds = 1000, 5000, 300, 1000, 2
	}
	r := oncallReport{report: newReport(), Schedules: c.Schedules, LoadBefore: load()}
	instants := c.instants()
	ranges, shifts := c.ranges()
	r.Instant, r.Range, r.Shifts = spreadOf(instants, true), spreadOf(ranges, true), shifts
	if r.Problems, err = c.problems(ctx); err != nil {
		return err
	}
	if r.sweepResult, err = c.sweep(ctx); err != nil {
		return err
	}
	if r.heartbeatResult, err = c.heartbeats(ctx); err != nil {
		return err
	}
	r.LoadAfter = load()
	r.Targets = []bar{
		newBar(fmt.Sprintf("%d schedules at one instant, ms", c.Schedules), 30, true, instants),
		newBar("90 days of 10 layers, ms", 5, true, ranges),
		asBar("problems of 500 schedules in 30 days, ms", 300, r.Problems),
		asBar(fmt.Sprintf("claim among %d open incidents, ms", c.Incidents), 50, r.Claim),
		asBar("the same when all are due, ms", 50, r.ClaimAllDue),
		newBar("decided after due, p99 ms", 1000, true, []float64{r.Decided.P99}),
		newBar("page sent after due, p99 ms", 1000, true, []float64{r.Sent.P99}),
		{Name: "pings a second, 16 programs", spread: r.Pings, Bar: 500, Reached: r.Pings.Median >= 500},
		asBar(fmt.Sprintf("look at %d heartbeats, nothing missing, ms", c.Heartbeats), 20, r.Look),
		newBar(fmt.Sprintf("%d heartbeats missing at once, incidents a second", c.Heartbeats), 500, false, []float64{r.MissedPerSecond}),
	}
	printBars(fmt.Sprintf("on call, load %.1f", r.LoadAfter), r.Targets)
	return c.keep("oncall.json", r)
}

// instants asks every schedule who is on call, at another instant in each round.
func (c oncallCommand) instants() (milliseconds []float64) {
	schedules := typicalSchedules(c.Schedules)
	for round := range c.Rounds {
		at := aMonday.AddDate(0, round, 0).Add(3 * time.Hour)
		on := 0
		milliseconds = append(milliseconds, timeOf(func() {
			for _, s := range schedules {
				on += len(oncall.At(s, at).People)
			}
		}))
		if on < c.Schedules/2 {
			panic("the schedules are empty") // it would measure nothing
		}
	}
	return milliseconds
}

// ranges expands a schedule of ten layers, from another day in each round.
func (c oncallCommand) ranges() (milliseconds []float64, shifts int) {
	s := manyLayers(10)
	for round := range c.Rounds {
		from := aMonday.AddDate(0, 2*round, 0)
		milliseconds = append(milliseconds, timeOf(func() { shifts = len(oncall.Shifts(s, from, from.AddDate(0, 0, 90))) }))
	}
	return milliseconds, shifts
}

// timeOf is how long something takes in milliseconds.
func timeOf(do func()) float64 {
	began := time.Now()
	do()
	return float64(time.Since(began)) / float64(time.Millisecond)
}

var aMonday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// offered are the zones that the site offers.
var offered = []string{
	"UTC", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "Europe/London", "Europe/Paris",
	"Europe/Berlin", "Asia/Tokyo", "Asia/Shanghai", "Asia/Kolkata", "Australia/Sydney", "Pacific/Auckland",
}

// typicalSchedules are schedules as teams have them: a fallback, nights and days, now
// and then somebody who stands in. The same ones in every run.
func typicalSchedules(n int) []oncall.Schedule {
	random := rand.New(rand.NewPCG(3, 12))
	workdays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday}
	list := make([]oncall.Schedule, n)
	for i := range list {
		eight := oncall.Clock(7*60 + random.IntN(5)*30)
		list[i] = oncall.Schedule{ID: uuid.UUID{1}, Zone: zone(offered[random.IntN(len(offered))]), Active: true, Rotations: []oncall.Rotation{
			rotation(oncall.Week, 2, eight, 4, nil),
			rotation(oncall.Week, 1, eight, 6, []oncall.Window{{From: eight + 720, To: eight}}),
			rotation(oncall.Day, 1, eight, 5, []oncall.Window{{Days: workdays, From: eight, To: eight + 720}}),
		}}
		for range random.IntN(4) {
			start := aMonday.Add(time.Duration(random.IntN(150*24)) * time.Hour)
			list[i].Overrides = append(list[i].Overrides, oncall.Override{
				ID: uuid.UUID{2}, Kind: oncall.Cover, Person: uuid.UUID{9, 1}, Replaces: uuid.UUID{9, byte(2 + random.IntN(3))},
				Start: start, End: start.Add(12 * time.Hour),
			})
		}
	}
	return list
}

// manyLayers is a schedule whose layers hand over at different times of every day, each
// with a window, in a zone with summer time.
func manyLayers(n int) oncall.Schedule {
	s := oncall.Schedule{Zone: zone("Europe/Berlin"), Active: true}
	for i := range n {
		at := oncall.Clock(i * 60)
		s.Rotations = append(s.Rotations, rotation(oncall.Day, 1, at, 5, []oncall.Window{{From: at + 15, To: at + 9*60 + 45}}))
	}
	return s
}

func rotation(unit oncall.Unit, length int, handover oncall.Clock, people int, windows []oncall.Window) oncall.Rotation {
	r := oncall.Rotation{
		ID: uuid.UUID{8}, Unit: unit, Length: length, Handover: handover, Weekday: time.Monday, Start: aMonday.AddDate(0, -1, 0), Windows: windows,
	}
	for i := range people {
		r.Turns = append(r.Turns, oncall.Turn{People: []uuid.UUID{{9, byte(1 + i)}}})
	}
	return r
}

func zone(name string) *time.Location {
	location, err := org.Zone("timezone", name)
	if err != nil {
		panic(err) // the data is compiled in
	}
	return location
}
