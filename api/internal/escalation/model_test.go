package escalation

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
)

// mutation takes a guard away, to see whether the simulator notices.
type mutation struct {
	unguardedState, duplicateEffects, duplicateIncidents bool
	noLease, noToken, noLastLook, noBudget, noTick       bool
	ahead                                                time.Duration
}

// world is everything: the clock, what is committed, who does something next.
type world struct {
	random *rand.Rand
	fault  mutation
	now    time.Time
	queue  events
	count  int

	policy    Policy
	owners    []uuid.UUID
	incidents []*incidentRow
	pages     []*page
	effects   map[string]bool // the unique index on effect keys
	accepted  map[string]bool // alerts that were answered with 2xx

	actors   []*actor
	downTill time.Time

	tally
	problems []string
	telling  bool
	story    []string
}

type incidentRow struct {
	incident.Incident
	key       string
	paging    State
	version   int
	started   time.Time
	answered  time.Time // when the last acknowledgement or resolve was accepted
	escalated bool      // by hand
}

// Number names the incident for people.
func (r *incidentRow) Number() int { return int(r.ID[15]) }

type pageState string

const (
	pending   pageState = "pending"
	sending   pageState = "sending"
	sent      pageState = "sent"
	cancelled pageState = "cancelled"
)

type page struct {
	key         string
	of          *incidentRow
	target      uuid.UUID
	round, step int
	state       pageState
	due         time.Time // also when it is tried next
	token       int
	leaseTill   time.Time
	attempts    int
	excuses     int // crashes, lost answers, refusals: each allows one more attempt
}

// simulate lives through one seed until nothing is left to do.
func simulate(seed uint64, fault mutation, telling bool) *world {
	random := rand.New(rand.NewPCG(seed, 19))
	w := &world{random: random, fault: fault, now: noon, policy: randomPolicy(random), telling: telling,
		owners: []uuid.UUID{who("O"), who("P")}[:1+random.IntN(2)], effects: map[string]bool{}, accepted: map[string]bool{}}
	for _, wake := range []func(*actor){w.sweep, w.sweep, w.deliver, w.deliver} {
		w.actors = append(w.actors, &actor{wake: wake, asleep: true})
	}
	for key := range 1 + random.IntN(2) {
		for range 1 + random.IntN(4) {
			w.after(w.upTo(10*time.Minute), func() { w.post(fmt.Sprintf("alert-%d", key)) })
		}
	}
	if random.IntN(3) == 0 {
		w.after(w.upTo(20*time.Minute), w.downtime)
	}
	for end := noon.AddDate(0, 0, 7); len(w.queue) > 0 && w.now.Before(end) && len(w.problems) == 0; {
		next := heap.Pop(&w.queue).(event)
		w.now = next.at
		next.do()
	}
	if len(w.problems) == 0 {
		w.checkEnd()
	}
	return w
}

// ---- the clock

type event struct {
	at  time.Time
	seq int
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (w *world) after(wait time.Duration, do func()) {
	w.count++
	heap.Push(&w.queue, event{w.now.Add(max(wait, 0)), w.count, do})
}

func (w *world) upTo(longest time.Duration) time.Duration {
	return time.Duration(w.random.Int64N(int64(longest)))
}

// pause is what lies between two statements: mostly little, now and then a long stall.
func (w *world) pause() time.Duration {
	if w.random.IntN(20) == 0 {
		return w.upTo(40 * time.Second)
	}
	return w.upTo(50 * time.Millisecond)
}

func (w *world) tell(format string, args ...any) {
	if w.telling {
		w.story = append(w.story, w.now.Format("02 15:04:05.000 ")+fmt.Sprintf(format, args...))
	}
}

// ---- processes that crash

// actor is one loop of one process. What it planned dies with its life.
type actor struct {
	wake    func(*actor)
	life    int
	asleep  bool
	sending *page
}

func (w *world) then(a *actor, wait time.Duration, do func()) {
	life := a.life
	w.after(wait, func() {
		if a.life == life {
			do()
		}
	})
}

// sleep lets an actor look again within a second after due, or when something commits.
func (w *world) sleep(a *actor, due time.Time) {
	a.asleep = true
	if !due.IsZero() {
		w.then(a, due.Sub(w.now)+w.upTo(time.Second), func() { w.rouse(a) })
	}
}

func (w *world) rouse(a *actor) {
	if a.asleep {
		a.asleep = false
		a.wake(a)
	}
}

// committed lets the others notice: a hint may come late, as the tick does.
func (w *world) committed(row *incidentRow) {
	w.checkCommit(row)
	for _, a := range w.actors {
		if a.asleep && !w.fault.noTick {
			w.then(a, w.upTo(time.Second), func() { w.rouse(a) })
		}
	}
}

// crashes may end an actor here; it starts again a little later.
func (w *world) crashes(a *actor) bool {
	if w.random.IntN(40) > 0 {
		return false
	}
	w.kill(a)
	w.then(a, w.upTo(10*time.Second), func() { a.wake(a) })
	return true
}

func (w *world) kill(a *actor) {
	a.life++
	a.asleep = false
	w.tally.crashes++
	if a.sending != nil {
		a.sending.excuses++
		a.sending = nil
	}
}

// downtime stops everything for minutes, hours or days.
func (w *world) downtime() {
	length := []time.Duration{10 * time.Minute, 2 * time.Hour, 72 * time.Hour}[w.random.IntN(3)]
	w.downTill = w.now.Add(length)
	w.tell("down for %s", length)
	for _, a := range w.actors {
		w.kill(a)
		w.then(a, length, func() { a.wake(a) })
	}
}

func (w *world) down() bool { return w.now.Before(w.downTill) }

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
func (w *world) post(key string) {
	again := func() { w.after(w.upTo(10*time.Second), func() { w.post(key) }) }
	if w.down() {
		w.after(w.downTill.Sub(w.now), again)
		return
	}
	seen := w.openOf(key)
	w.after(w.pause(), func() {
		switch {
		case w.down() || w.random.IntN(20) == 0: // crashed before the commit
			again()
			return
		case seen == nil && (w.openOf(key) == nil || w.fault.duplicateIncidents):
			w.open(key)
		case seen == nil || !seen.Status.Open(): // somebody was faster
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

func (w *world) open(key string) {
	row := &incidentRow{key: key, started: w.now}
	row.ID, row.Status, row.Incident.Version = uuid.UUID{15: byte(len(w.incidents) + 1)}, incident.Triggered, 1
	var effects []Effect
	row.paging, effects = Start(w.policy, w.owners, 1, w.now)
	w.incidents = append(w.incidents, row)
	w.tally.incidents++
	w.carryOut(row, effects)
	w.tell("#%d opened for %s", row.Number(), key)
	w.committed(row)
	if w.random.IntN(3) > 0 {
		w.after(w.upTo(40*time.Minute), func() { w.answer(row) })
	}
}

// carryOut plans two pages for each person, at once and a minute later, and one for a channel.
func (w *world) carryOut(row *incidentRow, effects []Effect) {
	for _, effect := range effects {
		if effect.Kind == RanOut {
			w.tally.exhausted++
		}
		if !isPage(effect) {
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
			w.pages = append(w.pages, &page{key: key, of: row, target: target(effect), round: effect.Round, step: effect.Step,
				state: pending, due: w.now.Add(time.Duration(n) * time.Minute)})
		}
	}
}

// ---- people

// answer acknowledges or resolves, and sometimes hands on to the next step later.
func (w *world) answer(row *incidentRow) {
	by := incident.Actor{Kind: incident.User, ID: who("A"), Name: "A"}
	commands := []incident.Command{incident.Acknowledge{By: by}, incident.Acknowledge{By: by}, incident.Resolve{By: by}, incident.AlertsCleared{}}
	w.command(row, commands[w.random.IntN(len(commands))])
	if w.random.IntN(4) == 0 {
		w.after(w.upTo(5*time.Minute), func() { w.command(row, incident.Escalate{By: by}) })
	}
}

func (w *world) command(row *incidentRow, command incident.Command) {
	if w.down() || w.random.IntN(20) == 0 {
		w.after(max(w.downTill.Sub(w.now), 0)+time.Second, func() { w.command(row, command) })
		return
	}
	outcome, err := incident.Decide(row.Incident, command, w.now)
	if err != nil {
		return
	}
	row.Incident = outcome.Next
	row.version++
	var effects []Effect
	switch outcome.Paging {
	case incident.StopPaging:
		row.paging, row.answered = Stop(row.paging, string(row.Status)), w.now
		w.tally.answered++
		for _, p := range w.pages {
			if p.of == row && p.state == pending {
				p.state = cancelled
			}
		}
	case incident.NextStep:
		row.answered, row.escalated = time.Time{}, true
		row.paging, effects = Advance(Snapshot{row.paging, w.policy, w.owners}, w.now)
	}
	w.carryOut(row, effects)
	w.tell("#%d %T, now %s, paging %s", row.Number(), command, row.Status, row.paging.Status)
	w.committed(row)
}

// ---- the sweeper

func (w *world) sweep(a *actor) {
	row, next := w.dueIncident()
	if row == nil {
		w.sleep(a, next)
		return
	}
	version, now := row.version, w.now
	snapshot := Snapshot{row.paging, w.policy, w.owners}
	w.then(a, w.pause(), func() {
		if w.crashes(a) {
			return
		}
		if row.version == version || w.fault.unguardedState {
			var effects []Effect
			row.paging, effects = Decide(snapshot, now.Add(w.fault.ahead))
			row.version++
			w.carryOut(row, effects)
			w.tell("#%d decided: %s", row.Number(), words(effects))
			w.committed(row)
		}
		if !w.crashes(a) {
			a.wake(a)
		}
	})
}

// dueIncident picks one that is due, or says when the next one will be.
func (w *world) dueIncident() (due *incidentRow, next time.Time) {
	for _, row := range w.incidents {
		at := row.paging.NextDueAt.Add(-w.fault.ahead)
		switch {
		case row.paging.Status != Active:
		case !at.After(w.now) && (due == nil || w.random.IntN(2) == 0):
			due = row
		case next.IsZero() || at.Before(next):
			next = at
		}
	}
	return due, next
}

// ---- the outbox

// A claim holds for leaseTime; a send without a fault takes sendTime at most.
const (
	leaseTime = 10 * time.Second
	sendTime  = 3 * time.Second
)

func (w *world) deliver(a *actor) {
	p, next := w.duePage()
	if p == nil {
		w.sleep(a, next)
		return
	}
	p.state, p.leaseTill = sending, w.now.Add(leaseTime)
	p.token++
	token := p.token
	w.then(a, w.pause(), func() {
		switch {
		case w.crashes(a):
		case w.mayStillSend(p, token):
			w.then(a, w.upTo(500*time.Millisecond), func() { w.send(a, p, token) })
		default:
			a.wake(a)
		}
	})
}

// mayStillSend is the last look: the lease is ours and long enough, and nobody has answered.
func (w *world) mayStillSend(p *page, token int) bool {
	switch {
	case p.token != token || p.state != sending:
		return false
	case p.of.Status != incident.Triggered && !w.fault.noLastLook:
		p.state = cancelled
		return false
	case p.leaseTill.Sub(w.now) < sendTime && !w.fault.noBudget:
		p.state = pending // too late to finish before somebody else takes it over
		return false
	default:
		return true
	}
}

// duePage picks a page that may be claimed, or says when the next one may.
func (w *world) duePage() (due *page, next time.Time) {
	for _, p := range w.pages {
		at := p.due
		switch {
		case p.state == sending && !w.fault.noLease:
			at = p.leaseTill
		case p.state != pending && p.state != sending:
			continue
		}
		if !at.After(w.now) {
			return p, time.Time{}
		}
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return nil, next
}

// send hands a page to the provider, which takes it, refuses it or loses the answer.
func (w *world) send(a *actor, p *page, token int) {
	p.attempts++
	w.tally.attempts++
	w.tell("attempt %d at %s", p.attempts, p.key)
	w.checkAttempt(p)
	a.sending = p
	accepted, wait := true, w.upTo(sendTime-time.Second)
	switch w.random.IntN(10) {
	case 0: // refused for now
		accepted = false
		p.excuses++
	case 1: // taken, but the answer is lost: it may go out again
		accepted, wait = false, 9*time.Second
		p.excuses++
		w.tally.lost++
	case 2: // slow beyond the lease: somebody else takes it over
		wait = 11 * time.Second
		p.excuses++
		w.tally.lost++
	}
	w.then(a, wait, func() {
		if w.crashes(a) {
			return
		}
		a.sending = nil
		if p.token == token && p.state == sending || w.fault.noToken {
			w.finish(p, accepted)
		}
		a.wake(a)
	})
}

func (w *world) finish(p *page, accepted bool) {
	switch {
	case p.state == sent && !accepted:
		w.problem("I5: %s was sent and is pending again", p.key)
	case accepted:
		p.state = sent
	default:
		p.state, p.due = pending, w.now.Add(2*time.Second)
	}
	if p.state == pending && p.of.Status != incident.Triggered {
		p.state = cancelled
	}
	w.committed(p.of)
}
