package publish

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

const (
	// sendsAtOnce are under way in this process, of one organization and of one subscription;
	// sendsReserved are kept for organizations that have none under way, and sendsReservedPerOrg for
	// subscriptions that have none.
	sendsAtOnce          = 64
	sendsReserved        = 16
	sendsPerOrg          = 16
	sendsReservedPerOrg  = 4
	sendsPerSubscription = 4
	// recordTimeout is how long one try to record a result may take.
	recordTimeout = 2 * time.Second
)

// sendDue claims what is due and for which there is room, and begins to send it.
func (p *Publisher) sendDue(ctx context.Context) (again bool, err error) {
	var claims []subscriptiondb.Claim
	var now time.Time
	room := p.room()
	if room.All == 0 {
		return false, nil
	}
	err = p.db.InSystem(ctx, postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		due, err := subscriptiondb.ListDue(ctx, tx, room, now)
		if err != nil {
			return err
		}
		if due = room.Take(due); len(due) == 0 {
			return nil
		}
		claims, err = subscriptiondb.ClaimDue(ctx, tx, due, now)
		return err
	})
	if err != nil {
		return false, err
	}
	for _, claim := range claims {
		p.begin(ctx, claim, now)
	}
	return len(claims) > 0, nil
}

func (p *Publisher) room() subscriptiondb.Room {
	p.mu.Lock()
	defer p.mu.Unlock()
	room := subscriptiondb.Room{
		All: sendsAtOnce - p.all, PerOrg: sendsPerOrg, PerSubscription: sendsPerSubscription,
		Shared: max(0, sendsAtOnce-p.all-sendsReserved), SharedPerOrg: sendsPerOrg - sendsReservedPerOrg,
		Orgs: maps.Clone(p.orgs), Subscriptions: maps.Clone(p.subscriptions),
	}
	if p.closed {
		room.All = 0
	}
	return room
}

// begin sends a claim in the background. It outlives the sweep's context.
func (p *Publisher) begin(ctx context.Context, claim subscriptiondb.Claim, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return // the lease runs out, and another process takes it
	}
	p.count(claim, 1)
	p.sends.Go(func() {
		defer p.end(claim)
		p.deliver(context.WithoutCancel(ctx), claim, now)
	})
}

func (p *Publisher) end(claim subscriptiondb.Claim) {
	p.mu.Lock()
	p.count(claim, -1)
	p.mu.Unlock()
	p.options.Freed()
}

func (p *Publisher) count(claim subscriptiondb.Claim, n int) {
	p.all += n
	if p.orgs[claim.OrgID] += n; p.orgs[claim.OrgID] == 0 {
		delete(p.orgs, claim.OrgID)
	}
	if p.subscriptions[claim.SubscriptionID] += n; p.subscriptions[claim.SubscriptionID] == 0 {
		delete(p.subscriptions, claim.SubscriptionID)
	}
}

// deliver sends one claim and records what came of it.
func (p *Publisher) deliver(ctx context.Context, claim subscriptiondb.Claim, now time.Time) {
	if p.interrupted("webhook_claimed") {
		return
	}
	status, err := p.send(ctx, claim, now)
	if p.interrupted("webhook_sent") {
		return
	}
	for range 300 {
		err := p.record(ctx, claim, status, err)
		if err == nil {
			return
		}
		if !postgres.IsUnavailable(err) && !errors.Is(err, context.DeadlineExceeded) {
			p.options.Logger.ErrorContext(ctx, "the result of a webhook delivery cannot be recorded", "delivery", claim.ID, "error", err)
			return // it is sent again when its lease ends
		}
		select {
		case <-p.aborted:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// send calls the receiver. It never panics.
func (p *Publisher) send(ctx context.Context, claim subscriptiondb.Claim, now time.Time) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-p.aborted:
			cancel()
		case <-stop:
		}
	}()
	defer func() {
		if cause := recover(); cause != nil {
			p.options.Logger.ErrorContext(ctx, "a webhook delivery panicked", "delivery", claim.ID, "panic", cause, "stack", string(debug.Stack()))
			err = errors.New("this delivery could not be prepared; the server's log says why")
		}
	}()
	url, err := p.options.Opener.Open(claim.URL, subscription.URLPlace(claim.OrgID, claim.SubscriptionID))
	if err != nil {
		return 0, errors.New("the address does not open: was NIGHTBELL_DATA_KEY changed? Enter the address again")
	}
	secretPlace := subscription.SecretPlace(claim.OrgID, claim.SubscriptionID)
	secret, err := p.options.Opener.Open(claim.Secret, secretPlace)
	if err != nil {
		return 0, errors.New("the signing secret does not open: was NIGHTBELL_DATA_KEY changed? Make a new secret")
	}
	message := subscription.Message{ID: claim.EventID, URL: string(url), Secrets: [][]byte{secret}, Body: []byte(claim.Payload), SentAt: now}
	// The old secret of a new one may be sealed with a data key that is lost: then the new one signs alone.
	if old, err := p.options.Opener.Open(claim.OldSecret, secretPlace); claim.OldSecret != nil && err == nil {
		message.Secrets = append(message.Secrets, old)
	}
	return p.options.Post(ctx, message)
}

// record writes what came of a try.
func (p *Publisher) record(ctx context.Context, claim subscriptiondb.Claim, status int, sent error) error {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	return p.db.InSystem(ctx, postgres.Webhooks, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return subscriptiondb.Settle(ctx, tx, claim, resultOf(claim, status, sent, now), now)
	})
}

// resultOf says what follows from an answer. Everything but a success and 410 is tried again: a
// receiver that is being deployed may answer anything.
func resultOf(claim subscriptiondb.Claim, status int, sent error, now time.Time) subscriptiondb.Result {
	if sent == nil {
		return subscriptiondb.Result{Status: "delivered", HTTPStatus: status}
	}
	result := subscriptiondb.Result{Status: "failed", HTTPStatus: status, Detail: notify.Line(sent.Error(), 500), Gone: status == http.StatusGone}
	asked, _ := notify.RetryAfter(sent)
	if asked > 0 || isAway(status) {
		result.PausedUntil = now.Add(subscription.Pause(claim.FailingSince, now, asked))
	}
	next, giveUp := subscription.NextTry(claim.ID, claim.Attempt, claim.RetrySince, now, asked)
	switch {
	case result.Gone:
	case giveUp:
		result.Detail = fmt.Sprintf("%s (given up after %d tries)", result.Detail, claim.Attempt)
	default:
		result.Status, result.NextTryAt = "pending", next
	}
	return result
}

// isAway reports whether an answer, or none, means that the next event would fare no better. Other
// answers are about one event, and the next is tried at once.
func isAway(status int) bool {
	switch status {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
