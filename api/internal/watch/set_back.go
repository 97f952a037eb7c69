package watch

// timersAheadSQL are the timers that page again and that were set by a clock which was set back since: the answer that one
// counts from was given in the future, or a question was asked there and has more time than any. What waits for the end of
// maintenance or of a quiet time goes by the clock on the wall.
const timersAheadSQL = `incident_timer t JOIN incident i ON i.org_id = t.org_id AND i.id = t.incident_id AND i.status = 'acknowledged', LATERAL (
        SELECT greatest(i.confirmed_at, i.acknowledged_at) AS answered_at, coalesce((SELECT make_interval(secs => least(nullif(p.ack_timeout_seconds, 0), 900))
            FROM escalation_policy p WHERE p.org_id = i.org_id AND p.id = i.escalation_policy_id), interval '15 minutes') AS time) question
    WHERE t.kind IN ('ack_timeout', 'confirm_timeout') AND NOT t.held AND t.due_at > soon.at AND (
        t.kind = 'ack_timeout' AND question.answered_at > soon.at
        OR t.kind = 'confirm_timeout' AND t.due_at > soon.at + question.time AND (t.due_at > soon.at + interval '15 minutes'
            OR EXISTS (SELECT FROM notification n WHERE n.incident_id = t.incident_id AND n.confirms AND n.created_at > soon.at)))`

// timersFromFutureSQL lets answers and questions count from now on. Whoever holds an incident may wait for its timers, so
// that nothing is waited for here.
const timersFromFutureSQL = `
WITH ahead AS MATERIALIZED (
    SELECT t.org_id, t.incident_id, t.kind, question.answered_at - $1::timestamptz AS ahead, CASE t.kind WHEN 'confirm_timeout' THEN $1 + question.time
        ELSE greatest($1, t.due_at - (question.answered_at - $1)) END AS due_at
    FROM (SELECT $1::timestamptz + $2::interval AS at) soon, ` + timersAheadSQL + ` FOR NO KEY UPDATE OF t, i SKIP LOCKED
), answered AS (
    UPDATE incident i SET acknowledged_at = least(i.acknowledged_at, $1), confirmed_at = CASE WHEN i.confirmed_at IS NOT NULL THEN least(i.confirmed_at, $1) END,
        snoozed_until = i.snoozed_until - a.ahead
    FROM ahead a WHERE i.org_id = a.org_id AND i.id = a.incident_id AND a.kind = 'ack_timeout'
)
UPDATE incident_timer t SET due_at = a.due_at FROM ahead a WHERE t.org_id = a.org_id AND t.incident_id = a.incident_id AND t.kind = a.kind`
