-- Hand-overs: who was on call in the eyes of those people, and when to look again. A look is
-- due at look_at, so that a schedule is not worked out again while nothing can have changed.
ALTER TABLE schedule
    ADD COLUMN told uuid[] NOT NULL DEFAULT '{}',
    ADD COLUMN look_at timestamptz;

-- Who had it before, for who comes on; who has it now, for who goes off.
ALTER TABLE handover_notice ADD COLUMN others uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX handover_notice_person_idx ON handover_notice (schedule_id, user_id);

-- A row is wider now, and to the planner this index is then as good as the key, which has to be
-- what finds a schedule (see 0003).
DROP INDEX schedule_name_key;
CREATE UNIQUE INDEX schedule_name_key ON schedule (lower(name), org_id);
