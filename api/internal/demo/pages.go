package demo

import (
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// policy is the name of the one that paged for the incident.
func (p *past) policy() string {
	i := slices.IndexFunc(services, func(s sampleService) bool { return s.name == p.service })
	if services[i].policy == "" {
		return defaultPolicy
	}
	return services[i].policy
}

// answer is when somebody or something made an end of paging, and by what word.
func (p *past) answer() (at time.Time, reason string) {
	switch {
	case p.acknowledged > 0:
		return p.began.Add(p.acknowledged), string(incident.Acknowledged)
	case p.resolved > 0:
		return p.began.Add(p.resolved), string(incident.Resolved)
	default:
		return p.now, "sample incident"
	}
}

// addPages lets the engine decide who was paged until somebody answered, and writes
// what came of it.
func (p *past) addPages() {
	snapshot := escalation.Snapshot{Policy: p.policyAt(p.began), Owners: []uuid.UUID{personID(owner)}, Severity: p.severity}
	state, effects := escalation.Start(snapshot, p.began)
	p.carryOut(state.Cycle, effects, p.began)
	answer, reason := p.answer()
	for state.Status == escalation.Active && state.NextDueAt.Before(answer) {
		due := state.NextDueAt
		snapshot.State, snapshot.Policy = state, p.policyAt(due)
		state, effects = escalation.Decide(snapshot, due)
		p.carryOut(state.Cycle, effects, due)
	}
	if state.Status == escalation.Active {
		state = escalation.Stop(state, reason)
	}
	p.rows.add("escalation_state", "org_id, incident_id, policy_id, cycle, round, passed, severity, status, reason, version, updated_at",
		orgID, p.id, snapshot.Policy.ID, state.Cycle, state.Round, state.Passed, string(state.Severity), string(state.Status), state.Reason, 1, answer)
}

// policyAt is the incident's policy as the engine takes it, at an instant of the history.
func (p *past) policyAt(instant time.Time) escalation.Policy {
	i := slices.IndexFunc(policies, func(sample samplePolicy) bool { return sample.name == p.policy() })
	policy := escalation.Policy{ID: policyID(policies[i].name), Name: policies[i].name, Repeats: policies[i].repeats}
	for n, step := range policies[i].steps {
		policy.Steps = append(policy.Steps, escalation.Step{ID: stepID(policies[i].name, n), Delay: step.wait, Targets: p.rota.targets(step, instant)})
	}
	return policy.At(instant, func(uuid.UUID) bool { return true })
}

// targets are whom a step paged then: the schedule where it meant the same people,
// otherwise those people by name, or the team.
func (r *rota) targets(step sampleStep, instant time.Time) (list []escalation.Target) {
	var meant []uuid.UUID
	for _, name := range step.before {
		meant = append(meant, personID(name))
		list = append(list, escalation.Target{Kind: escalation.User, ID: personID(name), Name: person(name).Name, People: meant[len(meant)-1:]})
	}
	if schedule := r.schedules[step.schedule]; schedule != nil && slices.Equal(oncall.At(*schedule, instant).People, meant) {
		return []escalation.Target{{Kind: escalation.Schedule, ID: schedule.ID, Name: schedule.Name, Schedule: schedule}}
	}
	if i := slices.IndexFunc(teams, func(t sampleTeam) bool { return t.name == step.team }); i >= 0 && len(list) == 0 {
		team := escalation.Target{Kind: escalation.Team, ID: teamID(step.team), Name: step.team}
		for _, member := range teams[i].members {
			team.People = append(team.People, personID(member))
		}
		list = append(list, team)
	}
	return list
}

// carryOut writes the pages of one decision, each sent at the first try.
func (p *past) carryOut(cycle int, effects []escalation.Effect, at time.Time) {
	for _, effect := range effects {
		if effect.Kind == escalation.PagePerson {
			p.addPage(cycle, effect, at)
			continue
		}
		p.note(at.Sub(p.began), incident.Event{
			Kind: string(effect.Kind), Message: effect.Message,
			Data: map[string]any{"step": effect.Step + 1, "round": effect.Round + 1},
		})
	}
}

func (p *past) addPage(cycle int, effect escalation.Effect, due time.Time) {
	to := people[slices.IndexFunc(people, func(s samplePerson) bool { return personID(s.first) == effect.UserID })]
	effectKey := effect.Key(p.id, cycle, contactID(to.first), 0)
	page, delivery := keyOf("page", effectKey), keyOf("delivery", effectKey)
	started := due.Add(milliseconds(effectKey, 40, 300))
	sent := started.Add(milliseconds(effectKey+"/sent", 180, 700))
	p.rows.add("notification", `org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
		why, severity_rank, state, due_at, next_try_at, attempts, delivery_ids, finished_at, created_at`,
		orgID, page, effectKey, p.id, effect.UserID, contactID(to.first), string(notify.Email), cycle, effect.Round, effect.Step,
		effect.Message, effect.Why, p.severity.Rank(), "sent", due, due, 1, []uuid.UUID{delivery}, sent, due)
	p.rows.add("delivery", "org_id, id, contact_method_id, user_id, channel, outcome, detail, incident_count, notification_ids, started_at, finished_at",
		orgID, delivery, contactID(to.first), effect.UserID, string(notify.Email), "accepted", "250 2.0.0 Ok: queued", 1, []uuid.UUID{page}, started, sent)
	p.note(sent.Sub(p.began), incident.Event{
		Kind: "paged", Message: fmt.Sprintf("%s was paged by e-mail (%s)", to.name(), to.email()),
		Data: map[string]any{
			"channel": string(notify.Email), "notification_id": page.String(), "delivery_id": delivery.String(),
			"contact_name": "E-mail", "contact_hint": to.email(), "user_id": effect.UserID.String(), "user_name": to.name(),
			"step": effect.Step + 1, "round": effect.Round + 1,
		},
	})
}

// milliseconds is a time between two bounds that differs from page to page and is the
// same at every seeding.
func milliseconds(of string, least, most uint32) time.Duration {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(of)) // never fails
	return time.Duration(least+sum.Sum32()%(most-least)) * time.Millisecond
}
