package flow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// pagingRound turns what escalation decided for many incidents into rows of one
// transaction. It reads each policy and each person once, however many incidents
// are paged.
type pagingRound struct {
	tx  pgx.Tx
	now time.Time
	// read are policies as they stand, policies those with only people who can be reached.
	read     map[[2]uuid.UUID]escalation.Policy
	policies map[[2]uuid.UUID]escalation.Policy
	owners   map[uuid.UUID][]uuid.UUID
	reach    map[uuid.UUID]notifydb.Reach
	// shared are the kinds of shared channels; empty for one that cannot be used.
	shared map[uuid.UUID]notify.Kind

	pagings  []escalationdb.Paging
	pages    []notifydb.Page
	timeline []incidentdb.TimelineEntry
}

func newPagingRound(tx pgx.Tx, now time.Time) *pagingRound {
	return &pagingRound{
		tx: tx, now: now, read: map[[2]uuid.UUID]escalation.Policy{}, policies: map[[2]uuid.UUID]escalation.Policy{},
		owners: map[uuid.UUID][]uuid.UUID{}, reach: map[uuid.UUID]notifydb.Reach{}, shared: map[uuid.UUID]notify.Kind{},
	}
}

// queueReads adds what decisions about a policy need to a pipelined batch, unless it
// was read before.
func (r *pagingRound) queueReads(batch *pgx.Batch, orgID, policyID uuid.UUID) {
	key := [2]uuid.UUID{orgID, policyID}
	if _, asked := r.read[key]; !asked {
		r.read[key] = escalation.Policy{}
		escalationdb.QueuePolicy(batch, orgID, policyID, func(policy escalation.Policy) { r.read[key] = policy })
	}
	if _, asked := r.owners[orgID]; !asked {
		r.owners[orgID] = nil
		escalationdb.QueueOwners(batch, orgID, func(owners []uuid.UUID) { r.owners[orgID] = owners })
	}
}

// snapshot reads all that a decision about an incident depends on.
func (r *pagingRound) snapshot(ctx context.Context, orgID, policyID uuid.UUID, state escalation.State) (escalation.Snapshot, error) {
	key := [2]uuid.UUID{orgID, policyID}
	if policy, known := r.policies[key]; known {
		return escalation.Snapshot{State: state, Policy: policy, Owners: r.owners[orgID]}, nil
	}
	batch := &pgx.Batch{}
	if r.queueReads(batch, orgID, policyID); batch.Len() > 0 {
		if err := r.tx.SendBatch(ctx, batch).Close(); err != nil {
			return escalation.Snapshot{}, fmt.Errorf("read the escalation policy and the owners: %w", err)
		}
	}
	policy := r.read[key]
	if err := r.keepReachable(ctx, orgID, policy); err != nil {
		return escalation.Snapshot{}, err
	}
	r.policies[key] = policy
	return escalation.Snapshot{State: state, Policy: policy, Owners: r.owners[orgID]}, nil
}

// keepReachable drops people without a usable contact method from the targets and says
// so in the target's name: the engine then treats the step as one that means nobody.
func (r *pagingRound) keepReachable(ctx context.Context, orgID uuid.UUID, policy escalation.Policy) error {
	var everybody []uuid.UUID
	for _, step := range policy.Steps {
		for _, target := range step.Targets {
			everybody = append(everybody, target.People...)
		}
	}
	if err := r.loadReach(ctx, orgID, everybody); err != nil {
		return err
	}
	for _, step := range policy.Steps {
		for i := range step.Targets {
			target := &step.Targets[i]
			unreachable := func(person uuid.UUID) bool { return len(r.reach[orgID][person]) == 0 }
			meant := len(target.People)
			target.People = slices.DeleteFunc(target.People, unreachable)
			if len(target.People) == 0 && meant > 0 {
				target.Name += " (no usable contact method)"
			}
		}
	}
	return nil
}

// start begins the paging of an incident that just opened.
func (r *pagingRound) start(ctx context.Context, opened incidentdb.Record) error {
	snapshot, err := r.snapshot(ctx, opened.OrgID, opened.PolicyID, escalation.State{})
	if err != nil {
		return err
	}
	state, effects := escalation.Start(snapshot.Policy, snapshot.Owners, 1, r.now)
	return r.carryOut(ctx, opened, state, effects)
}

// carryOut plans the pages of the effects. When somebody is meant but nobody of them
// can be reached, the next step is due at once: an unreachable step must not cost the
// minutes that it would have waited for an answer.
func (r *pagingRound) carryOut(ctx context.Context, target incidentdb.Record, state escalation.State, effects []escalation.Effect) error {
	reached, meant := false, false
	for _, effect := range effects {
		switch effect.Kind {
		case escalation.PagePerson, escalation.PageChannel:
			meant = true
			ok, err := r.page(ctx, target, state.Cycle, effect)
			if err != nil {
				return err
			}
			reached = reached || ok
		case escalation.NobodyOnCall, escalation.LastResort, escalation.RanOut:
			r.note(target, string(effect.Kind), effect.Message, effect)
		}
	}
	if meant && !reached && state.Status == escalation.Active {
		state.NextDueAt = r.now
	}
	r.pagings = append(r.pagings, escalationdb.Paging{OrgID: target.OrgID, IncidentID: target.ID, PolicyID: target.PolicyID, State: state})
	return nil
}

// page plans one effect and reports whether it can reach anybody.
func (r *pagingRound) page(ctx context.Context, target incidentdb.Record, cycle int, effect escalation.Effect) (bool, error) {
	rules := []notify.Rule{{ContactMethodID: effect.ContactMethodID, Urgency: string(target.Urgency)}}
	if effect.Kind == escalation.PagePerson {
		var err error
		if rules, err = r.rulesOf(ctx, target.OrgID, effect.UserID); err != nil {
			return false, err
		}
	} else {
		kind, err := r.sharedKind(ctx, target.OrgID, effect.ContactMethodID)
		if err != nil {
			return false, err
		}
		rules[0].Kind = kind
		if kind == "" {
			rules = nil
		}
	}
	planned := notify.Plan(rules, string(target.Urgency), r.now)
	for _, p := range planned {
		r.pages = append(r.pages, notifydb.Page{
			OrgID: target.OrgID, IncidentID: target.ID, EffectKey: effect.Key(target.ID, cycle, p.ContactMethodID, p.N),
			UserID: effect.UserID, ContactMethodID: p.ContactMethodID, Kind: p.Kind,
			Cycle: cycle, Round: effect.Round, Step: effect.Step, Reason: effect.Message,
			SeverityRank: target.Severity.Rank(), DueAt: p.DueAt,
		})
	}
	if len(planned) == 0 {
		r.note(target, "page_failed", effect.Message+": no usable contact method.", effect)
	}
	return len(planned) > 0, nil
}

// sharedKind tells what a shared channel is; it is empty for one that cannot be used.
func (r *pagingRound) sharedKind(ctx context.Context, orgID, contactMethodID uuid.UUID) (notify.Kind, error) {
	kind, known := r.shared[contactMethodID]
	if known {
		return kind, nil
	}
	kind, _, err := notifydb.SharedKind(ctx, r.tx, orgID, contactMethodID)
	if err != nil {
		return "", fmt.Errorf("read a shared channel: %w", err)
	}
	r.shared[contactMethodID] = kind
	return kind, nil
}

// rulesOf gives the notification rules of one person.
func (r *pagingRound) rulesOf(ctx context.Context, orgID, userID uuid.UUID) ([]notify.Rule, error) {
	err := r.loadReach(ctx, orgID, []uuid.UUID{userID})
	return r.reach[orgID][userID], err
}

// loadReach reads how the people are reached whom it has not read before.
func (r *pagingRound) loadReach(ctx context.Context, orgID uuid.UUID, people []uuid.UUID) error {
	known := r.reach[orgID]
	if known == nil {
		known = notifydb.Reach{}
		r.reach[orgID] = known
	}
	var missing []uuid.UUID
	for _, person := range people {
		if _, read := known[person]; !read {
			known[person] = nil
			missing = append(missing, person)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	loaded, err := notifydb.LoadReach(ctx, r.tx, orgID, missing)
	if err != nil {
		return fmt.Errorf("read how people are reached: %w", err)
	}
	maps.Copy(known, loaded)
	return nil
}

func (r *pagingRound) note(target incidentdb.Record, kind, message string, effect escalation.Effect) {
	r.timeline = append(r.timeline, incidentdb.TimelineEntry{OrgID: target.OrgID, IncidentID: target.ID, Event: incident.Event{
		Kind: kind, Actor: incident.Actor{Kind: incident.System}, Message: message,
		Data: map[string]any{"step": effect.Step + 1, "round": effect.Round + 1},
	}})
}

// channels are those by which pages are due now: the others need no wake-up.
func (r *pagingRound) channels() []notify.Kind {
	var list []notify.Kind
	for _, page := range r.pages {
		if !page.DueAt.After(r.now) && !slices.Contains(list, page.Kind) {
			list = append(list, page.Kind)
		}
	}
	return list
}

// stepDue reports whether a next step is due at once, because the last reached nobody.
func (r *pagingRound) stepDue() bool {
	return slices.ContainsFunc(r.pagings, func(p escalationdb.Paging) bool {
		return p.Status == escalation.Active && !p.NextDueAt.After(r.now)
	})
}

// queue adds all that was decided to a pipelined batch.
func (r *pagingRound) queue(batch *pgx.Batch) {
	notifydb.QueueEnqueue(batch, r.pages, r.now)
	escalationdb.QueueSave(batch, r.pagings, r.now)
	incidentdb.QueueTimeline(batch, r.timeline, r.now)
}
