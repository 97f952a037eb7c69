package fairshare

import (
	"context"
	"slices"
	"sync"
)

// Gate lets work begin that waits its turn: so much at once, and of one organization so much that another still
// finds room. What one leaves to others is for those that have nothing inside: a second organization, which may be
// of the same person, does not take all of it. A place that becomes free goes to the organization that has the
// fewest, of several to the one whose last turn is longest ago, there to whoever waits longest. So a thousand calls of
// one delay another's by one place. K is the key of an organization. It is safe for concurrent use.
type Gate[K comparable] struct {
	most, perOrg int

	mu     sync.Mutex
	total  int
	inside map[K]int
	// waiting has the organizations in which somebody waits; each turn puts its own last.
	waiting []*queue[K]
}

type queue[K comparable] struct {
	orgID K
	turns []chan struct{} // closed when it is the turn
}

// NewGate makes a gate for most at once, perOrg of one organization; at least one of each.
func NewGate[K comparable](most, perOrg int) *Gate[K] {
	return &Gate[K]{most: max(1, most), perOrg: max(1, min(most, perOrg)), inside: map[K]int{}}
}

// Enter waits for a place and returns the way to give it back, or the error of ctx when that ends first. Who finds
// one at once has it also when ctx has ended.
func (g *Gate[K]) Enter(ctx context.Context, orgID K) (leave func(), err error) {
	turn := make(chan struct{})
	g.mu.Lock()
	g.queueOf(orgID).add(turn)
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
			if len(q.turns) > 0 && g.hasRoom(g.inside[q.orgID]) && (at < 0 || g.inside[q.orgID] < g.inside[g.waiting[at].orgID]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		next := g.waiting[at]
		g.waiting = append(slices.Delete(g.waiting, at, at+1), next)
		close(next.turns[0])
		next.turns = next.turns[1:]
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
		if len(q.turns) > 0 {
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

func (q *queue[K]) add(turn chan struct{}) { q.turns = append(q.turns, turn) }

// remove reports whether the turn still waited.
func (q *queue[K]) remove(turn chan struct{}) bool {
	for i, waiting := range q.turns {
		if waiting == turn {
			q.turns = append(q.turns[:i:i], q.turns[i+1:]...)
			return true
		}
	}
	return false
}
