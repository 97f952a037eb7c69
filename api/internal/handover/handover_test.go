package handover_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/handover"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// mailbox keeps the notices it is given and answers as it is told.
type mailbox struct {
	mu     sync.Mutex
	told   []notify.Handover
	answer func(context.Context) error
}

func (m *mailbox) SendNotice(ctx context.Context, notice notify.Notice) (notify.Receipt, error) {
	m.mu.Lock()
	m.told = append(m.told, notice.(notify.Handover))
	answer := m.answer
	m.mu.Unlock()
	if answer != nil {
		if err := answer(ctx); err != nil {
			return notify.Receipt{}, err
		}
	}
	return notify.Receipt{Detail: "250 taken"}, nil
}

// subjects are of the notices since the last call, sorted.
func (m *mailbox) subjects() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, told := range m.told {
		list = append(list, told.PersonName+": "+told.Subject())
	}
	m.told = nil
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// rota is a workspace with a schedule on which Ada and Bob take turns, day by day from
// 08:00 in Berlin, and which the policy pages.
type rota struct {
	*pagingtest.Workspace
	mail      *mailbox
	handovers *handover.Notifier
	schedule  uuid.UUID
}

// tuesday is 08:00 in Berlin, in the middle of Ada's first turn's beginning.
var tuesday = time.Date(2026, 3, 24, 7, 0, 0, 0, time.UTC)

func newRota(t *testing.T) *rota {
	t.Helper()
	r := &rota{Workspace: pagingtest.New(t), mail: &mailbox{}}
	r.Clock.Freeze(tuesday.Add(time.Hour))
	r.schedule = r.addDays(t, "24/7 Support")
	r.Exec(t, `UPDATE users SET timezone = 'Europe/Berlin'`)
	r.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, schedule_id) VALUES ($1, $2, 1, 1, 'schedule', $3)`, r.Org, r.Policy, r.schedule)
	r.handovers = handover.New(r.DB, handover.Options{Logger: slog.New(slog.DiscardHandler), Mail: r.mail, PublicURL: "https://nightbell.example"})
	return r
}

func (r *rota) addDays(t *testing.T, name string) uuid.UUID {
	t.Helper()
	schedule, rotation := id.New(), id.New()
	r.Exec(t, `INSERT INTO schedule (org_id, id, name, timezone, created_at) VALUES ($1, $2, $3, 'Europe/Berlin', nightbell_now())`, r.Org, schedule, name)
	r.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, starts_at)
		VALUES ($1, $2, $3, 0, 'Days', 'day', 1, 2, 480, $4)`, r.Org, rotation, schedule, tuesday)
	for turn, person := range []uuid.UUID{r.Ada, r.Bob} {
		r.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ($1, $2, $3, 0, $4)`, r.Org, rotation, turn, person)
	}
	return schedule
}

func (r *rota) takeOver(t *testing.T, person uuid.UUID, from, to time.Duration) {
	t.Helper()
	r.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ($1, $2, $3, 'take_over', $4, nightbell_now() + $5, nightbell_now() + $6, nightbell_now())`, r.Org, id.New(), r.schedule, person, from, to)
	r.Exec(t, `UPDATE schedule SET updated_at = nightbell_now() WHERE id = $1`, r.schedule)
}

// round is what the loop does, until nothing is left.
func (r *rota) round(t *testing.T) string {
	t.Helper()
	for _, work := range []func(context.Context) (bool, error){r.handovers.Announce, r.handovers.Send} {
		for again := true; again; {
			var err error
			if again, err = work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r.mail.subjects()
}

func (r *rota) notices(t *testing.T) string {
	t.Helper()
	return strings.Join(r.Texts(t, `SELECT u.name || ' ' || n.kind || ' ' || n.state || ': ' || n.detail
		FROM handover_notice n JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 ORDER BY n.created_at, n.kind DESC`, r.Org), "\n")
}

const bobIsOn = "Ada: [Nightbell] Bob is on call for 24/7 Support now\n" +
	"Bob: [Nightbell] You are on call for 24/7 Support until Thu 26 Mar 08:00"

func TestAHandoverIsToldOnce(t *testing.T) {
	r := newRota(t)
	if got := r.round(t); got != "" {
		t.Fatalf("the first look tells\n%s", got)
	}
	r.Clock.Freeze(tuesday.Add(24*time.Hour - time.Second))
	if got := r.round(t); got != "" {
		t.Fatalf("early:\n%s", got)
	}
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if got := r.round(t); got != bobIsOn {
		t.Errorf("told\n%s", got)
	}
	if want := "Bob on sent: 250 taken\nAda off sent: 250 taken"; r.notices(t) != want {
		t.Errorf("stored\n%s", r.notices(t))
	}
	for range 3 {
		r.Clock.Advance(10 * time.Second)
		if got := r.round(t); got != "" {
			t.Errorf("once more:\n%s", got)
		}
	}
}

func TestReplicasTellOnce(t *testing.T) {
	r := newRota(t)
	for n := range 30 {
		r.addDays(t, fmt.Sprint("Schedule ", n))
	}
	r.round(t)
	r.Clock.Freeze(tuesday.Add(25 * time.Hour))
	var replicas sync.WaitGroup
	for range 2 {
		replicas.Go(func() {
			for _, work := range []func(context.Context) (bool, error){r.handovers.Announce, r.handovers.Send} {
				if _, err := work(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	replicas.Wait()
	r.round(t)
	if got := pgtest.One[string](t, r.Database, `SELECT count(*) || ' ' || sum(tries) FROM handover_notice WHERE state = 'sent'`); got != "62 62" {
		t.Errorf("notices and tries: %s, want 62 of each", got)
	}
}

func TestTheOpenIncidentsAreListed(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Accept(t, pagingtest.Firing("a", "Checkout", pagingtest.Began), pagingtest.Firing("b", "Login", pagingtest.Began), pagingtest.Firing("c", "Search", pagingtest.Began))
	low := pagingtest.Firing("d", "Reports", pagingtest.Began)
	low.Severity = "low"
	r.Accept(t, low)
	r.Exec(t, `UPDATE incident SET status = 'resolved', resolved_at = nightbell_now() WHERE title = 'Search'`)
	r.Exec(t, `UPDATE incident SET status = 'acknowledged', acknowledged_at = nightbell_now(), acknowledged_by = $1 WHERE title = 'Login'`, r.Ada)
	elsewhere := id.New()
	r.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, triggered_at, updated_at)
		VALUES ($1, $2, 99, 'Of no policy', 'triggered', 'critical', 'high', 'test', nightbell_now(), nightbell_now())`, r.Org, elsewhere)
	r.Exec(t, `UPDATE org SET default_policy_id = NULL`)
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if _, err := r.handovers.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.handovers.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, told := range r.mail.told {
		if !told.On {
			if len(told.Incidents) != 0 || told.Open != 0 {
				t.Errorf("who goes off is told %+v", told.Incidents)
			}
			continue
		}
		var lines []string
		for _, i := range told.Incidents {
			lines = append(lines, fmt.Sprintf("%s %s %s %s", i.Title, i.Severity, i.State(), strings.TrimSuffix(i.URL, i.ID.String())))
		}
		slices.Sort(lines[:2])
		want := []string{
			"Checkout critical triggered https://nightbell.example/incidents/",
			"Login critical acknowledged by Ada https://nightbell.example/incidents/",
			"Reports low triggered https://nightbell.example/incidents/",
		}
		if told.Open != 3 || !slices.Equal(lines, want) || told.Before() != "Ada" || told.URL != "https://nightbell.example/oncall" {
			t.Errorf("told of %d: %q\n%+v", told.Open, lines, told)
		}
	}
}

func TestThreeDaysOfDowntime(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Clock.Freeze(tuesday.Add(73 * time.Hour)) // Friday 09:00: Ada, Bob, Ada, Bob
	want := "Bob: [Nightbell] You are on call for 24/7 Support until Sat 28 Mar 08:00\n"
	if got := r.round(t) + "\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") > 2 || strings.Count(got, "Bob: ") != 1 {
		t.Errorf("told\n%s", got)
	}
}

func TestWhatPeopleChangeIsTold(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Clock.Advance(time.Minute)
	r.takeOver(t, r.Bob, -time.Minute, time.Hour) // the site's clock is behind
	want := "Ada: [Nightbell] Bob is on call for 24/7 Support now\nBob: [Nightbell] You are on call for 24/7 Support until Tue 24 Mar 10:01"
	if got := r.round(t); got != want {
		t.Errorf("an override that began is told as\n%s", got)
	}
	r.Exec(t, `DELETE FROM schedule_override`) // as when a person is removed: the schedule is not touched
	r.Clock.Advance(5 * time.Minute)
	want = "Ada: [Nightbell] You are on call for 24/7 Support until Wed 25 Mar 08:00\nBob: [Nightbell] Ada is on call for 24/7 Support now"
	if got := r.round(t); got != want {
		t.Errorf("the override taken back is told as\n%s", got)
	}
	r.Clock.Advance(time.Second)
	r.Exec(t, `UPDATE schedule SET status = 'inactive', updated_at = nightbell_now()`)
	r.Clock.Advance(time.Second)
	if got := r.round(t); got != "Ada: [Nightbell] Nobody is on call for 24/7 Support now" {
		t.Errorf("switched off, it is told as\n%s", got)
	}
	r.Exec(t, `DELETE FROM membership WHERE user_id = $1`, r.Ada)
	r.Exec(t, `UPDATE schedule SET status = 'active', updated_at = nightbell_now()`)
	r.Clock.Advance(5 * time.Minute)
	if got := r.round(t); got != "" {
		t.Errorf("a vacant turn is told as\n%s", got)
	}
}

func TestOnlyTheLatestOfTwoIsTold(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.takeOver(t, r.Bob, time.Second, time.Hour)
	r.mail.answer = func(context.Context) error { return errors.New("the mail server cannot be reached") }
	r.Clock.Advance(2 * time.Second)
	r.round(t)
	r.mail.answer = nil
	r.Clock.Advance(time.Hour)
	want := "Ada: [Nightbell] You are on call for 24/7 Support until Wed 25 Mar 08:00\nBob: [Nightbell] Ada is on call for 24/7 Support now"
	if got := r.round(t); got != want {
		t.Errorf("told\n%s", got)
	}
	if got := r.notices(t); strings.Count(got, "cancelled: a later hand-over is told instead") != 2 {
		t.Errorf("stored\n%s", got)
	}
}

func TestNoticesAreTriedAgainOrEnd(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.mail.answer = func(context.Context) error { return errors.New("421 later") }
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if got := r.round(t); got != bobIsOn {
		t.Fatalf("told\n%s", got)
	}
	if got := r.round(t); got != "" {
		t.Fatalf("tried again at once:\n%s", got)
	}
	r.Clock.Advance(3 * time.Second)
	if got := r.round(t); got != bobIsOn {
		t.Fatalf("tried again with\n%s", got)
	}
	r.mail.answer = func(context.Context) error { return notify.Permanent(errors.New("550 no such mailbox")) }
	r.Clock.Advance(7 * time.Second)
	r.round(t)
	if want := "Bob on failed: 550 no such mailbox (tries: 3)\nAda off failed: 550 no such mailbox (tries: 3)"; r.notices(t) != want {
		t.Errorf("stored\n%s", r.notices(t))
	}
}

// TestANoticeThatMayHaveArrivedIsNotRepeated: a server that takes long for its answer got a copy at each try.
func TestANoticeThatMayHaveArrivedIsNotRepeated(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.mail.answer = func(context.Context) error {
		return notify.Installation(notify.UnknownOutcome(errors.New("the answer was lost")))
	}
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	r.round(t)
	r.Clock.Advance(time.Hour)
	if got := r.round(t); got != "" {
		t.Errorf("told again:\n%s", got)
	}
	if want := "Bob on sent: the answer was lost\nAda off sent: the answer was lost"; r.notices(t) != want {
		t.Errorf("stored\n%s", r.notices(t))
	}
}

func TestAWorkerThatDiedIsFollowed(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	ctx, kill := context.WithCancel(t.Context())
	r.mail.answer = func(context.Context) error { kill(); return errors.New("cut off") }
	if _, err := r.handovers.Announce(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := r.handovers.Send(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.mail.answer = nil
	r.mail.subjects()
	if got := r.round(t); got != "" {
		t.Errorf("within the lease:\n%s", got)
	}
	r.Clock.Advance(time.Minute)
	if got := r.round(t); got != bobIsOn {
		t.Errorf("after the lease:\n%s", got)
	}
}

// A stop in the middle of a send records what the mail server answered.
func TestWhatWasTakenWhileStoppingIsRecorded(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if _, err := r.handovers.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var under sync.WaitGroup
	under.Add(2)
	r.mail.answer = func(context.Context) error { under.Done(); under.Wait(); stop(); return nil }
	if _, err := r.handovers.Send(ctx); err != nil {
		t.Fatal(err)
	}
	if want := "Bob on sent: 250 taken\nAda off sent: 250 taken"; r.notices(t) != want {
		t.Errorf("stored\n%s", r.notices(t))
	}
}

func TestWhoCannotBeToldIsLeftOut(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Exec(t, `DELETE FROM contact_method WHERE user_id = $1`, r.Ada)
	second := id.New()
	r.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at) VALUES ($1, $2, $3, 'email', 'Home', 'bob@home.example', nightbell_now())`, r.Org, second, r.Bob)
	r.Exec(t, `INSERT INTO contact_method (org_id, id, user_id, kind, name, address, created_at) VALUES ($1, $2, $3, 'webhook', 'Hook', 'https://x.example', nightbell_now())`, r.Org, id.New(), r.Bob)
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if _, err := r.handovers.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE id = $1`, second)
	if got := r.round(t); got != "Bob: [Nightbell] You are on call for 24/7 Support until Thu 26 Mar 08:00" {
		t.Errorf("told\n%s", got)
	}
	if got := r.notices(t); strings.Count(got, "failed: the contact method is not used any more") != 1 {
		t.Errorf("stored\n%s", got)
	}
}

func TestWhatIsOverIsNotTold(t *testing.T) {
	r := newRota(t)
	r.round(t)
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	if _, err := r.handovers.Announce(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Clock.Freeze(tuesday.Add(48 * time.Hour))
	if _, err := r.handovers.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.mail.subjects(); strings.Contains(got, "Bob: ") {
		t.Errorf("told\n%s", got)
	}
	if got := r.notices(t); !strings.Contains(got, "Bob on cancelled: it was over before it could be told") {
		t.Errorf("stored\n%s", got)
	}
}

// With ten thousand schedules only those are worked out whose time has come.
func TestManySchedulesAreLookedAtWhenTheyAreDue(t *testing.T) {
	r := newRota(t)
	const many = 10_000
	r.Exec(t, `INSERT INTO schedule (org_id, id, name, timezone, created_at)
		SELECT $1, gen_random_uuid(), 'Schedule ' || n, 'Europe/Berlin', nightbell_now() FROM generate_series(2, $2) n`, r.Org, many)
	r.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, starts_at)
		SELECT $1, gen_random_uuid(), s.id, 0, 'Days', 'day', 1, 2, 480, $2 FROM schedule s WHERE s.id <> $3`, r.Org, tuesday, r.schedule)
	r.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id)
		SELECT $1, x.id, turn, 0, CASE turn WHEN 0 THEN $2::uuid ELSE $3::uuid END
		FROM rotation x, generate_series(0, 1) turn WHERE x.schedule_id <> $4`, r.Org, r.Ada, r.Bob, r.schedule)
	began := time.Now()
	r.round(t)
	first := time.Since(began)
	r.Exec(t, `UPDATE schedule SET look_at = look_at + random() * interval '5 minutes'`)
	looked := func() int {
		return pgtest.One[int](t, r.Database, `SELECT count(*) FROM schedule WHERE announced_through = nightbell_now()`)
	}
	r.Clock.Advance(10 * time.Second)
	began = time.Now()
	r.round(t)
	if none := time.Since(began); looked() != 0 {
		t.Errorf("%d were looked at though none is due", looked())
	} else {
		t.Logf("%d first looks took %s, a round without any %s", many, first, none)
	}
	r.Clock.Advance(5*time.Minute - 1*time.Second)
	began = time.Now()
	r.round(t)
	if got := looked(); got < many/60 || got > many/15 {
		t.Errorf("%d were looked at in the first ten seconds after five minutes, want about %d", got, many/30)
	} else {
		t.Logf("%d looks took %s", got, time.Since(began))
	}
	r.Clock.Freeze(tuesday.Add(24 * time.Hour))
	began = time.Now()
	for again := true; again; {
		var err error
		if again, err = r.handovers.Announce(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := pgtest.One[int](t, r.Database, `SELECT count(*) FROM handover_notice`); got != 2*many {
		t.Errorf("%d notices were written when all hand over at once, want %d", got, 2*many)
	} else {
		t.Logf("%d hand-overs at once were announced in %s", many, time.Since(began))
	}
}
