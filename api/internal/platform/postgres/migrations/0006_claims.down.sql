DROP INDEX delivery_sending_idx;

ALTER TABLE notification RESET (fillfactor);
DROP INDEX notification_open_idx, notification_due_idx;
CREATE INDEX notification_due_idx ON notification (channel, next_try_at) WHERE state = 'pending';
CREATE INDEX notification_pending_idx ON notification (contact_method_id) WHERE state = 'pending';
CREATE INDEX notification_sending_idx ON notification (contact_method_id, lease_until) WHERE state = 'sending';

ALTER TABLE notification
    DROP CONSTRAINT notification_state_check,
    ADD CONSTRAINT notification_state_check CHECK (state IN ('pending', 'sending', 'sent', 'failed', 'cancelled')),
    ADD CONSTRAINT notification_check CHECK ((state = 'sending') = (lease_token IS NOT NULL)),
    ADD CONSTRAINT notification_check1 CHECK ((lease_token IS NULL) = (lease_until IS NULL));
