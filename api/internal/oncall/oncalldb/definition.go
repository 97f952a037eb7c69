// Package oncalldb stores schedules and reads them for everybody who asks who is on
// call. There is one text of SQL that reads a schedule (DefinitionSQL) and one reader of
// what it yields (Parse), so that whoever is shown is whoever is paged.
//
// Entry files: definition.go (the two), load.go (screens), schedule.sql and calendar.sql
// (what is stored).
package oncalldb

import "strings"

// DefinitionSQL is an expression for all that the schedule row called alias means, as one jsonb for Parse, without
// overrides that end at or before since (another expression); neither may come from a caller. Disabled people are left
// out: their seats are vacant and keep the cadence, their overrides are not there.
func DefinitionSQL(alias, since string) string {
	return strings.NewReplacer("{s}", alias, "{since}", since).Replace(definitionSQL)
}

const definitionSQL = `jsonb_build_object(
    'id', {s}.id, 'name', {s}.name, 'timezone', {s}.timezone, 'active', {s}.status = 'active',
    'rotations', (
        SELECT jsonb_agg(jsonb_build_object(
                   'id', r.id, 'name', r.name, 'unit', r.unit, 'length', r.length, 'handover', r.handover, 'weekday', r.weekday,
                   'start', r.starts_at, 'end', r.ends_at, 'windows', r.windows, 'turns', r.turns,
                   'people', (
                       SELECT jsonb_agg(jsonb_build_object('turn', p.turn, 'id', p.user_id) ORDER BY p.turn, p.position)
                       FROM rotation_person p JOIN users u ON u.id = p.user_id AND u.disabled_at IS NULL
                       WHERE p.org_id = r.org_id AND p.rotation_id = r.id))
                   ORDER BY r.position, r.id)
        FROM rotation r WHERE r.org_id = {s}.org_id AND r.schedule_id = {s}.id),
    'overrides', (
        SELECT jsonb_agg(jsonb_build_object(
                   'id', o.id, 'kind', o.kind, 'person', o.user_id, 'replaces', o.replaces_user_id, 'reason', o.reason,
                   'start', o.starts_at, 'end', o.ends_at, 'created', o.created_at)
                   ORDER BY o.created_at, o.id)
        FROM schedule_override o LEFT JOIN users u ON u.id = o.user_id
        WHERE o.org_id = {s}.org_id AND o.schedule_id = {s}.id AND o.ends_at > {since} AND u.disabled_at IS NULL))`
