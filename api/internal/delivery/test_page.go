package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// testsAtOnce bounds what one round of test pages takes on.
	testsAtOnce = 10
	// testTimeout is how long a provider may take for a test page: somebody is watching.
	testTimeout = 30 * time.Second
)

// Tests sends test pages by the outboxes' own channels, addresses and rules, and beside their queues:
// no page waits for a test. Each is tried once, and its receipt says what came of that.
type Tests struct {
	db       *postgres.DB
	logger   *slog.Logger
	outboxes map[notify.Kind]*Outbox
}

// NewTests makes a sender. Its loop calls Sweep; any number of replicas may run one.
func NewTests(db *postgres.DB, logger *slog.Logger, outboxes map[notify.Kind]*Outbox) *Tests {
	return &Tests{db, logger, outboxes}
}

// Sweep sends the test pages that wait, and reports whether more may.
func (t *Tests) Sweep(ctx context.Context) (again bool, err error) {
	var due []notifydb.ClaimTestPagesRow
	err = t.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if err := notifydb.New(tx).EndDeadTestPages(ctx, now); err != nil {
			return err
		}
		due, err = notifydb.New(tx).ClaimTestPages(ctx, now.Add(2*testTimeout), testsAtOnce)
		return err
	})
	if err != nil {
		return false, err
	}
	var sends sync.WaitGroup
	for _, page := range due {
		sends.Go(func() {
			if err := t.send(context.WithoutCancel(ctx), page); err != nil {
				t.logger.WarnContext(ctx, "what came of a test page could not be recorded", "test_page", page.ID, "error", err)
			}
		})
	}
	sends.Wait()
	return len(due) == testsAtOnce, nil
}

func (t *Tests) send(ctx context.Context, page notifydb.ClaimTestPagesRow) error {
	receipt, contact, failure := t.try(ctx, page)
	return t.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		result := notifydb.FinishTestPageParams{
			Status: "sent", Now: now, OrgID: page.OrgID, ID: page.ID,
			Detail: notify.Line(receipt.Detail, 500), ProviderID: notify.Line(receipt.ProviderID, 500),
		}
		if failure != nil {
			result.Status, result.Detail = "failed", notify.Line(failure.Error(), 500)
		}
		if err := notifydb.New(tx).FinishTestPage(ctx, result); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		if failure == nil && (contact.Failures > 0 || contact.Waited) { // pages that wait for it go at once
			notifydb.QueueContactWorks(batch, notifydb.Claim{OrgID: page.OrgID, ContactMethodID: page.ContactMethodID}, now)
		}
		return postgres.Finish(ctx, tx, batch)
	})
}

// try hands one message to the provider, as Outbox does. It fails instead of panicking.
func (t *Tests) try(ctx context.Context, page notifydb.ClaimTestPagesRow) (receipt notify.Receipt, contact notifydb.Contact, err error) {
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			t.logger.ErrorContext(ctx, "a test page panicked", "panic", cause, "stack", string(debug.Stack()))
			err = errors.New("an internal error, which the log tells about")
		}
	}()
	outbox := t.outboxes[notify.Kind(page.Channel)]
	if outbox == nil {
		return receipt, contact, fmt.Errorf("this installation sends nothing by %s", notify.Kind(page.Channel).Word())
	}
	var now time.Time
	err = t.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		contact, err = notifydb.ReadContact(ctx, tx, page.OrgID, page.ContactMethodID)
		return err
	})
	switch {
	case err != nil:
		return receipt, contact, err
	case contact.Disabled != "":
		return receipt, contact, errors.New(contact.Disabled)
	case outbox.options.VerifyMail && contact.Unverified:
		return receipt, contact, notify.ErrUnverified
	}
	to, err := outbox.open(notifydb.Claim{OrgID: page.OrgID, ContactMethodID: page.ContactMethodID}, contact)
	if err != nil {
		return receipt, contact, err
	}
	receipt, err = outbox.channel.Send(ctx, notify.Message{
		ID: page.ID, DeliveryID: page.ID, OrgID: page.OrgID, OrgName: contact.OrgName, To: to, UserID: page.UserID, PersonName: contact.PersonName,
		SentAt: now, Test: true, SignInURL: outbox.options.PublicURL + "/settings#contacts",
	})
	if ctx.Err() != nil && err != nil {
		err = fmt.Errorf("the provider did not answer within %d seconds", int(testTimeout.Seconds()))
	}
	return receipt, contact, err
}
