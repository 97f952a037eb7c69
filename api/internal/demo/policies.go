package demo

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// defaultPolicy is for services without a policy of their own: it pages the demo's
// owner at once, on call or not, so that a newcomer sees their first alert arrive.
const defaultPolicy = "Standard, 5 minutes"

type samplePolicy struct {
	name, description string
	repeats           int
	// ackTimeout is after how long an acknowledged incident pages again; zero is never.
	ackTimeout time.Duration
	steps      []sampleStep
}

// sampleStep pages whoever is on call for a schedule, people by name, or a team, and
// waits for an answer.
type sampleStep struct {
	wait       time.Duration
	schedule   string
	people     []string
	team       string
	roundRobin bool
	severities []alert.Severity
	windows    []oncall.Window
	// before is whom the step paged in the two weeks of history, when nobody had set the
	// schedules to work yet. It is the team where it is empty.
	before []string
}

var policies = []samplePolicy{
	{defaultPolicy, "Whoever is on call, then the backup after 5 minutes.", 0, 0, []sampleStep{
		{wait: 5 * time.Minute, schedule: support, people: []string{owner}, before: []string{owner}},
		{wait: 5 * time.Minute, schedule: backup, before: []string{"Jonas"}},
	}},
	{"Payments, critical", "Money is moving: minutes count.", 1, 30 * time.Minute, []sampleStep{
		{wait: 2 * time.Minute, schedule: support, before: []string{owner}},
		{wait: 3 * time.Minute, schedule: backup, team: "Payments"},
		{wait: 5 * time.Minute, people: []string{"Jonas"}, before: []string{"Jonas"}},
	}},
	{"Platform, critical", "What everything else stands on. The night shift first, at night.", 1, 0, []sampleStep{
		{wait: 3 * time.Minute, schedule: nights, windows: worknights, before: []string{"Priya"}},
		{wait: 5 * time.Minute, team: "Platform", roundRobin: true},
		{wait: 5 * time.Minute, schedule: support, before: []string{owner}},
	}},
	{"Standard, 15 minutes", "May wait for the kettle, unless it is serious.", 1, 0, []sampleStep{
		{wait: 15 * time.Minute, schedule: support, severities: []alert.Severity{alert.Critical, alert.High}, before: []string{"Wei"}},
		{wait: 15 * time.Minute, team: "Platform", roundRobin: true},
	}},
	{"Managers, last step", "When nobody else answered.", 2, 0, []sampleStep{
		{wait: 10 * time.Minute, people: []string{"Jonas", "Lena"}, before: []string{"Jonas", "Lena"}},
	}},
}

// policyZone is whose hours the conditions of policies mean.
const policyZone = "Europe/Berlin"
