package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
	"github.com/nightbell/nightbell/api/internal/channel/email"
	"github.com/nightbell/nightbell/api/internal/channel/slack"
	"github.com/nightbell/nightbell/api/internal/channel/webhook"
	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/handover"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/sweep"
)

// buildOutboxes gives every channel an outbox of its own.
func (s *server) buildOutboxes(context.Context) error {
	mail, err := s.mailChannel(postgres.Sweep)
	if err != nil {
		return err
	}
	channels := map[notify.Kind]notify.Channel{
		notify.Email:   mail,
		notify.Webhook: webhook.New(s.egress),
		notify.Slack:   slack.New(s.egress),
	}
	patience := map[notify.Kind]time.Duration{notify.Email: email.Longest}
	began := time.Now()
	s.outboxes = make(map[notify.Kind]*delivery.Outbox, len(channels))
	for kind, channel := range channels {
		outbox := delivery.New(s.db, kind, channel, delivery.Options{
			Logger: s.logger.With("channel", kind), Opener: s.box, PublicURL: s.PublicURL, AckKey: s.box.Derive(acknowledgeLinks), VerifyMail: s.hasMailServer(),
			Changed: func(orgID uuid.UUID) { s.hub.Publish(orgID) }, Freed: s.wakers[kind].Wake, Lateness: s.metrics.PageAttempted,
			Uptime: func() time.Duration { return time.Since(began) },
			Moved:  func() { s.wakePages() }, Patience: patience[kind],
			IncidentsPerMinute: s.quotas.IncidentsPerMinute,
		})
		s.outboxes[kind] = outbox
		s.onStop(outbox.Close)
	}
	s.tests, s.wakeTests = delivery.NewTests(s.db, s.logger, s.outboxes), sweep.NewWaker()
	return nil
}

// buildHandovers gives hand-overs a way to the mail server of their own.
func (s *server) buildHandovers(context.Context) error {
	mail, err := s.mailChannel(postgres.Background)
	if err != nil {
		return err
	}
	s.handovers = handover.New(s.db, handover.Options{Logger: s.logger, Mail: mail, PublicURL: s.PublicURL, VerifyMail: s.hasMailServer()})
	return nil
}

// mailChannel is a way to the mail server, or to the built-in inbox where none is set, by
// a connection of the pool.
func (s *server) mailChannel(pool postgres.Pool) (mailer, error) {
	from, err := email.ParseSender(s.SMTPFrom)
	if err != nil {
		return nil, fmt.Errorf("NIGHTBELL_SMTP_FROM: %w", err)
	}
	if !s.hasMailServer() {
		return email.NewInbox(from, s.keepMail(pool)), nil
	}
	return email.NewServer(email.Options{Host: s.SMTPHost, Port: s.SMTPPort, Username: s.SMTPUsername, Password: s.SMTPPassword, From: from}), nil
}

// mailer carries pages and notices.
type mailer interface {
	notify.Channel
	notify.NoticeChannel
}

// keepMail stores mail for /inbox, sealed: it holds links that let whoever reads them in.
func (s *server) keepMail(pool postgres.Pool) email.Keep {
	return func(ctx context.Context, mail email.Mail) error {
		mailID := id.New()
		return notifydb.KeepMail(ctx, s.db, pool, notifydb.InboxMail{
			OrgID: mail.OrgID, ID: mailID, From: mail.From.String(), To: mail.To.String(), Subject: mail.Subject,
			Text: s.box.Seal([]byte(mail.Text), notify.MailTextPlace(mail.OrgID, mailID)),
			HTML: s.box.Seal([]byte(mail.HTML), notify.MailHTMLPlace(mail.OrgID, mailID)),
		})
	}
}

// postToSlack posts the test message of the Slack dialog.
func (s *server) postToSlack(ctx context.Context, webhookURL, channel, text string) error {
	return slack.New(s.egress).Post(ctx, webhookURL, channel, text)
}

var (
	errDiskFull  = fault.New(fault.Unavailable, "disk_full", "The database's disk is full. Free space on it.")
	errUnwritten = fault.New(fault.Unavailable, "database_not_writable", "The database cannot be written. The log says why.")
)

// writable fails while no alert could be stored.
func (s *server) writable(ctx context.Context) error {
	err := s.db.Writable(ctx)
	switch {
	case err == nil:
		return nil
	case postgres.IsDiskFull(err):
		return errDiskFull.Because(err)
	default:
		return errUnwritten.Because(err)
	}
}

// problems tells people that no page reaches them, and the admins of every organization what the watch
// has found.
func (s *server) problems(ctx context.Context) (notices []*nightbellv1.Notice) {
	caller, ok := auth.ActorFrom(ctx)
	if ok && s.isUnconfirmed(ctx, caller) {
		notices = append(notices, &nightbellv1.Notice{Kind: "unconfirmed", Message: unconfirmedNotice})
	}
	if !ok || !caller.Role.AtLeast(auth.Admin) {
		return notices
	}
	for _, problem := range s.watch.Problems() {
		notices = append(notices, &nightbellv1.Notice{Kind: problem.Kind, Message: problem.Message})
	}
	return notices
}

// unconfirmedNotice is what somebody reads whom no page wakes.
const unconfirmedNotice = "No e-mail address of yours is confirmed, so no page reaches you. Open the link that was mailed to you."

// isUnconfirmed reports whether everything by which the caller could be paged waits for its link to be
// opened. While that cannot be known, it is not said.
func (s *server) isUnconfirmed(ctx context.Context, caller auth.Actor) (unconfirmed bool) {
	if caller.UserID == uuid.Nil || !s.hasMailServer() {
		return false
	}
	err := s.db.InTenant(ctx, caller.OrgID, func(ctx context.Context, tx pgx.Tx) error {
		reach, err := notifydb.LoadReach(ctx, tx, caller.OrgID, []uuid.UUID{caller.UserID})
		rules := reach[caller.UserID]
		unconfirmed = len(rules) > 0 && !notify.Reaches(rules)
		return err
	})
	return err == nil && unconfirmed
}

// accepting fails once the process is stopping, so that balancers look elsewhere.
func (s *server) accepting(context.Context) error {
	select {
	case <-s.stopping:
		return errors.New("stopping")
	default:
		return nil
	}
}
