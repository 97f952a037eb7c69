// Package handover tells people that they come on call, or go off.
//
//  1. Ask the schedules that are due who is on call, and store a notice for everybody
//     whom a change since the last time concerns (handover.go); the live stream and webhook
//     subscriptions are told of it as well (news.go).
//  2. Claim these notices, read what they say with the incidents as they are now, send
//     them by mail, and record what came of it (notice.go).
package handover

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/subscription"
	"github.com/nightbell/nightbell/api/internal/subscription/subscriptiondb"
)

const (
	// looksAtOnce is how many schedules one transaction looks at.
	looksAtOnce = 200
	// longestLook is the longest time between two looks at a schedule. What does not touch
	// it (a person was removed or disabled) is seen then.
	longestLook = 5 * time.Minute
)

// Options are what a Notifier needs besides the database.
type Options struct {
	Logger *slog.Logger
	// Mail carries the notices.
	Mail notify.NoticeChannel
	// VerifyMail is set where mail leaves the installation: addresses must be verified.
	VerifyMail bool
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
}

// Notifier tells people that they come on call, or go off. It is beside the page path:
// it has its own table, and shares neither connections nor senders with pages. Any number
// of replicas may run one.
type Notifier struct {
	db      *postgres.DB
	options Options
}

// New makes the notifier of hand-overs. Its loop calls Announce, then Send.
func New(db *postgres.DB, options Options) *Notifier {
	return &Notifier{db: db, options: options}
}

// Announce asks the schedules that are due who is on call, stores notices of what changed since the last time, and
// reports whether more schedules may be due. What was told is stored in the same transaction: each hand-over is
// announced once, whoever looks. A schedule's first look announces nothing.
func (h *Notifier) Announce(ctx context.Context) (again bool, err error) {
	err = h.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		looks, err := oncalldb.ClaimLooks(ctx, tx, now, looksAtOnce)
		if again = len(looks) == looksAtOnce; err != nil || len(looks) == 0 {
			return err
		}
		looked := make([]oncalldb.Looked, len(looks))
		var notices []oncalldb.Notice
		for i, look := range looks {
			looked[i] = h.look(ctx, look, now)
			notices = append(notices, noticesOf(look, now)...)
		}
		news, err := newsOf(ctx, tx, looks, looked)
		if err != nil {
			return err
		}
		return store(ctx, tx, looked, notices, news, now)
	})
	return again, err
}

// look says who is on call, and when that may be different.
func (h *Notifier) look(ctx context.Context, look oncalldb.Look, now time.Time) oncalldb.Looked {
	if look.Flaw != nil {
		h.options.Logger.WarnContext(ctx, "a schedule is not understood in full", "schedule", look.Schedule.ID, "error", look.Flaw)
	}
	ahead := oncall.Shifts(look.Schedule, now, now.Add(longestLook))[0]
	return oncalldb.Looked{OrgID: look.OrgID, ScheduleID: look.Schedule.ID, Current: ahead.People, NextAt: ahead.End}
}

// noticesOf are the notices of what changed since the schedule was asked last.
func noticesOf(look oncalldb.Look, now time.Time) (notices []oncalldb.Notice) {
	if look.Since.IsZero() {
		return nil
	}
	for _, handover := range oncall.Handovers(look.Schedule, look.Told, look.Since, now) {
		notices = append(notices, oncalldb.Notice{OrgID: look.OrgID, ScheduleID: look.Schedule.ID, Handover: handover})
	}
	return notices
}

func store(ctx context.Context, tx pgx.Tx, looked []oncalldb.Looked, notices []oncalldb.Notice, news []subscription.News, now time.Time) error {
	mailboxes := oncalldb.Mailboxes{}
	if len(notices) > 0 {
		var err error
		if mailboxes, err = oncalldb.ReadMailboxes(ctx, tx, notices); err != nil {
			return err
		}
	}
	batch := &pgx.Batch{}
	oncalldb.QueueNotices(batch, notices, mailboxes, now)
	oncalldb.QueueLooked(batch, looked, now)
	if err := subscriptiondb.QueueNews(batch, news, now); err != nil {
		return err
	}
	return postgres.Finish(ctx, tx, batch)
}
