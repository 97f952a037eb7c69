package oncalldb

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// Look is a schedule at which somebody must look for hand-overs.
type Look struct {
	OrgID    uuid.UUID
	Schedule oncall.Schedule
	// Since is the look before this one; zero when there was none. Told is who was on call
	// then, in the eyes of those people.
	Since time.Time
	Told  []uuid.UUID
	// Flaw is what cannot be read of the schedule, for the log.
	Flaw error
}

// A schedule is due when something may change by itself, and after somebody changed it:
// for a while, because a change is dated when it began and seen when it is committed. What
// does not touch the schedule (a person is removed) is seen when its time has come.
const dueLooksSQL = `
SELECT s.org_id, s.id FROM schedule s
WHERE s.look_at IS NULL OR s.look_at <= $1
   OR (s.updated_at >= s.announced_through - interval '15 seconds' AND s.announced_through < $1 - interval '1 second')
ORDER BY s.look_at NULLS FIRST, s.id LIMIT $2
FOR NO KEY UPDATE OF s SKIP LOCKED`

var looksSQL = `
SELECT s.org_id, s.announced_through, s.told, ` + DefinitionSQL("s", "coalesce(s.announced_through, $3)") + `
FROM schedule s JOIN (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id) due USING (org_id, id)`

// ClaimLooks takes up to limit schedules that are due to be looked at, those that wait
// longest first, and locks them until the transaction ends. What another replica holds is
// skipped.
func ClaimLooks(ctx context.Context, tx pgx.Tx, now time.Time, limit int) ([]Look, error) {
	rows, err := tx.Query(ctx, dueLooksSQL, now, limit)
	if err != nil {
		return nil, err
	}
	var orgs, schedules []uuid.UUID
	var org, schedule uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&org, &schedule}, func() error {
		orgs, schedules = append(orgs, org), append(schedules, schedule)
		return nil
	})
	if err != nil || len(orgs) == 0 {
		return nil, err
	}
	// Another statement: what the first one saw may be older than what it locked.
	if rows, err = tx.Query(ctx, looksSQL, orgs, schedules, now); err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanLook)
}

func scanLook(row pgx.CollectableRow) (Look, error) {
	var look Look
	var since *time.Time
	var definition []byte
	if err := row.Scan(&look.OrgID, &since, &look.Told, &definition); err != nil {
		return Look{}, err
	}
	if since != nil {
		look.Since = since.UTC()
	}
	look.Schedule, look.Flaw = Parse(definition)
	return look, nil
}

// Looked is what came of a look.
type Looked struct {
	OrgID, ScheduleID uuid.UUID
	// Current is who is on call, and NextAt when to look again.
	Current []uuid.UUID
	NextAt  time.Time
}

const saveLooksSQL = `
UPDATE schedule s SET announced_through = $5, told = l.told::uuid[], look_at = l.look_at
FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS id, unnest($3::text[]) AS told, unnest($4::timestamptz[]) AS look_at) l
WHERE s.org_id = l.org_id AND s.id = l.id`

// QueueLooked adds the statement that stores what came of looks at now to a pipelined batch.
func QueueLooked(batch *pgx.Batch, looked []Looked, now time.Time) {
	n := len(looked)
	orgs, schedules, told, next := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]string, n), make([]time.Time, n)
	for i, l := range looked {
		orgs[i], schedules[i], told[i], next[i] = l.OrgID, l.ScheduleID, arrayText(l.Current), l.NextAt
	}
	batch.Queue(saveLooksSQL, orgs, schedules, told, next, now)
}

// arrayText is a list of ids as PostgreSQL writes it: lists of lists cannot be unnested.
func arrayText(ids []uuid.UUID) string {
	text := []byte{'{'}
	for i, one := range ids {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, one.String()...)
	}
	return string(append(text, '}'))
}

// Notice is a hand-over that one person is to be told.
type Notice struct {
	OrgID, ScheduleID uuid.UUID
	oncall.Handover
}

// kind is how the hand-over is stored.
func (n Notice) kind() string {
	if n.On {
		return "on"
	}
	return "off"
}

// key is the same whenever the hand-over is decided again.
func (n Notice) key(contact uuid.UUID) string {
	return fmt.Sprintf("handover/%s/%s/%s/%d", n.ScheduleID, n.kind(), contact, n.At.UnixMicro())
}

const cancelNoticesSQL = `
UPDATE handover_notice n SET state = 'cancelled', detail = 'a later hand-over is told instead', finished_at = $4
FROM (SELECT unnest($1::uuid[]) AS org_id, unnest($2::uuid[]) AS schedule_id, unnest($3::uuid[]) AS user_id) later
WHERE n.org_id = later.org_id AND n.schedule_id = later.schedule_id AND n.user_id = later.user_id AND n.state = 'pending'`

const insertNoticesSQL = `
INSERT INTO handover_notice (org_id, id, effect_key, schedule_id, user_id, contact_method_id, kind, starts_at, ends_at, others,
                             state, next_try_at, created_at)
SELECT unnest($1::uuid[]), unnest($2::uuid[]), unnest($3::text[]), unnest($4::uuid[]), unnest($5::uuid[]), unnest($6::uuid[]),
       unnest($7::text[]), unnest($8::timestamptz[]), unnest($9::timestamptz[]), unnest($10::text[])::uuid[],
       'pending', $11::timestamptz, $11
ON CONFLICT (effect_key) DO NOTHING`

// QueueNotices adds the statements that write notices to a pipelined batch, one for each
// mailbox of the person. What the person was not told yet of the same schedule is called
// off: only the latest hand-over matters.
func QueueNotices(batch *pgx.Batch, notices []Notice, mailboxes Mailboxes, now time.Time) {
	if len(notices) == 0 {
		return
	}
	var later, told noticeRows
	for i := range notices {
		later.add(&notices[i], uuid.Nil)
		for _, contact := range mailboxes[Member{notices[i].OrgID, notices[i].Person}] {
			told.add(&notices[i], contact)
		}
	}
	batch.Queue(cancelNoticesSQL, later.orgs, later.schedules, later.people, now)
	batch.Queue(insertNoticesSQL, told.orgs, told.ids, told.keys, told.schedules, told.people, told.contacts,
		told.kinds, told.from, told.until, told.others, now)
}

// noticeRows are notices as columns that run in parallel.
type noticeRows struct {
	orgs, ids, schedules, people, contacts []uuid.UUID
	keys, kinds, others                    []string
	from                                   []time.Time
	until                                  []*time.Time
}

func (r *noticeRows) add(n *Notice, contact uuid.UUID) {
	r.orgs, r.ids, r.keys = append(r.orgs, n.OrgID), append(r.ids, id.New()), append(r.keys, n.key(contact))
	r.schedules, r.people, r.contacts = append(r.schedules, n.ScheduleID), append(r.people, n.Person), append(r.contacts, contact)
	r.kinds, r.from, r.others = append(r.kinds, n.kind()), append(r.from, n.At), append(r.others, arrayText(n.Others))
	if n.Until.IsZero() {
		r.until = append(r.until, nil)
		return
	}
	r.until = append(r.until, &n.Until)
}

// Member is a person in an organization.
type Member struct{ OrgID, UserID uuid.UUID }

// Mailboxes are the e-mail contact methods of people, those that pages may use. Somebody
// without any is missing, and is not told.
type Mailboxes map[Member][]uuid.UUID

const mailboxesSQL = `
SELECT c.org_id, c.user_id, c.id
FROM contact_method c JOIN users u ON u.id = c.user_id AND u.disabled_at IS NULL
WHERE (c.org_id, c.user_id) IN (SELECT unnest($1::uuid[]), unnest($2::uuid[])) AND c.kind = 'email' AND c.disabled_at IS NULL
ORDER BY c.created_at, c.id`

// ReadMailboxes reads where those whom the notices are for get mail.
func ReadMailboxes(ctx context.Context, tx pgx.Tx, notices []Notice) (Mailboxes, error) {
	orgs, people := make([]uuid.UUID, len(notices)), make([]uuid.UUID, len(notices))
	for i, n := range notices {
		orgs[i], people[i] = n.OrgID, n.Person
	}
	rows, err := tx.Query(ctx, mailboxesSQL, orgs, people)
	if err != nil {
		return nil, err
	}
	mailboxes := Mailboxes{}
	var member Member
	var contact uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&member.OrgID, &member.UserID, &contact}, func() error {
		mailboxes[member] = append(mailboxes[member], contact)
		return nil
	})
	return mailboxes, err
}

// ReadNames reads the names of people.
func ReadNames(ctx context.Context, tx pgx.Tx, people []uuid.UUID) (map[uuid.UUID]string, error) {
	rows, err := tx.Query(ctx, `SELECT id, name FROM users WHERE id = ANY($1)`, people)
	if err != nil {
		return nil, err
	}
	names := map[uuid.UUID]string{}
	var person uuid.UUID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&person, &name}, func() error {
		names[person] = name
		return nil
	})
	return names, err
}
