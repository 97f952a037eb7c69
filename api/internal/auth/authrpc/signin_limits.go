package authrpc

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Limits says how often strangers may try. Zero fields mean the default.
type Limits struct {
	// Failures per account and device, or account and network, in 15 minutes. Default 5.
	AccountFailures int
	// Failures per network in an hour, over all accounts. Default 100.
	AddressFailures int
	// Registrations per network in an hour. Default 20.
	Registrations int
	// What replaces the previous two on the loopback interface, where everybody behind
	// a proxy on this machine looks the same. Default 1,000.
	Loopback int
}

// The windows in which attempts are counted.
const (
	accountWindow = 15 * time.Minute
	addressWindow = time.Hour
)

// signInLimits counts failures so that guessing is slow and yet no stranger can lock
// a person out: a device that the person has signed in from has a count of its own,
// which strangers cannot reach, and is exempt from the count of its network.
type signInLimits struct {
	accounts, addresses, registrations, loopback *auth.Limiter
}

func newSignInLimits(l Limits) *signInLimits {
	return &signInLimits{
		accounts:      auth.NewLimiter(orElse(l.AccountFailures, 5), accountWindow),
		addresses:     auth.NewLimiter(orElse(l.AddressFailures, 100), addressWindow),
		registrations: auth.NewLimiter(orElse(l.Registrations, 20), addressWindow),
		loopback:      auth.NewLimiter(orElse(l.Loopback, 1000), addressWindow),
	}
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// attempt is one try to sign in, counted as a failure until told otherwise.
type attempt struct {
	taken []taken
}

// taken is one count that an attempt went into.
type taken struct {
	limiter *auth.Limiter
	key     string
}

// signIn counts an attempt before the password is looked at, or refuses it. account
// is the normalized e-mail address, whether or not there is such an account; device
// is the hash of a device known for it, and nil otherwise.
func (l *signInLimits) signIn(account string, device []byte, peer netip.Addr, now time.Time) (*attempt, error) {
	if device != nil {
		return take(now, taken{l.accounts, "device " + string(device) + account})
	}
	network := networkOf(peer)
	return take(now, taken{l.byAddress(peer, l.addresses), "sign-in " + network}, taken{l.accounts, "network " + network + " " + account})
}

// registration counts an attempt to make an account.
func (l *signInLimits) registration(peer netip.Addr, now time.Time) error {
	_, err := take(now, taken{l.byAddress(peer, l.registrations), "registration " + networkOf(peer)})
	return err
}

func (l *signInLimits) byAddress(peer netip.Addr, usual *auth.Limiter) *auth.Limiter {
	if peer.IsLoopback() {
		return l.loopback
	}
	return usual
}

// take goes into every count, or into none when one of them is full.
func take(now time.Time, counts ...taken) (*attempt, error) {
	made := &attempt{}
	for _, count := range counts {
		wait, ok := count.limiter.Take(count.key, now)
		if !ok {
			made.undo()
			return nil, tooMany(wait)
		}
		made.taken = append(made.taken, count)
	}
	return made, nil
}

// undo takes the attempt back: it was no guess.
func (a *attempt) undo() {
	for _, count := range a.taken {
		count.limiter.Return(count.key)
	}
}

// succeeded ends the account's series of failures. The network's count only loses
// this attempt: one good account must not pay for guesses at others.
func (a *attempt) succeeded() {
	a.undo()
	last := a.taken[len(a.taken)-1]
	last.limiter.Forget(last.key)
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

// networkOf is what one household or company has: an IPv4 address, or an IPv6 /64.
func networkOf(peer netip.Addr) string {
	peer = peer.Unmap().WithZone("")
	if peer.Is6() {
		if network, err := peer.Prefix(64); err == nil {
			return network.String()
		}
	}
	return peer.String()
}

// normalEmail is an address as accounts are looked up by it.
func normalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }
