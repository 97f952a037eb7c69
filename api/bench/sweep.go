package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
)

// sweepResult is how the sweep does among many open incidents.
type sweepResult struct {
	Incidents int `json:"open_incidents"`
	// Claim is milliseconds for the query that finds what is due when nothing is, as it
	// runs every second, and ClaimAllDue when every incident is and a hundred are taken.
	Claim       spread `json:"claim_ms"`
	ClaimAllDue spread `json:"claim_all_due_ms"`
	Due         int    `json:"due"`
	// Decided is from the time at which an incident was due to be escalated until the
	// sweep had found who is on call; Sent until the page was on its way.
	Decided quantiles `json:"due_to_decided"`
	Sent    quantiles `json:"due_to_sent"`
}

// sweep fills a server with open incidents that page whoever is on call, and lets some
// of them become due.
func (c oncallCommand) sweep(ctx context.Context) (r sweepResult, err error) {
	rig, err := newSweepRig(ctx, c.Bin)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return r, err
	}
	if err := rig.open(ctx, c.Incidents); err != nil {
		return r, err
	}
	r.Incidents, r.Due = c.Incidents, c.Due
	if r.Claim, err = rig.claims(ctx, c.Rounds, 0); err != nil {
		return r, err
	}
	if r.ClaimAllDue, err = rig.claims(ctx, c.Rounds, 48*time.Hour); err != nil {
		return r, err
	}
	r.Decided, r.Sent, err = rig.lateness(ctx, c.Due)
	return r, err
}

// sweepRig is a server with a workspace that pages a schedule.
type sweepRig struct {
	server    *nightbell
	sink      *sink
	db        *database
	workspace *workspace
}

func newSweepRig(ctx context.Context, bin string) (r *sweepRig, err error) {
	r = &sweepRig{}
	if r.sink, err = startSink(ctx); err != nil {
		return r, err
	}
	if r.server, err = serve(ctx, bin); err != nil {
		return r, err
	}
	if r.db, err = r.server.database(ctx); err != nil {
		return r, err
	}
	if r.workspace, err = register(ctx, r.server.url, "sweep", r.sink.url); err != nil {
		return r, err
	}
	if err = r.workspace.pageSchedule(ctx); err != nil {
		return r, err
	}
	return r, r.workspace.addServices(ctx, 16)
}

func (r *sweepRig) end() error {
	var problems []error
	if r.db != nil {
		problems = append(problems, r.db.Close(context.Background()))
	}
	if r.server != nil {
		problems = append(problems, r.server.remove())
	}
	if r.sink != nil {
		r.sink.stop()
	}
	return errors.Join(problems...)
}

// pageSchedule makes a policy that pages whoever is on call by a schedule of two layers,
// and again by its second step.
func (w *workspace) pageSchedule(ctx context.Context) error {
	var schedule struct{ Schedule struct{ ID string } }
	layer := func(name string, windows ...any) map[string]any {
		return map[string]any{
			"name": name, "unit": "day", "length": 1, "handover": "08:00", "starts_at": aMonday, "windows": windows,
			"turns": []any{map[string]any{"user_ids": []string{w.userID}}, map[string]any{"user_ids": []string{w.userID}}},
		}
	}
	err := w.call(ctx, http.MethodPost, "/v1/schedules", map[string]any{
		"name": "Bench", "timezone": "Europe/Berlin",
		"rotations": []any{layer("Always"), layer("Nights", map[string]any{"from": "20:00", "to": "08:00"})},
	}, &schedule)
	if err != nil {
		return err
	}
	var policy struct {
		Policy struct{ ID string } `json:"escalation_policy"`
	}
	step := map[string]any{"delay_seconds": 3600, "targets": []any{map[string]any{"kind": "schedule", "id": schedule.Schedule.ID}}}
	err = w.call(ctx, http.MethodPost, "/v1/escalation-policies", map[string]any{"name": "On call", "steps": []any{step, step}}, &policy)
	w.policyID = policy.Policy.ID
	return err
}

// open leaves this many incidents open whose next step is due tomorrow.
func (r *sweepRig) open(ctx context.Context, incidents int) error {
	if err := r.db.fill(ctx, r.server, r.workspace, incidents); err != nil {
		return err
	}
	_, err := r.db.Exec(ctx, `UPDATE incident SET paging_due_at = now() + interval '1 day'`)
	if err == nil {
		_, err = r.db.Exec(ctx, `VACUUM ANALYZE`)
	}
	return err
}

// claims times the query of the sweep as its own role runs it, ahead of the time.
func (r *sweepRig) claims(ctx context.Context, rounds int, ahead time.Duration) (spread, error) {
	var milliseconds []float64
	for range rounds + 1 { // the first makes the plan
		took, err := r.claim(ctx, ahead)
		if err != nil {
			return spread{}, err
		}
		milliseconds = append(milliseconds, took)
	}
	return spreadOf(milliseconds[1:], true), nil
}

func (r *sweepRig) claim(ctx context.Context, ahead time.Duration) (milliseconds float64, err error) {
	tx, err := r.db.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, tx.Rollback(ctx)) }()
	if _, err := tx.Exec(ctx, `SET LOCAL ROLE nightbell_system`); err != nil {
		return 0, err
	}
	var claimed []escalationdb.Paging
	milliseconds = timeOf(func() { claimed, err = escalationdb.ClaimDue(ctx, tx, time.Now().Add(ahead), 100, nil) })
	if want := 100; err == nil && ahead > 0 && len(claimed) != want {
		err = fmt.Errorf("%d incidents were claimed, not %d", len(claimed), want)
	}
	return milliseconds, err
}

// lateSQL lets some incidents, which are spread over all of them, become due one after
// the other, fifty a second.
const lateSQL = `
CREATE TEMPORARY TABLE due AS
SELECT id, now() + interval '3 seconds' + row_number() OVER () * interval '20 milliseconds' AS due_at
FROM (SELECT id FROM incident ORDER BY md5(id::text) LIMIT %d) chosen;
UPDATE incident i SET paging_due_at = due.due_at FROM due WHERE i.id = due.id`

func (r *sweepRig) lateness(ctx context.Context, due int) (decided, sent quantiles, err error) {
	if _, err := r.db.Exec(ctx, fmt.Sprintf(lateSQL, due)); err != nil {
		return decided, sent, err
	}
	time.Sleep(4*time.Second + time.Duration(due)*20*time.Millisecond)
	if err := r.db.awaitDelivered(ctx); err != nil {
		return decided, sent, err
	}
	first, err := r.since(ctx, due, `n.created_at`)
	if err != nil {
		return decided, sent, err
	}
	last, err := r.since(ctx, due, `(SELECT min(d.started_at) FROM delivery d WHERE d.org_id = n.org_id AND n.id = ANY (d.notification_ids))`)
	return quantilesOf(first), quantilesOf(last), err
}

// since is how long after its due time something happened to the page of each incident.
func (r *sweepRig) since(ctx context.Context, due int, what string) ([]time.Duration, error) {
	rows, err := r.db.Query(ctx, `SELECT `+what+` - due.due_at FROM due JOIN notification n ON n.incident_id = due.id WHERE n.step = 1`)
	if err != nil {
		return nil, err
	}
	late, err := pgx.CollectRows(rows, pgx.RowTo[time.Duration])
	if err == nil && len(late) != due {
		err = fmt.Errorf("%d pages for %d incidents that were due", len(late), due)
	}
	return late, err
}
