package authrpc

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Limits says how often somebody may fail before attempts have to wait. Zero fields mean
// the default.
type Limits struct {
	// Failures per account and network, or account and known device, in 15 minutes. Default 5.
	AccountFailures int
	// Failures per network in an hour, over all accounts. Default 100.
	NetworkFailures int
	// Registrations per network in an hour. Default 20.
	Registrations int
	// Registrations in an hour on the loopback interface, where everybody behind a proxy
	// on this machine looks the same. Default 1,000.
	LocalRegistrations int
}

const (
	// accountGap and networkGap are between two attempts that have to wait: all networks
	// that failed too often on one account share its turns, all accounts of one network theirs.
	accountGap = time.Second
	networkGap = 100 * time.Millisecond
	// longestWait leaves time to check the password within the timeout of a call, and bounds how
	// many calls wait. Whose turn would come later takes over that of another attempt.
	longestWait = 4 * time.Second
)

// signInLimits slows guessing and locks nobody out: a network's first failures on an account are free, then attempts
// wait for their turn instead of being refused. No stranger elsewhere uses up what is free here, nor the tally of a
// device that the person has signed in from. Counts are in PostgreSQL: replicas share them.
type signInLimits struct {
	account, network, registrations, localRegistrations auth.Allowance

	slots auth.TallySlots
	room  *waitingRoom
}

func newSignInLimits(l Limits, secret []byte) (*signInLimits, error) {
	slots, err := auth.NewTallySlots(secret)
	if err != nil {
		return nil, err
	}
	per := func(period time.Duration, n, otherwise int) auth.Allowance {
		if n <= 0 {
			n = otherwise
		}
		return auth.Allowance{Free: n, Forget: period / time.Duration(n)}
	}
	return &signInLimits{
		account: per(15*time.Minute, l.AccountFailures, 5), network: per(time.Hour, l.NetworkFailures, 100),
		registrations: per(time.Hour, l.Registrations, 20), localRegistrations: per(time.Hour, l.LocalRegistrations, 1000),
		slots: slots, room: &waitingRoom{seats: map[int32][]*seat{}},
	}, nil
}

// attempt is one try to sign in, counted as a failure until told otherwise.
type attempt struct {
	counts []count
	at     time.Time     // when it was counted, by the database's clock
	wait   time.Duration // before the password may be checked
	turns  []turn        // to wait for; none is taken where wait is over longestWait
	taker  taker
}

// full reports whether another attempt has to give up its turn for this one.
func (a attempt) full() bool { return a.wait > longestWait }

// turn is when an attempt may be made.
type turn struct {
	slot int32
	at   time.Time
}

func (t turn) wait(now time.Time) time.Duration { return t.at.Sub(now) }

// count is one tally that an attempt goes into, and the turns to wait for when it is full.
type count struct {
	slot, turns int32
	allowance   auth.Allowance
	gap         time.Duration
}

// signIn counts an attempt and takes its turns. account is the normalized e-mail address,
// whether or not there is such an account; device is the hash of the device, which is known
// where somebody has signed in to the account from it.
func (l *signInLimits) signIn(ctx context.Context, tx pgx.Tx, account string, device []byte, known bool, peer netip.Addr, now time.Time) (attempt, error) {
	network := networkOf(peer)
	here := l.slots.Of("account and network", account, network)
	counts := []count{
		{here, l.slots.Of("account", account), l.account, accountGap},
		{l.slots.Of("network", network), l.slots.Of("network", network), l.network, networkGap},
	}
	if known {
		own := l.slots.Of("account and device", account, string(device))
		counts = []count{{own, own, l.account, accountGap}}
	}
	made := attempt{counts: counts, at: now, taker: taker{here, l.slots.Of("device", peer.String(), string(device))}}
	err := change(ctx, tx, counts, now, func(tallies map[int32]auth.Tally) error {
		taken := map[int32]auth.Tally{}
		for _, c := range counts {
			counted, free := tallies[c.slot].Count(c.allowance, now)
			tallies[c.slot] = counted
			if free {
				continue
			}
			next, wait := tallies[c.turns].Turn(c.gap, now)
			taken[c.turns], made.wait = next, max(made.wait, wait)
			made.turns = append(made.turns, turn{c.turns, now.Add(wait)})
		}
		if !made.full() {
			maps.Copy(tallies, taken)
		}
		return nil
	})
	return made, err
}

// stranger counts what anybody may do without an account, and refuses it when there was too much of
// it from this network: an account and a forgotten password send mail, a guest leaves a session.
func (l *signInLimits) stranger(ctx context.Context, tx pgx.Tx, what string, peer netip.Addr, now time.Time) error {
	allowance := l.registrations
	if peer.IsLoopback() {
		allowance = l.localRegistrations
	}
	slot := l.slots.Of(what, networkOf(peer))
	return change(ctx, tx, []count{{slot: slot, turns: slot}}, now, func(tallies map[int32]auth.Tally) (err error) {
		counted, free := tallies[slot].Count(allowance, now)
		if !free {
			return tooMany(allowance.Forget)
		}
		tallies[slot] = counted
		return nil
	})
}

// succeeded ends the account's series of failures here. The network's count only loses this
// attempt: one good account must not pay for guesses at others.
func (a attempt) succeeded(ctx context.Context, tx pgx.Tx) error {
	return authdb.New(tx).ReturnAttempt(ctx, a.counts[0].slot, a.slots())
}

// undo takes the attempt back: no password was checked.
func (a attempt) undo(ctx context.Context, tx pgx.Tx) error {
	const none = -1
	return authdb.New(tx).ReturnAttempt(ctx, none, a.slots())
}

func (a attempt) slots() (slots []int32) {
	for _, c := range a.counts {
		slots = append(slots, c.slot)
	}
	return slots
}

// change locks the tallies of counts, lets decide change them, and stores them; when decide
// fails, nothing is stored.
func change(ctx context.Context, tx pgx.Tx, counts []count, now time.Time, decide func(map[int32]auth.Tally) error) error {
	var slots []int32
	for _, c := range counts {
		slots = append(slots, c.slot, c.turns)
	}
	slices.Sort(slots)
	slots = slices.Compact(slots)
	rows, err := authdb.New(tx).LockTallies(ctx, now, slots)
	if err != nil {
		return err
	}
	tallies := map[int32]auth.Tally{}
	for _, row := range rows {
		tallies[row.Slot] = auth.Tally{Failures: row.Failures, CountedAt: row.CountedAt, NextTurn: row.NextTurn}
	}
	if err := decide(tallies); err != nil {
		return err
	}
	save := authdb.SaveTalliesParams{Slots: slots}
	for _, slot := range slots {
		tally := tallies[slot]
		save.Failures = append(save.Failures, tally.Failures)
		save.CountedAt = append(save.CountedAt, tally.CountedAt)
		save.NextTurns = append(save.NextTurns, tally.NextTurn)
	}
	return authdb.New(tx).SaveTallies(ctx, save)
}

func tooMany(wait time.Duration) error {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return fault.Newf(fault.Limited, "too_many_attempts", "Too many attempts. Wait %s and try again.", inWords(seconds)).After(seconds)
}

func inWords(seconds int) string {
	switch minutes := (seconds + 59) / 60; {
	case seconds == 1:
		return "a second"
	case seconds < 60:
		return fmt.Sprintf("%d seconds", seconds)
	case minutes == 1:
		return "a minute"
	default:
		return fmt.Sprintf("%d minutes", minutes)
	}
}

// networkOf is what one household or company has: an IPv4 address, or an IPv6 /48, which
// holds 65,536 networks of the usual size.
func networkOf(peer netip.Addr) string {
	peer = peer.Unmap().WithZone("")
	if peer.Is6() {
		if network, err := peer.Prefix(48); err == nil {
			return network.String()
		}
	}
	return peer.String()
}

// normalEmail is an address as accounts are looked up by it.
func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
