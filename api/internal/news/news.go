// Package news mails the subscribers of incidents what happens to them. Nobody has to act on it, and
// nothing of the page path waits for it.
//
//  1. Claim subscribers whose incident has news since they were told, for five minutes.
//  2. Gather what happened meanwhile, except what they did themselves.
//  3. Mail it, then note how far they were told. A crash between the two makes one extra copy.
package news

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// atOnce is how many subscribers one call of Tell takes on.
	atOnce = 8
	// gap is the shortest time between two mails of one incident to one person.
	gap = time.Minute
	// retryAfter is when a mail that failed, or whose sender crashed, is tried again.
	retryAfter = 5 * time.Minute
	// mailWithin is how long the mail server may take. The mails of one call are sent at once, and
	// end before their claims do.
	mailWithin = time.Minute
	// oldNews is told no more when it could not be mailed until then.
	oldNews = 24 * time.Hour
)

// told are the kinds of timeline entries that are news.
var told = []string{
	"acknowledged", "ack_timeout", "resolved", "assigned", "severity_change", "comment", "merged", "escalated", "last_resort", "exhausted",
}

// Options is what a Teller needs.
type Options struct {
	Mail notify.NoticeChannel
	// VerifyMail leaves out addresses that were not confirmed.
	VerifyMail bool
	// PublicURL is where people reach this installation.
	PublicURL string
}

// Teller tells subscribers.
type Teller struct {
	db      *postgres.DB
	options Options
}

// New makes a teller.
func New(db *postgres.DB, options Options) *Teller { return &Teller{db: db, options: options} }

// subscriber is one person who is told of one incident.
type subscriber struct {
	OrgID, IncidentID, UserID uuid.UUID
	ToldSeq                   int64
}

const claimSQL = `
UPDATE incident_subscriber s SET next_try_at = $1::timestamptz + $2::interval
FROM (SELECT w.org_id, w.incident_id, w.user_id FROM incident_subscriber w
      WHERE w.next_try_at <= $1 AND EXISTS (
          SELECT FROM timeline_event e WHERE e.org_id = w.org_id AND e.incident_id = w.incident_id AND e.seq > w.told_seq AND e.kind = ANY($3))
      ORDER BY w.next_try_at LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED) due
WHERE s.org_id = due.org_id AND s.incident_id = due.incident_id AND s.user_id = due.user_id
RETURNING s.org_id, s.incident_id, s.user_id, s.told_seq`

// Tell mails the subscribers who are due, and reports whether there may be more.
func (t *Teller) Tell(ctx context.Context) (again bool, err error) {
	var due []subscriber
	err = t.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, claimSQL, now, retryAfter, told, atOnce)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[subscriber])
		return err
	})
	if err != nil {
		return false, err
	}
	problems := make([]error, len(due))
	var sends sync.WaitGroup
	for i, s := range due {
		sends.Go(func() { problems[i] = t.tell(ctx, s) })
	}
	sends.Wait()
	return len(due) == atOnce, errors.Join(problems...)
}

func (t *Teller) tell(ctx context.Context, s subscriber) error {
	// 1. What happened, and where to.
	mail, newest, over, err := t.compose(ctx, s)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // the incident or the person is gone, and the subscription with it
	}
	if err != nil {
		return err
	}
	// 2. Nothing to say, or nobody to say it to, is told as well.
	if len(mail.Lines) > 0 && mail.To.Address != "" {
		sending, cancel := context.WithTimeout(ctx, mailWithin)
		defer cancel()
		_, err := t.options.Mail.SendNotice(sending, mail)
		// What may have arrived is not sent again, and what is refused for good never does.
		over := errors.Is(err, notify.ErrPermanent) || errors.Is(err, notify.ErrUnknownOutcome) || errors.Is(err, context.DeadlineExceeded)
		if err != nil && (ctx.Err() != nil || !over && mail.SentAt.Sub(mail.Lines[0].At) < oldNews) {
			return err
		}
	}
	// 3. Once it is over, nothing more is news.
	return t.db.InSystem(context.WithoutCancel(ctx), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE incident_subscriber
			SET told_seq = $4, next_try_at = CASE WHEN $5 THEN 'infinity' ELSE nightbell_now() + $6::interval END
			WHERE org_id = $1 AND incident_id = $2 AND user_id = $3`, s.OrgID, s.IncidentID, s.UserID, newest, over, gap)
		return err
	})
}

const (
	addressSQL = `
SELECT i.id, i.title, i.severity, i.status, coalesce(sv.name, ''), o.name, u.name, u.timezone,
       coalesce(c.id, '00000000-0000-0000-0000-000000000000'), coalesce(c.address, '')
FROM incident i JOIN org o ON o.id = i.org_id JOIN users u ON u.id = $3
LEFT JOIN service sv ON sv.org_id = i.org_id AND sv.id = i.service_id
LEFT JOIN LATERAL (
    SELECT id, address FROM contact_method
    WHERE org_id = i.org_id AND user_id = u.id AND u.disabled_at IS NULL AND kind = 'email' AND disabled_at IS NULL
      AND (verified_at IS NOT NULL OR NOT $4::boolean)
    ORDER BY created_at, id LIMIT 1) c ON true
WHERE i.org_id = $1 AND i.id = $2`
	linesSQL = `
SELECT seq, kind, actor_id, actor_name, message, at FROM timeline_event
WHERE org_id = $1 AND incident_id = $2 AND seq > $3 AND kind = ANY($4) ORDER BY seq`
)

// compose reads what is to be said; over reports whether the incident has ended.
func (t *Teller) compose(ctx context.Context, s subscriber) (mail notify.IncidentNews, newest int64, over bool, err error) {
	newest = s.ToldSeq
	err = t.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		mail = notify.IncidentNews{ID: id.New(), OrgID: s.OrgID, URL: t.options.PublicURL + "/incidents/" + s.IncidentID.String()}
		if mail.SentAt, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		mail.To.Kind = notify.Email
		err = tx.QueryRow(ctx, addressSQL, s.OrgID, s.IncidentID, s.UserID, t.options.VerifyMail).Scan(&mail.IncidentID, &mail.Title, &mail.Severity,
			&mail.Status, &mail.ServiceName, &mail.OrgName, &mail.PersonName, &mail.PersonZone, &mail.To.ID, &mail.To.Address)
		if err != nil {
			return err
		}
		over = mail.Status == "resolved"
		rows, err := tx.Query(ctx, linesSQL, s.OrgID, s.IncidentID, s.ToldSeq, told)
		if err != nil {
			return err
		}
		var actor *uuid.UUID
		var line notify.NewsLine
		_, err = pgx.ForEachRow(rows, []any{&newest, &line.Kind, &actor, &line.By, &line.Message, &line.At}, func() error {
			if line.Kind == "resolved" { // since the status was read
				mail.Status, over = "resolved", true
			}
			if actor == nil || *actor != s.UserID {
				mail.Lines = append(mail.Lines, line)
			}
			return nil
		})
		return err
	})
	return mail, newest, over, err
}
