package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/heartbeat/heartbeatdb"
)

// heartbeatResult is how heartbeats do: pings beside each other, and the sweep when all are missing.
type heartbeatResult struct {
	Heartbeats int `json:"heartbeats"`
	// Pings are committed ones a second from 16 programs; PingP99 is milliseconds.
	Pings   spread `json:"pings_per_second_c16"`
	PingP99 spread `json:"ping_p99_ms"`
	// Look is milliseconds for the query that finds what is missing when nothing is, as it runs
	// every second.
	Look spread `json:"heartbeats_look_ms"`
	// Missed is from the deadline, the same for all, until the incident was open and its page
	// planned; MissedPerSecond is all of them by the time of the last one.
	Missed          quantiles `json:"heartbeats_deadline_to_incident"`
	MissedPerSecond float64   `json:"heartbeats_missed_per_second"`
}

// heartbeats pings a server, and then lets all heartbeats be missing at the same moment.
func (c oncallCommand) heartbeats(ctx context.Context) (r heartbeatResult, err error) {
	rig, err := newSweepRig(ctx, c.Bin)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return r, err
	}
	r.Heartbeats = c.Heartbeats
	if r.Pings, r.PingP99, err = rig.pings(ctx, c.Rounds); err != nil {
		return r, err
	}
	if err := rig.expect(ctx, c.Heartbeats); err != nil {
		return r, err
	}
	if r.Look, err = rig.looks(ctx, c.Rounds); err != nil {
		return r, err
	}
	late, err := rig.miss(ctx, c.Heartbeats)
	if err != nil {
		return r, err
	}
	r.Missed = quantilesOf(late)
	r.MissedPerSecond = round(float64(c.Heartbeats)/max(r.Missed.Max/1000, 0.001), 1)
	return r, nil
}

// pings lets 16 programs ping as fast as they are answered, each a heartbeat of its own.
func (r *sweepRig) pings(ctx context.Context, rounds int) (rate, slowest spread, err error) {
	var rates, p99s []float64
	for i := range rounds {
		o, err := drive(ctx, job{URLs: r.workspace.pingURLs(r.server.url, keyed), Concurrency: keyed, PerRequest: 1, Shape: pings, Start: uint64(i + 1), For: 1.2})
		if err != nil {
			return rate, slowest, err
		}
		if o.Refused+o.Failed > 0 {
			return rate, slowest, fmt.Errorf("%d pings were refused, %d had no answer: %s", o.Refused, o.Failed, o.FirstError)
		}
		rates, p99s = append(rates, float64(o.Accepted)/o.Seconds), append(p99s, o.P99)
	}
	return spreadOf(rates, false), spreadOf(p99s, true), nil
}

// pingURLs are the addresses of a heartbeat of each of the first n services.
func (w *workspace) pingURLs(server string, n int) []string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = server + "/v1/heartbeats/bench-" + strconv.Itoa(i) + "/ping/" + w.serviceKeys[i] + "?every_seconds=3600"
	}
	return urls
}

// expect stores heartbeats, spread over the services, whose next ping is due in an hour: more than
// one organization may make by calls.
func (r *sweepRig) expect(ctx context.Context, heartbeats int) error {
	for _, sql := range []string{
		`DELETE FROM heartbeat`,
		`INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, status, last_ping_at, due_at, deadline_at, created_at, updated_at)
			SELECT s.org_id, gen_random_uuid(), s.id, 'bench ' || n, 3600, 'high', 'ok', now(), now() + interval '1 hour', now() + interval '2 hours', now(), now()
			FROM generate_series(1, ` + strconv.Itoa(heartbeats) + `) n
			JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS services FROM service) s ON s.place = n % s.services`,
		`VACUUM ANALYZE heartbeat`,
	} {
		if _, err := r.db.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// looks times the query of the sweep as its own role runs it, while nothing is missing.
func (r *sweepRig) looks(ctx context.Context, rounds int) (spread, error) {
	var milliseconds []float64
	for range rounds + 1 { // the first makes the plan
		err := pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) (err error) {
			if _, err := tx.Exec(ctx, `SET LOCAL ROLE nightbell_system`); err != nil {
				return err
			}
			milliseconds = append(milliseconds, timeOf(func() { _, err = heartbeatdb.Overdue(ctx, tx, time.Now(), nil, 50) }))
			return err
		})
		if err != nil {
			return spread{}, err
		}
	}
	return spreadOf(milliseconds[1:], true), nil
}

// miss lets the deadline of all heartbeats pass at one moment, and gives how long after it each had
// an incident with a page.
func (r *sweepRig) miss(ctx context.Context, heartbeats int) ([]time.Duration, error) {
	if _, err := r.db.Exec(ctx, `UPDATE heartbeat SET due_at = now(), deadline_at = date_trunc('milliseconds', now() + interval '3 seconds')`); err != nil {
		return nil, err
	}
	const limit = 2 * time.Minute
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		var left int
		if err := r.db.QueryRow(ctx, `SELECT count(*) FROM heartbeat WHERE deadline_at IS NOT NULL`).Scan(&left); err != nil {
			return nil, err
		}
		if left == 0 {
			break
		}
		if time.Since(began) > limit {
			return nil, fmt.Errorf("%d of %d missing heartbeats were not noticed within %s", left, heartbeats, limit)
		}
	}
	rows, err := r.db.Query(ctx, `
		SELECT min(n.created_at) - h.episode_at FROM heartbeat h JOIN incident i ON i.org_id = h.org_id AND i.incident_key = 'alert:heartbeat:' || h.id
		JOIN notification n ON n.org_id = i.org_id AND n.incident_id = i.id GROUP BY h.id, h.episode_at`)
	if err != nil {
		return nil, err
	}
	late, err := pgx.CollectRows(rows, pgx.RowTo[time.Duration])
	if err == nil && len(late) != heartbeats {
		err = fmt.Errorf("%d of %d missing heartbeats paged somebody", len(late), heartbeats)
	}
	return late, err
}
