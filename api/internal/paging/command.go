package paging

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// Command applies one command to one incident that this transaction holds. A harmless
// repeat writes as well (design rule 3).
func (r *Round) Command(ctx context.Context, batch *pgx.Batch, record incidentdb.Record, command incident.Command) error {
	outcome, err := incident.Decide(record.Incident, command, r.now)
	if err != nil {
		return err
	}
	incidentdb.QueueSave(batch, outcome.Next, r.now)
	for _, event := range outcome.Events {
		r.Note(record, event)
	}
	snoozeChanged := !outcome.Next.SnoozedUntil.Equal(record.SnoozedUntil)
	var known alert.Severity
	if record.WantsConfirmation() { // only whoever has it was told of the rise: it is news for everybody else
		known = record.AcknowledgedSeverity
	}
	record.Incident, record.Urgency = outcome.Next, incident.UrgencyOf(outcome.Next.Severity)
	switch outcome.Paging {
	case incident.StopPaging:
		return r.stop(ctx, batch, record, snoozeChanged)
	case incident.NextStep:
		return r.advanceAs(ctx, batch, record, known, escalation.Advance)
	case incident.GoOn:
		return r.advance(ctx, batch, record, escalation.GoOn)
	case incident.FirstStep:
		return r.advanceAs(ctx, batch, record, known, escalation.Start)
	case incident.TellRise:
		return r.advance(ctx, batch, record, escalation.Rise)
	case incident.AskAgain:
		return r.askAgain(ctx, batch, record)
	case incident.StopAndAsk:
		if known != "" { // the question that was asked before waits on, whatever this one saw
			r.setSnooze(record)
			return nil
		}
		if err := r.stop(ctx, batch, record, snoozeChanged); err != nil {
			return err
		}
		return r.askAgain(ctx, batch, record)
	case incident.KnowLess:
		return r.knowLess(ctx, batch, record)
	case incident.LeavePaging:
		return nil
	default:
		return fmt.Errorf("an unknown change of paging: %q", outcome.Paging)
	}
}

// stop ends the escalation and calls off what was not sent yet (promise P5). snoozeChanged says that the
// acknowledgement ends at another time than it did.
func (r *Round) stop(ctx context.Context, batch *pgx.Batch, record incidentdb.Record, snoozeChanged bool) error {
	reason := string(record.Status)
	notifydb.QueueCancel(batch, record.OrgID, record.ID, reason, r.now)
	r.setSnooze(record)
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil || !found {
		return err
	}
	over := []escalation.TimerKind{escalation.ConfirmTimeout, escalation.ConfirmRequest}
	if record.Status == incident.Resolved {
		over = escalation.TimerKinds
	}
	if current.Timed(over...) {
		escalationdb.QueueDropTimers(batch, record.OrgID, record.ID, over...)
	}
	if record.Status == incident.Acknowledged && record.SnoozedUntil.IsZero() && current.AckTimeout > 0 && (snoozeChanged || !current.Timed(escalation.AckTimeout)) {
		// One that runs is left alone, as a sweep may hold it and wait for this incident: it
		// counts from the acknowledgement that there is then. That of a snooze may be too late.
		r.setTimer(record, escalation.AckTimeout, record.AnsweredAt().Add(current.AckTimeout))
	}
	if current.Status == escalation.Active {
		current.State = escalation.Stop(current.State, reason)
		r.save(current.Paging)
	}
	return nil
}

// setSnooze lets the incident come back when its snooze ends, if it is snoozed.
func (r *Round) setSnooze(record incidentdb.Record) {
	if !record.SnoozedUntil.IsZero() {
		r.setTimer(record, escalation.AckTimeout, record.SnoozedUntil)
	}
}

// advance pages by what the rule makes of the incident's state: the next step, or the
// first.
func (r *Round) advance(ctx context.Context, batch *pgx.Batch, record incidentdb.Record,
	rule func(escalation.Snapshot, time.Time) (escalation.State, []escalation.Effect),
) error {
	return r.advanceAs(ctx, batch, record, "", rule)
}

// advanceAs is advance where people know of no worse severity than known, unless that is empty.
func (r *Round) advanceAs(ctx context.Context, batch *pgx.Batch, record incidentdb.Record, known alert.Severity,
	rule func(escalation.Snapshot, time.Time) (escalation.State, []escalation.Effect),
) error {
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil {
		return err
	}
	if !found {
		return r.Start(ctx, record)
	}
	if over := []escalation.TimerKind{escalation.AckTimeout, escalation.ConfirmTimeout, escalation.ConfirmRequest}; current.Timed(over...) {
		escalationdb.QueueDropTimers(batch, record.OrgID, record.ID, over...)
	}
	state := current.Under(record.PolicyID)
	if known != "" {
		state = escalation.Lower(state, known)
	}
	snapshot, err := r.snapshot(ctx, record, state)
	if err != nil {
		return err
	}
	state, effects := rule(snapshot, r.now)
	snapshot.State = state
	if until, line := escalation.WaitToTell(snapshot, r.now); line != nil {
		if err := r.wait(ctx, record, escalation.ConfirmRequest, until, line); err != nil {
			return err
		}
	}
	return r.decided(ctx, record, state, effects)
}

// StartAgain pages from the first step where paging was over and nobody has the incident, because new trouble
// joined it, and reports whether it did. What pages nobody yet changes nothing, and costs what flaps no statement.
func (r *Round) StartAgain(ctx context.Context, batch *pgx.Batch, record incidentdb.Record) (began bool, err error) {
	if record.Status != incident.Triggered || !record.PagingOver || !escalation.IsForAgain(record.RanOut, r.now) {
		return false, nil
	}
	policy, err := r.policy(ctx, record)
	if err != nil || escalation.IsQuiet(policy, record.Severity, r.now) { // what comes in a quiet time pages nobody
		return false, err
	}
	return true, r.advance(ctx, batch, record, escalation.Start)
}

// knowLess notes that an incident is less bad than people were told, as somebody says. What was quiet as it
// was may page now. Whoever has it is asked no more what it was.
func (r *Round) knowLess(ctx context.Context, batch *pgx.Batch, record incidentdb.Record) error {
	if record.Status == incident.Triggered {
		return r.advanceAs(ctx, batch, record, record.Severity, escalation.Lowered)
	}
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil || !found {
		return err
	}
	over := []escalation.TimerKind{escalation.ConfirmTimeout, escalation.ConfirmRequest}
	if !record.WantsConfirmation() && current.Timed(over...) {
		escalationdb.QueueDropTimers(batch, record.OrgID, record.ID, over...)
	}
	switch {
	case current.Timed(escalation.AckTimeout):
	case !record.SnoozedUntil.IsZero():
		r.setTimer(record, escalation.AckTimeout, record.SnoozedUntil)
	case current.AckTimeout > 0:
		// It may have passed in a quiet time without end, which this severity does not have, or before the
		// policy had a limit. Whoever says so is at it now: the whole of it begins again.
		due := record.AnsweredAt().Add(current.AckTimeout)
		if !due.After(r.now) {
			due = r.now.Add(current.AckTimeout)
		}
		r.setTimer(record, escalation.AckTimeout, due)
	}
	current.State = escalation.Lower(current.State, record.Severity)
	r.save(current.Paging)
	return nil
}

// IsHeld reports whether the pages of an incident wait for the end of maintenance or of a quiet time, or would
// if one were due now.
func (r *Round) IsHeld(ctx context.Context, record incidentdb.Record) (bool, error) {
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil || found && current.Status == escalation.Active && current.HeldBy != uuid.Nil {
		return err == nil, err
	}
	snapshot, err := r.snapshot(ctx, record, current.State)
	return snapshot.Hold.Until.After(r.now), err
}

// AsksLater reports whether asking whoever has an incident to acknowledge it again would wait for the end of
// maintenance or of a quiet time.
func (r *Round) AsksLater(ctx context.Context, record incidentdb.Record) (bool, error) {
	snapshot, err := r.snapshot(ctx, record, escalation.State{})
	if err != nil {
		return false, err
	}
	_, line := escalation.WaitToAsk(snapshot, r.now)
	return line != nil, nil
}

// KeepPaging lets the paging of a triggered incident go on, or begins it again where it is over or nobody follows in it
// any more. It reports whether somebody is paged by it without waiting for the end of maintenance or of a quiet time.
func (r *Round) KeepPaging(ctx context.Context, batch *pgx.Batch, record incidentdb.Record) (bool, error) {
	ofRecord := func(p escalationdb.Paging) bool { return p.IncidentID == record.ID }
	runs := func(state escalation.State) bool {
		return state.Status == escalation.Active && state.HeldBy == uuid.Nil
	}
	// 1. What this transaction has decided already, because the severity rose.
	var current escalationdb.TimedPaging
	decided := slices.IndexFunc(r.pagings, ofRecord)
	found := decided >= 0
	if found {
		current.Paging = r.pagings[decided]
	} else {
		var err error
		if current, found, err = escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID); err != nil {
			return false, err
		}
	}
	// 2. What pages somebody now, or goes on and still will.
	switch {
	case decided >= 0 && len(r.pages) > 0:
		return true, nil
	case found && current.Status == escalation.Active && current.HeldBy != uuid.Nil:
		return false, nil
	case found && current.Status == escalation.Active:
		next, err := nextPages(ctx, r.tx, following{
			orgID: record.OrgID, incidentID: record.ID, policyID: record.PolicyID, serviceID: record.ServiceID, severity: record.Severity, state: current.State,
		}, r.now)
		if err != nil || len(next) > 0 {
			return err == nil, err
		}
	}
	if decided >= 0 { // in a quiet time a rise is only noted, and nobody follows
		return false, nil
	}
	// 3. What ran out or waits for its end alone, or never began.
	before := len(r.pages)
	if err := r.advance(ctx, batch, record, escalation.Start); err != nil {
		return false, err
	}
	at := slices.IndexFunc(r.pagings, ofRecord)
	return len(r.pages) > before || at >= 0 && runs(r.pagings[at].State), nil
}

// askAgain pages whoever acknowledged an incident that became more severe, or else its
// assignee, and gives them time to acknowledge it again. When neither can be reached, the
// policy pages at once. In maintenance and in quiet times nobody is asked before they end.
func (r *Round) askAgain(ctx context.Context, batch *pgx.Batch, record incidentdb.Record) error {
	current, found, err := escalationdb.Get(ctx, r.tx, record.OrgID, record.ID, record.PolicyID)
	if err != nil {
		return err
	}
	if current.Status == escalation.Active { // the same command has just stopped it
		current.State = escalation.Stop(current.State, string(record.Status))
	}
	snapshot, err := r.snapshot(ctx, record, current.State)
	if err != nil {
		return err
	}
	if until, line := escalation.WaitToAsk(snapshot, r.now); line != nil {
		return r.wait(ctx, record, escalation.ConfirmRequest, until, line)
	}
	people := []uuid.UUID{record.AcknowledgedBy, record.AssigneeID}
	if err := r.loadReach(ctx, record.OrgID, people); err != nil {
		return err
	}
	people = r.reachable(record.OrgID, people)
	if len(people) == 0 || !found {
		return r.Command(ctx, batch, record, incident.ConfirmTimeout{})
	}
	question := escalation.Question{
		Person: people[0], Acknowledged: record.AcknowledgedSeverity,
		Until: r.now.Add(snapshot.Policy.ConfirmTimeout()), Waits: current.Timed(escalation.ConfirmTimeout),
	}
	if !question.Waits { // one that runs counts from the first rise that waits for an answer
		r.setTimer(record, escalation.ConfirmTimeout, question.Until)
	}
	state, effects := escalation.AskToConfirm(snapshot, question, r.now)
	r.carryOut(record, state, effects)
	return nil
}

// wait puts off what a timer is for until a time, and says so in the timeline. When that
// time never comes, it is only said.
func (r *Round) wait(ctx context.Context, record incidentdb.Record, kind escalation.TimerKind, until time.Time, line []escalation.Effect) error {
	until, err := r.heldUntil(ctx, record, until)
	if err != nil {
		return err
	}
	if !until.IsZero() {
		r.timers = append(r.timers, escalationdb.Timer{OrgID: record.OrgID, IncidentID: record.ID, Kind: kind, DueAt: until, Held: true})
	}
	for _, effect := range line {
		r.noteEffect(record, string(effect.Kind), effect.Message, effect)
	}
	return nil
}
