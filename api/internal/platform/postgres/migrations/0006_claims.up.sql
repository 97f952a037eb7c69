-- Claiming a page changes no index. Until now each of a page's states was the condition of an
-- index, so that every claim and every result wrote all of them anew (decision 0007). While a
-- program of before runs beside this one, its looks read more rows; they find the same.

ALTER TABLE notification
    DROP CONSTRAINT notification_check,
    DROP CONSTRAINT notification_check1,
    DROP CONSTRAINT notification_state_check,
    ADD CONSTRAINT notification_state_check CHECK (CASE state
        WHEN 'pending' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NULL
        WHEN 'sending' THEN lease_token IS NOT NULL AND lease_until IS NOT NULL AND finished_at IS NULL
        WHEN 'sent' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        WHEN 'failed' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        WHEN 'cancelled' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        ELSE false END);

DROP INDEX notification_due_idx, notification_pending_idx, notification_sending_idx;
CREATE INDEX notification_due_idx ON notification (channel, next_try_at) WHERE finished_at IS NULL;
CREATE INDEX notification_open_idx ON notification (contact_method_id) WHERE finished_at IS NULL;
-- The claimed row has to fit beside the first one, or the indexes are written after all.
ALTER TABLE notification SET (fillfactor = 50);

-- Whether somebody is sending to a contact, told by one row however many pages it carries.
CREATE INDEX delivery_sending_idx ON delivery (contact_method_id) WHERE outcome = 'sending';
