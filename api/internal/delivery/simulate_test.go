package delivery_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

var (
	seeded      = flag.Uint64("seed", 0, "begin with the same random case again; 0 chooses a new one")
	simulations = flag.Int("simulations", 150, "how many seeds the outbox lives through")
)

// guards are those that are taken away, each by undoing in the database or the process what
// it rests on.
type guards struct{ noLease, noToken, noLastLook, noBudget bool }

// night is one page, two replicas of the real outbox and what a seed does to them: crashes,
// stalls, answers of people, a provider that refuses, hangs or loses its answer. Time is
// moved, and only one replica acts at a time, so that a seed means the same every time.
type night struct {
	*outbox

	t        *testing.T
	without  guards
	random   *rand.Rand
	replicas [2]*delivery.Outbox
	page     uuid.UUID
	incident uuid.UUID

	answered           time.Time
	attempts, excuses  int
	crashes, overtaken int
	nested             bool
	problem            string
}

func (o *outbox) live(t *testing.T, seed uint64, without guards) *night {
	n := &night{outbox: o, t: t, without: without, random: rand.New(rand.NewPCG(seed, 23))}
	n.page, n.incident = o.pageSomebody(t, fmt.Sprint("seed ", seed), alert.High, 0)
	for i := range n.replicas {
		n.replicas[i] = n.newReplica(1 - i)
	}
	for range 40 {
		deliver(t, n.replicas[n.random.IntN(2)])
		if n.problem != "" || n.state() != "pending" && n.state() != "sending" {
			break
		}
		o.Clock.Advance([]time.Duration{0, 2 * time.Second, 11 * time.Second, time.Minute}[n.random.IntN(4)])
	}
	if state := n.state(); n.problem == "" && (state == "pending" || state == "sending" || state == "sent" && n.attempts == 0) {
		n.problem = fmt.Sprintf("I4: the page ended as %s after %d attempts", state, n.attempts)
	}
	if n.problem == "" && n.state() == "cancelled" && n.answered.IsZero() {
		n.problem = "I4: the page was cancelled, but nobody answered"
	}
	return n
}

func (n *night) state() string {
	return n.Texts(n.t, `SELECT state FROM notification WHERE id = $1`, n.page)[0]
}

func (n *night) oneIn(chances int) bool { return n.random.IntN(chances) == 0 }

func (n *night) stall(longest time.Duration) {
	n.Clock.Advance(time.Duration(n.random.Int64N(int64(longest))))
}

func (n *night) acknowledgeNow() {
	if n.answered.IsZero() {
		n.acknowledge(n.t, n.incident)
		n.answered = n.Clock.Now()
	}
}

// lease sets until when the page and its contact count as claimed.
func (n *night) lease(from string, length time.Duration) {
	n.Exec(n.t, `UPDATE notification SET lease_until = `+from+` + $2::interval WHERE id = $1 AND state = 'sending'`, n.page, length)
	n.Exec(n.t, `UPDATE delivery SET lease_until = `+from+` + $2::interval WHERE $1 = ANY(notification_ids) AND outcome = 'sending'`, n.page, length)
}

// newReplica makes a process; other is the index of the one that acts while it is stalled.
func (n *night) newReplica(other int) *delivery.Outbox {
	var claimed time.Time
	looks, suspended := 0, time.Duration(0)
	d := delivery.New(n.DB, notify.Email, n.channel(other), delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
		// Asked at each look, and between a look and the send.
		Uptime: func() time.Duration {
			if looks++; looks%2 == 1 {
				return suspended
			}
			if looks == 2 && n.oneIn(8) { // the process is suspended, and somebody answers
				n.acknowledgeNow()
				n.Clock.Advance(2 * time.Second)
				if !n.without.noLastLook {
					suspended += 2 * time.Second
				}
			}
			if n.without.noBudget {
				n.lease("'"+claimed.Format(time.RFC3339Nano)+"'::timestamptz", notifydb.Lease)
			}
			if n.without.noLease {
				n.lease("nightbell_now()", 0)
			}
			return suspended
		},
	})
	d.Interrupt(func(moment string) (crashed bool) {
		switch moment {
		case "claimed":
			looks, claimed = 0, n.Clock.Now()
			if n.oneIn(12) {
				n.acknowledgeNow()
			}
			if n.oneIn(3) {
				n.stall(9 * time.Second)
			}
			if n.without.noBudget {
				n.lease("nightbell_now()", time.Minute)
			}
		case "sent":
			if n.without.noToken { // whatever became of the page meanwhile is overwritten
				n.Exec(n.t, `UPDATE notification SET state = 'sending', finished_at = NULL, lease_until = nightbell_now(), lease_token = delivery_ids[1]
					WHERE id = $1 AND cardinality(delivery_ids) > 1`, n.page)
			}
		}
		if crashed = n.oneIn(10); crashed {
			n.crashes++
			if moment == "sent" {
				n.excuses++
			}
		}
		return crashed
	})
	return d
}

type send func(ctx context.Context, message notify.Message) (notify.Receipt, error)

func (s send) Send(ctx context.Context, message notify.Message) (notify.Receipt, error) {
	return s(ctx, message)
}

// channel is a provider. Each attempt that does not end well in time excuses one more.
func (n *night) channel(other int) send {
	return func(ctx context.Context, message notify.Message) (notify.Receipt, error) {
		if message.Incidents[0].ID != n.incident { // left by a seed before
			return notify.Receipt{}, nil
		}
		n.attempts++
		if now := n.Clock.Now(); !n.answered.IsZero() && now.After(n.answered.Add(time.Second)) && n.problem == "" {
			n.problem = fmt.Sprintf("I7: the page goes out %s after the answer", now.Sub(n.answered))
		}
		if n.attempts > 1+n.excuses && n.problem == "" {
			n.problem = fmt.Sprintf("I5: %d attempts, %d excused", n.attempts, n.excuses)
		}
		deadline, _ := ctx.Deadline()
		limit := time.Until(deadline) // what the outbox allows
		takes, err := time.Duration(n.random.Int64N(int64(7*time.Second))), error(nil)
		switch n.random.IntN(6) {
		case 0:
			err = errors.New("refused for now")
		case 1:
			err = fmt.Errorf("the answer was lost: %w", notify.ErrUnknownOutcome)
		case 2: // hangs beyond the lease, deaf to its context
			takes, limit, err = 11*time.Second, time.Minute, errors.New("refused at last")
		}
		if takes > limit {
			takes, err = limit, fmt.Errorf("too slow: %w", notify.ErrUnknownOutcome)
		}
		if err != nil {
			n.excuses++
		}
		n.Clock.Advance(takes)
		if before := n.attempts; !n.nested { // the other replica must not wait for this one
			n.nested = true
			deliver(n.t, n.replicas[other])
			n.nested = false
			if n.attempts > before {
				n.overtaken++
			}
		}
		return notify.Receipt{Detail: "taken"}, err
	}
}

// TestOutboxSimulation lives through random nights of the real outbox on a real PostgreSQL.
func TestOutboxSimulation(t *testing.T) {
	first := cmp.Or(*seeded, rand.Uint64()>>16)
	t.Logf("go test -run %s -seed %d", t.Name(), first)
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	crashes, overtaken, answered, attempts := 0, 0, 0, 0
	for seed := first; seed < first+uint64(*simulations); seed++ {
		n := o.live(t, seed, guards{})
		if n.problem != "" {
			t.Fatalf("seed %d: %s", seed, n.problem)
		}
		crashes, overtaken, attempts = crashes+n.crashes, overtaken+n.overtaken, attempts+n.attempts
		if !n.answered.IsZero() {
			answered++
		}
	}
	t.Logf("%d nights: %d attempts, %d crashes, %d overtaken, %d answered", *simulations, attempts, crashes, overtaken, answered)
	if *simulations >= 100 && min(crashes, overtaken, answered, attempts) == 0 {
		t.Error("the simulation does not reach everything")
	}
}

// TestOutboxSimulationNoticesFaults takes one guard away at a time; if no seed notices, the
// simulation proves nothing about that guard.
func TestOutboxSimulationNoticesFaults(t *testing.T) {
	for _, test := range []struct {
		name    string
		without guards
		noticed string // by which invariants
	}{
		{"no lease on a claimed page", guards{noLease: true}, "I5"},
		{"no token on the result of a page", guards{noToken: true}, "I5"},
		{"no last look before a page is sent", guards{noLastLook: true}, "I7"},
		{"a send that may outlive its lease", guards{noBudget: true}, "I5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			for seed := range uint64(300) {
				if invariant, _, _ := strings.Cut(o.live(t, seed, test.without).problem, ":"); invariant == test.noticed {
					t.Logf("seed %d notices", seed)
					return
				}
			}
			t.Error("not noticed in 300 nights")
		})
	}
}
