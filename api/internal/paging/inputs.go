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
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

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
		Owners: s.reachable(record.OrgID, org.Owners),
		Hold:   escalation.HoldAt(org.Maintenance, record.ServiceID, s.now),
	}
	if escalation.NeedsPaged(state, policy, record.Severity) {
		snapshot.Paged, err = s.loadPaged(ctx, record, state.Cycle)
	}
	return snapshot, err
}

// loadPaged reads who was paged in a cycle, and how they are reached.
func (s *inputs) loadPaged(ctx context.Context, record incidentdb.Record, cycle int) ([]escalation.Paged, error) {
	paged, err := escalationdb.LoadPaged(ctx, s.tx, record.OrgID, record.ID, cycle)
	if err != nil {
		return nil, fmt.Errorf("read who was paged: %w", err)
	}
	people := make([]uuid.UUID, 0, len(paged))
	for _, one := range paged {
		if one.Kind == escalation.PagePerson {
			people = append(people, one.ID)
		}
	}
	return paged, s.loadReach(ctx, record.OrgID, people)
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

// canReach tells whether somebody whose reach was loaded has a usable contact method.
func (s *inputs) canReach(orgID uuid.UUID) func(uuid.UUID) bool {
	return func(person uuid.UUID) bool { return len(s.reach[orgID][person]) > 0 }
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
