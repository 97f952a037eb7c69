package verification_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/verification"
)

var key = []byte(strings.Repeat("v", 32))

type mailer struct {
	sent []notify.Verification
	err  error
}

func (m *mailer) SendNotice(_ context.Context, notice notify.Notice) (notify.Receipt, error) {
	m.sent = append(m.sent, notice.(notify.Verification))
	return notify.Receipt{}, m.err
}

type world struct {
	*pgtest.Database

	mail     *mailer
	verifier *verification.Verifier
	org      uuid.UUID
	contact  uuid.UUID
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{Database: pgtest.New(t), mail: &mailer{}, org: id.New(), contact: id.New()}
	w.Clock.Freeze(w.Clock.Now())
	w.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, w.org)
	w.Exec(t, `INSERT INTO contact_method (org_id, id, kind, name, address, hint, created_at, verification_due_at)
		VALUES ($1, $2, 'email', 'Ops', 'ops@acme.example', 'ops@acme.example', nightbell_now(), nightbell_now())`, w.org, w.contact)
	w.verifier = verification.New(w.DB, verification.Options{
		Logger: slog.New(slog.DiscardHandler), Mail: w.mail, PublicURL: "https://nightbell.example", Key: key, Freed: func() {},
	})
	return w
}

func (w *world) send(t *testing.T) {
	t.Helper()
	if err := w.verifier.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.verifier.Wait()
}

func (w *world) claims(t *testing.T) notify.VerifyClaims {
	t.Helper()
	token, found := strings.CutPrefix(w.mail.sent[0].URL, "https://nightbell.example/verify/")
	claims, err := notify.OpenVerify(key, token)
	if !found || err != nil {
		t.Fatalf("the link %s opens with %v", w.mail.sent[0].URL, err)
	}
	return claims
}

func (w *world) verified(t *testing.T) bool {
	t.Helper()
	return pgtest.One[bool](t, w.Database, `SELECT verified_at IS NOT NULL FROM contact_method WHERE id = $1`, w.contact)
}

func TestALinkIsMailedOnceAndVerifies(t *testing.T) {
	w := newWorld(t)
	w.send(t)
	w.send(t)
	if len(w.mail.sent) != 1 || w.mail.sent[0].To.Address != "ops@acme.example" {
		t.Fatalf("sent %+v", w.mail.sent)
	}
	claims := w.claims(t)
	address, verified, err := w.verifier.Look(t.Context(), claims)
	if err != nil || address != "ops@acme.example" || verified || w.verified(t) {
		t.Fatalf("looking gives %q, %v, %v", address, verified, err)
	}
	for range 2 {
		if err := w.verifier.Verify(t.Context(), claims); err != nil || !w.verified(t) {
			t.Fatalf("verify: %v", err)
		}
	}
	foreign := claims
	foreign.OrgID = id.New()
	if err := w.verifier.Verify(t.Context(), foreign); !errors.Is(err, verification.ErrNoLink) {
		t.Errorf("another organization's link: %v", err)
	}
}

func TestALinkExpires(t *testing.T) {
	w := newWorld(t)
	w.send(t)
	claims := w.claims(t)
	w.Clock.Advance(notify.VerifyLifetime)
	if err := w.verifier.Verify(t.Context(), claims); !errors.Is(err, verification.ErrNoLink) || w.verified(t) {
		t.Errorf("an expired link verifies: %v", err)
	}
}

func TestAMailThatFailsIsTriedAgainLaterEachTime(t *testing.T) {
	w := newWorld(t)
	w.mail.err = errors.New("the mail server is away")
	for _, step := range []struct {
		after time.Duration
		sent  int
	}{{0, 1}, {59 * time.Second, 1}, {time.Second, 2}, {time.Minute, 2}, {time.Minute, 3}} {
		w.Clock.Advance(step.after)
		w.send(t)
		if len(w.mail.sent) != step.sent {
			t.Fatalf("%s later it was tried %d times, want %d", step.after, len(w.mail.sent), step.sent)
		}
	}
	w.mail.err = nil
	w.Clock.Advance(time.Hour)
	w.send(t)
	w.Clock.Advance(24 * time.Hour)
	w.send(t)
	if len(w.mail.sent) != 4 {
		t.Errorf("sent %d times, want no more after the mail was taken", len(w.mail.sent))
	}
	w.Exec(t, `UPDATE contact_method SET verification_due_at = nightbell_now(), verification_tries = 0`)
	w.mail.err = notify.Permanent(errors.New("no such mailbox"))
	w.send(t)
	w.Clock.Advance(24 * time.Hour)
	w.send(t)
	if len(w.mail.sent) != 5 {
		t.Errorf("sent %d times, want no more after it failed for good", len(w.mail.sent))
	}
}

// TestALinkIsMailedOnceTheServerIsPutRight, within as long as a link works: after a weekend, too.
func TestALinkIsMailedOnceTheServerIsPutRight(t *testing.T) {
	w := newWorld(t)
	w.mail.err = notify.TurnedAway(errors.New("554 5.7.1 Relay access denied"))
	hours := func(n int) {
		for range 2 * n {
			w.Clock.Advance(30 * time.Minute)
			w.send(t)
		}
	}
	hours(65)
	tried := len(w.mail.sent)
	w.mail.err = nil
	hours(9)
	if got := len(w.mail.sent); got != tried+1 {
		t.Errorf("tried %d times while the server refused, and %d times after", tried, got-tried)
	}
	w.Exec(t, `UPDATE contact_method SET verification_due_at = nightbell_now(), verification_tries = 0`)
	w.mail.err = notify.Installation(errors.New("away"))
	hours(8 * 24)
	tried = len(w.mail.sent)
	hours(48)
	if got := len(w.mail.sent); got != tried {
		t.Errorf("tried %d times after a week", got-tried)
	}
}
