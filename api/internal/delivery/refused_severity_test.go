package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/e2e/smtpcatcher"
	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// refuses makes the mail server refuse, for good, each mail that tells of an incident with the word in its title.
func (o *outbox) refuses(word string) {
	o.provider.answers(func(_ context.Context, message notify.Message) error {
		for _, told := range message.Incidents {
			if strings.Contains(told.Title, word) {
				return errQuota
			}
		}
		return nil
	})
}

// pageAda makes an incident with a page to Ada that was refused so often, due now.
func (o *outbox) pageAda(t *testing.T, title string, severity alert.Severity, faults int) {
	t.Helper()
	page := pageContact(t, o.Workspace, pgtest.One[uuid.UUID](t, o.Database, `SELECT id FROM contact_method WHERE user_id = $1`, o.Ada), severity)
	o.Exec(t, `UPDATE incident i SET title = $2 FROM notification n WHERE n.id = $1 AND i.org_id = n.org_id AND i.id = n.incident_id`, page, title)
	o.Exec(t, `UPDATE notification SET faults = $2, attempts = $2 WHERE id = $1`, page, faults)
}

// TestARefusedMailHoldsUpNoLessSevereOne, which failed with it once. It waits between its own tries as it always does.
func TestARefusedMailHoldsUpNoLessSevereOne(t *testing.T) {
	for name, refused := range map[string]int{"one": 1, "a dozen": 12, "a storm": 150} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
			o.refuses("spam")
			for n := range refused {
				o.pageAda(t, fmt.Sprint("spam ", n), alert.Critical, 0)
			}
			o.pageAda(t, "sound", alert.High, 0)
			sent := func() int {
				return pgtest.One[int](t, o.Database, `SELECT count(*) FROM notification WHERE state = 'sent'`)
			}
			for seconds := 0; sent() == 0; seconds++ {
				if seconds > 75 {
					t.Fatalf("not sent after %d s and %d mails", seconds, len(o.provider.messages()))
				}
				deliver(t, o.deliverer)
				o.Clock.Advance(time.Second)
			}
			before := pgtest.One[int](t, o.Database, `SELECT max(faults) FROM notification`)
			for range 60 {
				o.pageAda(t, "spam too", alert.Low, 1) // something due at every moment
				deliver(t, o.deliverer)
				o.Clock.Advance(time.Second)
			}
			if tries := pgtest.One[int](t, o.Database, `SELECT max(faults) FROM notification WHERE severity_rank = 0`) - before; tries > 5 {
				t.Errorf("a mail that is refused is tried %d times a minute", tries)
			}
		})
	}
}

// TestWhatIsKeptHidesNothingSound: more pages than a look claims were refused before, and are more severe.
func TestWhatIsKeptHidesNothingSound(t *testing.T) {
	o := newOutbox(t)
	o.refuses("spam")
	o.pageAda(t, "spam", alert.Critical, 7)
	o.Exec(t, `INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
			severity_rank, state, due_at, next_try_at, created_at, faults)
		SELECT org_id, gen_random_uuid(), g::text, incident_id, user_id, contact_method_id, channel, 1, 0, 0, 'test', 0, 'pending', due_at, due_at, due_at, 7
		FROM notification, generate_series(1, 5000) g`)
	o.pageAda(t, "sound", alert.Low, 0)
	deliver(t, o.deliverer)
	if got := o.provider.messages(); len(got) == 0 || got[0].Incidents[0].Title != "sound" {
		t.Errorf("%d messages, the first is not about what is sound", len(got))
	}
}

// TestWhatIsKeptTakesTurns: whoever was tried least often is next, however severe the others are, and nobody before
// their own try is due.
func TestWhatIsKeptTakesTurns(t *testing.T) {
	for name, c := range map[string]struct {
		severe, less int // how often they were refused
		waits        time.Duration
		want         string
	}{
		"refused less often":                   {3, 2, 0, "less"},
		"refused more often":                   {3, 7, 0, "severe"},
		"the severe one waits":                 {2, 7, 30 * time.Second, "less"},
		"the severe one is kept, and waits":    {5, 7, 30 * time.Second, "less"},
		"both are kept, and one waits":         {5, 5, 30 * time.Second, "severe less"},
		"the severe one waits for its contact": {2, 7, time.Hour, "less"},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t)
			o.Clock.Freeze(o.Clock.Now())
			o.refuses("e")
			o.pageAda(t, "severe", alert.Critical, c.severe)
			o.Exec(t, `UPDATE notification SET next_try_at = next_try_at + $1`, c.waits)
			o.pageAda(t, "less", alert.Low, c.less)
			deliver(t, o.deliverer)
			var got []string
			for _, told := range o.provider.messages()[0].Incidents {
				got = append(got, told.Title)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q leave, want %q", got, c.want)
			}
		})
	}
}

// TestWhatWaitsForTheServerWaitsBesideWhatWasRefused: one mail was refused, and has its own try each minute. Then the server is
// away: another mail is tried no more often for that, and the refused one has its turn.
func TestWhatWaitsForTheServerWaitsBesideWhatWasRefused(t *testing.T) {
	o, catcher := mailOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
	o.pageAda(t, "refused", alert.Critical, notify.MostFaults)
	o.pageAda(t, "sound", alert.High, 0)
	catcher.Fail(smtpcatcher.Fault{At: smtpcatcher.AtRecipient, Code: 421, Times: 10_000})
	tries := func(title string) int {
		return pgtest.One[int](t, o.Database, `SELECT n.attempts FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id WHERE i.title = $1`, title)
	}
	const minutes = 5
	for range minutes * 60 {
		for before := -1; before < tries("sound")+tries("refused"); { // each send that ends wakes the next look
			before = tries("sound") + tries("refused")
			deliver(t, o.deliverer)
		}
		o.Clock.Advance(time.Second)
	}
	sound, refused := tries("sound"), tries("refused")-notify.MostFaults
	if sound < minutes || sound > minutes+5 {
		t.Errorf("what waits for the server was tried %d times in %d minutes", sound, minutes)
	}
	if refused < minutes-1 || refused > minutes+5 {
		t.Errorf("what was refused was tried %d times in %d minutes", refused, minutes)
	}
	o.deliverer = o.replica(notify.Email, o.provider)
	for range 75 {
		deliver(t, o.deliverer)
		o.Clock.Advance(time.Second)
	}
	if got := o.states(t); got != "sent\nsent" {
		t.Errorf("when the server is back, the pages are %q", got)
	}
}

// TestAContactThatFailsIsTriedWithWhatIsSound, however often something is due that was refused: it waits for the contact.
func TestAContactThatFailsIsTriedWithWhatIsSound(t *testing.T) {
	o := newOutbox(t)
	o.Clock.Freeze(o.Clock.Now())
	o.SetSteps(t, pagingtest.Step{Wait: 24 * time.Hour, Targets: []pagingtest.Target{pagingtest.User(o.Ada)}})
	o.pageAda(t, "sound", alert.Low, 0)
	o.provider.answers(func(context.Context, notify.Message) error { return errors.New("450 greylisted") })
	deliver(t, o.deliverer)
	o.refuses("spam")
	o.pageAda(t, "spam", alert.Critical, notify.MostFaults)
	for range 4 {
		deliver(t, o.deliverer)
		o.Clock.Advance(time.Second)
	}
	if got := o.states(t); !strings.Contains(got, "sent") {
		t.Errorf("the pages are %q", got)
	}
}
