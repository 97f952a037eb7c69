package authrpc

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const floodedHome = "203.0.113.9"

// flood is guesses that wait for their turns until the test lets them go on.
type flood struct {
	*world
	waiting chan time.Duration
	goOn    chan struct{}
	answers chan reply
	all     sync.WaitGroup
}

func newFlood(t *testing.T) *flood {
	t.Helper()
	f := &flood{newWorld(t), make(chan time.Duration, 1000), make(chan struct{}), make(chan reply, 1000), sync.WaitGroup{}}
	f.db.Clock.Freeze(f.db.Clock.Now())
	f.join(dana)
	f.auth.sleep = func(ctx context.Context, d time.Duration) error {
		if d <= 0 {
			return nil
		}
		f.waiting <- d
		select {
		case <-f.goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.Cleanup(f.all.Wait)
	return f
}

func (f *flood) guess(account, device string) {
	f.all.Go(func() { f.answers <- f.from(floodedHome).login(account, guess, device) })
}

// TestAFloodedNetworkDelaysANewDevice: it was refused as soon as four seconds of turns were taken.
func TestAFloodedNetworkDelaysANewDevice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		account func(int) string
		waiting int // while the others are answered: the turns within longestWait, but the first
	}{
		"guesses at the same account": {func(int) string { return dana }, 4},
		"guesses at other accounts":   {func(i int) string { return fmt.Sprintf("user%d@rockets.example", i/3) }, 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFlood(t)
			f.limit(Limits{NetworkFailures: 10})
			const guesses = 70
			for i := range guesses {
				f.guess(c.account(i), "")
			}
			for range guesses - c.waiting {
				<-f.answers
			}
			for len(f.waiting) > 0 {
				<-f.waiting
			}
			person := make(chan reply, 1)
			f.all.Go(func() { person <- f.from(floodedHome).login(dana, password, "danas-new-phone-0123456789") })
			select {
			case wait := <-f.waiting:
				if wait > longestWait {
					t.Errorf("the person waits %s, longer than the timeout of a call allows", wait)
				}
			case refused := <-person:
				t.Fatalf("the person is answered %d %s", refused.status, refused.text)
			}
			close(f.goOn)
			expect(t, "the person", <-person, http.StatusOK, "")
		})
	}
}

// TestATakenTurnMakesGuessingNoFaster: with invented devices and by hanging up, strangers get
// their passwords checked as often as without.
func TestATakenTurnMakesGuessingNoFaster(t *testing.T) {
	t.Parallel()
	f := newFlood(t)
	const guesses = 100
	for i := range guesses {
		f.guess(dana, fmt.Sprintf("invented-device-%d", i))
	}
	checked, refused := 0, 0
	count := func(answer reply) {
		switch answer.status {
		case http.StatusUnauthorized:
			checked++
		case http.StatusTooManyRequests:
			refused++
			if answer.header.Get("Retry-After") == "" || !strings.HasPrefix(answer.message(), "Too many attempts. Wait ") {
				t.Errorf("it is not said when to try again: %v %s", answer.header, answer.text)
			}
		}
	}
	for range guesses - 5 { // five turns lie within the longest wait
		count(<-f.answers)
	}
	close(f.goOn)
	for range 5 {
		count(<-f.answers)
	}
	if checked != 10 || refused != guesses-10 {
		t.Errorf("%d guesses were checked and %d refused, want 10 (five free, five turns) and %d", checked, refused, guesses-10)
	}
}

// TestATurnTakenOverAtItsEndIsOneGuess: whoever woke up in the moment in which its turn was taken
// over was checked, too.
func TestATurnTakenOverAtItsEndIsOneGuess(t *testing.T) {
	t.Parallel()
	room := &waitingRoom{seats: map[int32][]*seat{}}
	now := time.Now()
	at := func(wait time.Duration, device int32) attempt {
		return attempt{at: now, wait: wait, turns: []turn{{1, now.Add(wait)}}, taker: taker{1, device}}
	}
	checked := 0
	try := func(a attempt, sleep func(context.Context, time.Duration) error) {
		if room.wait(t.Context(), a, sleep) == nil {
			checked++
		}
	}
	slept := func(context.Context, time.Duration) error { return nil }
	try(at(time.Second, 1), func(context.Context, time.Duration) error {
		for device := range int32(50) { // one of two equals is drawn by lot
			try(at(longestWait+time.Second, device+2), slept)
		}
		return nil
	})
	if checked != 1 {
		t.Errorf("one turn let %d attempts be checked", checked)
	}
}

// TestAHungUpTurnIsNotLost: strangers who hang up while they wait must not use up the turns.
func TestAHungUpTurnIsNotLost(t *testing.T) {
	t.Parallel()
	room := &waitingRoom{seats: map[int32][]*seat{}}
	now := time.Now()
	gone := func(context.Context, time.Duration) error { return context.Canceled }
	for i := range 5 {
		_ = room.wait(t.Context(), attempt{at: now, wait: time.Duration(i) * time.Second, turns: []turn{{1, now.Add(time.Duration(i) * time.Second)}}, taker: taker{1, int32(i)}}, gone)
	}
	var waited time.Duration
	stays := func(_ context.Context, d time.Duration) error { waited = d; return nil }
	late := attempt{at: now, wait: 5 * time.Second, turns: []turn{{1, now.Add(5 * time.Second)}}, taker: taker{1, 9}}
	if err := room.wait(t.Context(), late, stays); err != nil || waited != time.Second {
		t.Errorf("a newcomer gets %v and waits %s, want the first turn that is still to come", err, waited)
	}
	if room.forgetPast(now.Add(time.Minute)); room.count != 0 || len(room.seats) != 0 {
		t.Errorf("%d seats of callers who hung up are kept", room.count)
	}
}
