// Package linkmail sends the mails with links that people wait for: to confirm an address, to join, to set
// a new password. Several are sent side by side, so that a recipient whose mail server hangs delays few of
// another organization: each has two places of eight. Post is also for mails that tell owners of a webhook which was disabled.
package linkmail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// atOnce are sent side by side of one kind, atOncePerOrg of one organization.
	atOnce       = 8
	atOncePerOrg = 2
	// within is how long the mail server may take, not the half hour of a page: others wait for the place. They
	// are tried again, at the earliest a minute after a try began, so never beside it.
	within = 50 * time.Second
	// patientWithin is for the tries from patientFrom on, which are eight minutes and more apart: without the
	// link an address is not paged, also that of a server which is always slow.
	patientWithin = 5 * time.Minute
	patientFrom   = 4
)

// Options are what mails with links need besides the database.
type Options struct {
	Logger *slog.Logger
	Mail   notify.NoticeChannel
	// PublicURL is where people reach this installation, without a slash at the end.
	PublicURL string
	// Key derives the tokens of the links.
	Key []byte
}

// Kind is what differs between mails with different links. M is one that is due.
type Kind[M any] struct {
	// Claim takes mails that are due and for which there is room, those with fewer tries first, and
	// makes each due again in a minute or more.
	Claim func(ctx context.Context, tx pgx.Tx, room fairshare.Room[uuid.UUID], now time.Time) ([]M, error)
	// Org is the organization in whose share of the room a mail is sent.
	Org func(M) uuid.UUID
	// Send sends one, by Post, and records that.
	Send func(ctx context.Context, due M, now time.Time) error
	// Failed is told what went wrong with one.
	Failed func(ctx context.Context, due M, err error)
}

// Sender sends the mails of one kind. Any number of replicas may run one.
type Sender[M any] struct {
	db    *postgres.DB
	kind  Kind[M]
	slots *fairshare.Slots[uuid.UUID]
}

// New makes a sender. Its loop calls Send.
func New[M any](db *postgres.DB, kind Kind[M]) *Sender[M] {
	return &Sender[M]{db: db, kind: kind, slots: fairshare.NewSlots[uuid.UUID](atOnce, atOncePerOrg)}
}

// Send begins to send the mails that are due and for which there is room. They end with ctx.
func (s *Sender[M]) Send(ctx context.Context) error {
	room := s.slots.Room()
	if room.Most == 0 {
		return nil
	}
	var due []M
	var now time.Time
	err := s.db.InSystem(ctx, postgres.Background, func(ctx context.Context, tx pgx.Tx) (err error) {
		if now, err = postgres.Now(ctx, tx); err != nil {
			return err
		}
		due, err = s.kind.Claim(ctx, tx, room, now)
		return err
	})
	if err != nil {
		return err
	}
	for _, one := range due {
		s.slots.Begin(s.kind.Org(one), func() {
			if err := s.sendOne(ctx, one, now); err != nil && ctx.Err() == nil {
				s.kind.Failed(ctx, one, err)
			}
		})
	}
	return nil
}

// sendOne is kind.Send; a panic is a failure like another, for nothing else would catch it here.
func (s *Sender[M]) sendOne(ctx context.Context, due M, now time.Time) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	return s.kind.Send(ctx, due, now)
}

// Ended tells that mails have ended since it was asked last, so that there is room for others.
func (s *Sender[M]) Ended() <-chan struct{} { return s.slots.Ended() }

// Wait waits for the mails under way.
func (s *Sender[M]) Wait() { s.slots.Wait() }

// Post hands a mail to the mail server, and gives one up that hangs. One that the server may have taken counts
// as sent: a slow server would get a copy at each try, and who misses the mail asks for another. A panic is a
// failure like another. Tries counts the tries, with this one.
func Post(stopping context.Context, mail notify.NoticeChannel, tries int, notice notify.Notice) (err error) {
	limit := within
	if tries >= patientFrom {
		limit = patientWithin
	}
	ctx, cancel := context.WithTimeout(stopping, limit)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	_, err = mail.SendNotice(ctx, notice)
	if errors.Is(err, notify.ErrUnknownOutcome) && stopping.Err() == nil {
		return nil
	}
	return err
}
