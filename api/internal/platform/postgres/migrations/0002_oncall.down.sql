DROP TABLE maintenance_service, maintenance_window, incident_timer, handover_notice, calendar_feed,
    schedule_override, rotation_person, rotation;
ALTER TABLE notification DROP COLUMN why;
ALTER TABLE escalation_state DROP COLUMN turn, DROP COLUMN held_by;
ALTER TABLE escalation_step DROP COLUMN assignment, DROP COLUMN severities, DROP COLUMN windows;
ALTER TABLE escalation_policy DROP COLUMN ack_timeout_seconds, DROP COLUMN auto_resolve_seconds,
    DROP COLUMN timezone, DROP COLUMN next_turn;
ALTER TABLE schedule DROP COLUMN updated_at, DROP COLUMN announced_through;
