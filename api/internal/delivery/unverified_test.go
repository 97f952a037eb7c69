package delivery_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/verification"
)

// withMailServer makes the outbox one from which mail leaves the installation.
func (o *outbox) withMailServer() {
	o.VerifiesMail()
	o.deliverer = delivery.New(o.DB, notify.Email, o.provider, delivery.Options{
		Logger: quiet, PublicURL: "https://nightbell.example", AckKey: linkKey, VerifyMail: true,
		Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
}

// TestAnUnverifiedAddressIsNotPaged: a stranger must not be able to send his own text to any
// address. The incident says why, and the next contact is paged.
func TestAnUnverifiedAddressIsNotPaged(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Bob)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)
	said := o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'nobody_on_call'`, o.Org)
	if len(said) != 1 || !strings.Contains(said[0], "no contact method that is confirmed") {
		t.Errorf("the incident says %q", said)
	}
	if sent := o.provider.messages(); len(sent) != 1 || sent[0].UserID != o.Bob || sent[0].SignInURL != "" {
		t.Errorf("%+v was sent, want Bob's page at once", sent)
	}

	o.Exec(t, `UPDATE contact_method SET verified_at = nightbell_now() WHERE user_id = $1`, o.Ada)
	o.Accept(t, pagingtest.Firing("search", "search", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 2 || sent[1].UserID != o.Ada {
		t.Errorf("once confirmed, %+v was sent", sent)
	}
}

// TestARoundThatReachesNobodyIsFollowedByTheLastResort: a workspace whose only contact is not confirmed
// yet would otherwise be told after all repeats of its policy, a quarter of an hour later.
func TestARoundThatReachesNobodyIsFollowedByTheLastResort(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, o.Ada)
	o.Exec(t, `UPDATE escalation_policy SET repeats = 3`)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) == 0 || sent[0].UserID != o.Ada || sent[0].SignInURL == "" {
		t.Errorf("sent %+v, want the owner's mail", sent)
	}
	if said := o.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = 'last_resort'`, o.Org); len(said) != 1 || !strings.Contains(said[0], "Nobody could be reached") {
		t.Errorf("the incident says %q", said)
	}
}

// acceptForTheOwner opens an incident whose page is one of the last resort.
func (o *outbox) acceptForTheOwner(t *testing.T, name string) {
	t.Helper()
	o.Accept(t, pagingtest.Firing(name, name, pagingtest.Began))
	o.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner"}' WHERE finished_at IS NULL`)
	deliver(t, o.deliverer)
}

// TestTheLastResortReachesAnUnverifiedOwner with the same words for everybody, so many times a day at
// once and then once an hour with all that waited: later incidents of the day told nobody before.
func TestTheLastResortReachesAnUnverifiedOwner(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(pagingtest.Began.Truncate(24 * time.Hour).Add(time.Hour)) // all of it on one day
	o.withMailServer()
	most := notify.LastResortShare.MostBefore
	for n := range most {
		o.acceptForTheOwner(t, "problem "+string(rune('a'+n)))
		o.Clock.Advance(6 * time.Minute) // or the contact would be flooded
	}
	sent := o.provider.messages()
	if len(sent) != most || sent[0].SignInURL != "https://nightbell.example/incidents" {
		t.Fatalf("%d mails to an address that nobody confirmed, the first is %+v, want %d", len(sent), sent[0], most)
	}
	for n := range 3 {
		o.acceptForTheOwner(t, "later problem "+string(rune('a'+n)))
		o.Clock.Advance(6 * time.Minute)
	}
	if sent := o.provider.messages(); len(sent) != most {
		t.Fatalf("%d mails within the hour, want %d", len(sent), most)
	}
	if n := pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'pending' AND finished_for LIKE '%one an hour%'`); n != 3 {
		t.Errorf("%d pages say that they wait, want 3", n)
	}
	o.Clock.Advance(time.Hour)
	deliver(t, o.deliverer)
	sent = o.provider.messages()
	if len(sent) != most+1 || len(sent[most].Incidents) != 3 {
		t.Fatalf("%d mails after an hour, want %d, the last of three incidents", len(sent), most+1)
	}
	o.acceptForTheOwner(t, "one more")
	o.Clock.Advance(20 * time.Minute)
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != most+1 {
		t.Fatalf("%d mails, want one an hour", len(sent))
	}
	o.Clock.Advance(24 * time.Hour)
	deliver(t, o.deliverer)
	o.acceptForTheOwner(t, "tomorrow")
	if sent := o.provider.messages(); len(sent) != most+3 {
		t.Errorf("%d mails on the next day, want the one that waited and the new one", len(sent)-most-1)
	}
}

// TestAConfirmedAddressGetsWhatWaited at once, by its ordinary page.
func TestAConfirmedAddressGetsWhatWaited(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `UPDATE org SET unverified_mails = 1000, unverified_mails_on = nightbell_now()::date, unverified_mailed_at = nightbell_now()`)
	o.acceptForTheOwner(t, "waits")
	if sent := o.provider.messages(); len(sent) != 0 {
		t.Fatalf("sent %+v beyond the share", sent)
	}
	contact := pgtest.One[uuid.UUID](t, o.Database, `SELECT contact_method_id FROM notification WHERE finished_at IS NULL`)
	freed := false
	links := verification.New(o.DB, verification.Options{Logger: quiet, Freed: func() { freed = true }})
	if err := links.Verify(t.Context(), notify.VerifyClaims{OrgID: o.Org, ContactMethodID: contact, Expires: time.Now().Add(24 * 365 * 20 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 1 || sent[0].SignInURL != "" || !freed {
		t.Errorf("once confirmed, %+v was sent (freed %v), want the page", sent, freed)
	}
}

// TestAConfirmedContactWithoutRulesIsPaged where those with rules are not confirmed: there was somebody
// to wake, and nobody was.
func TestAConfirmedContactWithoutRulesIsPaged(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, hint, created_at, verified_at)
		VALUES ($1, gen_random_uuid(), $2, 'email', 'Second', 'ada@second.example', 'a…@second.example', nightbell_now(), nightbell_now())`, o.Org, o.Ada)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	deliver(t, o.deliverer)
	if sent := o.provider.messages(); len(sent) != 1 || sent[0].To.Address != "ada@second.example" {
		t.Errorf("sent %+v, want the page to the confirmed address", sent)
	}
}

// TestAMailServerThatIsAwayUsesUpNoShare keeps the last resort of a day for mails that go out.
func TestAMailServerThatIsAwayUsesUpNoShare(t *testing.T) {
	o := newOutbox(t)
	o.withMailServer()
	o.provider.answers(func(context.Context, notify.Message) error {
		return notify.Installation(errors.New("the mail server cannot be reached"))
	})
	o.Accept(t, pagingtest.Firing("a", "a", pagingtest.Began))
	o.Exec(t, `UPDATE notification SET why = why || '{"target_kind": "owner"}' WHERE finished_at IS NULL`)
	for range 20 {
		deliver(t, o.deliverer)
		o.Clock.Advance(75 * time.Second)
	}
	if got := o.states(t); got != "pending: the mail server cannot be reached" {
		t.Errorf("the page is %q", got)
	}
	o.provider.answers(nil)
	deliver(t, o.deliverer)
	if got := o.states(t); got != "sent" {
		t.Errorf("the page is %q", got)
	}
}

// An organization that is being erased holds its row. Mails to its owners are counted there, and the connections with
// which they waited were all that escalations are swept by.
func TestMailsThatWaitToBeCountedStopNoSweep(t *testing.T) {
	t.Parallel()
	o := newOutbox(t)
	o.withMailServer()
	for _, name := range []string{"Eve", "Finn", "Gus", "Hal"} {
		o.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, o.AddPerson(t, name))
	}
	o.Exec(t, `UPDATE contact_method SET verified_at = NULL`)
	o.Accept(t, pagingtest.Firing("checkout", "checkout", pagingtest.Began))
	erasing := o.Owner(t)
	if _, err := erasing.Exec(t.Context(), `BEGIN; SET LOCAL ROLE nightbell_system; SELECT FROM org WHERE id = '`+o.Org.String()+`' FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	if _, err := o.deliverer.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for waiting, seen := 0, 0; waiting < 4 && waiting >= seen; time.Sleep(time.Millisecond) {
		seen = waiting
		waiting = o.Waiting(t)
	}
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Second) // half of what a statement may take
	defer cancel()
	if _, err := o.Escalator.Sweep(soon); err != nil {
		t.Errorf("nobody's step is paged: %v", err)
	}
	if _, err := erasing.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
}
