package escalation

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// mutation takes a guard away, to see whether the simulator notices.
type mutation struct {
	unguardedState, duplicateEffects, duplicateIncidents bool
	noTick, deafHold, lostHold, deafRise, neverLess      bool
	noTimers, earlyTimers, keptAlert, deafQuiet          bool
	forgottenTime                                        bool
	ahead                                                time.Duration
}

// world is everything: the clock, what is committed, who does something next.
type world struct {
	random *rand.Rand
	fault  mutation
	now    time.Time
	queue  events
	count  int

	// prospect is the policy with all that it may ask for, and the planned work on the
	// service; plain says that there is nothing but steps.
	prospect  Prospect
	plain     bool
	incidents []*incidentRow
	pages     []*page
	effects   map[string]bool // the unique index on effect keys
	accepted  map[string]bool // alerts that were answered with 2xx
	alerts    map[string]*alertRow

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
	hurried   int       // the version in which its next step was hurried last, and ownDue that step's own time
	ownDue    time.Time
	again     bool              // an acknowledgement timed out
	itself    bool              // it resolved itself
	cycles    map[int]time.Time // when each cycle of paging began
	timers    map[TimerKind]time.Time
	told      map[alert.Severity]int // decisions that paged because the severity rose to it
	unseen    map[alert.Severity]int // answers that had not seen that it rose to it, and lowerings from it: it is told again
	// lowered is set once somebody lowered it, and rose when it rose last after that.
	lowered bool
	rose    time.Time
	// quiet are the severities for which it was said that the policy pages nobody, and byClock
	// the cycle that a timer began last.
	quiet   map[alert.Severity]bool
	byClock int
}

// alertRow is what is stored of an alert that fires all the time: it has one episode.
type alertRow struct {
	incident *incidentRow
	released bool // its incident resolved itself: it may open another one
	lastSeen time.Time
}

// Number names the incident for people.
func (r *incidentRow) Number() int { return int(r.ID[15]) }

type pageState string

const (
	pending   pageState = "pending"
	sent      pageState = "sent"
	cancelled pageState = "cancelled"
)

type page struct {
	key         string
	of          *incidentRow
	target      uuid.UUID
	cycle       int
	round, step int
	decided     time.Time
	lastResort  bool
	kind        EffectKind
	rise        alert.Severity // the page tells of that
	severity    alert.Severity // of the incident when it was decided
	confirms    bool           // it asks whoever has the incident
	state       pageState
	due         time.Time
}

// simulate lives through one seed until nothing is left to do.
func simulate(seed uint64, fault mutation, telling bool) *world {
	random := rand.New(rand.NewPCG(seed, 19))
	w := &world{
		random: random, fault: fault, now: noon, telling: telling,
		effects: map[string]bool{}, accepted: map[string]bool{}, alerts: map[string]*alertRow{},
	}
	w.plan()
	for _, wake := range []func(*actor){w.sweep, w.sweep, w.keepTime, w.keepTime} {
		w.actors = append(w.actors, &actor{wake: wake, asleep: true})
	}
	for key := range 1 + random.IntN(2) {
		for range 1 + random.IntN(4) {
			severity := randomSeverity(random)
			w.after(w.upTo(10*time.Minute)*time.Duration(1+5*random.IntN(2)), func() { w.post(fmt.Sprintf("alert-%d", key), severity) })
		}
	}
	if random.IntN(3) == 0 {
		w.after(w.upTo(20*time.Minute), w.downtime)
	}
	for i := range w.prospect.Maintenance {
		if random.IntN(2) == 0 {
			w.after(w.upTo(90*time.Minute), func() { w.endMaintenance(i) })
		}
	}
	// A process may be down for three days, and what is quiet all week is free for some hours.
	for end := noon.AddDate(0, 1, 0); len(w.queue) > 0 && w.now.Before(end) && len(w.problems) == 0; {
		next := heap.Pop(&w.queue).(event)
		w.now = next.at
		next.do()
	}
	if len(w.problems) == 0 {
		w.checkEnd()
	}
	return w
}

// plan makes the policy: every other one has nothing but steps, so that it is known
// exactly who must be tried.
func (w *world) plan() {
	if w.plain = w.random.IntN(2) == 0; !w.plain {
		w.prospect = randomProspect(w.random)
		w.prospect.Maintenance = w.soon(w.prospect.Maintenance)
		w.prospect.Policy.Quiet = randomQuiet(w.random)
		w.prospect.Policy.AckTimeout = time.Duration(w.random.IntN(3)) * 20 * time.Minute
		w.prospect.Policy.AutoResolve = time.Duration(w.random.IntN(3)) * 6 * time.Hour
	} else {
		w.prospect = Prospect{Policy: randomPolicy(w.random), Reachable: func(uuid.UUID) bool { return true }}
	}
	w.prospect.Owners = []uuid.UUID{who("O"), who("P")}[:1+w.random.IntN(2)]
}

// soon moves planned work to the time of the incidents.
func (w *world) soon(planned []Maintenance) []Maintenance {
	for i, m := range planned {
		start := noon.Add(w.upTo(time.Hour) - 20*time.Minute)
		planned[i].Start, planned[i].End = start, start.Add(min(m.End.Sub(m.Start), 5*time.Hour))
		planned[i].Services = []uuid.UUID{w.prospect.Service}
	}
	return planned
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
	wake   func(*actor)
	life   int
	asleep bool
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
