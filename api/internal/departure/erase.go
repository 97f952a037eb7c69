package departure

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// contents are the tables of a tenant, those that point at others first; what else carries org_id
// goes with the membership, or last (EraseOrganization).
var contents = []string{
	"webhook_delivery", "webhook_subscription", "test_page", "delivery", "notification", "incident_subscriber", "incident_link", "incident_timer", "timeline_event",
	"alert_event", "alert", "undecodable_alert", "incident",
	"maintenance_service", "maintenance_window", "change_event", "sample", "sample_series", "sample_call", "sender_call", "service_dependency", "service_key", "heartbeat", "service", "integration",
	"escalation_target", "escalation_step", "calendar_feed", "handover_notice",
	"schedule_override", "rotation_person", "rotation", "schedule", "escalation_policy",
	"notification_rule", "contact_method", "inbox_mail",
	"idempotency_key", "invitation", "api_key", "team_member", "team",
}

// EraseContents deletes all that an organization has but its row and its audit log, as nightbell_system.
// Accounts that are in no other organization go with it: they could neither sign in nor register again.
func EraseContents(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE org SET default_policy_id = NULL WHERE id = $1`, orgID)
	for _, name := range contents {
		batch.Queue(`DELETE FROM `+name+` WHERE org_id = $1`, orgID)
	}
	batch.Queue(`
		WITH left_behind AS (DELETE FROM membership WHERE org_id = $1 RETURNING user_id)
		DELETE FROM users u WHERE u.id IN (SELECT user_id FROM left_behind)
		  AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id AND m.org_id <> $1)`, orgID)
	return tx.SendBatch(ctx, batch).Close()
}

// EraseOrganization deletes an organization with everything that is its own, as nightbell_system.
func EraseOrganization(ctx context.Context, tx pgx.Tx, orgID uuid.UUID) error {
	// Whoever is about to join it, or to number an incident, waits here and then finds nothing.
	if _, err := tx.Exec(ctx, `SELECT FROM org WHERE id = $1 FOR UPDATE`, orgID); err != nil {
		return err
	}
	// So does an alert about one of its services, which would join an incident that is being deleted.
	if _, err := tx.Exec(ctx, `SELECT FROM service WHERE org_id = $1 ORDER BY id FOR UPDATE`, orgID); err != nil {
		return err
	}
	if err := EraseContents(ctx, tx, orgID); err != nil {
		return err
	}
	batch := &pgx.Batch{}
	// The policy on audit_event lets young rows go only with the organization that is named here.
	batch.Queue(`SELECT set_config('nightbell.erased_org', $1, true)`, orgID.String())
	batch.Queue(`DELETE FROM audit_event WHERE org_id = $1`, orgID)
	batch.Queue(`DELETE FROM org WHERE id = $1`, orgID)
	return tx.SendBatch(ctx, batch).Close()
}
