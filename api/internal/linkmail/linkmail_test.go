package linkmail_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/forgotten"
	"github.com/nightbell/nightbell/api/internal/invitation"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/linkmail"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/verification"
)

// server takes mail, and hangs at the recipients of hangs.example until released.
type server struct {
	asked, took chan string
	released    chan struct{}
}

func (s *server) SendNotice(_ context.Context, notice notify.Notice) (notify.Receipt, error) {
	to := notice.Envelope().To.Address
	s.asked <- to
	if strings.HasSuffix(to, "@hangs.example") {
		<-s.released
		return notify.Receipt{}, errors.New("the mail server did not answer in time")
	}
	s.took <- to
	return notify.Receipt{}, nil
}

// recipients are the next n whom the server is asked to take mail for.
func (s *server) recipients(n int) (list []string) {
	for range n {
		list = append(list, <-s.asked)
	}
	slices.Sort(list)
	return list
}

type sender interface {
	Send(ctx context.Context) error
	Wait()
}

var key = []byte(strings.Repeat("k", 32))

// kinds are the mails with links: how to make the sender, and a mail that is due since then.
var kinds = map[string]struct {
	sender func(db *pgtest.Database, mail notify.NoticeChannel) sender
	due    string
}{
	"verification": {
		func(db *pgtest.Database, mail notify.NoticeChannel) sender {
			return verification.New(db.DB, verification.Options{Logger: slog.New(slog.DiscardHandler), Mail: mail, Key: key, Freed: func() {}})
		},
		`INSERT INTO contact_method (org_id, id, kind, name, address, hint, created_at, verification_due_at)
			VALUES ($1, $2, 'email', 'Ops', $3, $3, nightbell_now(), nightbell_now() - $4::interval)`,
	},
	"invitation": {
		func(db *pgtest.Database, mail notify.NoticeChannel) sender {
			return invitation.New(db.DB, invitation.Options{Logger: slog.New(slog.DiscardHandler), Mail: mail, Key: key})
		},
		`INSERT INTO invitation (org_id, id, email, role, send, token_hash, created_at, expires_at, mail_due_at)
			VALUES ($1, $2, $3, 'viewer', 'mail', $3::text::bytea, nightbell_now(), nightbell_now() + interval '1 day', nightbell_now() - $4::interval)`,
	},
	"forgotten password": {
		func(db *pgtest.Database, mail notify.NoticeChannel) sender {
			return forgotten.New(db.DB, forgotten.Options{Logger: slog.New(slog.DiscardHandler), Mail: mail, Key: key})
		},
		`WITH person AS (INSERT INTO users (id, email, name, password_hash, created_at) VALUES ($2, $3, 'Ada', '', nightbell_now())),
			member AS (INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now()))
			INSERT INTO password_reset (id, user_id, token_hash, created_at, expires_at, mail_due_at)
			VALUES ($2, $2, $3::text::bytea, nightbell_now(), nightbell_now() + interval '1 day', nightbell_now() - $4::interval)`,
	},
}

// TestARecipientThatHangsDelaysNoOtherOrganization, though its organization's mails were due before, and
// goes behind those that were not tried yet.
func TestARecipientThatHangsDelaysNoOtherOrganization(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, mail := pgtest.New(t), &server{asked: make(chan string, 20), took: make(chan string, 20), released: make(chan struct{})}
			db.Clock.Freeze(db.Clock.Now())
			sends, acme, other := kind.sender(db, mail), id.New(), id.New()
			for _, org := range []uuid.UUID{acme, other} {
				db.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, org)
			}
			for i := range 10 {
				ago := 10*time.Second - time.Duration(i)*time.Second
				if i > 4 {
					ago -= 30 * time.Minute // due when those that hang are due again
				}
				db.Exec(t, kind.due, acme, id.New(), fmt.Sprintf("%d@hangs.example", i), ago)
			}
			send := func() {
				t.Helper()
				if err := sends.Send(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			send()
			if got := mail.recipients(2); !slices.Equal(got, []string{"0@hangs.example", "1@hangs.example"}) {
				t.Errorf("sent to %q at first", got)
			}
			db.Exec(t, kind.due, other, id.New(), "ada@other.example", time.Duration(0))
			send()
			if got := <-mail.took; got != "ada@other.example" {
				t.Errorf("the server took the mail to %s beside those that hang", got)
			}
			close(mail.released)
			sends.Wait()
			db.Clock.Advance(time.Hour)
			for i := 2; i < 10; i += 2 {
				send()
				sends.Wait()
			}
			send()
			sends.Wait()
			want := []string{"ada@other.example"}
			for i := 2; i < 10; i++ {
				want = append(want, fmt.Sprintf("%d@hangs.example", i))
			}
			slices.Sort(want)
			if got := mail.recipients(9); !slices.Equal(got, want) {
				t.Errorf("sent to %q before another try", got)
			}
			if got := mail.recipients(2); !slices.Equal(got, []string{"0@hangs.example", "1@hangs.example"}) {
				t.Errorf("sent to %q in the end", got)
			}
		})
	}
}

// hung answers nothing.
type hung struct{}

func (hung) SendNotice(ctx context.Context, _ notify.Notice) (notify.Receipt, error) {
	<-ctx.Done()
	return notify.Receipt{}, ctx.Err()
}

func TestAMailServerThatHangsIsGivenUpBeforeTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for tries := 1; tries <= 10; tries++ {
			start, nextTry := time.Now(), time.Minute<<(tries-1)
			err := linkmail.Post(t.Context(), hung{}, tries, notify.Invitation{})
			if took := time.Since(start); err == nil || took >= nextTry || tries > 5 && took < 2*time.Minute {
				t.Errorf("try %d after %s, the next comes after %s: %v", tries, took, nextTry, err)
			}
		}
	})
}

type answers func() error

func (a answers) SendNotice(context.Context, notify.Notice) (notify.Receipt, error) {
	return notify.Receipt{}, a()
}

// TestAMailThatMayHaveArrivedIsSent, unless it was broken off because the process stops.
func TestAMailThatMayHaveArrivedIsSent(t *testing.T) {
	unknown := answers(func() error { return notify.UnknownOutcome(errors.New("no answer to the mail")) })
	if err := linkmail.Post(t.Context(), unknown, 1, notify.Invitation{}); err != nil {
		t.Errorf("%v: each try of a slow server's mail would be a copy", err)
	}
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if err := linkmail.Post(stopping, unknown, 1, notify.Invitation{}); err == nil {
		t.Error("a mail that was broken off counts as sent")
	}
	if err := linkmail.Post(t.Context(), answers(func() error { panic("a mistake") }), 1, notify.Invitation{}); err == nil {
		t.Error("a panic counts as sent")
	}
}
