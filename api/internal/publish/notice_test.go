package publish_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/publish"
)

// meeting takes a mail once as many as it expects are under way.
type meeting struct{ sync.WaitGroup }

func (m *meeting) SendNotice(context.Context, notify.Notice) (notify.Receipt, error) {
	m.Done()
	m.Wait()
	return notify.Receipt{}, nil
}

// TestAnOwnerWhoseMailboxHangsDelaysNoOther: the mails of a round are under way together.
func TestAnOwnerWhoseMailboxHangsDelaysNoOther(t *testing.T) {
	w := newWorld(t)
	w.Exec(t, `UPDATE membership SET role = 'owner' WHERE org_id = $1`, w.Org)
	w.subscribe(t, w.Org, "/")
	w.anyIncident(t)
	w.note(t, "one")(true)
	w.status(http.StatusGone)
	w.sweep(t)
	mail := &meeting{}
	mail.Add(2) // Ada and Bob
	p := publish.New(w.DB, publish.Options{Logger: slog.New(slog.DiscardHandler), Opener: plain{}, Mail: mail, Freed: func() {}})
	if err := p.MailOwners(t.Context()); err != nil {
		t.Error(err)
	}
}

// goneWorld has a subscription that is disabled, because its receiver answered 410.
func goneWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.anyIncident(t)
	w.subscribe(t, w.Org, "/")
	w.note(t, "one")(true)
	w.status(http.StatusGone)
	w.sweep(t)
	return w
}

// TestGoneDisablesAndTheOwnersAreMailed: 410 means that nothing is wanted any more, and the owners learn of it.
func TestGoneDisablesAndTheOwnersAreMailed(t *testing.T) {
	w := goneWorld(t)
	w.note(t, "two")(true)
	w.sweep(t)
	w.sweep(t)
	if n := len(w.take()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	w.mail.fail = errors.New("the mail server is away")
	if err := w.publisher.MailOwners(t.Context()); err == nil {
		t.Error("a mail that failed is no error")
	}
	w.mail.fail = nil
	w.Clock.Advance(6 * time.Minute)
	for range 2 {
		if err := w.publisher.MailOwners(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(6 * time.Minute)
	}
	if len(w.mail.list) != 2 { // Ada alone owns the organization: once in vain, once for good
		t.Fatalf("%d mails, want 2", len(w.mail.list))
	}
	mail := w.mail.list[1]
	if mail.Subject() != "[Nightbell] The webhook subscription Tickets is disabled" || !strings.Contains(mail.Text(), "410") || mail.Envelope().PersonName != "Ada" {
		t.Errorf("mailed %q: %s", mail.Subject(), mail.Text())
	}
}

// TestAnOwnerIsMailedOnce while another one's mailbox is away, and again when it is disabled again.
func TestAnOwnerIsMailedOnce(t *testing.T) {
	w := newWorld(t)
	w.Exec(t, `UPDATE membership SET role = 'owner' WHERE org_id = $1`, w.Org)
	w.subscribe(t, w.Org, "/")
	disable := func() {
		t.Helper()
		w.Exec(t, `UPDATE webhook_subscription SET enabled = true, disabled_reason = '', notice_due_at = NULL`)
		w.anyIncident(t)
		w.note(t, "one")(true)
		w.status(http.StatusGone)
		w.sweep(t)
	}
	mailed := func() (names []string) {
		for range 4 {
			_ = w.publisher.MailOwners(t.Context()) // one mail fails
			w.Clock.Advance(6 * time.Minute)
		}
		for _, mail := range w.mail.list {
			names = append(names, mail.Envelope().PersonName)
		}
		slices.Sort(names)
		w.mail.list = nil
		return names
	}
	disable()
	w.mail.away = "Bob"
	if got := mailed(); !slices.Equal(got, []string{"Ada"}) {
		t.Errorf("mailed while Bob's mailbox is away: %q", got)
	}
	w.mail.away = ""
	if got := mailed(); !slices.Equal(got, []string{"Bob"}) {
		t.Errorf("mailed when it is back: %q", got)
	}
	disable()
	if got := mailed(); !slices.Equal(got, []string{"Ada", "Bob"}) {
		t.Errorf("mailed of the second time: %q", got)
	}
}

// TestAMailToAnOwnerThatIsRefusedIsTriedForADay: a quota passes, and a rule about what it says does not.
func TestAMailToAnOwnerThatIsRefusedIsTriedForADay(t *testing.T) {
	w := goneWorld(t)
	w.mail.fail = notify.Installation(notify.Refused(errors.New("554 a word of it is not liked")))
	for range 50 {
		_ = w.publisher.MailOwners(t.Context())
		w.Clock.Advance(61 * time.Minute)
	}
	if got := len(w.mail.list); got != 25 { // 24 within the day, and the last
		t.Errorf("%d tries", got)
	}
}
