package paging

import (
	"context"
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
	r.pagings = append(r.pagings, escalationdb.Paging{OrgID: target.OrgID, IncidentID: target.ID, PolicyID: target.PolicyID, State: state})
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

// Note adds a line to an incident's timeline.
func (r *Round) Note(record incidentdb.Record, event incident.Event) {
	r.timeline = append(r.timeline, incidentdb.TimelineEntry{OrgID: record.OrgID, IncidentID: record.ID, Event: event})
}

// Orgs are the organizations whose timeline grew.
func (r *Round) Orgs() []uuid.UUID {
	seen := map[uuid.UUID]bool{}
	for _, entry := range r.timeline {
		seen[entry.OrgID] = true
	}
	return slices.Collect(maps.Keys(seen))
}

// Channels are those by which pages are due now: the others need no wake-up.
func (r *Round) Channels() []notify.Kind {
	var list []notify.Kind
	for _, page := range r.pages {
		if !page.DueAt.After(r.now) && !slices.Contains(list, page.Kind) {
			list = append(list, page.Kind)
		}
	}
	return list
}

// PageCount is how many pages were planned.
func (r *Round) PageCount() int { return len(r.pages) }

// Queue adds all that was decided to a pipelined batch.
func (r *Round) Queue(batch *pgx.Batch) {
	notifydb.QueueEnqueue(batch, r.pages, r.now)
	escalationdb.QueueSave(batch, r.pagings, r.now)
	escalationdb.QueueTimers(batch, r.timers)
	escalationdb.QueueTurns(batch, r.turns)
	incidentdb.QueueTimeline(batch, r.timeline, r.now)
}
