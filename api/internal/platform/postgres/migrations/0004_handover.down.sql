DROP INDEX handover_notice_person_idx, schedule_name_key;
CREATE UNIQUE INDEX schedule_name_key ON schedule (org_id, lower(name));
ALTER TABLE handover_notice DROP COLUMN others;
ALTER TABLE schedule DROP COLUMN told, DROP COLUMN look_at;
