package paging

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

// Round turns what escalation decided for many incidents into rows of one
// transaction.
type Round struct {
	inputs

	// turns are how many were taken of each policy that has a round robin.
	turns    map[[2]uuid.UUID]int
	pagings  []escalationdb.Paging
	pages    []notifydb.Page
	timers   []escalationdb.Timer
	timeline []incidentdb.TimelineEntry
}

// NewRound begins a round of a transaction that takes place at now.
func NewRound(tx pgx.Tx, now time.Time) *Round {
	return &Round{inputs: newInputs(tx, now), turns: map[[2]uuid.UUID]int{}}
}

// Start begins the paging of an incident that just opened.
func (r *Round) Start(ctx context.Context, opened incidentdb.Record) error {
	snapshot, err := r.snapshot(ctx, opened, escalation.State{})
	if err != nil {
		return err
	}
	if snapshot.Policy.TakesTurns() {
		// Whoever opens an incident holds the organization's count of incidents, and read the
		// policy after that: no two incidents have one turn.
		key := [2]uuid.UUID{opened.OrgID, opened.PolicyID}
		snapshot.Policy.NextTurn += r.turns[key]
		r.turns[key]++
	}
	if after := snapshot.Policy.AutoResolve; after > 0 {
		r.setTimer(opened, escalation.AutoResolve, r.now.Add(after))
	}
	state, effects := escalation.Start(snapshot, r.now)
	r.carryOut(opened, state, effects)
	return nil
}

func (r *Round) setTimer(record incidentdb.Record, kind escalation.TimerKind, due time.Time) {
	r.timers = append(r.timers, escalationdb.Timer{OrgID: record.OrgID, IncidentID: record.ID, Kind: kind, DueAt: due})
}

// carryOut plans the pages of the effects and notes the others.
func (r *Round) carryOut(target incidentdb.Record, state escalation.State, effects []escalation.Effect) {
	for _, effect := range effects {
		if effect.Pages() {
			r.page(target, state.Cycle, effect)
		} else {
			r.noteEffect(target, string(effect.Kind), effect.Message, effect)
		}
	}
	r.save(escalationdb.Paging{OrgID: target.OrgID, IncidentID: target.ID, PolicyID: target.PolicyID, State: state})
}

// save keeps the state that was decided last for an incident: one command may stop and ask.
func (r *Round) save(paging escalationdb.Paging) {
	if last := len(r.pagings) - 1; last >= 0 && r.pagings[last].IncidentID == paging.IncidentID {
		r.pagings[last] = paging
		return
	}
	r.pagings = append(r.pagings, paging)
}

// heldUntil is when what a quiet time puts off until its end is looked at again: then, or in a moment
// if somebody has edited the policy since it was read, or is about to.
func (r *Round) heldUntil(ctx context.Context, record incidentdb.Record, end time.Time) (time.Time, error) {
	policy := r.policies[[2]uuid.UUID{record.OrgID, record.PolicyID}]
	locked, err := escalationdb.LockRevision(ctx, r.tx, record.OrgID, record.PolicyID, policy.Revision)
	if soon := r.now.Add(escalation.AskedAgain); err == nil && !locked && (end.IsZero() || soon.Before(end)) {
		return soon, nil
	}
	return end, err
}

// decided is carryOut of a decision that may have put off what is due until the end of a quiet time.
func (r *Round) decided(ctx context.Context, target incidentdb.Record, state escalation.State, effects []escalation.Effect) (err error) {
	if state.HeldBy == escalation.HeldByQuiet {
		state.NextDueAt, err = r.heldUntil(ctx, target, state.NextDueAt)
	}
	r.carryOut(target, state, effects)
	return err
}

// page plans one effect: escalation only ever means who can be reached.
func (r *Round) page(target incidentdb.Record, cycle int, effect escalation.Effect) {
	for _, p := range notify.Plan(r.rules(target.OrgID, target.Urgency, effect), string(target.Urgency), r.now) {
		r.pages = append(r.pages, notifydb.Page{
			OrgID: target.OrgID, IncidentID: target.ID, EffectKey: effect.Key(target.ID, cycle, p.ContactMethodID, p.N),
			UserID: effect.UserID, ContactMethodID: p.ContactMethodID, Kind: p.Kind,
			Cycle: cycle, Round: effect.Round, Step: effect.Step, Reason: effect.Message, Why: effect.Why,
			SeverityRank: target.Severity.Rank(), Confirms: target.Status == incident.Acknowledged, DueAt: p.DueAt,
		})
	}
}

// rules are how the one is reached whom an effect pages.
func (s *inputs) rules(orgID uuid.UUID, urgency incident.Urgency, effect escalation.Effect) []notify.Rule {
	if effect.Kind == escalation.PageChannel {
		return []notify.Rule{{ContactMethodID: effect.ContactMethodID, Kind: notify.Kind(effect.ChannelKind), Urgency: string(urgency)}}
	}
	return s.reach[orgID][effect.UserID]
}

func (r *Round) noteEffect(target incidentdb.Record, kind, message string, effect escalation.Effect) {
	r.Note(target, incident.Event{
		Kind: kind, Actor: incident.Actor{Kind: incident.System}, Message: message,
		Data: map[string]any{"step": effect.Step + 1, "round": effect.Round + 1},
	})
}

// TakePagings gives the states that were decided so far, in that order, to whoever stores
// them with the rows of new incidents; Queue does not store them again.
func (r *Round) TakePagings() []escalationdb.Paging {
	taken := r.pagings
	r.pagings = nil
	return taken
}

// Note adds a line to an incident's timeline.
func (r *Round) Note(record incidentdb.Record, event incident.Event) {
	r.timeline = append(r.timeline, incidentdb.TimelineEntry{OrgID: record.OrgID, IncidentID: record.ID, Event: event})
}

// Queue adds all that was decided to a pipelined batch.
func (r *Round) Queue(batch *pgx.Batch) {
	notifydb.QueueEnqueue(batch, r.pages, r.now)
	escalationdb.QueueSave(batch, r.pagings, r.now)
	escalationdb.QueueTimers(batch, r.timers)
	escalationdb.QueueTurns(batch, r.turns)
	incidentdb.QueueTimeline(batch, r.timeline, r.now)
}

// inputs are what decisions about pages depend on besides the incident. Each policy,
// organization and person is read once, however many incidents are paged.
type inputs struct {
	tx  pgx.Tx
	now time.Time
	// read are policies as they were read, policies as they stand now: with the people who
	// are on call and can be reached.
	read     map[[2]uuid.UUID]escalation.Policy
	policies map[[2]uuid.UUID]escalation.Policy
	orgs     map[uuid.UUID]escalationdb.OrgInputs
	reach    map[uuid.UUID]notifydb.Reach
}

func newInputs(tx pgx.Tx, now time.Time) inputs {
	return inputs{
		tx: tx, now: now, read: map[[2]uuid.UUID]escalation.Policy{}, policies: map[[2]uuid.UUID]escalation.Policy{},
		orgs: map[uuid.UUID]escalationdb.OrgInputs{}, reach: map[uuid.UUID]notifydb.Reach{},
	}
}

// QueueReads adds what decisions about a policy need to a pipelined batch, unless it
// was read before.
func (s *inputs) QueueReads(batch *pgx.Batch, orgID, policyID uuid.UUID) {
	s.queuePolicy(batch, orgID, policyID)
	if _, asked := s.orgs[orgID]; !asked {
		s.orgs[orgID] = escalationdb.OrgInputs{}
		escalationdb.QueueOrgInputs(batch, orgID, s.now, func(org escalationdb.OrgInputs) { s.orgs[orgID] = org })
	}
}

func (s *inputs) queuePolicy(batch *pgx.Batch, orgID, policyID uuid.UUID) {
	key := [2]uuid.UUID{orgID, policyID}
	if _, asked := s.read[key]; !asked {
		s.read[key] = escalation.Policy{}
		escalationdb.QueuePolicy(batch, orgID, policyID, s.now, func(policy escalation.Policy) { s.read[key] = policy })
	}
}

// snapshot is all that a decision about an incident depends on; it is read unless
// prepare was asked before.
func (s *inputs) snapshot(ctx context.Context, record incidentdb.Record, state escalation.State) (escalation.Snapshot, error) {
	policy, err := s.policy(ctx, record)
	if err != nil {
		return escalation.Snapshot{}, err
	}
	org := s.orgs[record.OrgID]
	snapshot := escalation.Snapshot{
		State: state, Policy: policy, Severity: record.Severity,
		Owners: s.haveContacts(record.OrgID, org.Owners),
		Hold:   escalation.HoldAt(org.Maintenance, record.ServiceID, s.now),
	}
	if escalation.NeedsPaged(state, policy, record.Severity) {
		if snapshot.Paged, err = s.loadPaged(ctx, record, state.Cycle); err != nil {
			return snapshot, err
		}
	}
	if escalation.NeedsReached(snapshot, s.now) {
		snapshot.Unreached, err = escalationdb.Unreached(ctx, s.tx, record.OrgID, record.ID, state.Cycle, notify.ProbeAfter, notify.MostFaults)
	}
	return snapshot, err
}

// loadPaged reads who was paged in a cycle, and how they are reached.
func (s *inputs) loadPaged(ctx context.Context, record incidentdb.Record, cycle int) ([]escalation.Paged, error) {
	paged, err := escalationdb.LoadPaged(ctx, s.tx, record.OrgID, record.ID, cycle, record.Severity)
	if err != nil {
		return nil, fmt.Errorf("read who was paged: %w", err)
	}
	people := make([]uuid.UUID, 0, len(paged))
	for _, one := range paged {
		if one.Kind == escalation.PagePerson {
			people = append(people, one.ID)
		}
	}
	err = s.loadReach(ctx, record.OrgID, people)
	for i, one := range paged {
		paged[i].AsOwner = one.Kind == escalation.PagePerson && slices.Contains(s.orgs[record.OrgID].Owners, one.ID) && !s.canReach(record.OrgID)(one.ID)
	}
	return paged, err
}

// policy is an incident's policy as it stands now.
func (s *inputs) policy(ctx context.Context, record incidentdb.Record) (escalation.Policy, error) {
	key := [2]uuid.UUID{record.OrgID, record.PolicyID}
	if _, known := s.policies[key]; !known {
		if err := s.prepare(ctx, []incidentdb.Record{record}); err != nil {
			return escalation.Policy{}, err
		}
	}
	return s.policies[key], nil
}

// prepare reads what decisions about many incidents depend on: all policies in one round
// trip, and how people are reached in one for each organization.
func (s *inputs) prepare(ctx context.Context, records []incidentdb.Record) error {
	batch := &pgx.Batch{}
	for _, record := range records {
		s.QueueReads(batch, record.OrgID, record.PolicyID)
	}
	if batch.Len() > 0 {
		if err := s.tx.SendBatch(ctx, batch).Close(); err != nil {
			return fmt.Errorf("read escalation policies and owners: %w", err)
		}
	}
	people := map[uuid.UUID][]uuid.UUID{}
	for key, policy := range s.read {
		if _, known := s.policies[key]; !known {
			people[key[0]] = append(people[key[0]], meantAt(policy, s.now)...)
		}
	}
	for orgID, meant := range people {
		if err := s.loadReach(ctx, orgID, append(meant, s.orgs[orgID].Owners...)); err != nil {
			return err
		}
	}
	for key, policy := range s.read {
		if _, known := s.policies[key]; !known {
			s.policies[key] = policy.At(s.now, s.canReach(key[0]))
		}
	}
	return nil
}

// meantAt is whom a policy means at an instant, reachable or not.
func meantAt(policy escalation.Policy, now time.Time) (people []uuid.UUID) {
	policy = policy.At(now, func(uuid.UUID) bool { return true })
	for _, step := range append([]escalation.Step{policy.LastResort}, policy.Steps...) {
		for _, target := range step.Targets {
			people = append(people, target.People...)
		}
	}
	return people
}

// flaws are what of the policies could not be read.
func (s *inputs) flaws() (list []error) {
	for key, policy := range s.read {
		if policy.Flaw != nil {
			list = append(list, fmt.Errorf("policy %s: %w", key[1], policy.Flaw))
		}
	}
	return list
}

// canReach tells whether a page goes out to somebody whose reach was loaded.
func (s *inputs) canReach(orgID uuid.UUID) func(uuid.UUID) bool {
	return func(person uuid.UUID) bool { return notify.Reaches(s.reach[orgID][person]) }
}

// haveContacts are those with any contact method: owners are mailed also at an address that is not confirmed.
func (s *inputs) haveContacts(orgID uuid.UUID, people []uuid.UUID) []uuid.UUID {
	return slices.DeleteFunc(slices.Clone(people), func(person uuid.UUID) bool { return len(s.reach[orgID][person]) == 0 })
}

func (s *inputs) reachable(orgID uuid.UUID, people []uuid.UUID) []uuid.UUID {
	reach := s.canReach(orgID)
	return slices.DeleteFunc(slices.Clone(people), func(person uuid.UUID) bool { return !reach(person) })
}

// loadReach reads how the people are reached whom it has not read before.
func (s *inputs) loadReach(ctx context.Context, orgID uuid.UUID, people []uuid.UUID) error {
	known := s.reach[orgID]
	if known == nil {
		known = notifydb.Reach{}
		s.reach[orgID] = known
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
	loaded, err := notifydb.LoadReach(ctx, s.tx, orgID, missing)
	if err != nil {
		return fmt.Errorf("read how people are reached: %w", err)
	}
	maps.Copy(known, loaded)
	return nil
}
