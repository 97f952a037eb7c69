package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// surveyed are the schedules of a large organization; each has five people of its own, as
// teams have, and the usual three layers.
const surveyed = 500

// problems times GET /v1/on-call/problems for the next 30 days over HTTP.
func (c oncallCommand) problems(ctx context.Context) (result spread, err error) {
	rig, err := newSweepRig(ctx, c.Bin)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return result, err
	}
	schedules := surveyed
	if c.Quick {
		schedules = 50
	}
	for n := range schedules {
		if err := rig.addTeam(ctx, n); err != nil {
			return result, err
		}
	}
	var milliseconds []float64
	for range c.Rounds + 1 { // the first makes the plans
		var answer struct{ Incomplete string }
		began := time.Now()
		if err := rig.workspace.call(ctx, "GET", "/v1/on-call/problems?days=30", nil, &answer); err != nil {
			return result, err
		}
		milliseconds = append(milliseconds, float64(time.Since(began))/float64(time.Millisecond))
		if answer.Incomplete != "" {
			return result, fmt.Errorf("the survey of %d schedules is incomplete: %s", schedules, answer.Incomplete)
		}
	}
	return spreadOf(milliseconds[1:], true), nil
}

// addTeam makes five people, who can be reached, and the schedule that they share.
func (r *sweepRig) addTeam(ctx context.Context, n int) error {
	people := make([]string, 5)
	for i := range people {
		people[i] = uuid.NewString()
		_, err := r.db.Exec(ctx, `
			WITH own AS (SELECT org_id FROM membership WHERE user_id = $1),
			person AS (INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($2, $3, $3 || '@example.com', '', now()) RETURNING id),
			member AS (INSERT INTO membership (org_id, user_id, role, created_at) SELECT org_id, $2, 'responder', now() FROM own)
			INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at)
			SELECT org_id, gen_random_uuid(), $2, 'email', 'Mail', $3 || '@example.com', now() FROM own`,
			r.workspace.userID, people[i], fmt.Sprintf("person%d-%d", n, i))
		if err != nil {
			return err
		}
	}
	layer := func(name, unit string, windows []any, people ...string) map[string]any {
		turns := make([]any, len(people))
		for i, person := range people {
			turns[i] = map[string]any{"user_ids": []string{person}}
		}
		made := map[string]any{"name": name, "unit": unit, "length": 1, "handover": "08:00", "starts_at": aMonday, "turns": turns, "windows": windows}
		if unit == "week" {
			made["weekday"] = "monday"
		}
		return made
	}
	nights := []any{map[string]any{"from": "20:00", "to": "08:00"}}
	workdays := []any{map[string]any{"days": []string{"monday", "tuesday", "wednesday", "thursday", "friday"}, "from": "08:00", "to": "20:00"}}
	return r.workspace.call(ctx, "POST", "/v1/schedules", map[string]any{
		"name": fmt.Sprintf("Team %d", n), "timezone": offered[n%len(offered)], "rotations": []any{
			layer("Always", "week", nil, people[0], people[1], people[2], people[3], people[4]), layer("Nights", "week", nights, people...), layer("Days", "day", workdays, people...),
		},
	}, nil)
}
