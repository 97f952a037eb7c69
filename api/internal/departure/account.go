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
	"github.com/nightbell/nightbell/api/internal/notify"
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
			err = forget(ctx, tx, place.OrgID, userID, name, email)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, place := range inOrder {
		if place.Erased() {
			continue
		}
		if err := leaveUnnamed(ctx, tx, Person{OrgID: place.OrgID, ID: userID, ReplaceBy: replaceBy[place.OrgID]}, name, email, now); err != nil {
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

// traces are what history tells of a person in an organization.
type traces struct {
	// pattern finds the name and the addresses, as PostgreSQL reads it; masked finds the addresses as they
	// are shown, which may be those of others, too.
	pattern, masked string
}

// Only what is a name or a sentence is looked at: what else JSON says is read by programs.
const (
	namesInJSON   = `jsonb_typeof(f.value) = 'string' AND f.key ~ '(^|_)(name|hint|sentence|reason)$' AND f.key <> 'policy_name'`
	forgottenJSON = `coalesce((SELECT jsonb_object_agg(f.key, CASE WHEN ` + namesInJSON + ` THEN to_jsonb(regexp_replace(f.value #>> '{}', $3, $4, 'g')) ELSE f.value END) FROM jsonb_each(json) f), '{}')`
	foundInJSON   = `EXISTS (SELECT FROM jsonb_each(json) f WHERE ` + namesInJSON + ` AND f.value #>> '{}' ~ $3)`
)

// typed are the kinds of lines with what people wrote themselves, which stays theirs.
const typed = `kind IN ('comment', 'acknowledged', 'resolved', 'merged')`

// Sentences that Nightbell wrote name people. A name may be any words, which others' lines have, too: so it is
// taken out only where the person is who did it, or to whom it was done, which is known by the id. The audit
// log stays: nobody may change it. $1 is the organization, $2 the person, $3 what is taken out, $4 what takes its place.
var (
	forgetTimelineSQL = inJSON("data", `UPDATE timeline_event SET actor_name = CASE WHEN actor_id = $2 THEN $4 ELSE actor_name END,
	        message = CASE WHEN `+typed+` THEN message ELSE regexp_replace(message, $3, $4, 'g') END,
	        data = CASE WHEN `+typed+` THEN data ELSE `+forgottenJSON+` END
	 WHERE org_id = $1 AND (actor_id = $2 OR NOT `+typed+` AND strpos(data::text, $2::text) > 0 AND (message ~ $3 OR `+foundInJSON+`))`)
	forgetPagesSQL = inJSON("why", `UPDATE notification SET reason = regexp_replace(reason, $3, $4, 'g'), finished_for = regexp_replace(finished_for, $3, $4, 'g'), why = `+forgottenJSON+`
	 WHERE org_id = $1 AND (user_id = $2 OR strpos(why::text, $2::text) > 0) AND (reason ~ $3 OR finished_for ~ $3 OR `+foundInJSON+`)`)
)

func inJSON(column, sql string) string {
	return strings.ReplaceAll(sql, "jsonb_each(json)", "jsonb_each("+column+")")
}

// readTraces reads them while the addresses are still there.
func readTraces(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, name, email string) (traces, error) {
	addresses, err := texts(ctx, tx, `SELECT hint FROM contact_method WHERE org_id = $1 AND user_id = $2 AND kind = 'email'`, orgID, userID)
	if err != nil {
		return traces{}, err
	}
	others, err := texts(ctx, tx, `SELECT u.name FROM membership m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id <> $2`, orgID, userID)
	if err != nil {
		return traces{}, err
	}
	found := traces{pattern: wholeName(name, others)}
	var shown []string
	for _, address := range append(addresses, email) {
		if address != "" {
			found.pattern += `|` + wholeAddress(address)
			shown = append(shown, wholeAddress(notify.MaskHint(address)))
		}
	}
	found.masked = strings.Join(shown, `|`)
	return found, nil
}

// wholeAddress is the pattern of PostgreSQL that finds an address, and not as a part of a longer one.
func wholeAddress(address string) string {
	return `(?<![\w.+-])` + regexp.QuoteMeta(address) + `(?![\w-])`
}

// forget takes a person's name and addresses out of the history of an organization.
func forget(ctx context.Context, tx pgx.Tx, orgID, userID uuid.UUID, name, email string) error {
	of, err := readTraces(ctx, tx, orgID, userID, name, email)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue(forgetTimelineSQL, orgID, userID, of.pattern, DeletedUser)
	batch.Queue(forgetTimelineSQL, orgID, userID, of.masked, DeletedUser)
	batch.Queue(forgetPagesSQL+` AND finished_at IS NOT NULL`, orgID, userID, of.pattern, DeletedUser)
	batch.Queue(forgetPagesSQL+` AND finished_at IS NOT NULL`, orgID, userID, of.masked, DeletedUser)
	batch.Queue(`UPDATE delivery SET detail = '' WHERE org_id = $1 AND user_id = $2 AND detail <> '' AND finished_at IS NOT NULL`, orgID, userID)
	batch.Queue(`DELETE FROM inbox_mail WHERE org_id = $1 AND (lower(recipient) = lower($3) OR lower(recipient) IN (
		SELECT lower(address) FROM contact_method WHERE org_id = $1 AND user_id = $2 AND kind = 'email'))`, orgID, userID, email)
	batch.Queue(`DELETE FROM invitation WHERE org_id = $1 AND lower(email) = lower($2) AND (accepted_at IS NOT NULL OR revoked_at IS NOT NULL)`, orgID, email)
	batch.Queue(`DELETE FROM idempotency_key WHERE org_id = $1 AND caller_id = $2`, orgID, userID)
	return tx.SendBatch(ctx, batch).Close()
}

// leaveUnnamed takes the person out of an organization that goes on.
func leaveUnnamed(ctx context.Context, tx pgx.Tx, p Person, name, email string, now time.Time) error {
	of, err := readTraces(ctx, tx, p.OrgID, p.ID, name, email)
	if err != nil {
		return err
	}
	contacts, err := ids(ctx, tx, `SELECT id FROM contact_method WHERE org_id = $1 AND user_id = $2`, p.OrgID, p.ID)
	if err != nil {
		return err
	}
	// Pages to others that are under way may say whose step it was, and those to the person are about to be
	// called off. All that is here by now is locked, so both are looked at through their partial index.
	unnamed := func(string) error {
		_, err := tx.Exec(ctx, forgetPagesSQL+` AND finished_at IS NULL`, p.OrgID, p.ID, of.pattern, DeletedUser)
		return err
	}
	last, err := leave(ctx, tx, p, incident.Actor{Kind: incident.User, ID: p.ID, Name: DeletedUser}, unnamed, now)
	if err != nil {
		return err
	}
	// And those that ended since forget looked: their incident is open, or was then.
	open, err := ids(ctx, tx, `SELECT id FROM incident WHERE org_id = $1 AND (status <> 'resolved' OR resolved_at >= $2)`, p.OrgID, now)
	if err != nil {
		return err
	}
	last.Queue(forgetPagesSQL+` AND finished_at >= $5 AND incident_id = ANY($6)`, p.OrgID, p.ID, of.pattern, DeletedUser, now, open)
	last.Queue(forgetPagesSQL+` AND finished_at >= $5 AND incident_id = ANY($6)`, p.OrgID, p.ID, of.masked, DeletedUser, now, open)
	last.Queue(`UPDATE contact_method SET name = $3, hint = '', failing_for = '' WHERE org_id = $1 AND id = ANY($2)`, p.OrgID, contacts, DeletedUser)
	return tx.SendBatch(ctx, last).Close()
}

// wholeName is the pattern of PostgreSQL that finds a name, and not as a part of a longer word or of
// somebody else's longer name.
func wholeName(name string, others []string) string {
	before, after := `(?<!\w)`, `(?!\w)`
	for _, other := range others {
		switch start, end, found := strings.Cut(other, name); {
		case found && end != "":
			after += `(?!` + regexp.QuoteMeta(end) + `)`
		case found && start != "":
			before += `(?<!` + regexp.QuoteMeta(start) + `)`
		}
	}
	return before + regexp.QuoteMeta(name) + after
}

func texts(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]string, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
