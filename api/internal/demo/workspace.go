package demo

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/catalog/catalogdb"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/integration/integrationdb"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/org"
	"github.com/nightbell/nightbell/api/internal/org/orgdb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// workspaceAge is how long before now the workspace began.
const workspaceAge = 400 * 24 * time.Hour

// Addresses end in .example, which no mail server will ever accept mail for (RFC 2606).
const mailDomain = "@nightbell.example"

// keyOf is the key of a row, the same in every installation and after every reset, so
// that addresses in a browser's history stay right.
func keyOf(kind, name string) uuid.UUID { return uuid.NewSHA1(orgID, []byte(kind+"/"+name)) }

func personID(first string) uuid.UUID { return keyOf("person", first) }
func serviceID(name string) uuid.UUID { return keyOf("service", name) }

// optionalKey is NULL without a name.
func optionalKey(kind, name string) *uuid.UUID {
	if name == "" {
		return nil
	}
	key := keyOf(kind, name)
	return &key
}

// part is a transaction that goes on after postgres.Finish, which commits only one that it
// knows as its own.
type part struct{ pgx.Tx }

// filling writes the workspace as of now.
type filling struct {
	tx         part
	box        *secret.Box
	now, began time.Time

	// next is as markSent read it; stale is set when pages were made, or next has changed.
	next  nextStep
	stale bool
}

// nextStep is the first step that is due of all incidents; zero when none is.
type nextStep struct {
	incidentID uuid.UUID
	due        time.Time
}

// fill writes the whole workspace: what people set up, then the history.
func fill(ctx context.Context, tx pgx.Tx, box *secret.Box, ownerHash string, now time.Time) error {
	f := &filling{tx: part{tx}, box: box, now: now, began: now.Add(-workspaceAge)}
	// Planning each statement again takes longer than running most of them.
	if _, err := tx.Exec(ctx, `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`); err != nil {
		return err
	}
	for _, add := range []func(context.Context) error{
		func(ctx context.Context) error { return f.addOrg(ctx, ownerHash) },
		f.addPeople, f.addTeams, f.addPolicies, f.addSchedules, f.addServices, f.addHistory, f.addMaintenance,
	} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `INSERT INTO installation (environment_id, created_at, demo_seeded_at) VALUES ($1, $2, $2)
		ON CONFLICT (singleton) DO UPDATE SET demo_seeded_at = excluded.demo_seeded_at`, uuid.New(), now)
	return err
}

// addOrg writes the organization, which a reset leaves, and the accounts, which it leaves
// to those who are in another organization too. Only the owner can sign in: no password has
// an empty hash.
func (f *filling) addOrg(ctx context.Context, ownerHash string) error {
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO org (id, kind, name, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, last_incident_number = 0, created_at = excluded.created_at`,
		orgID, string(org.Organization), data().Organization, f.began)
	for i, p := range data().People {
		hash := ""
		if p.first() == data().Owner {
			hash = ownerHash
		}
		batch.Queue(`INSERT INTO users (id, name, email, password_hash, timezone, created_at) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, password_hash = excluded.password_hash,
				timezone = excluded.timezone, disabled_at = NULL`,
			personID(p.first()), p.Name, p.email(), hash, p.Timezone, f.joined(i))
	}
	return f.tx.SendBatch(ctx, batch).Close()
}

// joined spreads the people over the first weeks: their order is the one in which
// screens give them colours.
func (f *filling) joined(place int) time.Time { return f.began.AddDate(0, 0, 5*place) }

func (f *filling) addPeople(ctx context.Context) error {
	q := orgdb.New(f.tx)
	for i, p := range data().People {
		person, at := personID(p.first()), f.joined(i)
		if err := q.InsertMember(ctx, orgdb.InsertMemberParams{OrgID: orgID, UserID: person, Role: string(p.Role), CreatedAt: at}); err != nil {
			return err
		}
		if _, err := notifydb.InsertFirstContact(ctx, f.tx, orgID, person, p.email(), false, at); err != nil {
			return err
		}
	}
	return nil
}

func (f *filling) addTeams(ctx context.Context) error {
	q := orgdb.New(f.tx)
	for _, t := range data().Teams {
		team := keyOf("team", t.Name)
		if err := q.InsertTeam(ctx, orgdb.InsertTeamParams{OrgID: orgID, ID: team, Name: t.Name, Description: t.Description, CreatedAt: f.began}); err != nil {
			return err
		}
		members := orgdb.InsertTeamMembersParams{OrgID: orgID, TeamID: team, CreatedAt: f.began}
		for _, first := range t.Members {
			members.UserIds = append(members.UserIds, personID(first))
		}
		if err := q.InsertTeamMembers(ctx, members); err != nil {
			return err
		}
	}
	return nil
}

// addPolicies writes the policies as they were before anybody set the schedules to work.
func (f *filling) addPolicies(ctx context.Context) error {
	q := escalationdb.New(f.tx)
	for _, p := range data().Policies {
		err := q.InsertPolicy(ctx, escalationdb.InsertPolicyParams{
			OrgID: orgID, ID: keyOf("policy", p.Name), Name: p.Name, Description: p.Description, Repeats: p.Repeats,
			Timezone: data().Timezone, LastResort: "owners", Quiet: []byte("[]"), Now: f.began,
		})
		if err != nil {
			return err
		}
		for i, step := range p.Steps {
			before := stepBefore(step)
			if err := f.addStep(ctx, q, p.Name, i, 1, before); err != nil {
				return err
			}
		}
	}
	return orgdb.New(f.tx).SetDefaultPolicy(ctx, keyOf("policy", data().Policies[0].Name), orgID)
}

// stepBefore is the step without schedules and conditions.
func stepBefore(s step) step {
	before := step{Wait: s.Wait, People: s.Before}
	if len(s.Before) == 0 {
		before.Team = s.Team
	}
	return before
}

// usePolicies gives the policies the steps that they have now.
func (f *filling) usePolicies(ctx context.Context, at time.Time) error {
	q := escalationdb.New(f.tx)
	for _, p := range data().Policies {
		policy := keyOf("policy", p.Name)
		revision, err := q.UpdatePolicy(ctx, escalationdb.UpdatePolicyParams{
			OrgID: orgID, ID: policy, Name: p.Name, Description: p.Description, Repeats: p.Repeats, AckTimeoutSeconds: int32(p.AckTimeout.Seconds()),
			Timezone: data().Timezone, LastResort: "owners", Quiet: []byte("[]"), Now: at,
		})
		if err != nil {
			return err
		}
		if err := q.DeleteSteps(ctx, orgID, policy); err != nil {
			return err
		}
		for i, step := range p.Steps {
			if err := f.addStep(ctx, q, p.Name, i, revision, step); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *filling) addStep(ctx context.Context, q *escalationdb.Queries, policy string, position int, revision int32, s step) error {
	row := escalationdb.InsertStepParams{
		OrgID: orgID, PolicyID: keyOf("policy", policy), Position: int32(position), ID: keyOf("step", policy+"/"+strconv.Itoa(position)),
		ChangedIn: revision, DelaySeconds: int32(s.Wait.Seconds()), Assignment: "everyone",
		Severities: append([]string{}, s.Severities...), Windows: oncalldb.StoreWindows(data().windows(s.Hours)),
	}
	if s.RoundRobin {
		row.Assignment = "round_robin"
	}
	if err := q.InsertStep(ctx, row); err != nil {
		return err
	}
	target := escalationdb.InsertTargetParams{OrgID: orgID, PolicyID: row.PolicyID, StepPosition: row.Position}
	add := func(kind escalation.TargetKind, id uuid.UUID) error {
		target.Kind, target.TargetID = string(kind), id
		_, err := q.InsertTarget(ctx, target)
		target.Position++
		return err
	}
	if s.Schedule != "" {
		if err := add(escalation.Schedule, keyOf("schedule", s.Schedule)); err != nil {
			return err
		}
	}
	for _, first := range s.People {
		if err := add(escalation.User, personID(first)); err != nil {
			return err
		}
	}
	if s.Team != "" {
		return add(escalation.Team, keyOf("team", s.Team))
	}
	return nil
}

func (f *filling) addSchedules(ctx context.Context) error {
	q := oncalldb.New(f.tx)
	for i, built := range schedulesAt(f.now) {
		s := data().Schedules[i]
		status := "active"
		if s.Inactive {
			status = "inactive"
		}
		err := q.InsertSchedule(ctx, oncalldb.InsertScheduleParams{
			OrgID: orgID, ID: built.ID, Name: s.Name, Description: s.Description, TeamID: optionalKey("team", s.Team),
			Timezone: s.Timezone, Status: status, EscalationPolicyID: optionalKey("policy", s.Policy), Now: f.began,
		})
		if err != nil {
			return err
		}
		if err := q.WriteRotations(ctx, orgID, built); err != nil {
			return err
		}
		for n, o := range built.Overrides {
			err := q.InsertOverride(ctx, oncalldb.InsertOverrideParams{
				OrgID: orgID, ID: o.ID, ScheduleID: built.ID, Kind: string(o.Kind), UserID: postgres.Null(o.Person), ReplacesUserID: postgres.Null(o.Replaces),
				StartsAt: o.Start, EndsAt: o.End, Reason: o.Reason, CreatedBy: postgres.Null(personID(s.Overrides[n].By)), Now: o.CreatedAt,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *filling) addServices(ctx context.Context) error {
	q, batch := catalogdb.New(f.tx), &pgx.Batch{}
	for _, s := range data().Services {
		own := serviceID(s.Name)
		err := q.InsertService(ctx, catalogdb.InsertServiceParams{
			OrgID: orgID, ID: own, Name: s.Name, Description: s.Description, TeamID: optionalKey("team", s.Team),
			OwnerUserID: optionalKey("person", s.Owner), EscalationPolicyID: optionalKey("policy", s.Policy),
			RepoUrl: s.Repo, Tier: s.Tier, Grouping: string(catalog.ByGroup), Now: f.began,
		})
		if err != nil {
			return err
		}
		key := catalog.NewKey()
		err = q.InsertServiceKey(ctx, catalogdb.InsertServiceKeyParams{
			Hash: catalog.HashKey(key), OrgID: orgID, ServiceID: own, Sealed: f.box.Seal([]byte(key), catalog.KeyPlace(orgID, own)), Now: f.began,
		})
		if err != nil {
			return err
		}
		for _, needed := range s.Needs {
			batch.Queue(`INSERT INTO service_dependency (org_id, service_id, depends_on_id) VALUES ($1, $2, $3)`, orgID, own, serviceID(needed))
		}
	}
	for _, c := range data().Changes {
		batch.Queue(`INSERT INTO change_event (org_id, id, service_id, kind, description, user_id, occurred_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			orgID, keyOf("change", c.Service+"/"+c.What), serviceID(c.Service), c.Kind, c.What, personID(c.By), f.now.Add(-c.Ago))
	}
	for _, kind := range data().Connected {
		err := integrationdb.New(f.tx).SaveIntegration(ctx, integrationdb.SaveIntegrationParams{OrgID: orgID, Kind: kind, Config: []byte("{}"), Now: f.began})
		if err != nil {
			return err
		}
	}
	return f.tx.SendBatch(ctx, batch).Close()
}

// addMaintenance comes last, so that it holds no page of the history.
func (f *filling) addMaintenance(ctx context.Context) error {
	m := data().Maintenance
	start := onDay(f.now, zoneOf(data().Timezone), 1, 22).UTC()
	_, err := escalationdb.InsertMaintenance(ctx, f.tx, orgID, escalation.Maintenance{
		ID: keyOf("maintenance", m.Service), Description: m.Description, Start: start, End: start.Add(m.Lasts), Services: []uuid.UUID{serviceID(m.Service)},
	}, personID(m.By), f.now.Add(-m.Ago))
	return err
}

// policyOf is the name of the policy that pages for a service.
func policyOf(s service) string { return cmp.Or(s.Policy, data().Policies[0].Name) }
