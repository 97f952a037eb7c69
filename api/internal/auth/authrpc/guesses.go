package authrpc

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// missRemembered is how long a key is taken to be unknown without asking again.
	missRemembered = time.Second
	// guessesPerMinute is how many unknown keys of one network are asked for: a tenth of what the pool answers,
	// and more than forgotten programs with old keys send.
	guessesPerMinute      = 6_000
	localGuessesPerMinute = 60_000
	// guessedAtOnce leaves half of the connections to people's sessions and to keys in use.
	guessedAtOnce = 2
	guessPatience = 2 * time.Second
)

var errManyUnknown = fault.New(fault.Unavailable, "overloaded",
	"This key could not be looked up right now. Send this again in a few seconds.").After(2)

// guesses hold what made-up API keys cost the database, which all organizations share: each is asked for
// once a second, few at once and by networks in turn, and a network that has sent too many waits, as strangers do.
// Keys that were known here are asked for as ever, so that nobody's guesses lock a neighbour's program out.
type guesses struct {
	missing *memory[string, struct{}]
	quota   networkQuota
	asking  *fairshare.Gate[uuid.UUID]
}

func newGuesses(now func() time.Time) guesses {
	return guesses{
		newMemory[string, struct{}](missRemembered), newNetworkQuota("guesses", guessesPerMinute, localGuessesPerMinute, now, errManyGuesses),
		fairshare.NewGate[uuid.UUID](guessedAtOnce, guessedAtOnce),
	}
}

// refuse answers, without the database, for a key that was unknown a moment ago, and for a network with no guess left.
func (g guesses) refuse(ctx context.Context, keys *memory[string, authdb.FindAPIKeyRow], hash []byte, now time.Time) error {
	if _, missed := g.missing.young(string(hash), now); missed {
		return errAPIKey
	}
	if known(keys, hash, now) {
		return nil
	}
	return g.quota.spent(rpcserver.Peer(ctx))
}

// known reports whether a key could be used when it was asked for last.
func known(keys *memory[string, authdb.FindAPIKeyRow], hash []byte, now time.Time) bool {
	key, _, ok := keys.recall(string(hash))
	return ok && stands(key, now)
}

// ask asks for a key that is not known here. It is counted before, so that none of many at once slips through, and
// no more when it is good or the database could not tell. Who hangs up has guessed all the same.
func (g guesses) ask(ctx context.Context, now time.Time, find func(context.Context) (authdb.FindAPIKeyRow, error)) (row authdb.FindAPIKeyRow, err error) {
	peer := rpcserver.Peer(ctx)
	if err := g.quota.count(peer); err != nil {
		return row, err
	}
	waiting, cancel := context.WithTimeout(ctx, guessPatience)
	defer cancel()
	leave, err := g.asking.Enter(waiting, networkID(peer))
	switch {
	case err != nil && ctx.Err() == nil:
		g.quota.giveBack(peer)
		return row, errManyUnknown
	case err != nil:
		return row, err
	}
	defer leave()
	row, err = find(ctx)
	if err == nil && stands(row, now) || err != nil && !errors.Is(err, errAPIKey) && ctx.Err() == nil {
		g.quota.giveBack(peer)
	}
	return row, err
}

// miss remembers that the database does not know a key.
func (g guesses) miss(hash []byte, now time.Time) {
	_, _ = g.missing.get(string(hash), now, true, func() (struct{}, error) { return struct{}{}, nil })
}
