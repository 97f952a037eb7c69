package nightbell

import (
	"context"
	"time"
)

// JobOption says when a job runs, so that Nightbell notices when it does not.
type JobOption func(*ping)

// Cron is the schedule of a job, such as "0 3 * * *", and its time zone.
func Cron(schedule, timeZone string) JobOption {
	return func(p *ping) { p.Schedule, p.TimeZone = schedule, timeZone }
}

// MaxRuntime is how long a job may take.
func MaxRuntime(d time.Duration) JobOption {
	return func(p *ping) { p.MaxRuntimeSeconds = wholeSeconds(d) }
}

// Job runs fn and says that it starts and how it ended, under one run id. It returns
// what fn returns; a panic counts as a failure and goes on.
func (c *Client) Job(ctx context.Context, name string, fn func(context.Context) error, options ...JobOption) error {
	if !c.on() {
		return fn(ctx)
	}
	start := ping{Status: "start", RunID: c.newID()}
	for _, option := range options {
		option(&start)
	}
	end := ping{Status: "fail", RunID: start.RunID}
	c.enqueue(pingItem(name, start))
	defer func() { c.enqueue(pingItem(name, end)) }()
	err := fn(ctx)
	if err == nil {
		end.Status = "ok"
	}
	return err
}
