package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// database looks into the server's database, past row-level security.
type database struct{ *pgx.Conn }

func (n *nightbell) database(ctx context.Context) (*database, error) {
	conn, err := pgx.Connect(ctx, n.dsn("postgres"))
	if err != nil {
		return nil, err
	}
	return &database{conn}, nil
}

// awaitDelivered waits until no page waits or is under way.
func (d *database) awaitDelivered(ctx context.Context) error {
	const limit = 30 * time.Second
	for began := time.Now(); time.Since(began) < limit; time.Sleep(5 * time.Millisecond) {
		var waiting bool
		if err := d.QueryRow(ctx, `SELECT EXISTS (SELECT FROM notification WHERE finished_at IS NULL)`).Scan(&waiting); err != nil {
			return err
		}
		if !waiting {
			return nil
		}
	}
	var waiting string
	err := d.QueryRow(ctx, `SELECT format('%s %s by %s, tried %s to %s times, due %s, tried next %s; the contact failed %s times (%s), its next try is %s', count(*), n.state, n.channel,
			min(n.attempts), max(n.attempts), min(n.due_at)::time, max(n.next_try_at)::time, c.failures, c.failing_for, c.next_try_at::time) || ' at ' || clock_timestamp()::time
		FROM notification n JOIN contact_method c ON c.id = n.contact_method_id WHERE n.finished_at IS NULL
		GROUP BY n.state, n.channel, c.org_id, c.id ORDER BY count(*) DESC LIMIT 1`).Scan(&waiting)
	var activity string
	problem := d.QueryRow(ctx, `SELECT coalesce(string_agg(format('%s for %s: %s', state, clock_timestamp() - query_start, left(query, 300)), E'\\n'), 'nobody works')
		FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()`).Scan(&activity)
	return errors.Join(fmt.Errorf("pages still wait after %s: %s; in the database: %s", limit, waiting, activity), err, problem)
}

// stored is what the database holds of the alerts that were sent: rows, one for each
// distinct alert (an index sees to that), how often they were sent in all, and the
// same by the record of what was received.
type stored struct{ rows, occurrences, events int64 }

func (d *database) stored(ctx context.Context) (s stored, err error) {
	err = d.QueryRow(ctx, `SELECT count(*), coalesce(sum(occurrence_count), 0),
		(SELECT coalesce(sum(occurrences), 0) FROM alert_event) FROM alert`).Scan(&s.rows, &s.occurrences, &s.events)
	return s, err
}

// verify makes sure that every alert that was accepted since before is in the database.
func (d *database) verify(ctx context.Context, before stored, rows, occurrences int64) error {
	now, err := d.stored(ctx)
	if err != nil {
		return err
	}
	now.rows, now.occurrences, now.events = now.rows-before.rows, now.occurrences-before.occurrences, now.events-before.events
	if want := (stored{rows, occurrences, occurrences}); now != want {
		return fmt.Errorf("LOST OR DOUBLED: %d alerts were accepted (%d distinct), %d are stored (%d distinct, %d in the record)",
			occurrences, rows, now.occurrences, now.rows, now.events)
	}
	return nil
}

// fill opens this many incidents by alerts, waits for their pages and settles the tables.
func (d *database) fill(ctx context.Context, server *nightbell, w *workspace, incidents int) error {
	o, err := drive(ctx, job{
		URLs: w.hooks(server.url, keyed), Concurrency: 16, PerRequest: 1, Shape: distinctGroups, Start: 1, Requests: int64(incidents), For: 1800,
	})
	if err != nil {
		return err
	}
	if o.Accepted != int64(incidents) {
		return fmt.Errorf("%d of %d alerts were accepted: %s", o.Accepted, incidents, o.FirstError)
	}
	if err := d.awaitDelivered(ctx); err != nil {
		return err
	}
	_, err = d.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

// clear empties what runs fill, so that each round begins alike.
func (d *database) clear(ctx context.Context) error {
	if err := d.awaitDelivered(ctx); err != nil {
		return err
	}
	const truncate = `TRUNCATE incident, alert, alert_event, timeline_event, notification, delivery, undecodable_alert,
		bench.raw_alert CASCADE`
	_, err := d.Exec(ctx, truncate)
	for range 5 { // the server's sweeps lock the same tables in another order
		if postgres.Code(err) != "40P01" {
			break
		}
		_, err = d.Exec(ctx, truncate)
	}
	if err != nil {
		return err
	}
	_, err = d.Exec(ctx, `CHECKPOINT`)
	return err
}
