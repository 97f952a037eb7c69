package departure

import (
	"bytes"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// DeletedUser is what history calls somebody who has deleted their account.
const DeletedUser = "Deleted user"

// Place is one organization of an account, with what names the person there.
type Place struct {
	OrgID   uuid.UUID
	OrgName string
	Role    string
	// Others is how many other people are in it, OtherOwners how many of those are owners who can sign in.
	Others, OtherOwners int
	Duties              Duties
}

// Erased holds where nobody else is in it, so that it goes with the account.
func (p Place) Erased() bool { return p.Others == 0 }

// Keeps holds where the account is its only owner, and stays until there is another.
func (p Place) Keeps() bool { return p.Others > 0 && p.Role == "owner" && p.OtherOwners == 0 }

const placesSQL = `
SELECT o.id, o.name, m.role,
       (SELECT count(*) FROM membership c WHERE c.org_id = o.id AND c.user_id <> m.user_id),
       (SELECT count(*) FROM membership c JOIN users u ON u.id = c.user_id
        WHERE c.org_id = o.id AND c.user_id <> m.user_id AND c.role = 'owner' AND u.disabled_at IS NULL)
FROM membership m JOIN org o ON o.id = m.org_id
WHERE m.user_id = $1 ORDER BY lower(o.name), o.id`

// ReadPlaces reads the organizations of an account, as nightbell_system.
func ReadPlaces(ctx context.Context, tx pgx.Tx, userID uuid.UUID, now time.Time) ([]Place, error) {
	rows, err := tx.Query(ctx, placesSQL, userID)
	if err != nil {
		return nil, err
	}
	places, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Place, err error) {
		err = row.Scan(&p.OrgID, &p.OrgName, &p.Role, &p.Others, &p.OtherOwners)
		return p, err
	})
	for i := range places {
		if err == nil && !places[i].Erased() {
			places[i].Duties, err = ReadDuties(ctx, tx, Person{OrgID: places[i].OrgID, ID: userID}, now)
		}
	}
	return places, err
}

// MayDelete is the refusal with which an account has to stay, or nil. replaceBy is by organization.
func MayDelete(places []Place, replaceBy map[uuid.UUID]uuid.UUID) error {
	for orgID := range replaceBy {
		if !slices.ContainsFunc(places, func(p Place) bool { return p.OrgID == orgID }) {
			return fault.InvalidField("replacements.org_id", fault.Missing, "You are in no organization with this id.")
		}
	}
	for _, place := range places {
		switch needed := place.Duties.Needed(); {
		case place.Keeps():
			return fault.Newf(fault.Conflict, "last_owner",
				"You are the only owner of %s, and other people are in it. Make one of them an owner first, or delete the organization.", place.OrgName)
		case !place.Erased() && len(needed) > 0 && replaceBy[place.OrgID] == uuid.Nil:
			return fault.Newf(fault.Conflict, "user_has_duties",
				"In %s you are named by %s. Say who replaces you there with replacements, so that nobody is left unpaged.", place.OrgName, strings.Join(needed, ", "))
		}
	}
	return nil
}

// DeleteAccount deletes a person's account at now, as nightbell_system, in one transaction for all of
// its organizations. It answers with those as they were.
func DeleteAccount(ctx context.Context, tx pgx.Tx, userID uuid.UUID, replaceBy map[uuid.UUID]uuid.UUID, now time.Time) ([]Place, error) {
	// 1. Whoever lets the person join an organization meanwhile waits, and then finds no account.
	var name, email string
	err := tx.QueryRow(ctx, `SELECT name, email FROM users WHERE id = $1 FOR UPDATE`, userID).Scan(&name, &email)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrNoUser
	}
	if err != nil {
		return nil, err
	}
	places, err := ReadPlaces(ctx, tx, userID, now)
	if err != nil {
		return nil, err
	}
	if err := MayDelete(places, replaceBy); err != nil {
		return nil, err
	}
	// 2. Renamed first: what leaving writes into history says "Deleted user" by itself.
	if _, err := tx.Exec(ctx, `UPDATE users SET name = $2 WHERE id = $1`, userID, DeletedUser); err != nil {
		return nil, err
	}
	// 3. History first, which may take a while: what pages wait for is locked only afterwards. Two accounts
	// that are deleted together lock organizations in the same order.
	inOrder := slices.SortedFunc(slices.Values(places), func(a, b Place) int { return bytes.Compare(a.OrgID[:], b.OrgID[:]) })
	for _, place := range inOrder {
		if place.Erased() {
			err = eraseAlone(ctx, tx, place, userID)
		} else {
			err = forgetName(ctx, tx, place.OrgID, userID, name, email)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, place := range inOrder {
		if place.Erased() {
			continue
		}
		if err := leaveUnnamed(ctx, tx, Person{OrgID: place.OrgID, ID: userID, ReplaceBy: replaceBy[place.OrgID]}, name, now); err != nil {
			return nil, err
		}
	}
	// 4. Devices and links for forgotten passwords go with the account.

	_, err = tx.Exec(ctx, `DELETE FROM users WHERE id = $1`, userID)
	return places, err
}

var errJoined = fault.New(fault.Conflict, "user_has_joined", "Somebody has joined one of your organizations in this moment. Look at it again, and then delete your account.")

// eraseAlone erases an organization in which there is still nobody else once its row is locked.
func eraseAlone(ctx context.Context, tx pgx.Tx, place Place, userID uuid.UUID) error {
	if _, err := tx.Exec(ctx, `SELECT FROM org WHERE id = $1 FOR UPDATE`, place.OrgID); err != nil {
		return err
	}
	var joined bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM membership WHERE org_id = $1 AND user_id <> $2)`, place.OrgID, userID).Scan(&joined)
	if err != nil {
		return err
	}
	if joined {
		return errJoined
	}
	return EraseOrganization(ctx, tx, place.OrgID)
}

// forgetNameSQL takes a person's name ($3) out of what is over: $1 is the organization, $2 the person, $4
// and $5 find the name in text and in JSON, $6 takes its place there. Sentences that Nightbell wrote name
// people; what people wrote themselves stays theirs. The audit log stays too: nobody may change it.
var forgetNameSQL = []string{
	`UPDATE timeline_event SET actor_name = CASE WHEN actor_id = $2 THEN $3 ELSE actor_name END,
	        message = CASE WHEN kind = 'comment' THEN message ELSE regexp_replace(message, $4, $3, 'g') END,
	        data = CASE WHEN kind = 'comment' THEN data ELSE regexp_replace(data::text, $5, $6, 'g')::jsonb END
	 WHERE org_id = $1 AND (actor_id = $2 OR kind <> 'comment' AND (message ~ $4 OR data::text ~ $5))`,
	forgetPagesSQL + ` AND finished_at IS NOT NULL AND $2::uuid IS NOT NULL`,
}

const forgetPagesSQL = `UPDATE notification SET reason = regexp_replace(reason, $4, $3, 'g'), why = regexp_replace(why::text, $5, $6, 'g')::jsonb
	 WHERE org_id = $1 AND (reason ~ $4 OR why::text ~ $5)`

// forgetName takes a person's name and addresses out of the history of an organization.
func forgetName(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, name, email string) error {
	batch := &pgx.Batch{}
	for _, sql := range forgetNameSQL {
		batch.Queue(sql, orgID, userID, DeletedUser, wholeName(name), nameInJSON(name), deletedIn(name))
	}
	batch.Queue(`DELETE FROM inbox_mail WHERE org_id = $1 AND (lower(recipient) = lower($3) OR lower(recipient) IN (
		SELECT lower(address) FROM contact_method WHERE org_id = $1 AND user_id = $2 AND kind = 'email'))`, orgID, userID, email)
	batch.Queue(`DELETE FROM invitation WHERE org_id = $1 AND lower(email) = lower($2) AND (accepted_at IS NOT NULL OR revoked_at IS NOT NULL)`, orgID, email)
	batch.Queue(`DELETE FROM idempotency_key WHERE org_id = $1 AND caller_id = $2`, orgID, userID)
	return tx.SendBatch(ctx, batch).Close()
}

// leaveUnnamed takes the person out of an organization that goes on.
func leaveUnnamed(ctx context.Context, tx pgx.Tx, p Person, name string, now time.Time) error {
	contacts, err := ids(ctx, tx, `SELECT id FROM contact_method WHERE org_id = $1 AND user_id = $2`, p.OrgID, p.ID)
	if err != nil {
		return err
	}
	last, err := leave(ctx, tx, p, incident.Actor{Kind: incident.User, ID: p.ID, Name: DeletedUser}, func(string) error { return nil }, now)
	if err != nil {
		return err
	}
	// Pages to others that are under way may say whose step it was; those to the person are called off.
	last.Queue(forgetPagesSQL+` AND (finished_at IS NULL OR user_id = $2)`, p.OrgID, p.ID, DeletedUser, wholeName(name), nameInJSON(name), deletedIn(name))
	last.Queue(`UPDATE contact_method SET name = $3, hint = '', failing_for = '' WHERE org_id = $1 AND id = ANY($2)`, p.OrgID, contacts, DeletedUser)
	return tx.SendBatch(ctx, last).Close()
}

// wholeName is the pattern of PostgreSQL that finds a name, and not as a part of a longer word.
func wholeName(name string) string { return `(?<!\w)` + regexp.QuoteMeta(name) + `(?!\w)` }

// literal is what stands in JSON outside of quotes.
var literal = regexp.MustCompile(`^(true|false|null|[-+.0-9eE]+)$`)

// nameInJSON is wholeName in JSON as PostgreSQL prints it. A name that could be a number is looked for
// as a whole string alone: what is left has to be JSON.
func nameInJSON(name string) string {
	escaped := strings.ReplaceAll(strings.ReplaceAll(name, `\`, `\\`), `"`, `\"`)
	if literal.MatchString(name) {
		return `"` + regexp.QuoteMeta(escaped) + `"`
	}
	return wholeName(escaped)
}

// deletedIn takes the place of what nameInJSON finds.
func deletedIn(name string) string {
	if literal.MatchString(name) {
		return `"` + DeletedUser + `"`
	}
	return DeletedUser
}
