package respond

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// The most that an incident may have of each.
const (
	maxLinks       = 100
	maxSubscribers = 100
)

var (
	errLinkedToItself   = fault.InvalidField("linked_id", fault.NotOneOf, "An incident cannot be linked to itself. Choose another one.")
	errNoLinked         = fault.InvalidField("linked_id", fault.Missing, "Incident not found")
	errTooManyLinks     = fault.New(fault.Conflict, "too_many_links", fmt.Sprintf("An incident is linked to at most %d others. Take a link away first.", maxLinks))
	errNoSubscriber     = fault.InvalidField("user_id", fault.Missing, "User not found")
	errNoNews           = fault.New(fault.Conflict, "incident_resolved", "This incident is already resolved. Nothing more is told of it.")
	errTooManyFollowers = fault.New(fault.Conflict, "too_many_subscribers", fmt.Sprintf("At most %d people are told of one incident. Take somebody away first.", maxSubscribers))
)

// Link says that two incidents have to do with each other; a repeat is no error. ErrNoIncident says that
// the first does not exist.
func (r *Responder) Link(ctx context.Context, orgID, incidentID, otherID uuid.UUID, by incident.Actor) error {
	return r.changeLink(ctx, orgID, incidentID, otherID, by, true)
}

// Unlink takes a link away; a repeat is no error. ErrNoIncident says that the first does not exist.
func (r *Responder) Unlink(ctx context.Context, orgID, incidentID, otherID uuid.UUID, by incident.Actor) error {
	return r.changeLink(ctx, orgID, incidentID, otherID, by, false)
}

func (r *Responder) changeLink(ctx context.Context, orgID, incidentID, otherID uuid.UUID, by incident.Actor, linked bool) error {
	if incidentID == otherID && linked {
		return errLinkedToItself
	}
	return r.inAnswer(ctx, orgID, func(ctx context.Context, tx pgx.Tx, round *paging.Round, _ *pgx.Batch) error {
		own, other, err := lockBoth(ctx, tx, orgID, incidentID, otherID, errNoLinked)
		if !linked && errors.Is(err, errNoLinked) {
			return nil // what does not exist is not linked
		}
		if err != nil {
			return err
		}
		kind, word, write := "unlinked", "No longer linked to", deleteLink
		if linked {
			kind, word, write = "linked", "Linked to", insertLink
		}
		if changed, err := write(ctx, tx, orgID, incidentID, otherID); err != nil || !changed {
			return err
		}
		for _, pair := range [][2]incidentdb.Record{{own, other}, {other, own}} {
			round.Note(pair[0], incident.Event{
				Kind: kind, Actor: by, Message: word + " #" + id.Last4(pair[1].ID) + ": " + pair[1].Title,
				Data: map[string]any{"linked_id": pair[1].ID.String()},
			})
		}
		return nil
	})
}

const (
	insertLinkSQL = `INSERT INTO incident_link (org_id, incident_id, other_id, created_at)
		VALUES ($1, least($2::uuid, $3::uuid), greatest($2::uuid, $3::uuid), $4) ON CONFLICT DO NOTHING`
	deleteLinkSQL = `DELETE FROM incident_link WHERE org_id = $1 AND incident_id = least($2::uuid, $3::uuid) AND other_id = greatest($2::uuid, $3::uuid)`
	countLinksSQL = `SELECT max(n) FROM (SELECT count(*) AS n FROM incident_link WHERE org_id = $1 AND (incident_id = $2 OR other_id = $2)
		UNION ALL SELECT count(*) FROM incident_link WHERE org_id = $1 AND (incident_id = $3 OR other_id = $3)) counted`
)

func deleteLink(ctx context.Context, tx pgx.Tx, orgID, incidentID, otherID uuid.UUID) (changed bool, err error) {
	tag, err := tx.Exec(ctx, deleteLinkSQL, orgID, incidentID, otherID)
	return tag.RowsAffected() > 0, err
}

func insertLink(ctx context.Context, tx pgx.Tx, orgID, incidentID, otherID uuid.UUID) (changed bool, err error) {
	now, err := postgres.Now(ctx, tx)
	if err != nil {
		return false, err
	}
	tag, err := tx.Exec(ctx, insertLinkSQL, orgID, incidentID, otherID, now)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	var most int
	if err = tx.QueryRow(ctx, countLinksSQL, orgID, incidentID, otherID).Scan(&most); err == nil && most > maxLinks {
		err = errTooManyLinks
	}
	return true, err
}

// Subscribe lets a user be mailed what happens to an incident from now on; a repeat is no error.
// ErrNoIncident says that there is no such incident.
func (r *Responder) Subscribe(ctx context.Context, orgID, incidentID, userID uuid.UUID) error {
	return r.changeSubscriber(ctx, orgID, incidentID, func(ctx context.Context, tx pgx.Tx, record incidentdb.Record) error {
		if !record.Status.Open() {
			return errNoNews
		}
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		var subscribers int
		err = tx.QueryRow(ctx, `WITH member AS (
				SELECT m.user_id FROM membership m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id = $3 AND u.disabled_at IS NULL),
			added AS (
				INSERT INTO incident_subscriber (org_id, incident_id, user_id, told_seq, next_try_at, created_at)
				SELECT $1, $2, user_id, coalesce((SELECT max(seq) FROM timeline_event WHERE org_id = $1 AND incident_id = $2), 0), $4, $4 FROM member
				ON CONFLICT DO NOTHING RETURNING user_id)
			SELECT (SELECT count(*) FROM incident_subscriber WHERE org_id = $1 AND incident_id = $2) + (SELECT count(*) FROM added)
			FROM member`, orgID, incidentID, userID, now).Scan(&subscribers)
		if errors.Is(err, pgx.ErrNoRows) {
			return errNoSubscriber
		}
		if err == nil && subscribers > maxSubscribers {
			err = errTooManyFollowers
		}
		return err
	})
}

// Unsubscribe ends it; a repeat is no error. ErrNoIncident says that there is no such incident.
func (r *Responder) Unsubscribe(ctx context.Context, orgID, incidentID, userID uuid.UUID) error {
	return r.changeSubscriber(ctx, orgID, incidentID, func(ctx context.Context, tx pgx.Tx, _ incidentdb.Record) error {
		_, err := tx.Exec(ctx, `DELETE FROM incident_subscriber WHERE org_id = $1 AND incident_id = $2 AND user_id = $3`, orgID, incidentID, userID)
		return err
	})
}

// changeSubscriber holds the incident, so that two at once do not both take the last place.
func (r *Responder) changeSubscriber(ctx context.Context, orgID, incidentID uuid.UUID, change func(context.Context, pgx.Tx, incidentdb.Record) error) error {
	return r.db.InTenant(ctx, orgID, func(ctx context.Context, tx pgx.Tx) error {
		records, err := incidentdb.LockIn(ctx, tx, orgID, []uuid.UUID{incidentID})
		if err != nil {
			return err
		}
		if len(records) == 0 {
			return ErrNoIncident
		}
		return change(ctx, tx, records[0])
	}, postgres.LockTimeout(answerPatience))
}
