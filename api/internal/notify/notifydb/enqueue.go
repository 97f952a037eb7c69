// Package notifydb keeps how people can be reached, and the outbox: the pages that are
// to be sent, who sends them, and what came of each attempt.
package notifydb

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// Reach is how people can be reached: their rules, and a rule without urgency or delay for each
// contact method that has none (notify.Plan chooses). Somebody missing cannot be reached.
type Reach map[uuid.UUID][]notify.Rule

const reachSQL = `
SELECT c.user_id, c.id, c.kind, coalesce(r.urgency, ''), coalesce(r.delay_seconds, 0),
       c.kind = 'email' AND c.verified_at IS NULL AND coalesce(current_setting('nightbell.verifies_mail', true), '') = 'on'
FROM contact_method c
LEFT JOIN notification_rule r ON r.org_id = c.org_id AND r.contact_method_id = c.id AND r.user_id = c.user_id
WHERE c.org_id = $1 AND c.user_id = ANY($2) AND c.disabled_at IS NULL AND c.kind = ANY($3)
ORDER BY c.user_id, r.delay_seconds NULLS LAST, c.created_at, c.id`

// LoadReach reads how the people can be reached by the channels that exist.
func LoadReach(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, people []uuid.UUID) (Reach, error) {
	kinds := make([]string, len(notify.Kinds))
	for i, kind := range notify.Kinds {
		kinds[i] = string(kind)
	}
	rows, err := tx.Query(ctx, reachSQL, orgID, people, kinds)
	if err != nil {
		return nil, err
	}
	reach := Reach{}
	var person uuid.UUID
	var rule notify.Rule
	var delay int
	_, err = pgx.ForEachRow(rows, []any{&person, &rule.ContactMethodID, &rule.Kind, &rule.Urgency, &delay, &rule.Unconfirmed}, func() error {
		rule.Delay = time.Duration(delay) * time.Second
		reach[person] = append(reach[person], rule)
		return nil
	})
	return reach, err
}

// Page is one notification about to exist.
type Page struct {
	OrgID, IncidentID uuid.UUID
	// EffectKey is unique: a page that was decided before is not written again.
	EffectKey          string
	UserID             uuid.UUID // Nil for a shared channel
	ContactMethodID    uuid.UUID
	Kind               notify.Kind
	Cycle, Round, Step int
	Reason             string
	// Why is the record of the reason, kept in JSON.
	Why          escalation.Why
	SeverityRank int
	// Confirms is set when the incident was acknowledged: the page is for the severity that
	// rose since.
	Confirms bool
	DueAt    time.Time
}

const enqueueSQL = `
INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step,
                          reason, why, severity_rank, confirms, state, due_at, next_try_at, created_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::uuid[]), unnest($6::uuid[]),
       unnest($7::text[]), unnest($8::integer[]), unnest($9::integer[]), unnest($10::integer[]),
       unnest($11::text[]), unnest($12::jsonb[]), unnest($13::smallint[]), unnest($14::boolean[]), 'pending', unnest($15::timestamptz[]), unnest($15::timestamptz[]), $16::timestamptz
ON CONFLICT (effect_key) DO NOTHING`

// pagesPerStatement keeps each INSERT far below the longest time that a statement may take:
// a thousand alerts for a team of twenty are twenty thousand pages.
const pagesPerStatement = 5000

// QueueEnqueue adds the statements that write pages to a pipelined batch.
func QueueEnqueue(batch *pgx.Batch, pages []Page, now time.Time) {
	for part := range slices.Chunk(pages, pagesPerStatement) {
		queueInsert(batch, part, now)
	}
}

func queueInsert(batch *pgx.Batch, pages []Page, now time.Time) {
	n := len(pages)
	orgs, ids, incidents, contacts := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n), make([]uuid.UUID, n)
	users := make([]*uuid.UUID, n)
	keys, kinds, reasons := make([]string, n), make([]string, n), make([]string, n)
	cycles, rounds, steps, ranks := make([]int32, n), make([]int32, n), make([]int32, n), make([]int16, n)
	due, whys, confirms := make([]time.Time, n), make([][]byte, n), make([]bool, n)
	for i, p := range pages {
		orgs[i], ids[i], incidents[i], contacts[i] = p.OrgID, id.New(), p.IncidentID, p.ContactMethodID
		if p.UserID != uuid.Nil {
			users[i] = &pages[i].UserID
		}
		keys[i], kinds[i], reasons[i] = p.EffectKey, string(p.Kind), p.Reason
		cycles[i], rounds[i], steps[i], ranks[i] = int32(p.Cycle), int32(p.Round), int32(p.Step), int16(p.SeverityRank)
		due[i], confirms[i] = p.DueAt, p.Confirms
		whys[i], _ = json.Marshal(p.Why) // words and times always can be written
	}
	batch.Queue(enqueueSQL, orgs, ids, keys, incidents, users, contacts, kinds, cycles, rounds, steps, reasons, whys, ranks, confirms, due, now)
}

// QueueCancel adds the statement that calls off what was not sent yet for an incident.
func QueueCancel(batch *pgx.Batch, orgID, incidentID uuid.UUID, reason string, now time.Time) {
	batch.Queue(`UPDATE notification SET state = 'cancelled', finished_at = $4, finished_for = $3
		WHERE org_id = $1 AND incident_id = $2 AND state = 'pending'`, orgID, incidentID, reason, now)
}
