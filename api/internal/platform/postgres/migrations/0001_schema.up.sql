-- oldest-program: 1
-- The whole schema (design sections 2 and 5). Rules of this file:
--   * every tenant table carries org_id, its key is (org_id, id) and its foreign keys are
--     composite, so that a child can never point at another organization's row;
--   * row-level security is forced on each of them, with one policy per role (end of file);
--   * states are words with CHECKs, transitions are guarded in the statements that make them;
--   * no trigger has behaviour.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The one clock of the page path (design rule 5). Test databases replace this function
-- with one that adds an offset row, which is how a test moves time. statement_timestamp() is
-- stable, so PostgreSQL can inline the call; clock_timestamp() is volatile and cost 25 us a call.
CREATE FUNCTION nightbell_now() RETURNS timestamptz
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT pg_catalog.statement_timestamp() $$;

-- The organization of the running transaction; NULL (no rows) when none was set.
CREATE FUNCTION nightbell_org() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT nullif(pg_catalog.current_setting('nightbell.org_id', true), '')::uuid $$;

-- ---------------------------------------------------------------- installation

-- One row. home says where the database is used, so that a restored copy is told from it and
-- pages nobody until a person confirms it; a confirmed copy gets an environment_id of its own.
-- key_fingerprint is derived from the data key: with another key nothing here would open.
CREATE TABLE installation (
    singleton       boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    environment_id  uuid NOT NULL,
    key_fingerprint text,
    home            jsonb,
    copy_found_at   timestamptz,
    created_at      timestamptz NOT NULL,
    demo_seeded_at  timestamptz
);

-- What visitors of the landing page left: a question to sales, or an address for news. It belongs to
-- whoever runs the installation, and to no organization.
CREATE TABLE enquiry (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('sales', 'news')),
    email      text NOT NULL,
    name       text NOT NULL DEFAULT '',
    company    text NOT NULL DEFAULT '',
    message    text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL
);
CREATE INDEX enquiry_created_at ON enquiry (created_at);
CREATE UNIQUE INDEX enquiry_news_once ON enquiry (lower(email)) WHERE kind = 'news';

-- ---------------------------------------------------------------- org and people

-- Grown, and shrunk again, to find out whether the disk has room (postgres.Writable). PLAIN
-- keeps what is written as large as it is.
CREATE TABLE write_probe (
    id         uuid PRIMARY KEY,
    filler     text NOT NULL,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE write_probe ALTER filler SET STORAGE PLAIN; -- before 16 not a part of CREATE TABLE

CREATE TABLE org (
    id                    uuid PRIMARY KEY,
    kind                  text NOT NULL CHECK (kind IN ('individual', 'organization')),
    name                  text NOT NULL,
    last_incident_number  integer NOT NULL DEFAULT 0,
    default_policy_id     uuid,
    -- Mails to addresses that are not verified, on the day of the last one (UTC), and when that was.
    unverified_mails      integer NOT NULL DEFAULT 0,
    unverified_mails_on   date NOT NULL DEFAULT '-infinity',
    unverified_mailed_at  timestamptz NOT NULL DEFAULT '-infinity',
    stored_bytes          bigint NOT NULL DEFAULT 0, -- of the alerts that came on stored_on
    stored_on             date,
    -- What was chosen at registration. It limits nothing.
    plan                  text NOT NULL DEFAULT 'starter' CHECK (plan IN ('starter', 'professional', 'enterprise')),
    trial_ends_at         timestamptz,
    created_at            timestamptz NOT NULL
);

CREATE TABLE users (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    email         text NOT NULL,
    password_hash text NOT NULL,
    phone         text NOT NULL DEFAULT '',
    timezone      text NOT NULL DEFAULT 'UTC',
    created_at    timestamptz NOT NULL,
    disabled_at   timestamptz
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));

CREATE TABLE membership (
    org_id     uuid NOT NULL REFERENCES org (id),
    user_id    uuid NOT NULL REFERENCES users (id),
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'responder', 'viewer')),
    created_at timestamptz NOT NULL,
    -- The mails to confirm an address that they had sent, on the day of the last one (UTC).
    verification_mails    integer NOT NULL DEFAULT 0,
    verification_mails_on date NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (org_id, user_id)
);
CREATE INDEX membership_user_id_idx ON membership (user_id);

CREATE TABLE team (
    org_id      uuid NOT NULL REFERENCES org (id),
    id          uuid NOT NULL,
    name        text NOT NULL,
    description text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX team_name_key ON team (org_id, lower(name));

CREATE TABLE team_member (
    org_id     uuid NOT NULL,
    team_id    uuid NOT NULL,
    user_id    uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, team_id, user_id),
    FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE
);

-- An address that was asked to join. Only the hash of its link is kept; the link is derived from the
-- row again when it is mailed, which is due at mail_due_at. A person or an API key invited.
CREATE TABLE invitation (
    org_id      uuid NOT NULL REFERENCES org (id),
    id          uuid NOT NULL,
    email       text NOT NULL,
    role        text NOT NULL CHECK (role IN ('owner', 'admin', 'responder', 'viewer')),
    send        text NOT NULL CHECK (send IN ('mail', 'link')),
    token_hash  bytea NOT NULL UNIQUE,
    invited_by  uuid,
    invited_by_key uuid,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    accepted_at timestamptz,
    revoked_at  timestamptz,
    mail_due_at timestamptz,
    mail_tries  integer NOT NULL DEFAULT 0,
    mailed_at   timestamptz,
    mail_error  text NOT NULL DEFAULT '',
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, invited_by) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (invited_by),
    CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX invitation_waiting_key ON invitation (org_id, lower(email)) WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invitation_mail_idx ON invitation (mail_due_at) WHERE mail_due_at IS NOT NULL;

-- ---------------------------------------------------------------- sign-in (no tenant: a person has one account)

-- A family of refresh tokens: one sign-in on one device (RFC 9700 section 4.14).
CREATE TABLE session (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES users (id),
    org_id       uuid NOT NULL,
    user_agent   text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    revoked_at   timestamptz,
    revoked_for  text NOT NULL DEFAULT '' CHECK (revoked_for IN ('', 'logout', 'reuse', 'expired', 'password')),
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE
);
CREATE INDEX session_user_id_idx ON session (user_id);

-- Only the hash of a refresh token is kept. The successor is derived from the token itself,
-- so a repeat within the grace can be answered with the same one.
CREATE TABLE refresh_token (
    hash       bytea PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    issued_at  timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX refresh_token_session_id_idx ON refresh_token (session_id);

-- A device that this person has signed in from: strangers' failures elsewhere never lock it out.
CREATE TABLE known_device (
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device_hash bytea NOT NULL,
    seen_at     timestamptz NOT NULL,
    PRIMARY KEY (user_id, device_hash)
);

-- A forgotten password: whoever reads the account's mail may set a new one, once. Only the hash of the
-- link is kept; the link is derived from the row again when it is mailed, which is due at mail_due_at. One
-- that is made with used_at is the notice that the password was changed, from the network address used_from.
CREATE TABLE password_reset (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash  bytea NOT NULL UNIQUE,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    used_at     timestamptz,
    used_from   text NOT NULL DEFAULT '',
    mail_due_at timestamptz,
    mail_tries  integer NOT NULL DEFAULT 0,
    mailed      boolean NOT NULL DEFAULT false -- a mail alone brings the link: whoever uses it reads the address
);
CREATE INDEX password_reset_user_idx ON password_reset (user_id, created_at);
CREATE INDEX password_reset_mail_idx ON password_reset (mail_due_at) WHERE mail_due_at IS NOT NULL;

-- Failed sign-ins and registrations, counted for all replicas together. A slot is a keyed hash of
-- what is counted, out of a million: strangers cannot fill the table, and a collision costs a wait.
-- UNLOGGED: counting a stranger's guess must not flush the WAL; a crash forgets the counts.
CREATE UNLOGGED TABLE sign_in_tally (
    slot       integer PRIMARY KEY,
    failures   double precision NOT NULL DEFAULT 0,
    counted_at timestamptz NOT NULL,
    next_turn  timestamptz NOT NULL
);

-- What a key may do is what both its role and its scopes allow. One that another key made has no
-- created_by; the audit log knows which.
CREATE TABLE api_key (
    org_id       uuid NOT NULL REFERENCES org (id),
    id           uuid NOT NULL,
    name         text NOT NULL,
    prefix       text NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    role         text NOT NULL CHECK (role IN ('admin', 'responder', 'viewer')),
    scopes       text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY[
        'api_keys:write', 'config:read', 'config:write', 'events:write', 'incidents:read', 'incidents:write', 'secrets:read']),
    created_by   uuid,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, created_by) REFERENCES membership (org_id, user_id)
);
ALTER TABLE invitation ADD FOREIGN KEY (org_id, invited_by_key) REFERENCES api_key (org_id, id) ON DELETE SET NULL (invited_by_key);

-- ---------------------------------------------------------------- how people are reached

-- A way to reach a person, or, without user_id, a channel that the organization shares
-- (a Slack channel, a webhook). Addresses that are secrets are sealed; hint is what is shown.
-- An e-mail address is paged once verified_at is set; at verification_due_at a mail with the link
-- is sent to it.
-- A deleted one stays without its address, for the log of what was sent to it.
CREATE TABLE contact_method (
    org_id              uuid NOT NULL REFERENCES org (id),
    id                  uuid NOT NULL,
    user_id             uuid,
    kind                text NOT NULL CHECK (kind IN ('email', 'sms', 'voice', 'push', 'webhook', 'slack')),
    name                text NOT NULL,
    address             text NOT NULL DEFAULT '',
    address_sealed      bytea,
    secret_sealed       bytea,
    hint                text NOT NULL DEFAULT '',
    verified_at         timestamptz,
    verification_due_at timestamptz,
    verification_tries  integer NOT NULL DEFAULT 0,
    disabled_at         timestamptz,
    disabled_for        text NOT NULL DEFAULT '',
    deleted_at          timestamptz,
    failures            integer NOT NULL DEFAULT 0, -- tries in a row that failed for the contact's own reasons
    failing_since       timestamptz,
    failing_for         text NOT NULL DEFAULT '',
    next_try_at         timestamptz, -- nothing is sent to it before; NULL while it works
    tested_at           timestamptz, -- when its last test page ended, and how: lists of people read it
    test_status         text CHECK (test_status IN ('sent', 'failed')),
    created_at          timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    CHECK (deleted_at IS NOT NULL OR address <> '' OR address_sealed IS NOT NULL),
    CHECK (deleted_at IS NULL OR disabled_at IS NOT NULL)
);
-- Not (org_id, user_id): see "index order" at incident.
CREATE INDEX contact_method_user_idx ON contact_method (user_id, org_id);
CREATE INDEX contact_method_verification_idx ON contact_method (verification_due_at) WHERE verification_due_at IS NOT NULL;
CREATE INDEX contact_method_failing_idx ON contact_method (kind, next_try_at) WHERE next_try_at IS NOT NULL;

-- "Page me by this, this long after the page, for this urgency."
CREATE TABLE notification_rule (
    org_id            uuid NOT NULL,
    id                uuid NOT NULL,
    user_id           uuid NOT NULL,
    contact_method_id uuid NOT NULL,
    urgency           text NOT NULL CHECK (urgency IN ('high', 'low')),
    delay_seconds     integer NOT NULL DEFAULT 0 CHECK (delay_seconds BETWEEN 0 AND 86400),
    created_at        timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX notification_rule_once_key ON notification_rule (org_id, user_id, urgency, contact_method_id, delay_seconds);

-- ---------------------------------------------------------------- on-call and escalation

-- Zero seconds mean never. next_turn counts the incidents that this policy has paged for, which
-- is how round robin steps take turns. timezone is the zone of the steps' windows.
CREATE TABLE escalation_policy (
    org_id               uuid NOT NULL REFERENCES org (id),
    id                   uuid NOT NULL,
    name                 text NOT NULL,
    description          text NOT NULL DEFAULT '',
    repeats              integer NOT NULL DEFAULT 0 CHECK (repeats BETWEEN 0 AND 20),
    ack_timeout_seconds  integer NOT NULL DEFAULT 0 CHECK (ack_timeout_seconds = 0 OR ack_timeout_seconds BETWEEN 60 AND 604800),
    auto_resolve_seconds integer NOT NULL DEFAULT 0 CHECK (auto_resolve_seconds = 0 OR auto_resolve_seconds BETWEEN 300 AND 2592000),
    timezone             text NOT NULL DEFAULT 'UTC',
    next_turn            integer NOT NULL DEFAULT 0,
    last_resort          text NOT NULL DEFAULT 'owners' CHECK (last_resort IN ('owners', 'nobody', 'target')),
    quiet                jsonb NOT NULL DEFAULT '[]',
    revision             integer NOT NULL DEFAULT 1,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX escalation_policy_name_key ON escalation_policy (org_id, lower(name));
-- org and escalation_policy point at each other, so this one key comes afterwards.
ALTER TABLE org ADD FOREIGN KEY (id, default_policy_id) REFERENCES escalation_policy (org_id, id);

-- told is who the hand-over mails last named as on call. look_at is when the schedule can change
-- next: until then it need not be computed again. announced_through is the end of the time whose
-- hand-overs were announced, NULL before the first look.
CREATE TABLE schedule (
    org_id               uuid NOT NULL REFERENCES org (id),
    id                   uuid NOT NULL,
    name                 text NOT NULL,
    description          text NOT NULL DEFAULT '',
    team_id              uuid,
    escalation_policy_id uuid,
    timezone             text NOT NULL DEFAULT 'UTC',
    status               text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz,
    announced_through    timestamptz,
    told                 uuid[] NOT NULL DEFAULT '{}',
    look_at              timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE SET NULL (team_id),
    FOREIGN KEY (org_id, escalation_policy_id)
        REFERENCES escalation_policy (org_id, id) ON DELETE SET NULL (escalation_policy_id)
);
-- Not (org_id, lower(name)): see "index order" at incident.
CREATE UNIQUE INDEX schedule_name_key ON schedule (lower(name), org_id);

-- A layer of a schedule; the greater position wins. turns is the number of seats, vacant ones
-- too. Times of day are minutes since midnight in the schedule's zone, weekday 0 is Sunday.
-- windows is a list of {"days": [0..6], "from": minute, "to": minute}; none means always.
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
    created_by   uuid, -- NULL when a program made it
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

-- "You are on call now": one row per hand-over, person and contact. Not the page path. others
-- are who had it before, for a person who comes on, and who has it now, for one who goes off.
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
    others            uuid[] NOT NULL DEFAULT '{}',
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
CREATE INDEX handover_notice_person_idx ON handover_notice (schedule_id, user_id);

-- delay_seconds is how long this step waits for an answer before the next one. A step for some
-- severities or some hours is skipped at once for the others: no severities mean all, no windows
-- always. id survives edits of the policy; changed_in is the policy's revision in which the step
-- was added or last changed whom it pages. Position -1 holds the targets of the last resort.
CREATE TABLE escalation_step (
    org_id        uuid NOT NULL,
    policy_id     uuid NOT NULL,
    position      integer NOT NULL CHECK (position >= -1),
    id            uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    changed_in    integer NOT NULL DEFAULT 1,
    delay_seconds integer NOT NULL CHECK (delay_seconds BETWEEN 10 AND 86400),
    assignment    text NOT NULL DEFAULT 'everyone' CHECK (assignment IN ('everyone', 'round_robin')),
    severities    text[] NOT NULL DEFAULT '{}' CHECK (severities <@ ARRAY['critical', 'high', 'medium', 'low']),
    windows       jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (org_id, policy_id, position),
    FOREIGN KEY (org_id, policy_id) REFERENCES escalation_policy (org_id, id) ON DELETE CASCADE
);

CREATE TABLE escalation_target (
    org_id            uuid NOT NULL,
    policy_id         uuid NOT NULL,
    step_position     integer NOT NULL,
    position          integer NOT NULL,
    kind              text NOT NULL CHECK (kind IN ('user', 'schedule', 'team', 'channel')),
    user_id           uuid,
    schedule_id       uuid,
    team_id           uuid,
    contact_method_id uuid,
    PRIMARY KEY (org_id, policy_id, step_position, position),
    FOREIGN KEY (org_id, policy_id, step_position)
        REFERENCES escalation_step (org_id, policy_id, position) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, schedule_id) REFERENCES schedule (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE,
    CHECK (num_nonnulls(user_id, schedule_id, team_id, contact_method_id) = 1),
    CHECK (CASE kind WHEN 'user' THEN user_id WHEN 'schedule' THEN schedule_id
                     WHEN 'team' THEN team_id ELSE contact_method_id END IS NOT NULL)
);

-- ---------------------------------------------------------------- catalog

CREATE TABLE service (
    org_id               uuid NOT NULL REFERENCES org (id),
    id                   uuid NOT NULL,
    name                 text NOT NULL,
    description          text NOT NULL DEFAULT '',
    team_id              uuid,
    owner_user_id        uuid,
    escalation_policy_id uuid,
    repo_url             text NOT NULL DEFAULT '',
    runbook_url          text NOT NULL DEFAULT '',
    tier                 smallint NOT NULL DEFAULT 3 CHECK (tier BETWEEN 1 AND 4),
    grouping             text NOT NULL DEFAULT 'group' CHECK (grouping IN ('group', 'alert')),
    told_health          text NOT NULL DEFAULT 'healthy', -- what webhook subscriptions know of it
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    deleted_at           timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, team_id) REFERENCES team (org_id, id) ON DELETE SET NULL (team_id),
    FOREIGN KEY (org_id, owner_user_id) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (owner_user_id),
    FOREIGN KEY (org_id, escalation_policy_id) REFERENCES escalation_policy (org_id, id)
);
CREATE UNIQUE INDEX service_name_key ON service (org_id, lower(name)) WHERE deleted_at IS NULL;

-- A key that routes alerts to one service and can do nothing else: hashed to be found,
-- sealed so that responders can read it again. expires_at is the end of a rotation's overlap.
CREATE TABLE service_key (
    hash       bytea PRIMARY KEY,
    org_id     uuid NOT NULL,
    service_id uuid NOT NULL,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE
);
CREATE INDEX service_key_service_idx ON service_key (org_id, service_id);

CREATE TABLE service_dependency (
    org_id        uuid NOT NULL,
    service_id    uuid NOT NULL,
    depends_on_id uuid NOT NULL,
    PRIMARY KEY (org_id, service_id, depends_on_id),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, depends_on_id) REFERENCES service (org_id, id) ON DELETE CASCADE,
    CHECK (service_id <> depends_on_id)
);

-- What was changed before it broke: deployments and configuration.
-- Senders choose the id, so that a call can be repeated; request_hash is of what it said.
CREATE TABLE change_event (
    org_id      uuid NOT NULL,
    id          uuid NOT NULL,
    service_id  uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('deployment', 'configuration', 'feature_flag', 'other')),
    description text NOT NULL,
    user_id     uuid,
    link        text NOT NULL DEFAULT '',
    version     text NOT NULL DEFAULT '',
    environment text NOT NULL DEFAULT '',
    author      text NOT NULL DEFAULT '',
    links       jsonb NOT NULL DEFAULT '[]',
    metadata    jsonb NOT NULL DEFAULT '{}',
    request_hash bytea,
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (user_id)
);
CREATE INDEX change_event_recent_idx ON change_event (org_id, occurred_at DESC, id DESC);
CREATE INDEX change_event_service_idx ON change_event (org_id, service_id, occurred_at DESC, id DESC);

-- Readings of a service, such as its latency, added up by the minute; last is the one of last_at.
-- Partitions as of alert_event.
CREATE TABLE sample (
    org_id       uuid NOT NULL,
    service_id   uuid NOT NULL,
    name         text NOT NULL,
    at           timestamptz NOT NULL,
    sample_count integer NOT NULL,
    sum          double precision NOT NULL,
    min          double precision NOT NULL,
    max          double precision NOT NULL,
    last         double precision NOT NULL,
    last_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, service_id, name, at)
) PARTITION BY RANGE (at);
CREATE TABLE sample_default PARTITION OF sample DEFAULT;

-- The names of a service's readings, which are bounded; written_at is when the last ones came.
CREATE TABLE sample_series (
    org_id     uuid NOT NULL,
    service_id uuid NOT NULL,
    name       text NOT NULL,
    unit       text NOT NULL DEFAULT '',
    written_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, service_id, name),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE
);

-- Calls that brought readings: one with the id of another adds nothing.
CREATE TABLE sample_call (
    org_id       uuid NOT NULL,
    service_id   uuid NOT NULL,
    id           uuid NOT NULL,
    request_hash bytea NOT NULL,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (org_id, service_id, id)
);
CREATE INDEX sample_call_created_idx ON sample_call (created_at);

-- What calls about a service, by kind of sender (package catalog), and when it did last, to the minute.
-- Written beside the path of alerts and never with them.
CREATE TABLE sender_call (
    org_id     uuid NOT NULL,
    service_id uuid NOT NULL,
    kind       text NOT NULL,
    first_at   timestamptz NOT NULL,
    last_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, service_id, kind),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE
);

-- ---------------------------------------------------------------- incidents

-- incident_key names what the incident is about, whoever sent it (a sender's group, an alert's
-- key, "undecodable" and the hour); at most one open incident per service and key (promise P3).
--
-- What happens next lives in the columns paging_* and nowhere else (design rule 1). passed are the
-- ids of the steps that the round has paged or skipped (all ones: the last resort), revision the
-- policy's when the round began, severity the worst that anybody was paged with, turn the
-- incident's place in the round robin, held_by the maintenance window that holds its pages (all
-- ones: a quiet time of the policy).
-- policy_id is the policy that they are about, also when it was deleted since.
CREATE TABLE incident (
    org_id               uuid NOT NULL REFERENCES org (id),
    id                   uuid NOT NULL,
    number               integer NOT NULL,
    service_id           uuid,
    incident_key         text,
    title                text NOT NULL,
    description          text NOT NULL DEFAULT '',
    status               text NOT NULL CHECK (status IN ('triggered', 'acknowledged', 'resolved')),
    severity             text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
    urgency              text NOT NULL CHECK (urgency IN ('high', 'low')),
    source               text NOT NULL,
    escalation_policy_id uuid,
    assignee_id          uuid,
    acknowledged_by      uuid,
    acknowledged_name    text, -- of somebody who has left since; departure writes it
    acknowledged_at      timestamptz,
    confirmed_at         timestamptz,
    acknowledged_severity text CHECK (acknowledged_severity IN ('critical', 'high', 'medium', 'low')),
    snoozed_until        timestamptz,
    lowered              boolean NOT NULL DEFAULT false, -- somebody said that it is less bad than its alerts do
    merged_into_id       uuid, -- the incident that took it in, which has its alerts since
    resolved_by          uuid,
    resolved_name        text, -- likewise
    resolved_at          timestamptz,
    triggered_at         timestamptz NOT NULL,
    created_by           uuid,
    alert_count          integer NOT NULL DEFAULT 0,
    truncated_alerts     integer NOT NULL DEFAULT 0,
    details              jsonb NOT NULL DEFAULT '{}',
    version              integer NOT NULL DEFAULT 1,
    updated_at           timestamptz NOT NULL,
    paging_status        text, -- NULL until its paging began
    paging_due_at        timestamptz,
    paging_own_due_at    timestamptz, -- of a step that was hurried, as it would be due by itself
    paging_policy_id     uuid,
    paging_cycle         integer NOT NULL DEFAULT 0,
    paging_round         integer NOT NULL DEFAULT 0,
    paging_passed        uuid[] NOT NULL DEFAULT '{}',
    paging_revision      integer NOT NULL DEFAULT 1,
    paging_severity      text CHECK (paging_severity IN ('critical', 'high', 'medium', 'low')),
    paging_turn          integer NOT NULL DEFAULT 0,
    paging_held_by       uuid,
    paging_reason        text NOT NULL DEFAULT '',
    paging_updated_at    timestamptz,
    CONSTRAINT incident_number_key UNIQUE (number, org_id), -- in this order for the primary key's sake
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id),
    FOREIGN KEY (org_id, escalation_policy_id) REFERENCES escalation_policy (org_id, id) ON DELETE SET NULL (escalation_policy_id),
    FOREIGN KEY (org_id, assignee_id) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (assignee_id),
    FOREIGN KEY (org_id, acknowledged_by) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (acknowledged_by),
    FOREIGN KEY (org_id, resolved_by) REFERENCES membership (org_id, user_id) ON DELETE SET NULL (resolved_by),
    CHECK (status <> 'acknowledged' OR acknowledged_at IS NOT NULL),
    CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
    CHECK (merged_into_id IS NULL OR status = 'resolved'),
    CONSTRAINT incident_paging_check CHECK (CASE paging_status
        WHEN 'active' THEN paging_due_at IS NOT NULL
        WHEN 'stopped' THEN paging_due_at IS NULL
        WHEN 'exhausted' THEN paging_due_at IS NULL
        ELSE paging_status IS NULL END)
);
CREATE INDEX incident_paging_idx ON incident (paging_due_at) WHERE paging_status = 'active';
CREATE UNIQUE INDEX incident_open_key ON incident (service_id, incident_key)
    WHERE status <> 'resolved' AND incident_key IS NOT NULL;
-- What is about the subject of a merged incident joins the one that took it in; see findOpenSQL.
CREATE INDEX incident_merged_key_idx ON incident (service_id, incident_key) WHERE merged_into_id IS NOT NULL AND incident_key IS NOT NULL;
CREATE INDEX incident_merged_service_idx ON incident (org_id, service_id) WHERE merged_into_id IS NOT NULL; -- incidents_of_service
CREATE INDEX incident_merged_idx ON incident (org_id, merged_into_id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX incident_recent_idx ON incident (org_id, triggered_at DESC, id DESC);
CREATE INDEX incident_open_idx ON incident (org_id, service_id, severity) WHERE status <> 'resolved';
CREATE INDEX incident_service_idx ON incident (org_id, service_id, triggered_at DESC, id DESC);
CREATE INDEX incident_status_idx ON incident (org_id, status, triggered_at DESC, id DESC);
-- What filters of the API ask for. Storing an incident writes to neither: nobody has it yet, and keys
-- are written once, when it is resolved.
CREATE INDEX incident_assignee_idx ON incident (org_id, assignee_id, triggered_at DESC, id DESC)
    WHERE assignee_id IS NOT NULL;
CREATE INDEX incident_key_idx ON incident (org_id, incident_key, triggered_at DESC, id DESC)
    WHERE status = 'resolved' AND incident_key IS NOT NULL;
-- Trigrams are written once, when an incident is resolved; open ones are few and are scanned.
CREATE INDEX incident_search_idx ON incident USING gin ((title || E'\n' || description) gin_trgm_ops)
    WHERE status = 'resolved';
-- Index order: while a table is small, every index that begins with org_id costs the planner the
-- same as the primary key and the newest wins. Foreign key checks then read the whole
-- organization, so the primary key is made last. One with shorter or repeated entries has a level less for some
-- hundred rows and looks cheaper still: the index of services ends with the id, and the one of numbers begins
-- with the number. TestKeysAreFoundByTheirKey and TestAnIncidentIsFoundByItsKeyHoweverManyThereAre ask the planner.
ALTER TABLE incident ADD PRIMARY KEY (org_id, id);
ALTER TABLE incident ADD FOREIGN KEY (org_id, merged_into_id) REFERENCES incident (org_id, id) ON DELETE SET NULL (merged_into_id);

-- Two incidents that have to do with each other: one row, written with the smaller id first.
CREATE TABLE incident_link (
    org_id      uuid NOT NULL,
    incident_id uuid NOT NULL,
    other_id    uuid NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, incident_id, other_id),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, other_id) REFERENCES incident (org_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_link_other_idx ON incident_link (org_id, other_id);

-- Who is mailed what happens to an incident. What is in the feed after told_seq is still to be told, at
-- the earliest at next_try_at.
CREATE TABLE incident_subscriber (
    org_id      uuid NOT NULL,
    incident_id uuid NOT NULL,
    user_id     uuid NOT NULL,
    told_seq    bigint NOT NULL,
    next_try_at timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, incident_id, user_id),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE
);
CREATE INDEX incident_subscriber_due_idx ON incident_subscriber (next_try_at);

-- The newest known state of one alert of one service. (starts_at, resolved after firing) only
-- grows, so that the order in which a sender's messages arrive does not matter.
-- start_known is false when the sender did not say when it began.
-- incident_starts_at is the starts_at for which incident_id was opened or joined: a repeat with
-- the same start never reopens what a person has resolved.
-- said_at is starts_at by the clock of the sender of an event, which was clock_off (ns) behind ours; NULL where that is
-- not known. It orders what one sender tells, however wrong its clock is.
CREATE TABLE alert (
    org_id             uuid NOT NULL,
    id                 uuid NOT NULL,
    service_id         uuid NOT NULL,
    alert_key          text NOT NULL,
    status             text NOT NULL CHECK (status IN ('firing', 'resolved')),
    severity           text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
    source             text NOT NULL,
    title              text NOT NULL,
    description        text NOT NULL DEFAULT '',
    labels             jsonb NOT NULL DEFAULT '{}',
    annotations        jsonb NOT NULL DEFAULT '{}',
    details            jsonb, -- what an event says besides: its error, user, links ...
    link               text NOT NULL DEFAULT '',
    starts_at          timestamptz NOT NULL,
    start_known        boolean NOT NULL,
    ends_at            timestamptz,
    incident_id        uuid,
    incident_starts_at timestamptz,
    said_at            timestamptz,
    clock_off          bigint NOT NULL DEFAULT 0,
    occurrence_count   integer NOT NULL DEFAULT 1,
    first_seen_at      timestamptz NOT NULL,
    last_seen_at       timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id)
) WITH (fillfactor = 85);
CREATE UNIQUE INDEX alert_key_key ON alert (service_id, alert_key);
CREATE INDEX alert_incident_idx ON alert (incident_id, status);

-- The open incidents that say how a service is: its own, and those that took in one of its, while an alert
-- of the service fires there. What somebody declared has no alert: it goes on until the other is resolved.
CREATE FUNCTION incidents_of_service(of_org uuid, of_service uuid) RETURNS TABLE (id uuid, severity text)
    LANGUAGE sql STABLE
    AS $$
        SELECT o.id, o.severity FROM incident o WHERE o.org_id = of_org AND o.service_id = of_service AND o.status <> 'resolved'
        UNION ALL
        SELECT DISTINCT o.id, o.severity FROM incident m
        JOIN incident o ON o.org_id = m.org_id AND o.id = m.merged_into_id AND o.status <> 'resolved' AND o.service_id IS DISTINCT FROM m.service_id
        WHERE m.org_id = of_org AND m.service_id = of_service AND m.merged_into_id IS NOT NULL
          AND (m.incident_key IS NULL OR EXISTS (
              SELECT FROM alert a WHERE a.incident_id = o.id AND a.service_id = of_service AND a.status = 'firing'))
    $$;

-- Everything that was received, for the record. Columns from event_id on are of POST /v1/events: a
-- call with the same id within 72 hours is told what became of the first. The lock of the alert's
-- row keeps two of them apart, as a unique index cannot span partitions. Weekly partitions are made ahead and dropped by
-- weekly_partitions; DEFAULT takes what none was made for.
CREATE TABLE alert_event (
    org_id      uuid NOT NULL,
    alert_id    uuid, -- NULL for an acknowledgement
    incident_id uuid,
    status      text NOT NULL CHECK (status IN ('firing', 'acknowledged', 'resolved')),
    occurrences integer NOT NULL,
    received_at timestamptz NOT NULL,
    event_id        uuid,
    service_id      uuid,
    event_hash      bytea,
    event_status    text CHECK (event_status IN ('created', 'deduplicated', 'acknowledged', 'resolved', 'ignored')),
    incident_number integer
) PARTITION BY RANGE (received_at);
CREATE TABLE alert_event_default PARTITION OF alert_event DEFAULT;
CREATE INDEX alert_event_incident_idx ON alert_event (org_id, incident_id, alert_id);
CREATE INDEX alert_event_call_idx ON alert_event (service_id, event_id) WHERE event_id IS NOT NULL;

-- Makes a table's partitions of this week and the next four, and drops what is older than keep. Only
-- the tables' owner may, so it runs as the owner; at is the column of the range. ATTACH locks DEFAULT, DROP the
-- whole table: the caller sets a lock_timeout, and what does not get its lock is done the next time.
CREATE FUNCTION weekly_partitions(parent text, at_column text, at timestamptz, keep interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
    DECLARE
        week timestamptz;
        part text;
        rest text := parent || '_default';
        old  record;
    BEGIN
        IF (parent, at_column) NOT IN (('alert_event', 'received_at'), ('sample', 'at')) THEN
            RAISE EXCEPTION 'weekly_partitions keeps no table %', parent;
        END IF;
        -- One replica at a time; the others have nothing left to do.
        IF NOT pg_try_advisory_xact_lock(hashtext(parent || '_partitions')) THEN RETURN; END IF;
        FOR step IN 0..4 LOOP
            week := date_trunc('week', at, 'UTC') + step * interval '7 days';
            part := parent || '_' || to_char(week AT TIME ZONE 'UTC', 'YYYYMMDD');
            CONTINUE WHEN to_regclass(part) IS NOT NULL;
            EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING CONSTRAINTS)', part, parent);
            EXECUTE format('ALTER TABLE %I ALTER COLUMN org_id SET STATISTICS 0', part);
            EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *)
                INSERT INTO %I SELECT * FROM moved', rest, at_column, week, at_column, week + interval '7 days', part);
            EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, part, week, week + interval '7 days');
        END LOOP;
        FOR old IN SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
                   WHERE inhparent = parent::regclass AND c.relname ~ ('^' || parent || '_[0-9]{8}$')
                     AND to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' < at - keep - interval '7 days' LOOP
            EXECUTE format('DROP TABLE %I', old.relname);
        END LOOP;
        EXECUTE format('DELETE FROM %I WHERE ctid = ANY(ARRAY(SELECT ctid FROM %I WHERE %I < %L LIMIT 10000))', rest, rest, at_column, at - keep);
    END $$;

-- What a sender sent that we could not read (capped), one incident per service and hour.
-- not_kept counts what came with it or after it in that hour, and was not kept.
CREATE TABLE undecodable_alert (
    org_id      uuid NOT NULL,
    id          uuid NOT NULL,
    service_id  uuid NOT NULL,
    sender      text NOT NULL,
    reason      text NOT NULL,
    body        bytea NOT NULL,
    not_kept    integer NOT NULL DEFAULT 0,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE
);
CREATE INDEX undecodable_alert_service_idx ON undecodable_alert (org_id, service_id, received_at);

-- The incident's history and the live feed in one. seq orders the feed, and is the key because
-- nothing looks an event up by its id.
CREATE TABLE timeline_event (
    org_id      uuid NOT NULL,
    id          uuid NOT NULL,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    incident_id uuid, -- NULL for what is about no incident, such as who is on call
    kind        text NOT NULL,
    actor_kind  text NOT NULL CHECK (actor_kind IN ('system', 'user', 'api_key')),
    actor_id    uuid,
    actor_name  text NOT NULL DEFAULT '',
    message     text NOT NULL DEFAULT '',
    data        jsonb NOT NULL DEFAULT '{}',
    at          timestamptz NOT NULL,
    PRIMARY KEY (org_id, seq),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE
);
CREATE INDEX timeline_event_incident_idx ON timeline_event (org_id, incident_id, seq);
CREATE INDEX timeline_event_comment_idx ON timeline_event (org_id, incident_id, seq) WHERE kind = 'comment';
CREATE INDEX timeline_event_expiry_idx ON timeline_event (at) WHERE incident_id IS NULL;

-- ---------------------------------------------------------------- timers and the outbox

-- What happens to an incident by the clock besides paging, where its policy asks for it.
CREATE TABLE incident_timer (
    org_id      uuid NOT NULL,
    incident_id uuid NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('ack_timeout', 'confirm_timeout', 'confirm_request', 'auto_resolve')),
    due_at      timestamptz NOT NULL,
    held        boolean NOT NULL DEFAULT false, -- due_at is when maintenance or a quiet time ends
    PRIMARY KEY (org_id, incident_id, kind),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_timer_due_idx ON incident_timer (due_at);
CREATE INDEX incident_timer_answer_idx ON incident_timer (due_at) WHERE kind IN ('ack_timeout', 'confirm_timeout');

-- One row per page that must reach one contact. effect_key makes a replay harmless. why is the
-- answer to "why was I paged", as it was when the page was decided. delivery_ids are the messages
-- that tried to carry it.
CREATE TABLE notification (
    org_id            uuid NOT NULL,
    id                uuid NOT NULL,
    effect_key        text NOT NULL UNIQUE,
    incident_id       uuid NOT NULL,
    user_id           uuid,
    contact_method_id uuid NOT NULL,
    channel           text NOT NULL,
    cycle             integer NOT NULL,
    round             integer NOT NULL,
    step              integer NOT NULL,
    reason            text NOT NULL,
    severity_rank     smallint NOT NULL,
    why               jsonb NOT NULL DEFAULT '{}',
    confirms          boolean NOT NULL DEFAULT false, -- asks for the acknowledgement of a severity that rose
    state             text NOT NULL,
    due_at            timestamptz NOT NULL,
    next_try_at       timestamptz NOT NULL,
    lease_token       uuid,
    lease_until       timestamptz,
    attempts          integer NOT NULL DEFAULT 0,
    faults            integer NOT NULL DEFAULT 0, -- tries that failed by our own mistake, or for what the message says; such pages are sent in small groups, and at last alone
    orphaned          integer NOT NULL DEFAULT 0, -- claims in a row that are over, and whose workers recorded nothing
    unknowns          integer NOT NULL DEFAULT 0, -- tries after which the provider may have taken the message
    blocked_since     timestamptz, -- since when only this installation's own failures keep it from being sent
    lost_at           timestamptz, -- when it was given up although its provider was called, or by our own mistake
    failed_over_at    timestamptz, -- when the person's next contact method was made due in its place
    finished_at       timestamptz,
    finished_for      text NOT NULL DEFAULT '',
    delivery_ids      uuid[] NOT NULL DEFAULT '{}',
    created_at        timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, incident_id) REFERENCES incident (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE,
    CONSTRAINT notification_state_check CHECK (CASE state
        WHEN 'pending' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NULL
        WHEN 'sending' THEN lease_token IS NOT NULL AND lease_until IS NOT NULL AND finished_at IS NULL
        WHEN 'sent' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        WHEN 'failed' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        WHEN 'cancelled' THEN lease_token IS NULL AND lease_until IS NULL AND finished_at IS NOT NULL
        ELSE false END)
-- A claim is a heap-only (HOT) update: no index predicate mentions state, and half of each block
-- is free for the new row version. So claiming a page writes no index.
) WITH (fillfactor = 50);
CREATE INDEX notification_due_idx ON notification (channel, next_try_at) WHERE finished_at IS NULL;
-- What is due of one contact and severity is a range: a look stops after its LIMIT, however many
-- pages wait. The second leaves out what failed over.
CREATE INDEX notification_open_idx ON notification (contact_method_id, severity_rank, next_try_at, due_at) WHERE finished_at IS NULL;
CREATE INDEX notification_unreached_idx ON notification (contact_method_id, severity_rank, due_at) WHERE finished_at IS NULL AND failed_over_at IS NULL;
CREATE INDEX notification_incident_idx ON notification (incident_id);
CREATE INDEX notification_blocked_idx ON notification (blocked_since) WHERE finished_at IS NULL AND blocked_since IS NOT NULL;
CREATE INDEX notification_lost_idx ON notification (lost_at) WHERE lost_at IS NOT NULL;

-- One try to hand one message, which may carry many incidents, to a provider. Its id is the
-- lease token of the notifications it carries, notification_ids.
CREATE TABLE delivery (
    org_id            uuid NOT NULL,
    id                uuid NOT NULL,
    contact_method_id uuid NOT NULL,
    user_id           uuid,
    channel           text NOT NULL,
    outcome           text NOT NULL CHECK (outcome IN ('sending', 'accepted', 'temporary_failure', 'permanent_failure', 'skipped')),
    detail            text NOT NULL DEFAULT '',
    provider_id       text NOT NULL DEFAULT '',
    incident_count    integer NOT NULL,
    notification_ids  uuid[] NOT NULL DEFAULT '{}',
    started_at        timestamptz NOT NULL,
    lease_until       timestamptz, -- that of its notifications
    finished_at       timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE
);
-- Whether a message to a contact is under way: one row however many pages it carries.
CREATE INDEX delivery_sending_idx ON delivery (contact_method_id) WHERE outcome = 'sending';
-- When a provider last took a message: whether it fails, or an address does.
CREATE INDEX delivery_accepted_idx ON delivery (channel, finished_at) WHERE outcome = 'accepted';

-- "Send me a test page": one try to hand a message that says it is a test to the provider of one
-- contact method, with what came of it. It is no page: nothing escalates, and no page waits for it.
CREATE TABLE test_page (
    org_id            uuid NOT NULL,
    id                uuid NOT NULL,
    contact_method_id uuid NOT NULL,
    user_id           uuid NOT NULL,
    channel           text NOT NULL,
    status            text NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed')),
    detail            text NOT NULL DEFAULT '',
    provider_id       text NOT NULL DEFAULT '',
    created_at        timestamptz NOT NULL,
    lease_until       timestamptz, -- who has not answered by then has died
    finished_at       timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES membership (org_id, user_id) ON DELETE CASCADE,
    CHECK ((status IN ('sent', 'failed')) = (finished_at IS NOT NULL)),
    CHECK ((status = 'sending') = (lease_until IS NOT NULL))
);
CREATE INDEX test_page_due_idx ON test_page (created_at) WHERE finished_at IS NULL;
CREATE INDEX test_page_user_idx ON test_page (user_id, created_at DESC);

-- Mail of an installation without a mail server, shown on /inbox.
CREATE TABLE inbox_mail (
    org_id      uuid NOT NULL REFERENCES org (id),
    id          uuid NOT NULL,
    sender      text NOT NULL,
    recipient   text NOT NULL,
    subject     text NOT NULL,
    text_sealed bytea NOT NULL,
    html_sealed bytea NOT NULL,
    received_at timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX inbox_mail_recent_idx ON inbox_mail (org_id, received_at DESC, id DESC);

-- ---------------------------------------------------------------- webhooks out

-- A program of the organization that is told what happens. cursor is the seq of the last entry
-- of the feed (timeline_event) of which deliveries were made. An empty filter lets all through.
-- The address may hold a secret, so it is sealed; hint is its host, for when the key is lost.
CREATE TABLE webhook_subscription (
    org_id               uuid NOT NULL REFERENCES org (id),
    id                   uuid NOT NULL,
    name                 text NOT NULL,
    url_sealed           bytea NOT NULL,
    hint                 text NOT NULL,
    event_types          text[] NOT NULL,
    service_ids          uuid[] NOT NULL DEFAULT '{}',
    team_ids             uuid[] NOT NULL DEFAULT '{}',
    severities           text[] NOT NULL DEFAULT '{}',
    secret_sealed        bytea NOT NULL,
    old_secret_sealed    bytea,
    old_secret_until     timestamptz,
    enabled              boolean NOT NULL DEFAULT true,
    disabled_reason      text NOT NULL DEFAULT '',
    failing_since        timestamptz, -- since when nothing was delivered
    paused_until         timestamptz, -- the receiver did not answer and is left alone until then
    notice_due_at        timestamptz, -- when the owners are to be mailed that it was disabled
    notice_sent_to       uuid[] NOT NULL DEFAULT '{}', -- the owners who were
    cursor               bigint NOT NULL,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    CHECK ((old_secret_sealed IS NULL) = (old_secret_until IS NULL))
);

-- The queue of webhook deliveries. event_id is the webhook-id of every try, and that of the entry
-- in the feed; a test has one of its own and no seq. next_try_at is, while a delivery is being
-- sent, the end of its lease: one that a crash left is due again then.
CREATE TABLE webhook_delivery (
    org_id          uuid NOT NULL,
    id              uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id        uuid NOT NULL,
    seq             bigint,
    event_type      text NOT NULL,
    payload         text NOT NULL,
    status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempt_count   integer NOT NULL DEFAULT 0, -- since retry_since
    next_try_at     timestamptz NOT NULL,
    lease_token     uuid,
    response_status integer,
    detail          text NOT NULL DEFAULT '',
    retry_since     timestamptz NOT NULL,
    created_at      timestamptz NOT NULL,
    finished_at     timestamptz,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, subscription_id) REFERENCES webhook_subscription (org_id, id) ON DELETE CASCADE,
    CHECK ((status = 'pending') = (finished_at IS NULL))
);
CREATE INDEX webhook_delivery_due_idx ON webhook_delivery (subscription_id, next_try_at) WHERE finished_at IS NULL;
CREATE INDEX webhook_delivery_subscription_idx ON webhook_delivery (org_id, subscription_id, id);

-- ---------------------------------------------------------------- heartbeats

-- A program that says regularly that it lives. When due_at is expected, what opens an incident at
-- deadline_at, and what run_started_at and episode_at are, says package heartbeat.
CREATE TABLE heartbeat (
    org_id              uuid NOT NULL REFERENCES org (id),
    id                  uuid NOT NULL,
    service_id          uuid NOT NULL,
    name                text NOT NULL,
    every_seconds       integer,
    schedule            text,
    time_zone           text NOT NULL DEFAULT '',
    grace_seconds       integer, -- NULL: the usual one
    max_runtime_seconds integer,
    severity            text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
    paused              boolean NOT NULL DEFAULT false,
    status              text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'ok', 'missed', 'overrun', 'failed', 'stopped')),
    last_ping_at        timestamptz,
    due_at              timestamptz,
    deadline_at         timestamptz,
    run_id              text NOT NULL DEFAULT '',
    run_started_at      timestamptz,
    ended_run_id        text NOT NULL DEFAULT '',
    episode_at          timestamptz,
    spared              boolean NOT NULL DEFAULT false,
    last_key            text NOT NULL DEFAULT '', -- Idempotency-Key of the last ping that had one, and a digest of it
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, service_id) REFERENCES service (org_id, id) ON DELETE CASCADE,
    CHECK (CASE schedule IS NULL WHEN true THEN every_seconds IS NOT NULL ELSE every_seconds IS NULL END)
);
CREATE UNIQUE INDEX heartbeat_name_key ON heartbeat (org_id, service_id, name);
CREATE INDEX heartbeat_deadline_idx ON heartbeat (deadline_at) WHERE deadline_at IS NOT NULL;

-- One row: when somebody looked last for heartbeats that are missing. A gap is an outage, in which
-- no ping and no alert could be received; the last one is kept for heartbeats that somebody held when it was
-- found, and for incidents that would resolve themselves without news.
CREATE TABLE heartbeat_watch (
    one         boolean PRIMARY KEY DEFAULT true CHECK (one),
    looked_at   timestamptz NOT NULL,
    outage_from timestamptz,
    outage_to   timestamptz
);

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

-- ---------------------------------------------------------------- integrations, audit, idempotency

CREATE TABLE integration (
    org_id            uuid NOT NULL REFERENCES org (id),
    kind              text NOT NULL,
    is_active         boolean NOT NULL DEFAULT true,
    config            jsonb NOT NULL DEFAULT '{}',
    sealed            bytea,
    contact_method_id uuid,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    PRIMARY KEY (org_id, kind),
    FOREIGN KEY (org_id, contact_method_id) REFERENCES contact_method (org_id, id) ON DELETE SET NULL (contact_method_id)
);

-- One row per mutating call; nobody may change one, or delete one that is younger than a year, but
-- with the whole organization.
CREATE TABLE audit_event (
    org_id     uuid NOT NULL REFERENCES org (id),
    id         uuid NOT NULL,
    at         timestamptz NOT NULL,
    actor_kind text NOT NULL CHECK (actor_kind IN ('system', 'user', 'api_key', 'service_key')),
    actor_id   uuid,
    actor_name text NOT NULL DEFAULT '', -- as it was then: who acted stays readable after they have left
    method     text NOT NULL,
    request    jsonb NOT NULL DEFAULT '{}',
    outcome    text NOT NULL DEFAULT 'ok',
    address    text NOT NULL DEFAULT '',
    request_id text NOT NULL DEFAULT '',
    PRIMARY KEY (org_id, id)
);

-- The answer to a request that carried Idempotency-Key, given again to its repeat. carried_out
-- commits with what the request changes; response is sealed, and NULL until the answer is known.
CREATE TABLE idempotency_key (
    org_id       uuid NOT NULL REFERENCES org (id),
    caller_id    uuid NOT NULL,
    method       text NOT NULL,
    key          text NOT NULL,
    request_hash bytea NOT NULL,
    carried_out  boolean NOT NULL DEFAULT false,
    response     bytea,
    created_at   timestamptz NOT NULL,
    PRIMARY KEY (org_id, caller_id, method, key)
);

-- ---------------------------------------------------------------- roles and row-level security

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'nightbell_tenant') THEN
        CREATE ROLE nightbell_tenant NOLOGIN NOINHERIT;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'nightbell_system') THEN
        CREATE ROLE nightbell_system NOLOGIN NOINHERIT;
    END IF;
END $$;

GRANT USAGE ON SCHEMA public TO nightbell_tenant, nightbell_system;
GRANT EXECUTE ON FUNCTION nightbell_now(), nightbell_org() TO nightbell_tenant, nightbell_system;

-- Accounts are not tenant data. A tenant sees the people of its own organization, never a hash.
GRANT SELECT, INSERT, UPDATE, DELETE ON installation, org, users, session, refresh_token, known_device, password_reset, sign_in_tally, write_probe, heartbeat_watch, enquiry TO nightbell_system;
GRANT SELECT ON org TO nightbell_tenant;
GRANT UPDATE (last_incident_number, default_policy_id, unverified_mails, unverified_mails_on, unverified_mailed_at, name) ON org TO nightbell_tenant;
GRANT SELECT (id, name, email, phone, timezone, created_at, disabled_at), UPDATE (name, timezone, phone) ON users TO nightbell_tenant;
ALTER TABLE org ENABLE ROW LEVEL SECURITY;
ALTER TABLE org FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON org TO nightbell_tenant USING (id = nightbell_org());
CREATE POLICY system ON org TO nightbell_system USING (true) WITH CHECK (true);
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON users TO nightbell_tenant
    USING (EXISTS (SELECT FROM membership m WHERE m.org_id = nightbell_org() AND m.user_id = users.id));
-- Who changes an account names it first: an UPDATE that forgets its WHERE changes nobody.
CREATE POLICY account ON users AS RESTRICTIVE FOR UPDATE TO nightbell_tenant
    USING (id = NULLIF(current_setting('nightbell.account', true), '')::uuid);
CREATE POLICY system ON users TO nightbell_system USING (true) WITH CHECK (true);

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY[
        'membership', 'team', 'team_member', 'invitation', 'api_key', 'contact_method', 'notification_rule',
        'escalation_policy', 'schedule', 'rotation', 'rotation_person', 'schedule_override',
        'calendar_feed', 'handover_notice', 'escalation_step', 'escalation_target', 'service',
        'service_key', 'service_dependency', 'change_event', 'sample', 'sample_series', 'sample_call', 'sender_call', 'incident', 'alert', 'alert_event',
        'undecodable_alert', 'timeline_event', 'incident_timer', 'incident_link', 'incident_subscriber', 'notification',
        'delivery', 'test_page', 'inbox_mail', 'maintenance_window',
        'maintenance_service', 'integration', 'audit_event', 'idempotency_key',
        'webhook_subscription', 'webhook_delivery', 'heartbeat']
    LOOP
        -- No statistics of org_id: with them the planner expects no rows of an organization that
        -- came after ANALYZE, prices every index that begins with org_id like the primary key, and
        -- a foreign key check may then read all of that organization.
        EXECUTE format('ALTER TABLE %I ALTER COLUMN org_id SET STATISTICS 0', tenant_table);
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I TO nightbell_tenant USING (org_id = nightbell_org()) WITH CHECK (org_id = nightbell_org())', tenant_table);
        EXECUTE format('CREATE POLICY system ON %I TO nightbell_system USING (true) WITH CHECK (true)', tenant_table);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO nightbell_tenant, nightbell_system', tenant_table);
    END LOOP;
END $$;
REVOKE UPDATE, DELETE ON audit_event FROM nightbell_tenant;
REVOKE UPDATE ON audit_event FROM nightbell_system;
CREATE POLICY retention ON audit_event AS RESTRICTIVE FOR DELETE TO nightbell_system
    USING (at < nightbell_now() - interval '365 days'
           -- Who deletes an organization names it first: see departure.EraseOrganization.
           OR org_id = NULLIF(current_setting('nightbell.erased_org', true), '')::uuid);
REVOKE ALL ON FUNCTION weekly_partitions(text, text, timestamptz, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION weekly_partitions(text, text, timestamptz, interval) TO nightbell_system;
REVOKE UPDATE, DELETE ON timeline_event FROM nightbell_tenant;
-- Where a webhook subscription begins, and how far the feed has settled.
GRANT SELECT ON SEQUENCE timeline_event_seq_seq TO nightbell_tenant, nightbell_system;

-- Text search runs as nightbell_system, because operators that are not leakproof cannot use an
-- index below row-level security (measured: 0.3 ms becomes 55 ms). The organization is the
-- transaction's, never an argument.
CREATE FUNCTION incident_search(needle text) RETURNS SETOF uuid
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
GRANT CREATE ON SCHEMA public TO nightbell_system;
ALTER FUNCTION incident_search(text) OWNER TO nightbell_system;
REVOKE CREATE ON SCHEMA public FROM nightbell_system;
REVOKE ALL ON FUNCTION incident_search(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION incident_search(text) TO nightbell_tenant, nightbell_system;

-- When members were seen last: a sign-in, or the exchange of a refresh token, which an open page makes
-- every quarter of an hour. Sessions are out of a tenant's reach otherwise.
CREATE FUNCTION members_seen(people uuid[]) RETURNS TABLE (user_id uuid, seen_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
        SELECT s.user_id, max(s.last_used_at) FROM session s
        WHERE s.org_id = nightbell_org() AND s.user_id = ANY(people) GROUP BY s.user_id
    $$;
GRANT CREATE ON SCHEMA public TO nightbell_system;
ALTER FUNCTION members_seen(uuid[]) OWNER TO nightbell_system;
REVOKE CREATE ON SCHEMA public FROM nightbell_system;
REVOKE ALL ON FUNCTION members_seen(uuid[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION members_seen(uuid[]) TO nightbell_tenant, nightbell_system;
