package authrpc

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// maxSeats bounds the memory of a flood from very many networks.
const maxSeats = 1 << 14

// errSeatTaken is the cause with which a waiting attempt ends when another takes its turn.
var errSeatTaken = errors.New("another attempt took this turn")

// waitingRoom knows whose turns the attempts of this process wait for. When all turns within longestWait are taken, a
// newcomer takes one over: of a caller who hung up, else of whoever has the most. So no flood keeps a person out, and
// guessing gets no faster: one guess replaces another.
type waitingRoom struct {
	mu    sync.Mutex
	seats map[int32][]*seat // by slot of the turns
	count int
}

// seat is one turn.
type seat struct {
	slot  int32
	turn  time.Time // by the database's clock
	taker taker
	evict context.CancelCauseFunc // nil once the taker hung up
}

// taker is whose attempt it is: the account tried from a network, and the device. Strangers can
// invent devices, so these only decide between equals.
type taker struct{ place, device int32 }

// wait returns when the attempt's turn has come; with a refusal when there is none or another
// took it, and with the context's error when the caller gave up.
func (r *waitingRoom) wait(ctx context.Context, a attempt, sleep func(context.Context, time.Duration) error) error {
	ctx, evict := context.WithCancelCause(ctx)
	defer evict(nil)
	seats, wait := r.enter(a, evict)
	if seats == nil && len(a.turns) > 0 {
		return tooMany(a.wait)
	}
	err := sleep(ctx, wait)
	r.leave(seats, err != nil)
	// Also after a full wait: seats are taken over until they are left, and one turn is one guess.
	if errors.Is(context.Cause(ctx), errSeatTaken) {
		return tooMany(longestWait)
	}
	return err
}

// enter takes the attempt's seats, nil when there are none, and says how long to wait.
func (r *waitingRoom) enter(a attempt, evict context.CancelCauseFunc) (taken []*seat, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count+len(a.turns) > maxSeats {
		r.forgetPast(a.at)
	}
	if r.count+len(a.turns) > maxSeats && !a.full() {
		return nil, 0
	}
	for _, turn := range a.turns {
		place := &seat{turn.slot, turn.at, a.taker, evict}
		if a.full() && turn.wait(a.at) <= longestWait {
			continue // one replaced guess is enough, and signIn has taken no turn here
		}
		if a.full() {
			from := r.choose(turn.slot, a.taker, a.at)
			if from == nil {
				r.vacate(taken)
				return nil, 0
			}
			place.turn = from.turn
			r.remove(from)
			if from.evict != nil {
				from.evict(errSeatTaken)
			}
		}
		r.seats[turn.slot] = append(r.seats[turn.slot], place)
		r.count++
		taken, wait = append(taken, place), max(wait, place.turn.Sub(a.at))
	}
	return taken, wait
}

// choose finds the seat that a newcomer may have: one whose taker hung up, else one of the
// taker who has the most seats here. Among equals, the newcomer included, it is drawn by lot.
func (r *waitingRoom) choose(slot int32, newcomer taker, now time.Time) *seat {
	places, devices := map[int32]int{newcomer.place: 1}, map[int32]int{newcomer.device: 1}
	var waiting []*seat
	for _, s := range r.seats[slot] {
		switch {
		case !s.turn.After(now):
		case s.evict == nil:
			return s
		default:
			waiting = append(waiting, s)
			places[s.taker.place]++
			devices[s.taker.device]++
		}
	}
	most := func(t taker) [2]int { return [2]int{places[t.place], devices[t.device]} }
	heaviest, equals := []*seat{nil}, most(newcomer)
	for _, s := range waiting {
		switch weight := most(s.taker); {
		case weight == equals:
			heaviest = append(heaviest, s)
		case weight[0] > equals[0] || (weight[0] == equals[0] && weight[1] > equals[1]):
			heaviest, equals = []*seat{s}, weight
		}
	}
	return heaviest[rand.IntN(len(heaviest))] // a lot that nobody gains by guessing
}

// leave gives the seats up. The turn of a caller who hung up stays for a newcomer: it is
// counted in the database and would be lost otherwise.
func (r *waitingRoom) leave(seats []*seat, hungUp bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if hungUp {
		r.vacate(seats)
		return
	}
	for _, s := range seats {
		r.remove(s)
	}
}

func (r *waitingRoom) vacate(seats []*seat) {
	for _, s := range seats {
		s.evict = nil
	}
}

// remove ignores a seat that is gone.
func (r *waitingRoom) remove(gone *seat) {
	for i, s := range r.seats[gone.slot] {
		if s != gone {
			continue
		}
		r.count--
		if r.seats[gone.slot] = append(r.seats[gone.slot][:i], r.seats[gone.slot][i+1:]...); len(r.seats[gone.slot]) == 0 {
			delete(r.seats, gone.slot)
		}
		return
	}
}

// forgetPast removes the seats of callers who hung up and whose turn has passed.
func (r *waitingRoom) forgetPast(now time.Time) {
	for _, seats := range r.seats {
		for _, s := range append([]*seat(nil), seats...) {
			if s.evict == nil && !s.turn.After(now) {
				r.remove(s)
			}
		}
	}
}
