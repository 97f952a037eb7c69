package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// ---- senders of alerts

func (w *world) openOf(key string) *incidentRow {
	for _, row := range w.incidents {
		if row.key == key && row.Status.Open() {
			return row
		}
	}
	return nil
}

func (w *world) known(key string) bool {
	for _, row := range w.incidents {
		if row.key == key {
			return true
		}
	}
	return false
}

// post sends an alert until it is accepted: look, decide, commit, answer, with a crash anywhere.
func (w *world) post(key string, severity alert.Severity) {
	again := func() { w.after(w.upTo(10*time.Second), func() { w.post(key, severity) }) }
	if w.down() {
		w.after(w.downTill.Sub(w.now), again)
		return
	}
	seen := w.openOf(key)
	w.after(w.pause(), func() {
		if w.down() || w.random.IntN(20) == 0 { // crashed before the commit
			again()
			return
		}
		if !w.receive(key, severity, seen) { // somebody was faster
			again()
			return
		}
		if w.random.IntN(20) == 0 { // crashed after the commit: the sender repeats
			again()
			return
		}
		w.accepted[key] = true
	})
}

// receive commits what an alert means, after one look at its incident; false is a lost race.
func (w *world) receive(key string, severity alert.Severity, seen *incidentRow) bool {
	row := w.alerts[key]
	if row == nil {
		row = &alertRow{}
		w.alerts[key] = row
	}
	answered := row.incident != nil && !row.incident.Status.Open() && !row.released
	switch {
	case answered: // a person or the sender's own end has the last word about this episode
	case seen == nil && (w.openOf(key) == nil || w.fault.duplicateIncidents):
		w.open(key, severity)
	case seen == nil || !seen.Status.Open():
		return false
	case severity.Rank() < seen.Severity.Rank():
		w.apply(seen, incident.ChangeSeverity{To: severity, Because: "by an alert"})
	}
	row.lastSeen = w.now
	return true
}

func (w *world) open(key string, severity alert.Severity) {
	row := &incidentRow{key: key, started: w.now, cycles: map[int]time.Time{}, timers: map[TimerKind]time.Time{}, told: map[alert.Severity]int{}, unseen: map[alert.Severity]int{}, quiet: map[alert.Severity]bool{}}
	row.ID, row.Status, row.Severity, row.Version = uuid.UUID{15: byte(len(w.incidents) + 1)}, incident.Triggered, severity, 1
	var effects []Effect
	row.paging, effects = Start(w.snapshot(row, w.now), w.now)
	w.incidents = append(w.incidents, row)
	w.alerts[key].incident, w.alerts[key].released = row, false
	w.tally.incidents++
	w.setTimer(row, AutoResolve, w.now)
	w.carryOut(row, effects, w.now)
	w.tell("#%d opened for %s", row.Number(), key)
	w.committed(row)
	if w.random.IntN(3) > 0 {
		w.after(w.upTo(40*time.Minute), func() { w.answer(row) })
	} else {
		w.judge(row)
	}
}

// snapshot is what is read for a decision.
func (w *world) snapshot(row *incidentRow, now time.Time) Snapshot {
	prospect := w.prospect
	prospect.Severity, prospect.Paged = row.Severity, w.pagedIn(row)
	snapshot := prospect.Snapshot(row.paging, now)
	if w.fault.deafHold {
		snapshot.Hold = Hold{}
	}
	return snapshot
}

// pagedIn are who was paged in the cycle under way, or in the last that paged anybody, as the outbox tells.
func (w *world) pagedIn(row *incidentRow) (paged []Paged) {
	last, question := 0, time.Time{}
	for _, p := range w.pages {
		if p.of == row && p.confirms && p.decided.After(question) {
			question = p.decided
		}
	}
	for _, p := range w.pages {
		if p.of == row && p.cycle >= last {
			if p.cycle > last {
				last, paged = p.cycle, nil
			}
			asked := slices.ContainsFunc(w.pages, func(q *page) bool {
				return q.of == row && q.cycle == p.cycle && q.target == p.target && q.confirms && q.severity == row.Severity && q.decided.Equal(question)
			})
			paged = append(paged, Paged{Round: p.round, Kind: p.kind, ID: p.target, Asked: asked})
		}
	}
	if last < row.paging.Cycle {
		for i := range paged {
			paged[i].Round = EarlierCycle
		}
	}
	return paged
}

// tellRise tells of a severity that rose, or notes when that is to be done.
func (w *world) tellRise(row *incidentRow) []Effect { return w.advance(row, Rise) }

func (w *world) advance(row *incidentRow, rule func(Snapshot, time.Time) (State, []Effect)) (effects []Effect) {
	delete(row.timers, ConfirmRequest)
	row.paging, effects = rule(w.snapshot(row, w.now), w.now)
	until, line := WaitToTell(w.snapshot(row, w.now), w.now)
	if !until.IsZero() {
		row.timers[ConfirmRequest] = until
	}
	return append(effects, line...)
}

// carryOut plans two pages for each person, at once and a minute later, and one for a channel.
func (w *world) carryOut(row *incidentRow, effects []Effect, decided time.Time) {
	if _, known := row.cycles[row.paging.Cycle]; !known {
		row.cycles[row.paging.Cycle] = decided
	}
	if slices.ContainsFunc(effects, func(e Effect) bool { return e.Rise != "" }) {
		row.told[row.Severity]++
		w.rises++
	}
	if slices.ContainsFunc(effects, Effect.Pages) && w.random.IntN(4) == 0 {
		w.after(w.upTo(2*time.Minute), func() { w.hurry(row) })
	}
	for _, effect := range effects {
		switch effect.Kind {
		case RanOut:
			w.exhausted++
		case PagesHeld:
			w.held++
		case PagesNobody:
			w.quiet++
			row.quiet[row.Severity] = true
		}
		if !effect.Pages() {
			continue
		}
		for n := range 2 {
			if effect.Kind == PageChannel && n > 0 {
				break
			}
			key := effect.Key(row.ID, row.paging.Cycle, target(effect), n)
			if w.effects[key] && !w.fault.duplicateEffects {
				continue
			}
			w.effects[key] = true
			p := &page{
				key: key, of: row, target: target(effect), cycle: row.paging.Cycle, round: effect.Round, step: effect.Step,
				decided: decided, lastResort: effect.StepID == LastResortID, kind: effect.Kind, rise: effect.Rise, severity: row.Severity, confirms: row.Status == incident.Acknowledged, state: pending, due: w.now.Add(time.Duration(n) * time.Minute),
			}
			w.pages = append(w.pages, p)
			w.after(p.due.Sub(w.now)+w.upTo(time.Second), func() { w.send(p) })
		}
	}
}

// ---- people

// answer acknowledges, snoozes or resolves, and sometimes hands on to the next step later.
func (w *world) answer(row *incidentRow) {
	by := incident.Actor{Kind: incident.User, ID: who("A"), Name: "A"}
	acknowledge := incident.Acknowledge{By: by}
	if w.random.IntN(2) == 0 { // what somebody saw may be long ago
		seen := []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}[w.random.IntN(4)]
		acknowledge.Seen = map[uuid.UUID]alert.Severity{row.ID: seen}
	}
	snooze := incident.Snooze{By: by, For: time.Minute + w.upTo(3*time.Hour), Seen: acknowledge.Seen}
	commands := []incident.Command{acknowledge, acknowledge, snooze, incident.Resolve{By: by}, incident.AlertsCleared{}}
	w.command(row, commands[w.random.IntN(len(commands))])
	if w.random.IntN(3) == 0 { // and again, when it has timed out, say
		w.after(w.upTo(2*time.Hour), func() { w.command(row, acknowledge) })
	}
	if w.random.IntN(4) == 0 {
		w.after(w.upTo(5*time.Minute), func() { w.command(row, incident.Escalate{By: by}) })
	}
	w.judge(row)
}

// judge lowers the severity now and then, and often raises it again.
func (w *world) judge(row *incidentRow) {
	by := incident.Actor{Kind: incident.User, ID: who("B"), Name: "B"}
	for at := w.upTo(30 * time.Minute); w.random.IntN(2) == 0; at += w.upTo(30 * time.Minute) {
		severity := randomSeverity(w.random)
		w.after(at, func() { w.command(row, incident.ChangeSeverity{By: by, To: severity}) })
	}
}

func (w *world) command(row *incidentRow, command incident.Command) {
	if w.down() || w.random.IntN(20) == 0 {
		w.after(max(w.downTill.Sub(w.now), 0)+time.Second, func() { w.command(row, command) })
		return
	}
	w.apply(row, command)
}

// apply commits a command.
func (w *world) apply(row *incidentRow, command incident.Command) {
	outcome, err := incident.Decide(row.Incident, command, w.now)
	if err != nil {
		return
	}
	if outcome.Paging == incident.TellRise || outcome.Paging == incident.AskAgain {
		if row.lowered {
			row.rose = w.now
		}
	}
	if row.WantsConfirmation() && (outcome.Paging == incident.NextStep || outcome.Paging == incident.FirstStep) {
		row.paging = Lower(row.paging, row.AcknowledgedSeverity) // only whoever has it was told of the rises
		for severity := range row.told {
			if severity.Rank() < row.AcknowledgedSeverity.Rank() {
				row.unseen[severity]++
			}
		}
	}
	asked := row.WantsConfirmation()
	row.Incident = outcome.Next
	row.version++
	var effects []Effect
	switch outcome.Paging {
	case incident.StopPaging:
		w.stop(row)
	case incident.NextStep:
		row.answered, row.escalated = time.Time{}, true
		delete(row.timers, AckTimeout)
		delete(row.timers, ConfirmTimeout)
		delete(row.timers, ConfirmRequest)
		row.paging, effects = Advance(w.snapshot(row, w.now), w.now)
	case incident.FirstStep:
		row.answered = time.Time{}
		w.timedOut++
		row.again = true
		delete(row.timers, AckTimeout)
		delete(row.timers, ConfirmTimeout)
		delete(row.timers, ConfirmRequest)
		row.paging, effects = Start(w.snapshot(row, w.now), w.now)
		row.byClock = row.paging.Cycle
	case incident.TellRise:
		if !w.fault.deafRise {
			effects = w.tellRise(row)
		}
	case incident.KnowLess:
		effects = w.knowLess(row)
	case incident.StopAndAsk:
		if asked { // the question waits on
			break
		}
		w.stop(row)
		row.unseen[row.Severity]++
		effects = w.askAgain(row)
	case incident.AskAgain:
		if !w.fault.deafRise {
			effects = w.askAgain(row)
		}
	}
	w.carryOut(row, effects, w.now)
	w.tell("#%d %T, now %s and %s, paging %s", row.Number(), command, row.Severity, row.Status, row.paging.Status)
	w.committed(row)
}

// knowLess notes what somebody lowered, and what may be told once more because of it.
func (w *world) knowLess(row *incidentRow) (effects []Effect) {
	row.lowered, row.rose = true, time.Time{}
	for severity := range row.told {
		// A question that waits for its answer is about what it is now.
		if severity.Rank() < row.Severity.Rank() || severity == row.Severity && row.WantsConfirmation() {
			row.unseen[severity]++
		}
	}
	if !w.fault.neverLess {
		row.paging = Lower(row.paging, row.Severity)
	}
	if _, runs := row.timers[AckTimeout]; row.Status == incident.Acknowledged && !runs {
		if row.SnoozedUntil.IsZero() {
			from := row.AnsweredAt()
			if !from.Add(w.prospect.Policy.AckTimeout).After(w.now) {
				from = w.now // it begins again
			}
			w.setTimer(row, AckTimeout, from)
		} else {
			row.timers[AckTimeout] = row.SnoozedUntil
		}
	}
	if row.Status == incident.Acknowledged && !row.WantsConfirmation() {
		delete(row.timers, ConfirmTimeout)
		delete(row.timers, ConfirmRequest)
	}
	if row.Status == incident.Triggered {
		effects = w.advance(row, Lowered)
	}
	return effects
}

// stop ends the paging of a row that somebody answered, and calls off what was not sent yet.
func (w *world) stop(row *incidentRow) {
	row.paging, row.answered = Stop(row.paging, string(row.Status)), w.now
	if row.Status == incident.Acknowledged {
		if row.SnoozedUntil.IsZero() {
			w.setTimer(row, AckTimeout, row.AnsweredAt())
		} else {
			row.timers[AckTimeout] = row.SnoozedUntil
		}
		delete(row.timers, ConfirmTimeout)
		delete(row.timers, ConfirmRequest)
	} else {
		clear(row.timers)
	}
	w.answered++
	for _, p := range w.pages {
		if p.of == row && p.state == pending {
			p.state = cancelled
		}
	}
}

// askAgain asks whoever has the incident about its severity, or says that this has to wait.
func (w *world) askAgain(row *incidentRow) (effects []Effect) {
	snapshot := w.snapshot(row, w.now)
	if until, line := WaitToAsk(snapshot, w.now); line != nil {
		if !until.IsZero() {
			row.timers[ConfirmRequest] = until
		}
		return line
	}
	_, runs := row.timers[ConfirmTimeout]
	if !runs {
		w.setTimer(row, ConfirmTimeout, w.now)
	}
	row.paging, effects = AskToConfirm(snapshot, Question{Person: who("A"), Acknowledged: row.AcknowledgedSeverity, Until: w.now, Waits: runs}, w.now)
	return effects
}
