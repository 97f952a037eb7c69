package authrpc

import (
	"context"
	"time"

	"github.com/nightbell/nightbell/api/internal/auth/authdb"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// missRemembered is how long a key is taken to be unknown without asking again.
	missRemembered = time.Second
	// guessesPerMinute is how many unknown keys of one network are asked for: a tenth of what the pool answers,
	// and more than forgotten programs with old keys send.
	guessesPerMinute      = 6_000
	localGuessesPerMinute = 60_000
)

// guesses hold what made-up API keys cost the database, which all organizations share: each is asked for
// once a second, and a network that has sent too many waits, as strangers do. Keys that were known here
// are asked for as ever, so that nobody's guesses lock a neighbour's program out.
type guesses struct {
	missing *memory[string, struct{}]
	quota   networkQuota
}

func newGuesses(now func() time.Time) guesses {
	return guesses{newMemory[string, struct{}](missRemembered), newNetworkQuota("guesses", guessesPerMinute, localGuessesPerMinute, now)}
}

// refuse answers, without the database, for a key that was unknown a moment ago, and for a network with no guess left.
func (g guesses) refuse(ctx context.Context, keys *memory[string, authdb.FindAPIKeyRow], hash []byte, now time.Time) error {
	if _, asked, ok := g.missing.recall(string(hash)); ok && now.Sub(asked) < missRemembered && !now.Before(asked) {
		return errAPIKey
	}
	if _, _, known := keys.recall(string(hash)); known {
		return nil
	}
	return g.quota.spent(rpcserver.Peer(ctx))
}

// note remembers that the database does not know a key, and counts the guess.
func (g guesses) note(ctx context.Context, hash []byte, now time.Time) {
	_, _ = g.missing.get(string(hash), now, true, func() (struct{}, error) { return struct{}{}, nil })
	_ = g.quota.count(rpcserver.Peer(ctx)) // this one has been asked for; the next is refused
}
