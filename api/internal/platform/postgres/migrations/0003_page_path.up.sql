-- What the page path need not pay for. Measured per opened and paged incident, see
-- decision 0007.

-- ---------------------------------------------------------------- keys are found by their key

-- To the planner, while a table is small, any index that begins with org_id is as good as the
-- key, and it takes the newest. Checks of foreign keys, planned then, read all of the
-- organization. So the key is made anew, with what points at it, and the contacts' other index
-- begins with the person. A test asks the planner for each key that is pointed at.
DO $$
DECLARE
    pointing text[];
    statement text;
BEGIN
    SELECT array_agg(format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) ORDER BY oid)
    INTO pointing FROM pg_constraint WHERE contype = 'f' AND confrelid = 'incident'::regclass;
    ALTER TABLE incident DROP CONSTRAINT incident_pkey CASCADE;
    ALTER TABLE incident ADD PRIMARY KEY (org_id, id);
    FOREACH statement IN ARRAY pointing LOOP
        EXECUTE statement;
    END LOOP;
END $$;

DROP INDEX contact_method_user_idx;
CREATE INDEX contact_method_user_idx ON contact_method (user_id, org_id);

-- Nothing finds a line of a timeline by its id; the feed's order is as good a key. The index
-- by incident has to be the newer one.
ALTER TABLE timeline_event DROP CONSTRAINT timeline_event_pkey;
DROP INDEX timeline_event_feed_idx, timeline_event_incident_idx;
ALTER TABLE timeline_event ADD PRIMARY KEY (org_id, seq);
CREATE INDEX timeline_event_incident_idx ON timeline_event (org_id, incident_id, seq);

-- ---------------------------------------------------------------- search

-- Trigrams were written when an incident opened, when it was acknowledged and when it was
-- resolved. Once is enough: open incidents are few and are read one by one.
DROP INDEX incident_search_idx;
CREATE INDEX incident_search_idx ON incident USING gin ((title || E'\n' || description) gin_trgm_ops)
    WHERE status = 'resolved';

-- The function is nightbell_system's own.
GRANT CREATE ON SCHEMA public TO nightbell_system;
SET LOCAL ROLE nightbell_system;
CREATE OR REPLACE FUNCTION incident_search(needle text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
        SELECT i.id FROM incident i
        WHERE i.org_id = nightbell_org() AND i.status = 'resolved'
          AND (i.title || E'\n' || i.description) ILIKE '%' || needle || '%'
        UNION ALL
        SELECT i.id FROM incident i
        WHERE i.org_id = nightbell_org() AND i.status <> 'resolved'
          AND (i.title || E'\n' || i.description) ILIKE '%' || needle || '%'
        UNION
        SELECT i.id FROM incident i
        WHERE i.org_id = nightbell_org()
          AND i.service_id IN (SELECT s.id FROM service s
                               WHERE s.org_id = nightbell_org() AND s.name ILIKE '%' || needle || '%')
    $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM nightbell_system;

-- ---------------------------------------------------------------- which message carried which page

-- Kept in the two rows that a claim writes anyway. delivery_notification still holds what was
-- sent before, and what a program before this one sends while both run.
ALTER TABLE delivery ADD COLUMN notification_ids uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE notification ADD COLUMN delivery_ids uuid[] NOT NULL DEFAULT '{}';
