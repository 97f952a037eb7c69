package demo

import "time"

// defaultPolicy is for services without a policy of their own: it pages the demo's
// owner at once, so that a newcomer sees their first alert arrive, and then a second
// person.
const defaultPolicy = "Standard, 5 minutes"

type samplePolicy struct {
	name, description string
	repeats           int
	steps             []sampleStep
}

// sampleStep pages people by name, or a team, and waits for an answer.
type sampleStep struct {
	wait   time.Duration
	people []string
	team   string
}

var policies = []samplePolicy{
	{defaultPolicy, "The first responder, then the second after 5 minutes.", 0, []sampleStep{
		{wait: 5 * time.Minute, people: []string{"Mara"}},
		{wait: 5 * time.Minute, people: []string{"Jonas"}},
	}},
	{"Payments, critical", "Money is moving: minutes count.", 1, []sampleStep{
		{wait: 2 * time.Minute, people: []string{"Mara"}},
		{wait: 3 * time.Minute, team: "Payments"},
		{wait: 5 * time.Minute, people: []string{"Jonas"}},
	}},
	{"Platform, critical", "What everything else stands on.", 1, []sampleStep{
		{wait: 3 * time.Minute, people: []string{"Priya"}},
		{wait: 5 * time.Minute, team: "Platform"},
		{wait: 5 * time.Minute, people: []string{"Mara"}},
	}},
	{"Standard, 15 minutes", "May wait for the kettle.", 1, []sampleStep{
		{wait: 15 * time.Minute, people: []string{"Wei"}},
		{wait: 15 * time.Minute, team: "Platform"},
	}},
	{"Managers, last step", "When nobody else answered.", 2, []sampleStep{
		{wait: 10 * time.Minute, people: []string{"Jonas", "Lena"}},
	}},
}

type sampleSchedule struct {
	name, description, team, policy string
	active                          bool
}

var schedules = []sampleSchedule{
	{"24/7 Support", "Round-the-clock cover for tier 1 services", "Platform", "Payments, critical", true},
	{"Weekend Coverage", "Saturday and Sunday, 08:00 to 20:00", "Platform", "Standard, 5 minutes", true},
	{"Holiday Support", "Public holidays in Germany and Ireland", "Support", "Standard, 15 minutes", false},
	{"Night Shift", "20:00 to 08:00 on working days", "Infrastructure", "Platform, critical", true},
	{"Backup Support", "Second in line for every schedule", "Platform", "Managers, last step", true},
}
