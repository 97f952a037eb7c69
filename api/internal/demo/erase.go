package demo

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// erasable are the tables of a tenant, those that point at others first. The audit
// log is not among them: nobody may delete from it. Sessions end with the membership.
var erasable = []string{
	"webhook_delivery", "webhook_subscription", "test_page", "delivery", "notification", "incident_subscriber", "incident_link", "incident_timer", "timeline_event",
	"alert_event", "alert", "undecodable_alert", "incident",
	"maintenance_service", "maintenance_window", "change_event", "sample", "sample_series", "sample_call", "sender_call", "service_dependency", "service_key", "heartbeat", "service", "integration",
	"escalation_target", "escalation_step", "calendar_feed", "handover_notice",
	"schedule_override", "rotation_person", "rotation", "schedule", "escalation_policy",
	"notification_rule", "contact_method", "inbox_mail",
	"idempotency_key", "api_key", "invitation", "team_member", "team",
}

// erase deletes the workspace but for its organization's row, to which the audit log
// belongs.
func erase(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE org SET default_policy_id = NULL WHERE id = $1`, orgID)
	for _, name := range erasable {
		batch.Queue(`DELETE FROM `+name+` WHERE org_id = $1`, orgID)
	}
	// People who belong to another organization as well keep their account.
	batch.Queue(`
		WITH left_behind AS (DELETE FROM membership WHERE org_id = $1 RETURNING user_id)
		DELETE FROM users u WHERE u.id IN (SELECT user_id FROM left_behind)
		  AND NOT EXISTS (SELECT FROM membership m WHERE m.user_id = u.id AND m.org_id <> $1)`, orgID)
	return tx.SendBatch(ctx, batch).Close()
}
