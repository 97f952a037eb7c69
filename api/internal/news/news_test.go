package news_test

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/news"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
)

// mailbox takes mails, and fails with as many as fail says.
type mailbox struct {
	fail  int
	with  error
	tries int
	mails []notify.IncidentNews
}

func (m *mailbox) SendNotice(_ context.Context, notice notify.Notice) (notify.Receipt, error) {
	m.tries++
	if m.fail > 0 {
		m.fail--
		return notify.Receipt{}, cmp.Or(m.with, errors.New("the mail server cannot be reached"))
	}
	m.mails = append(m.mails, notice.(notify.IncidentNews))
	return notify.Receipt{}, nil
}

func (m *mailbox) take() (all []string) {
	for _, mail := range m.mails {
		all = append(all, mail.PersonName+": "+mail.Subject()+" / "+strings.Join(mail.Shown(), " / "))
	}
	m.mails = nil
	return all
}

func TestSubscribersAreMailedWhatHappens(t *testing.T) {
	t.Parallel()
	w, box := pagingtest.New(t), &mailbox{}
	teller := news.New(w.DB, news.Options{Mail: box, PublicURL: "https://nightbell.example.com"})
	w.Clock.Freeze(time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	one := []uuid.UUID{w.OnlyIncident(t)}
	say := func(person uuid.UUID, name, text string) {
		t.Helper()
		if err := w.Responder.Respond(t.Context(), w.Org, one, incident.Comment{By: pagingtest.By(person, name), Message: text}); err != nil {
			t.Fatal(err)
		}
	}
	tell := func(when string, want ...string) {
		t.Helper()
		if _, err := teller.Tell(t.Context()); err != nil && box.fail == 0 && len(want) > 0 {
			t.Errorf("%s: %v", when, err)
		}
		got := box.take()
		if len(got) != len(want) {
			t.Fatalf("%s: %q, want %q", when, got, want)
		}
		for i := range want {
			for part := range strings.SplitSeq(want[i], "|") {
				if !strings.Contains(got[i], part) {
					t.Errorf("%s: %q lacks %q", when, got[i], part)
				}
			}
		}
	}

	say(w.Ada, "Ada", "before anybody subscribed")
	if err := w.Responder.Subscribe(t.Context(), w.Org, one[0], w.Bob); err != nil {
		t.Fatal(err)
	}
	tell("nothing new")
	say(w.Ada, "Ada", "rolling back")
	tell("the first news at once", "Bob: [Nightbell] #|is triggered: |24 Nov 03:00 UTC  Ada: “rolling back”")
	tell("once only")
	say(w.Bob, "Bob", "my own words")
	w.Clock.Advance(time.Minute)
	tell("what Bob did himself is no news to him")
	say(w.Ada, "Ada", "one")
	say(w.Ada, "Ada", "two")
	tell("not twice a minute")
	w.Clock.Advance(time.Minute)
	box.fail = 1
	tell("a mail server that fails")
	w.Clock.Advance(4 * time.Minute)
	tell("not before five minutes are over")
	w.Clock.Advance(time.Minute)
	tell("gathered, and tried again", "“one”|“two”")
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = $1`, w.Bob)
	say(w.Ada, "Ada", "nobody hears it")
	w.Clock.Advance(time.Minute)
	tell("without an address")
	w.Exec(t, `UPDATE contact_method SET disabled_at = NULL WHERE user_id = $1`, w.Bob)
	w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(time.Minute)
	tell("its end", "is resolved: |Ada: Incident resolved")
	say(w.Ada, "Ada", "a late comment")
	w.Clock.Advance(time.Hour)
	tell("after its end")
}

// TestNewsIsTriedForADayAndWhatMayHaveArrivedIsNotSentAgain: it is no page.
func TestNewsIsTriedForADayAndWhatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		with        error
		least, most int
	}{
		"a full mailbox":   {errors.New("452 4.2.2 mailbox full"), 200, 289},
		"a lost answer":    {notify.UnknownOutcome(errors.New("the connection broke")), 1, 1},
		"no answer":        {context.DeadlineExceeded, 1, 1},
		"refused for good": {notify.Permanent(errors.New("550 no such user")), 1, 1},
	} {
		w, box := pagingtest.New(t), &mailbox{fail: 10_000, with: c.with}
		w.Clock.Freeze(pagingtest.Began)
		teller := news.New(w.DB, news.Options{Mail: box})
		w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
		if err := w.Responder.Subscribe(t.Context(), w.Org, w.OnlyIncident(t), w.Bob); err != nil {
			t.Fatal(err)
		}
		w.Respond(t, incident.Resolve{By: pagingtest.By(w.Ada, "Ada")})
		for range 2 * 288 { // two days
			_, _ = teller.Tell(t.Context())
			w.Clock.Advance(5 * time.Minute)
		}
		if box.tries < c.least || box.tries > c.most {
			t.Errorf("%s: %d tries, want %d to %d", name, box.tries, c.least, c.most)
		}
	}
}
