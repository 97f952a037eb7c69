package ping_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// history is what happened to a heartbeat, in seconds, for the model below to judge from the
// beginning each time: it shares no code and no state with what it is compared with.
type history struct {
	every, grace int
	pings        []pinged
	opened       int
	open         bool
}

type pinged struct {
	at     int
	signal heartbeat.Signal
}

// isOpen says whether an incident must be open at the last of looks. Two looks more than five
// seconds apart have an outage between them.
func (h *history) isOpen(looks []int) bool {
	failed, last := false, -1
	var signal heartbeat.Signal
	for _, p := range h.pings {
		last, signal = p.at, p.signal
		failed = signal == heartbeat.Fails || failed && signal == heartbeat.Stops
	}
	if failed || last < 0 || signal == heartbeat.Stops {
		return failed
	}
	deadline, spared := last+h.every+h.grace, false
	for i, look := range looks {
		if look < last {
			continue
		}
		if i > 0 && look-looks[i-1] > 5 && !spared {
			from := looks[i-1]
			early := min(h.every/10, 60)
			if extended := look + min(h.every, 3600) + h.grace; from <= deadline && last+h.every-early <= look && extended > deadline {
				deadline, spared = extended, true
			}
		}
		if look >= deadline {
			return true
		}
	}
	return false
}

// TestRandomHistoriesAgreeWithTheModel: pings, failures, stops, misses and outages in any order.
func TestRandomHistoriesAgreeWithTheModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w, random := newWorkspace(t), rand.New(rand.NewPCG(seed, 9))
			histories := make([]*history, 8)
			for i := range histories {
				histories[i] = &history{every: 10 * (1 + random.IntN(6)), grace: 5 * random.IntN(6)}
			}
			var looks []int
			for now := 0; now < 1200; {
				step := 1 + random.IntN(5)
				if random.IntN(40) == 0 {
					step = 6 + random.IntN(120) // nobody can ping then, and nobody looks
				}
				now += step
				w.Clock.Freeze(pagingtest.Began.Add(time.Duration(now) * time.Second))
				for i, h := range histories {
					if random.IntN(2*h.every) >= step+random.IntN(5) && len(h.pings) > 0 {
						continue
					}
					signal := []heartbeat.Signal{heartbeat.Lives, heartbeat.Lives, heartbeat.Lives, heartbeat.Lives, heartbeat.Fails, heartbeat.Stops}[random.IntN(6)]
					h.pings = append(h.pings, pinged{now, signal})
					w.ping(t, fmt.Sprintf("h%d", i), heartbeat.Report{Ping: heartbeat.Ping{Signal: signal}, Every: seconds(h.every), Grace: seconds(h.grace)})
					h.note(h.isOpen(nil))
				}
				w.look(t, w.keeper)
				looks = append(looks, now)
				open := w.Texts(t, `SELECT h.name FROM heartbeat h WHERE h.org_id = $1 AND EXISTS (SELECT FROM incident i
					WHERE i.org_id = h.org_id AND i.status <> 'resolved' AND i.incident_key = 'alert:heartbeat:' || h.id) ORDER BY h.name`, w.Org)
				for i, h := range histories {
					h.note(h.isOpen(looks))
					if got := slices.Contains(open, fmt.Sprintf("h%d", i)); got != h.open {
						t.Fatalf("second %d, h%d of %+v: open %v, want %v\nlooks %v", now, i, h, got, h.open, looks[max(0, len(looks)-30):])
					}
				}
			}
			opened := 0
			for _, h := range histories {
				opened += h.opened
			}
			if got := len(w.Incidents(t)); got != opened || opened < 20 {
				t.Errorf("%d incidents, want %d", got, opened)
			}
		})
	}
}

// note counts what opens.
func (h *history) note(open bool) {
	if open && !h.open {
		h.opened++
	}
	h.open = open
}
