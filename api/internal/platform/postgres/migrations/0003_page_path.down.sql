SET LOCAL ROLE nightbell_system;
INSERT INTO delivery_notification (org_id, delivery_id, notification_id)
    SELECT org_id, id, unnest(notification_ids) FROM delivery ON CONFLICT DO NOTHING;
RESET ROLE;
ALTER TABLE notification DROP COLUMN delivery_ids;
ALTER TABLE delivery DROP COLUMN notification_ids;

DROP INDEX incident_search_idx;
CREATE INDEX incident_search_idx ON incident USING gin ((title || E'\n' || description) gin_trgm_ops);
GRANT CREATE ON SCHEMA public TO nightbell_system;
SET LOCAL ROLE nightbell_system;
CREATE OR REPLACE FUNCTION incident_search(needle text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
        SELECT i.id FROM incident i
        WHERE i.org_id = nightbell_org()
          AND ((i.title || E'\n' || i.description) ILIKE '%' || needle || '%'
               OR i.service_id IN (SELECT s.id FROM service s
                                   WHERE s.org_id = nightbell_org() AND s.name ILIKE '%' || needle || '%'))
    $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM nightbell_system;

ALTER TABLE timeline_event DROP CONSTRAINT timeline_event_pkey;
ALTER TABLE timeline_event ADD PRIMARY KEY (org_id, id);
CREATE INDEX timeline_event_feed_idx ON timeline_event (org_id, seq);

DROP INDEX contact_method_user_idx;
CREATE INDEX contact_method_user_idx ON contact_method (org_id, user_id);
