package fairshare

import (
	"context"
	"slices"
	"sync"
)

// Gate admits so much work at once, and so much of one organization; what that leaves is for those with nothing inside
// (a second organization may be the same person's). A free place goes to the organization with the fewest inside, then
// to the one served longest ago: a thousand calls of one delay another's by one place. Safe for concurrent use.
type Gate[K comparable] struct {
	most, perOrg int

	mu     sync.Mutex
	total  int
	inside map[K]int // by organization
	// waiting has the organizations in which somebody waits; each turn puts its own last.
	waiting []*queue[K]
}

// mostAhead is how many people's turns in a row go before one of a program that waits. A person who comes back for
// the next turn of a call finds one program before them at most, and a program waits for its own people's next few.
const mostAhead = 3

type queue[K comparable] struct {
	orgID            K
	people, programs []chan struct{} // closed when it is the turn
	ahead            int             // people's turns since the last of a program that waited
}

// NewGate makes a gate for most at once, perOrg of one organization; at least one of each.
func NewGate[K comparable](most, perOrg int) *Gate[K] {
	return &Gate[K]{most: max(1, most), perOrg: max(1, min(most, perOrg)), inside: map[K]int{}}
}

// Enter waits for a place and returns the way to give it back, or the error of ctx when that ends first. Who finds
// one at once has it also when ctx has ended.
func (g *Gate[K]) Enter(ctx context.Context, orgID K) (leave func(), err error) {
	return g.enter(ctx, orgID, false)
}

// EnterAsProgram is Enter for what lets the organization's people go first.
func (g *Gate[K]) EnterAsProgram(ctx context.Context, orgID K) (leave func(), err error) {
	return g.enter(ctx, orgID, true)
}

func (g *Gate[K]) enter(ctx context.Context, orgID K, program bool) (leave func(), err error) {
	turn := make(chan struct{})
	g.mu.Lock()
	g.queueOf(orgID).add(turn, program)
	g.admit()
	g.mu.Unlock()
	select {
	case <-turn: // select takes any case that is ready: who finds a place must not lose it to a caller that left
		return func() { g.leave(orgID) }, nil
	default:
	}
	select {
	case <-turn:
		return func() { g.leave(orgID) }, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	gaveUp := g.queueOf(orgID).remove(turn)
	g.forget()
	g.mu.Unlock()
	if !gaveUp { // it became the turn at the same moment
		g.leave(orgID)
	}
	return nil, ctx.Err()
}

func (g *Gate[K]) leave(orgID K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total--
	if g.inside[orgID]--; g.inside[orgID] == 0 {
		delete(g.inside, orgID)
	}
	g.admit()
}

// admit lets in who may, while there is room.
func (g *Gate[K]) admit() {
	for g.total < g.most {
		at := -1
		for i, q := range g.waiting {
			if q.waits() && g.hasRoom(g.inside[q.orgID]) && (at < 0 || g.inside[q.orgID] < g.inside[g.waiting[at].orgID]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		next := g.waiting[at]
		g.waiting = append(slices.Delete(g.waiting, at, at+1), next)
		close(next.next())
		g.total++
		g.inside[next.orgID]++
	}
	g.forget()
}

// hasRoom reports whether an organization that has so many inside may have one more, while there is room.
func (g *Gate[K]) hasRoom(inside int) bool { return inside == 0 || g.total < g.perOrg }

// forget drops the organizations in which nobody waits.
func (g *Gate[K]) forget() {
	kept := g.waiting[:0]
	for _, q := range g.waiting {
		if q.waits() {
			kept = append(kept, q)
		}
	}
	clear(g.waiting[len(kept):])
	g.waiting = kept
}

func (g *Gate[K]) queueOf(orgID K) *queue[K] {
	for _, q := range g.waiting {
		if q.orgID == orgID {
			return q
		}
	}
	q := &queue[K]{orgID: orgID}
	g.waiting = append(g.waiting, q)
	return q
}

func (q *queue[K]) add(turn chan struct{}, program bool) {
	if program {
		q.programs = append(q.programs, turn)
	} else {
		q.people = append(q.people, turn)
	}
}

func (q *queue[K]) waits() bool { return len(q.people)+len(q.programs) > 0 }

// next takes out whose turn it is, of a queue in which somebody waits.
func (q *queue[K]) next() (turn chan struct{}) {
	switch {
	case len(q.programs) == 0:
		q.ahead = 0
	case len(q.people) == 0 || q.ahead == mostAhead:
		q.ahead = 0
		turn, q.programs = q.programs[0], q.programs[1:]
		return turn
	default:
		q.ahead++
	}
	turn, q.people = q.people[0], q.people[1:]
	return turn
}

// remove reports whether the turn still waited.
func (q *queue[K]) remove(turn chan struct{}) bool {
	for _, waiting := range []*[]chan struct{}{&q.people, &q.programs} {
		if i := slices.Index(*waiting, turn); i >= 0 {
			*waiting = slices.Delete(*waiting, i, i+1)
			return true
		}
	}
	return false
}
