package main

import (
	"context"
	"fmt"
	"strings"
)

// fillSQL writes a past: incidents of which, among the newest 2,000, a tenth is triggered
// and a tenth acknowledged, and all others are resolved, one a minute, each with an
// alert, its escalation, a page that was sent and two lines of history. Ids are in the
// order of time, as ours are.
const fillSQL = `
CREATE TEMPORARY TABLE past ON COMMIT DROP AS
SELECT $1::uuid AS org_id, n, s.id AS service_id, at,
       (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n || 'a'), 1, 3) || '8' || substr(md5(n || 'b'), 1, 15))::uuid AS id,
       CASE WHEN n <= $3::integer - 2000 THEN 'resolved' WHEN n % 10 = 0 THEN 'triggered' WHEN n % 10 = 1 THEN 'acknowledged' ELSE 'resolved' END AS status,
       (ARRAY['critical', 'high', 'medium', 'low'])[1 + n % 4] AS severity
FROM (SELECT n, now() - ($3::integer - n) * interval '1 minute' AS at FROM generate_series($2::integer, $3::integer) n) numbered
JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place, count(*) OVER () AS services FROM service WHERE org_id = $1) s ON s.place = n % services;

INSERT INTO incident (org_id, id, number, service_id, incident_key, title, description, status, severity, urgency, source, escalation_policy_id,
                      acknowledged_by, acknowledged_at, resolved_by, resolved_at, triggered_at, alert_count, updated_at)
SELECT org_id, id, n, service_id, 'group:past-' || n, 'Error rate of checkout-' || n || ' is above 5%',
       '5% of the requests to checkout-' || n || ' have failed for 5 minutes. Look at the gateway first.', status, severity,
       CASE WHEN n % 4 < 2 THEN 'high' ELSE 'low' END, 'prometheus', $4::uuid,
       CASE WHEN status <> 'triggered' THEN $5::uuid END, CASE WHEN status <> 'triggered' THEN at + interval '5 minutes' END,
       CASE WHEN status = 'resolved' THEN $5::uuid END, CASE WHEN status = 'resolved' THEN at + interval '40 minutes' END, at, 1, at
FROM past;

INSERT INTO alert (org_id, id, service_id, alert_key, status, severity, source, title, labels, starts_at, start_known, incident_id, incident_starts_at, first_seen_at, last_seen_at)
SELECT org_id, id, service_id, 'past-' || n, CASE WHEN status = 'resolved' THEN 'resolved' ELSE 'firing' END, severity, 'prometheus',
       'Error rate of checkout-' || n || ' is above 5%', jsonb_build_object('alertname', 'HighErrorRate', 'instance', 'checkout-' || n), at, true, id, at, at, at
FROM past;

INSERT INTO escalation_state (org_id, incident_id, policy_id, cycle, status, next_due_at, updated_at)
SELECT org_id, id, $4::uuid, 1, CASE WHEN status = 'triggered' THEN 'active' ELSE 'stopped' END,
       CASE WHEN status = 'triggered' THEN now() + interval '1 day' END, at
FROM past;

INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason, severity_rank,
                          state, due_at, next_try_at, attempts, finished_at, created_at)
SELECT org_id, id, 'past-' || id, id, $5::uuid, $6::uuid, 'webhook', 1, 0, 0, 'Step 1', 0, 'sent', at, at, 1, at, at
FROM past;

INSERT INTO timeline_event (org_id, id, incident_id, kind, actor_kind, message, at)
SELECT org_id, gen_random_uuid(), id, kind, 'system', 'Bench', at FROM past, unnest(ARRAY['declared', 'page_sent']) AS kind ORDER BY n`

// fill gives a workspace incidents up to a number, beside those it has.
func (d *database) fill(ctx context.Context, w *workspace, from, to int) error {
	var org, contact string
	err := d.QueryRow(ctx, `SELECT m.org_id::text, c.id::text FROM membership m JOIN contact_method c ON c.org_id = m.org_id WHERE m.user_id = $1`, w.userID).
		Scan(&org, &contact)
	if err != nil {
		return err
	}
	// The rows are consistent, so the checks of each would only cost time.
	script := "BEGIN; SET LOCAL session_replication_role = replica; " + substitute(fillSQL, org, from, to, w.policyID, w.userID, contact) +
		fmt.Sprintf("; UPDATE org SET last_incident_number = greatest(last_incident_number, %d) WHERE id = '%s'; COMMIT", to, org)
	if _, err := d.Exec(ctx, script); err != nil {
		return fmt.Errorf("fill the database: %w", err)
	}
	_, err = d.Exec(ctx, `VACUUM ANALYZE`)
	return err
}

// substitute puts our own ids and numbers into a script, which takes no arguments.
func substitute(script string, values ...any) string {
	for i, value := range values {
		script = strings.ReplaceAll(script, fmt.Sprintf("$%d", i+1), fmt.Sprintf("'%v'", value))
	}
	return script
}

// addServices adds services without keys, directly.
func (d *database) addServices(ctx context.Context, w *workspace, n int) error {
	_, err := d.Exec(ctx, `INSERT INTO service (org_id, id, name, escalation_policy_id, created_at, updated_at)
		SELECT m.org_id, gen_random_uuid(), 'Silent service ' || n, $2, now(), now()
		FROM membership m, generate_series(1, $3::integer) n WHERE m.user_id = $1`, w.userID, w.policyID, n)
	return err
}
