package handover

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// noticesAtOnce is how many mails of hand-overs are under way at a time.
	noticesAtOnce = 4
	// noticeTimeout is how long the mail server may take. It ends, with room to record the
	// result, before the lease does.
	noticeTimeout = 20 * time.Second
	noticeLease   = time.Minute
	// recordTimeout is how long one try to record a result may take.
	recordTimeout = 2 * time.Second
)

// Send sends the notices that are due, a few at a time, and waits for the mail server. It
// reports whether there may be more. A notice is sent at least once: a crash makes at most
// one extra copy.
func (h *Notifier) Send(ctx context.Context) (again bool, err error) {
	var claims []oncalldb.Claim
	err = h.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		claims, err = oncalldb.ClaimNotices(ctx, tx, now, noticeLease, noticesAtOnce)
		return err
	})
	if err != nil {
		return false, err
	}
	problems := make([]error, len(claims))
	var sends sync.WaitGroup
	for i, claim := range claims {
		sends.Go(func() { problems[i] = h.deliver(ctx, claim) })
	}
	sends.Wait()
	return len(claims) == noticesAtOnce, errors.Join(problems...)
}

// deliver sends one notice and records how it went.
func (h *Notifier) deliver(ctx context.Context, claim oncalldb.Claim) error {
	handover, usable, err := h.compose(ctx, claim)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // stopping: it is sent by the next worker once the lease has ended
	case errors.Is(err, pgx.ErrNoRows):
		return nil // the schedule or the person is gone, and the notice with it
	case err != nil:
		return fmt.Errorf("read what a hand-over notice says: %w", err)
	}
	var receipt notify.Receipt
	switch {
	case claim.On && !claim.Until.IsZero() && !claim.Until.After(handover.SentAt):
		return h.settle(ctx, claim, oncalldb.Outcome{State: "cancelled", Detail: "it was over before it could be told"})
	case !usable:
		return h.settle(ctx, claim, oncalldb.Outcome{State: "failed", Detail: "the contact method is not used any more, or its address is not confirmed yet"})
	default:
		receipt, err = h.send(ctx, handover)
	}
	if errors.Is(err, notify.ErrUnknownOutcome) && ctx.Err() == nil {
		receipt, err = notify.Receipt{Detail: err.Error()}, nil // a copy at each try would be worse
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return h.settle(ctx, claim, outcomeOf(claim, receipt, err, handover.SentAt))
}

// send hands a notice to the mail server. A panic is a failure like another.
func (h *Notifier) send(ctx context.Context, handover notify.Handover) (receipt notify.Receipt, err error) {
	ctx, cancel := context.WithTimeout(ctx, noticeTimeout)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return h.options.Mail.SendNotice(ctx, handover)
}

// outcomeOf says what follows from an answer: notices are tried again like pages.
func outcomeOf(claim oncalldb.Claim, receipt notify.Receipt, err error, now time.Time) oncalldb.Outcome {
	if err == nil {
		return oncalldb.Outcome{State: "sent", Detail: notify.Line(receipt.Detail, 500)}
	}
	next, giveUp := notify.Retry(claim.Tries, claim.CreatedAt, now, binary.BigEndian.Uint64(claim.ID[8:]))
	if giveUp || errors.Is(err, notify.ErrPermanent) {
		return oncalldb.Outcome{State: "failed", Detail: fmt.Sprintf("%s (tries: %d)", notify.Line(err.Error(), 500), claim.Tries)}
	}
	if wait, asked := notify.RetryAfter(err); asked {
		if asked := now.Add(min(wait, notify.LongestWait)); asked.After(next) {
			next = asked
		}
	}
	return oncalldb.Outcome{State: "pending", NextTryAt: next, Detail: notify.Line(err.Error(), 500)}
}

// settle records an outcome, also while the process stops: what is not recorded is told
// once more.
func (h *Notifier) settle(ctx context.Context, claim oncalldb.Claim, outcome oncalldb.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if outcome.State == "failed" {
		h.options.Logger.WarnContext(ctx, "somebody could not be told of a hand-over",
			"schedule", claim.ScheduleID, "user", claim.Person, "reason", outcome.Detail)
	}
	return h.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return oncalldb.SettleNotice(ctx, tx, claim, outcome, now)
	})
}

// compose reads what a notice says, with the incidents as they are now.
func (h *Notifier) compose(ctx context.Context, claim oncalldb.Claim) (handover notify.Handover, usable bool, err error) {
	err = h.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		facts, err := oncalldb.ReadFacts(ctx, tx, claim)
		if err != nil {
			return err
		}
		usable = facts.Usable && (facts.Verified || !h.options.VerifyMail)
		handover = notify.Handover{
			ID: claim.ID, OrgID: claim.OrgID, OrgName: facts.OrgName,
			To:         notify.Contact{ID: facts.ContactID, Kind: notify.Email, Name: facts.ContactName, Address: facts.Address},
			PersonName: facts.PersonName, PersonZone: facts.PersonZone,
			On: claim.On, ScheduleName: facts.ScheduleName, Zone: facts.Zone, Start: claim.At, End: claim.Until,
			Others: facts.Others, URL: h.options.PublicURL + "/oncall", SentAt: now,
		}
		if !claim.On {
			return nil
		}
		return h.addIncidents(ctx, tx, claim, &handover)
	})
	return handover, usable, err
}

// openIncidentsSQL is the open incidents for which a schedule is paged: by the policy that
// pages for the incident, or by the one that its service has now.
const openIncidentsSQL = `
WITH paging AS (SELECT t.policy_id FROM escalation_target t WHERE t.org_id = $1 AND t.schedule_id = $2)
SELECT i.id, i.number, i.title, i.severity, i.status, i.triggered_at, coalesce(s.name, ''), coalesce(u.name, ''), count(*) OVER ()
FROM incident i
JOIN org o ON o.id = i.org_id
LEFT JOIN service s ON s.org_id = i.org_id AND s.id = i.service_id
LEFT JOIN users u ON u.id = i.acknowledged_by
WHERE i.org_id = $1 AND i.status <> 'resolved'
  AND (i.escalation_policy_id IN (SELECT policy_id FROM paging)
       OR coalesce(s.escalation_policy_id, o.default_policy_id) IN (SELECT policy_id FROM paging))
ORDER BY array_position(ARRAY['critical', 'high', 'medium', 'low'], i.severity), i.triggered_at DESC, i.number DESC
LIMIT $3`

func (h *Notifier) addIncidents(ctx context.Context, tx pgx.Tx, claim oncalldb.Claim, handover *notify.Handover) error {
	rows, err := tx.Query(ctx, openIncidentsSQL, claim.OrgID, claim.ScheduleID, notify.MaxShown)
	if err != nil {
		return err
	}
	var i notify.OpenIncident
	into := []any{&i.ID, &i.Number, &i.Title, &i.Severity, &i.Status, &i.TriggeredAt, &i.ServiceName, &i.Holder, &handover.Open}
	_, err = pgx.ForEachRow(rows, into, func() error {
		i.URL = h.options.PublicURL + "/incidents/" + i.ID.String()
		handover.Incidents = append(handover.Incidents, i)
		return nil
	})
	return err
}
