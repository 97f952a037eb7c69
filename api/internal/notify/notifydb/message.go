package notifydb

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// Checked is what of a claim may still be sent, read right before the send.
type Checked struct {
	// Until is the end of the lease.
	Until   time.Time
	Contact Contact
	// LastResort is true when a page goes to somebody as an owner, because nobody else answered.
	LastResort bool
	// Incidents are those of the pages that the claim still has, by the page's id.
	Incidents map[uuid.UUID]notify.Incident
	// Held are the pages that wait for the end of maintenance.
	Held map[uuid.UUID]bool
}

// Contact is a contact method as stored, its secrets still sealed.
type Contact struct {
	OrgName    string
	PersonName string
	Kind       notify.Kind
	Name       string
	Hint       string
	// Address is empty when AddressSealed holds it.
	Address       string
	AddressSealed []byte
	SecretSealed  []byte
	// Unverified is true for an e-mail address whose link nobody has opened.
	Unverified bool
	// Disabled says why the contact method is not used any more; empty while it is.
	Disabled string
	// Failures counts the tries in a row before this one that failed for the contact's own
	// reasons.
	Failures int
	// Waited is true when pages waited for it to answer again.
	Waited bool
}

const checkContactSQL = `
SELECT o.name, coalesce(u.name, ''), c.kind, c.name, c.hint, c.address, c.address_sealed, c.secret_sealed,
       CASE WHEN c.disabled_at IS NOT NULL THEN coalesce(nullif(c.disabled_for, ''), 'it was disabled')
            WHEN u.disabled_at IS NOT NULL THEN 'the account was disabled' ELSE '' END, c.failures,
       c.kind = 'email' AND c.verified_at IS NULL, c.next_try_at IS NOT NULL
FROM contact_method c JOIN org o ON o.id = c.org_id LEFT JOIN users u ON u.id = c.user_id
WHERE c.org_id = $1 AND c.id = $2`

// ReadContact reads a contact method for a message that is no page; pgx.ErrNoRows when it is gone.
func ReadContact(ctx context.Context, tx pgx.Tx, orgID, contactID uuid.UUID) (c Contact, err error) {
	err = tx.QueryRow(ctx, checkContactSQL, orgID, contactID).Scan(c.fields()...)
	return c, err
}

// fields are in the order of checkContactSQL.
func (c *Contact) fields() []any {
	return []any{&c.OrgName, &c.PersonName, &c.Kind, &c.Name, &c.Hint, &c.Address, &c.AddressSealed, &c.SecretSealed, &c.Disabled, &c.Failures, &c.Unverified, &c.Waited}
}

// The pages are read first, by their keys: joined at once, a plan made while there were few
// reads all incidents of the organization, and each page for each of them. The texts are read last, by key too, of the
// $4 incidents that notify.Order puts to the front, and no more than $5 characters: who is paged waits for them.
const checkPagesSQL = `
WITH own AS MATERIALIZED (
    SELECT org_id, id, incident_id, user_id, cycle, round, step, lease_until, reason, confirms, due_at, created_at, why ->> 'target_kind' = 'owner' AS last_resort FROM notification
    WHERE org_id = $1 AND id = ANY($2) AND lease_token = $3
), seen AS (
    SELECT n.id AS page, n.lease_until, n.reason, n.last_resort IS TRUE AS last_resort,
           i.org_id, i.id, i.number, i.title, i.severity, i.status, i.triggered_at, i.alert_count, coalesce(s.name, '') AS service, coalesce(s.runbook_url, '') AS runbook,
           array_position(severities.worst_first, i.severity) AS rank,
           CASE i.status WHEN 'triggered' THEN true
                         WHEN 'acknowledged' THEN n.confirms AND array_position(severities.worst_first, i.severity) < array_position(severities.worst_first, i.acknowledged_severity)
                         ELSE false END AS unanswered,
           EXISTS (` + holdingSQL + `) AS held
    FROM (SELECT ARRAY['critical', 'high', 'medium', 'low'] AS worst_first) severities, own n
    JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id
    LEFT JOIN service s ON s.org_id = i.org_id AND s.id = i.service_id
), placed AS (
    SELECT *, dense_rank() OVER (ORDER BY (unanswered AND NOT held) DESC, rank, triggered_at DESC, number DESC) AS place FROM seen
)
SELECT p.page, p.lease_until, p.reason, p.last_resort, p.id, p.number, p.title,
       CASE WHEN p.place <= $4 THEN (SELECT left(d.description, $5) FROM incident d WHERE d.org_id = p.org_id AND d.id = p.id) ELSE '' END,
       p.severity, p.status, p.triggered_at, p.alert_count, p.service, p.runbook, p.unanswered, p.held
FROM placed p`

// QueueCheck adds the last look before the send: what of the claim still has its token, and
// how the incidents stand now. Checked.Incidents is empty when the lease was taken over; the
// batch ends with pgx.ErrNoRows when the contact method is gone.
func QueueCheck(batch *pgx.Batch, kind notify.Kind, claim Claim, checked *Checked) {
	checked.Incidents, checked.Held = make(map[uuid.UUID]notify.Incident, len(claim.Pages)), map[uuid.UUID]bool{}
	pages := make([]uuid.UUID, len(claim.Pages))
	for i, page := range claim.Pages {
		pages[i] = page.ID
	}
	batch.Queue(checkContactSQL, claim.OrgID, claim.ContactMethodID).QueryRow(func(row pgx.Row) error {
		return row.Scan(checked.Contact.fields()...)
	})
	// Last, so that an acknowledgement is seen that was committed a moment ago.
	batch.Queue(checkPagesSQL, claim.OrgID, pages, claim.DeliveryID, notify.MaxShown, kind.MaxDescription()).Query(checked.collect)
}

func (c *Checked) collect(rows pgx.Rows) error {
	var page uuid.UUID
	var lastResort, held bool
	var i notify.Incident
	into := []any{&page, &c.Until, &i.Reason, &lastResort, &i.ID, &i.Number, &i.Title, &i.Description, &i.Severity, &i.Status, &i.TriggeredAt, &i.AlertCount, &i.ServiceName, &i.RunbookURL, &i.Unanswered, &held}
	_, err := pgx.ForEachRow(rows, into, func() error {
		c.Incidents[page] = i
		if held {
			c.Held[page] = true
		}
		c.LastResort = c.LastResort || lastResort
		return nil
	})
	return err
}
