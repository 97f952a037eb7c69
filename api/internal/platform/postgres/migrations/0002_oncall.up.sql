-- On-call for real: rotations, overrides, calendars; what policies may ask for; maintenance.
-- Everything is added, nothing changed: the program before this one keeps running.

-- ---------------------------------------------------------------- schedules

ALTER TABLE schedule
    ADD COLUMN updated_at timestamptz,
    -- Hand-overs up to here were announced; absent until the first look.
    ADD COLUMN announced_through timestamptz;

-- A layer of a schedule; the greater position wins. turns is how many take turns, vacant seats too. Times of day are minutes since midnight on
-- the wall clock of the schedule, weekday 0 is Sunday. windows is a list of
-- {"days": [0..6], "from": minute, "to": minute}; none means always.
CREATE TABLE rotation (
    org_id      uuid NOT NULL,
    id          uuid NOT NULL,
    schedule_id uuid NOT NULL,
    position    integer NOT NULL CHECK (position >= 0),
    name        text NOT NULL,
    unit        text NOT NULL CHECK (unit IN ('hour', 'day', 'week')),
    length      integer NOT NULL CHECK (length BETWEEN 1 AND 720),
    turns       integer NOT NULL CHECK (turns BETWEEN 1 AND 100),
    handover    integer NOT NULL DEFAULT 0 CHECK (handover BETWEEN 0 AND 1439),
    weekday     integer NOT NULL DEFAULT 1 CHECK (weekday BETWEEN 0 AND 6),
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz,
    windows     jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, schedule_id) REFERENCES schedule (org_id, id) ON DELETE CASCADE,
    CHECK (ends_at > starts_at)
);
CREATE INDEX rotation_schedule_idx ON rotation (org_id, schedule_id, position);

-- A turn without people is a vacant seat; one whose person leaves becomes vacant, so that the
-- others keep their weeks.
CREATE TABLE rotation_person (
    org_id      uuid NOT NULL,
    rotation_id uuid NOT NULL,
    turn        integer NOT NULL CHECK (turn >= 0),
    position    integer NOT NULL CHECK (position >= 0),
    user_id     uuid NOT NULL,
    PRIMARY KEY (org_id, rotation_id, turn, position),
    FOREIGN KEY (org_id, rotation_id) REFERENCES rotation (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE
);
CREATE INDEX rotation_person_user_idx ON rotation_person (org_id, user_id);

CREATE TABLE schedule_override (
    org_id           uuid NOT NULL,
    id               uuid NOT NULL,
    schedule_id      uuid NOT NULL,
    kind             text NOT NULL CHECK (kind IN ('take_over', 'cover', 'vacant')),
    user_id          uuid,
    replaces_user_id uuid,
    starts_at        timestamptz NOT NULL,
    ends_at          timestamptz NOT NULL,
    reason           text NOT NULL DEFAULT '',
    created_by       uuid,
    created_at       timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, schedule_id) REFERENCES schedule (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, replaces_user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, created_by) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (created_by),
    CHECK (ends_at > starts_at),
    CHECK ((kind = 'vacant') = (user_id IS NULL)),
    CHECK ((kind = 'cover') = (replaces_user_id IS NOT NULL))
);
CREATE INDEX schedule_override_idx ON schedule_override (org_id, schedule_id, ends_at);

-- A secret address under which a schedule, or all shifts of a person, can be subscribed to:
-- hashed to be found, sealed so that it can be shown again.
CREATE TABLE calendar_feed (
    org_id       uuid NOT NULL,
    id           uuid NOT NULL,
    schedule_id  uuid,
    user_id      uuid,
    hash         bytea NOT NULL UNIQUE,
    sealed       bytea NOT NULL,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, schedule_id) REFERENCES schedule (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, created_by) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    CHECK (num_nonnulls(schedule_id, user_id) = 1)
);
CREATE UNIQUE INDEX calendar_feed_schedule_key ON calendar_feed (org_id, schedule_id);
CREATE UNIQUE INDEX calendar_feed_user_key ON calendar_feed (org_id, user_id);

-- "You are on call now": one row per hand-over, person and contact. Not the page path.
CREATE TABLE handover_notice (
    org_id            uuid NOT NULL,
    id                uuid NOT NULL,
    effect_key        text NOT NULL UNIQUE,
    schedule_id       uuid NOT NULL,
    user_id           uuid NOT NULL,
    contact_method_id uuid NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('on', 'off')),
    starts_at         timestamptz NOT NULL,
    ends_at           timestamptz,
    state             text NOT NULL CHECK (state IN ('pending', 'sent', 'failed', 'cancelled')),
    next_try_at       timestamptz NOT NULL,
    tries             integer NOT NULL DEFAULT 0,
    detail            text NOT NULL DEFAULT '',
    created_at        timestamptz NOT NULL,
    finished_at       timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, schedule_id) REFERENCES schedule (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE
);
CREATE INDEX handover_notice_due_idx ON handover_notice (next_try_at) WHERE state = 'pending';

-- ---------------------------------------------------------------- policies

-- Zero seconds mean never. next_turn counts the incidents that this policy has paged for, so
-- that round robin steps take turns. timezone is that of the steps' windows.
ALTER TABLE escalation_policy
    ADD COLUMN ack_timeout_seconds integer NOT NULL DEFAULT 0 CHECK (ack_timeout_seconds = 0 OR ack_timeout_seconds BETWEEN 60 AND 604800),
    ADD COLUMN auto_resolve_seconds integer NOT NULL DEFAULT 0 CHECK (auto_resolve_seconds = 0 OR auto_resolve_seconds BETWEEN 300 AND 2592000),
    ADD COLUMN timezone text NOT NULL DEFAULT 'UTC',
    ADD COLUMN next_turn integer NOT NULL DEFAULT 0;

-- A step for some severities or some hours is skipped at once for the others. No severities
-- means all, no windows always.
ALTER TABLE escalation_step
    ADD COLUMN assignment text NOT NULL DEFAULT 'everyone' CHECK (assignment IN ('everyone', 'round_robin')),
    ADD COLUMN severities text[] NOT NULL DEFAULT '{}' CHECK (severities <@ ARRAY['critical', 'high', 'medium', 'low']),
    ADD COLUMN windows jsonb NOT NULL DEFAULT '[]';

-- turn is the incident's place in the round robin; held_by the maintenance that holds its pages.
ALTER TABLE escalation_state
    ADD COLUMN turn integer NOT NULL DEFAULT 0,
    ADD COLUMN held_by uuid;
CREATE INDEX escalation_state_held_idx ON escalation_state (org_id, held_by) WHERE held_by IS NOT NULL;

-- What happens to an incident by the clock besides paging, where its policy asks for it.
CREATE TABLE incident_timer (
    org_id      uuid NOT NULL,
    incident_id uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('ack_timeout', 'auto_resolve')),
    due_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, incident_id, kind),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_timer_due_idx ON incident_timer (due_at);

-- The answer to "why was I paged", as it was when the page was decided.
ALTER TABLE notification ADD COLUMN why jsonb NOT NULL DEFAULT '{}';

-- ---------------------------------------------------------------- maintenance

-- Incidents of these services open as ever and page nobody until ends_at.
CREATE TABLE maintenance_window (
    org_id      uuid NOT NULL REFERENCES org (id),
    id          uuid NOT NULL,
    description text NOT NULL,
    starts_at   timestamptz NOT NULL,
    ends_at     timestamptz NOT NULL,
    created_by  uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, created_by) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (created_by),
    CHECK (ends_at >= starts_at)
);
CREATE INDEX maintenance_window_recent_idx ON maintenance_window (org_id, ends_at DESC);

CREATE TABLE maintenance_service (
    org_id     uuid NOT NULL,
    window_id  uuid NOT NULL,
    service_id uuid NOT NULL,
    PRIMARY KEY (org_id, window_id, service_id),
    FOREIGN KEY (org_id, window_id) REFERENCES maintenance_window (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE
);
CREATE INDEX maintenance_service_idx ON maintenance_service (org_id, service_id);

-- ---------------------------------------------------------------- row-level security, as in 0001

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY[
        'rotation', 'rotation_person', 'schedule_override', 'calendar_feed', 'handover_notice',
        'incident_timer', 'maintenance_window', 'maintenance_service']
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN org_id SET STATISTICS 0', tenant_table);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO nightbell_tenant USING (org_id = nightbell_org()) WITH CHECK (org_id = nightbell_org())', tenant_table);
        EXECUTE format('CREATE POLICY system ON %I TO nightbell_system USING (true) WITH CHECK (true)', tenant_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nightbell_tenant, nightbell_system', tenant_table);
    END LOOP;
END $$;
