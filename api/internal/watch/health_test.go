package watch_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// watched is a workspace whose pages go to a provider that fails as it is told.
type watched struct {
	*workspace
	watch    *watch.Watch
	outbox   *delivery.Outbox
	failure  error
	refuses  string // the person whose mail alone fails; empty for everybody
	pings    atomic.Int32
	refused  int64
	oldest   time.Duration
	problems map[string]bool
	logged   bytes.Buffer // of the watch, which writes only within a round
}

func (w *watched) Send(_ context.Context, message notify.Message) (notify.Receipt, error) {
	if w.refuses != "" && message.PersonName != w.refuses {
		return notify.Receipt{}, nil
	}
	return notify.Receipt{}, w.failure
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{workspace: newWorkspace(t), problems: map[string]bool{}}
	w.Clock.Freeze(pagingtest.Began)
	quiet := slog.New(slog.DiscardHandler)
	deadman := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { w.pings.Add(1) }))
	t.Cleanup(deadman.Close)
	w.outbox = delivery.New(w.DB, notify.Email, w, delivery.Options{
		Logger: quiet, AckKey: []byte(strings.Repeat("k", 32)), Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
	})
	signals := paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}}
	w.watch = watch.New(w.DB, watch.NewAuditor(w.DB, quiet, map[notify.Kind]*delivery.Outbox{notify.Email: w.outbox}, signals), watch.Options{
		Logger: slog.New(slog.NewTextHandler(&w.logged, nil)), DeadmanURL: deadman.URL, OldestOverdue: func(oldest time.Duration) { w.oldest = oldest }, Repaired: func(string, int) {},
		Problem: func(kind string, exists bool) { w.problems[kind] = exists }, Refused: func() int64 { return w.refused },
	})
	return w
}

// round looks once, and tells which problems it found; none when it called the dead-man URL.
func (w *watched) round(t *testing.T) []string {
	t.Helper()
	w.watch.Round(t.Context())
	var kinds []string
	for _, problem := range w.watch.Problems() {
		kinds = append(kinds, problem.Kind)
		if problem.Message == "" || !w.problems[problem.Kind] {
			t.Errorf("the problem is told as %+v, and as %v in the metrics", problem, w.problems)
		}
	}
	if told := slices.Collect(maps.Keys(w.problems)); len(told) != len(watch.ProblemKinds) {
		t.Errorf("the metrics hear of %v", told)
	}
	if pings := w.pings.Swap(0); (pings == 1) != (len(kinds) == 0) {
		t.Errorf("%d calls of the dead-man URL with the problems %v", pings, kinds)
	}
	return kinds
}

func (w *watched) deliver(t *testing.T) {
	t.Helper()
	if _, err := w.outbox.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	for pgtest.One[bool](t, w.Database, `SELECT EXISTS (SELECT FROM delivery WHERE outcome = 'sending')`) {
		time.Sleep(5 * time.Millisecond)
	}
}

// TestAMailServerThatRefusesWithholdsTheDeadMan: its pages are being retried, and have their
// next try in the future at every round.
func TestAMailServerThatRefusesWithholdsTheDeadMan(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.failure = notify.Installation(errors.New("the mail server cannot be reached"))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	var seen [][]string
	for range 5 {
		w.deliver(t)
		seen = append(seen, w.round(t))
		w.Clock.Advance(31 * time.Second)
	}
	if len(seen[0])+len(seen[1]) > 0 || !slices.Equal(seen[2], []string{"blocked"}) || !slices.Equal(seen[4], []string{"blocked"}) {
		t.Errorf("every half minute the problems were %v: want it told after a minute", seen)
	}
	if got, want := w.watch.Problems()[0].Message, "Pages by e-mail are delayed or lost: the mail server of this installation does not take mail at the moment."; got != want {
		t.Errorf("told %q", got)
	}
	if logged := w.logged.String(); !strings.Contains(logged, "channel=email pages=1 since=") || !strings.Contains(logged, "the mail server cannot be reached") {
		t.Errorf("the log says %s", logged)
	}
	w.failure = nil
	w.Clock.Advance(2 * time.Minute)
	w.deliver(t)
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '5 minutes'`)
	if got := w.round(t); len(got) > 0 {
		t.Errorf("after the page was delivered: %v", got)
	}
}

// TestAnAddressThatIsDeferredIsNoProblemOfTheInstallation once the mail server has taken mail of another.
func TestAnAddressThatIsDeferredIsNoProblemOfTheInstallation(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.failure, w.refuses = notify.Installation(errors.New("451 try later")), "Ada"
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	for range 3 {
		w.deliver(t)
		w.Clock.Advance(31 * time.Second)
	}
	if got := w.round(t); !slices.Equal(got, []string{"blocked"}) {
		t.Errorf("while nothing else is known: %v", got)
	}
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now()`)
	w.Sweep(t)
	for range 4 {
		w.deliver(t)
		w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '5 minutes'`)
		if got := w.round(t); len(got) > 0 {
			t.Errorf("after Bob's mail was taken: %v", got)
		}
		w.Clock.Advance(31 * time.Second)
	}
	if got := w.Pages(t); !slices.Equal(got, []string{"Ada pending", "Bob sent"}) {
		t.Errorf("the pages are %v", got)
	}
}

// takes stores that the mail server took the mail of another contact.
func (w *watched) takes(t *testing.T) {
	t.Helper()
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, finished_at)
		SELECT org_id, gen_random_uuid(), id, 'email', 'accepted', 1, nightbell_now(), nightbell_now() FROM contact_method WHERE user_id = $1`, w.Bob)
}

// TestEachRecipientIsRefusedOnAQuietNight: no other mail tells whose fault it is, and an outage that nobody hears
// of is worse than a false alarm. One that is answered tells nothing.
func TestEachRecipientIsRefusedOnAQuietNight(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"deferred":    errors.New("450 4.2.0 try later"),
		"turned away": notify.TurnedAway(errors.New("554 5.7.1 Relay access denied")),
		"no mailbox":  notify.Permanent(errors.New("550 5.1.1 no such user")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatched(t)
			w.failure = failure
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			var told []string
			for range 7 {
				w.deliver(t)
				w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
				told = append(told, strings.Join(w.round(t), " "))
				w.Clock.Advance(20 * time.Second)
				if len(told) == 5 {
					w.takes(t)
				}
			}
			if got := strings.Join(told, ","); got != ",,,blocked,blocked,," {
				t.Errorf("every 20 s: %q, want it told after a minute until another mail is taken", got)
			}
			w.Clock.Advance(2 * time.Minute)
			if got := w.round(t); (len(got) > 0) == errors.Is(failure, notify.ErrPermanent) {
				t.Errorf("when that was long ago: %v", got)
			}
			w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Bob, "Bob")})
			if got := w.round(t); len(got) > 0 {
				t.Errorf("after somebody answered: %v", got)
			}
		})
	}
}

// TestADeadContactIsNoProblemOfTheInstallation, however long it lasts, while other mail is taken.
func TestADeadContactIsNoProblemOfTheInstallation(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.failure = errors.New("no answer in time")
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began), pagingtest.Firing("disk", "", pagingtest.Began))
	for n := range 20 {
		if w.deliver(t); n%3 == 1 {
			w.takes(t)
		}
		w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '5 minutes'`)
		if got := w.round(t); len(got) > 0 {
			t.Fatalf("in round %d: %v", n, got)
		}
		w.Clock.Advance(31 * time.Second)
	}
	if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM contact_method WHERE failures >= 3 AND failing_since IS NOT NULL`); got != 1 {
		t.Error("the contact is not flagged")
	}
}

// TestALostPageWithholdsTheDeadMan on a quiet night: the server takes the mail twice and never says so, and
// nothing else is due. A replica that sent nothing itself, or was started since, tells of it too.
func TestALostPageWithholdsTheDeadMan(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.failure = notify.Installation(notify.UnknownOutcome(errors.New("the answer was lost")))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
	w.deliver(t)
	w.Clock.Advance(notify.UnknownWait + time.Second)
	w.deliver(t)
	if got := w.Pages(t); !slices.Equal(got, []string{"Ada failed"}) {
		t.Fatalf("the pages are %v", got)
	}
	if got := w.round(t); len(got) > 0 {
		t.Errorf("at once: %v", got)
	}
	w.Clock.Advance(time.Minute)
	other := watch.NewAuditor(w.DB, slog.New(slog.DiscardHandler), map[notify.Kind]*delivery.Outbox{}, paging.Signals{})
	if blocked, err := other.Blocked(t.Context()); err != nil || len(blocked) != 1 {
		t.Errorf("another replica finds %v, %v", blocked, err)
	}
	if got := w.round(t); !slices.Equal(got, []string{"blocked"}) {
		t.Errorf("after a minute: %v", got)
	}
	w.failure = nil
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
	w.deliver(t)
	if got := w.round(t); len(got) > 0 {
		t.Errorf("after another mail was taken: %v", got)
	}
}

// TestAMailThatIsRefusedWithholdsTheDeadManInAMinute, and until the server takes it: it is kept. What
// was taken "later", before the clock was set back, is no sign that the server takes mail.
func TestAMailThatIsRefusedWithholdsTheDeadManInAMinute(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	w.deliver(t)
	w.Exec(t, `UPDATE delivery SET finished_at = finished_at + interval '1 hour'`)
	w.failure = notify.Installation(notify.Refused(errors.New("550 5.4.5 daily limit")))
	w.Clock.Advance(time.Minute)
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`)
	for range 64 {
		w.deliver(t)
		w.Clock.Advance(time.Second)
	}
	for _, after := range []time.Duration{0, 30 * time.Minute} {
		w.Clock.Advance(after)
		w.deliver(t)
		if got := w.Pages(t); !slices.Equal(got, []string{"Ada sent", "Ada pending"}) {
			t.Fatalf("the pages are %v", got)
		}
		w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '1 day'`) // which the refusals brought on
		if got := w.round(t); !slices.Equal(got, []string{"blocked"}) {
			t.Errorf("after a minute and %s: %v", after, got)
		}
	}
	w.failure = nil
	w.Clock.Advance(2 * time.Minute)
	w.deliver(t)
	if got := w.round(t); len(got) > 0 {
		t.Errorf("after it was taken: %v", got)
	}
}

func TestAFullDiskWithholdsTheDeadMan(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	pgtest.FillDisk(t, w.Database)
	if got := w.round(t); !slices.Equal(got, []string{"disk"}) {
		t.Errorf("the problems are %v", got)
	}
}

func TestRefusedAlertsWithholdTheDeadMan(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	for n, want := range []struct {
		refused int64
		problem []string
	}{{0, nil}, {3, nil}, {3, nil}, {4, nil}, {9, []string{"intake"}}, {10, []string{"intake"}}, {10, nil}} {
		w.refused = want.refused
		if got := w.round(t); !slices.Equal(got, want.problem) {
			t.Errorf("round %d: %v, want %v", n, got, want.problem)
		}
	}
}
