package demo

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// workspaceAge is how long before now the workspace began.
const workspaceAge = 400 * 24 * time.Hour

// keyOf is the key of a row, the same in every installation and after every reset, so
// that addresses in a browser's history stay right.
func keyOf(kind, name string) uuid.UUID { return uuid.NewSHA1(orgID, []byte(kind+"/"+name)) }

func personID(first string) uuid.UUID  { return keyOf("person", first) }
func contactID(first string) uuid.UUID { return keyOf("contact", first) }
func teamID(name string) uuid.UUID     { return keyOf("team", name) }
func policyID(name string) uuid.UUID   { return keyOf("policy", name) }
func stepID(policy string, position int) uuid.UUID {
	return keyOf("step", policy+"/"+strconv.Itoa(position))
}
func serviceID(name string) uuid.UUID { return keyOf("service", name) }
func optional(id uuid.UUID, is bool) any {
	if !is {
		return nil
	}
	return id
}

// fill writes the whole workspace.
func fill(ctx context.Context, tx pgx.Tx, box *secret.Box, ownerHash string, now time.Time) error {
	began := now.Add(-workspaceAge)
	batch, first, rest := &pgx.Batch{}, &rows{}, &rows{}
	queueOrg(batch, began)
	queuePeople(batch, ownerHash, began)
	rota := newRota(now)
	addPeople(first, began)
	addPolicies(first, began)
	addSchedules(first, rota, began)
	addSteps(first)
	first.queue(batch)
	batch.Queue(`UPDATE org SET default_policy_id = $2 WHERE id = $1`, orgID, policyID(defaultPolicy))
	addServices(rest, box, now)
	addMaintenance(rest, now)
	addHistory(rest, rota)
	rest.queue(batch)
	batch.Queue(`INSERT INTO installation (environment_id, created_at, demo_seeded_at) VALUES ($1, $2, $2)
		ON CONFLICT (singleton) DO UPDATE SET demo_seeded_at = excluded.demo_seeded_at`, uuid.New(), now)
	return tx.SendBatch(ctx, batch).Close()
}

// queueOrg numbers what comes after the seeded incidents on from them.
func queueOrg(batch *pgx.Batch, began time.Time) {
	batch.Queue(`INSERT INTO org (id, kind, name, last_incident_number, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, last_incident_number = excluded.last_incident_number, created_at = excluded.created_at`,
		orgID, string(org.Organization), orgName, len(incidents()), began)
}

// queuePeople writes the accounts. Only the owner can sign in: no password has an
// empty hash.
func queuePeople(batch *pgx.Batch, ownerHash string, began time.Time) {
	for i, p := range people {
		hash := ""
		if p.first == owner {
			hash = ownerHash
		}
		batch.Queue(`INSERT INTO users (id, name, email, password_hash, timezone, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, password_hash = excluded.password_hash,
				timezone = excluded.timezone, disabled_at = NULL`,
			personID(p.first), p.name(), p.email(), hash, p.timezone, joined(began, i))
	}
}

// joined spreads the people over the first weeks: their order is the one in which
// screens give them colours.
func joined(began time.Time, place int) time.Time { return began.AddDate(0, 0, 5*place) }

func addPeople(r *rows, began time.Time) {
	for i, p := range people {
		at := joined(began, i)
		r.add("membership", "org_id, user_id, role, created_at", orgID, personID(p.first), string(p.role), at)
		r.add("contact_method", "org_id, id, user_id, kind, name, address, hint, verified_at, created_at",
			orgID, contactID(p.first), personID(p.first), string(notify.Email), "E-mail", p.email(), p.email(), at, at)
		for _, urgency := range []string{"high", "low"} {
			r.add("notification_rule", "org_id, id, user_id, contact_method_id, urgency, created_at",
				orgID, keyOf("rule", p.first+"/"+urgency), personID(p.first), contactID(p.first), urgency, at)
		}
	}
	for _, t := range teams {
		r.add("team", "org_id, id, name, description, created_at", orgID, teamID(t.name), t.name, t.description, began)
		for i, member := range t.members {
			r.add("team_member", "org_id, team_id, user_id, created_at", orgID, teamID(t.name), personID(member), joined(began, i))
		}
	}
}

func addPolicies(r *rows, began time.Time) {
	for _, p := range policies {
		r.add("escalation_policy", "org_id, id, name, description, repeats, ack_timeout_seconds, timezone, created_at, updated_at",
			orgID, policyID(p.name), p.name, p.description, p.repeats, int(p.ackTimeout.Seconds()), policyZone, began, began)
	}
}

// addSteps comes after the schedules that the steps page.
func addSteps(r *rows) {
	for _, p := range policies {
		for i, step := range p.steps {
			assignment := "everyone"
			if step.roundRobin {
				assignment = "round_robin"
			}
			severities := []string{}
			for _, severity := range step.severities {
				severities = append(severities, string(severity))
			}
			r.add("escalation_step", "org_id, policy_id, position, id, delay_seconds, assignment, severities, windows",
				orgID, policyID(p.name), i, stepID(p.name, i), int(step.wait.Seconds()), assignment, severities, oncalldb.StoreWindows(step.windows))
			addTargets(r, p, i)
		}
	}
}

func addTargets(r *rows, p samplePolicy, position int) {
	const columns = "org_id, policy_id, step_position, position, kind, user_id, schedule_id, team_id"
	step, place := p.steps[position], 0
	add := func(kind string, user, schedule, team any) {
		r.add("escalation_target", columns, orgID, policyID(p.name), position, place, kind, user, schedule, team)
		place++
	}
	if step.schedule != "" {
		add("schedule", nil, scheduleID(step.schedule), nil)
	}
	for _, person := range step.people {
		add("user", personID(person), nil, nil)
	}
	if step.team != "" {
		add("team", nil, nil, teamID(step.team))
	}
}

func addServices(r *rows, box *secret.Box, now time.Time) {
	began := now.Add(-workspaceAge)
	for _, s := range services {
		r.add("service", "org_id, id, name, description, team_id, owner_user_id, escalation_policy_id, repo_url, tier, created_at, updated_at",
			orgID, serviceID(s.name), s.name, s.description, teamID(s.team), personID(s.owner),
			optional(policyID(s.policy), s.policy != ""), s.repo, s.tier, began, began)
		key := catalog.NewKey()
		r.add("service_key", "hash, org_id, service_id, sealed, created_at", catalog.HashKey(key), orgID, serviceID(s.name),
			box.Seal([]byte(key), catalog.KeyPlace(orgID, serviceID(s.name))), began)
	}
	for _, s := range services {
		for _, needed := range s.needs {
			r.add("service_dependency", "org_id, service_id, depends_on_id", orgID, serviceID(s.name), serviceID(needed))
		}
	}
	for _, c := range changes {
		r.add("change_event", "org_id, id, service_id, kind, description, user_id, occurred_at",
			orgID, keyOf("change", c.service+"/"+c.what), serviceID(c.service), c.kind, c.what, personID(c.by), now.Add(-c.ago))
	}
	for _, kind := range connected {
		r.add("integration", "org_id, kind, is_active, created_at, updated_at", orgID, kind, true, began, began)
	}
}

// addMaintenance plans work on a service for tomorrow evening.
func addMaintenance(r *rows, now time.Time) {
	window, zone := keyOf("maintenance", lake), zoneOf(policyZone)
	r.add("maintenance_window", "org_id, id, description, starts_at, ends_at, created_by, created_at", orgID, window,
		"Warehouse moves to its new disks", onDay(now, zone, 1, 22).UTC(), onDay(now, zone, 1, 23).UTC(), personID("Tomás"), now.Add(-hours(26, 40)))
	r.add("maintenance_service", "org_id, window_id, service_id", orgID, window, serviceID(lake))
}
