// Package subscription is what webhook subscriptions are told and when: which entries of the feed
// are events and for whom (event.go), what a delivery says (entry.go, payload.go), and how long a
// receiver that fails is tried (this file). Rules only; internal/publish follows the feed and sends.
package subscription

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

const (
	// MostOfOrg is how many subscriptions one organization may have.
	MostOfOrg = 100
	// MostPending is how many deliveries of one subscription wait in the queue. What happens
	// beyond them waits in the feed, so a receiver that is away costs no disk and loses nothing.
	MostPending = 1000
	// AnswerWithin is how long a receiver may take.
	AnswerWithin = 10 * time.Second
	// RetryFor is how long one delivery is tried.
	RetryFor = 48 * time.Hour
	// DisableAfter is how long a subscription goes without a success, although it is tried, until
	// it is disabled.
	DisableAfter = 72 * time.Hour
	// BothSecrets is how long deliveries are signed with the secret before the present one, too.
	BothSecrets = 24 * time.Hour
	// LongestReplay is how far back a replay reaches.
	LongestReplay = 30 * 24 * time.Hour
	// Kept is how long deliveries are kept.
	Kept = 30 * 24 * time.Hour
)

// waits are the delays after the first tries; the last one repeats.
var waits = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
}

// NextTry says when a delivery is tried again after attempt (from 1) failed at now, or that its time is over. Waits
// differ by 20 %, so that what failed together does not come back together; the same delivery and attempt give the same
// wait. A receiver that asked to be left alone for longer is.
func NextTry(deliveryID uuid.UUID, attempt int, since, now time.Time, asked time.Duration) (next time.Time, giveUp bool) {
	if now.Sub(since) >= RetryFor {
		return time.Time{}, true
	}
	wait := waits[min(max(attempt, 1), len(waits))-1]
	chance := rand.New(rand.NewPCG(binary.BigEndian.Uint64(deliveryID[8:]), uint64(attempt)))
	wait += time.Duration(chance.Int64N(int64(wait)/5*2+1)) - wait/5
	next = now.Add(max(wait, asked))
	if end := since.Add(RetryFor); next.After(end) {
		next = end // one last try at the end
	}
	return next, false
}

// Pause says how long a receiver that is away is left alone after a try failed at now: half of the time
// since which it has been failing, from five seconds to ten minutes, or what it asked for, at most a day.
func Pause(failingSince *time.Time, now time.Time, asked time.Duration) time.Duration {
	var failing time.Duration
	if failingSince != nil {
		failing = now.Sub(*failingSince)
	}
	return max(min(max(failing/2, 5*time.Second), 10*time.Minute), min(asked, 24*time.Hour))
}

// URLPlace is what the sealed address of a subscription belongs to: the place to seal it for and to
// open it with.
func URLPlace(orgID, subscriptionID uuid.UUID) string {
	return "webhook_subscription/" + orgID.String() + "/" + subscriptionID.String() + "/url"
}

// SecretPlace is URLPlace for the secret that signs deliveries.
func SecretPlace(orgID, subscriptionID uuid.UUID) string {
	return "webhook_subscription/" + orgID.String() + "/" + subscriptionID.String() + "/secret"
}

// Message is one try to deliver an event. It is never logged: URL and Secrets are its receiver's.
type Message struct {
	// ID is the same for every try of the event; a receiver that sees it twice may drop the second.
	ID  uuid.UUID
	URL string
	// Secrets each sign the message.
	Secrets [][]byte
	Body    []byte
	SentAt  time.Time
}
