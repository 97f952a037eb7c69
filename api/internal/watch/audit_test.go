package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/delivery"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
	"github.com/nightbell/nightbell/api/internal/watch"
)

// audit finds, repairs and finds again.
func (w *workspace) audit(t *testing.T) (found, left watch.Overdue) {
	t.Helper()
	auditor := watch.NewAuditor(w.DB, slog.New(slog.DiscardHandler), nil, paging.Signals{
		Pages: func(...notify.Kind) { w.PagesHinted.Add(1) }, Changed: func(uuid.UUID) {},
	})
	found, err := auditor.Find(t.Context())
	if err == nil && found.Any() {
		err = auditor.Repair(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	left, err = auditor.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found, left
}

func TestAuditorDoesWhatWasForgotten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		forget  func(t *testing.T, w *workspace)
		found   watch.Overdue
		pages   int // of the incident, after the repair
		pending int // of them, ready to be sent at once
	}{
		{"nothing", func(*testing.T, *workspace) {}, watch.Overdue{}, 1, 1},
		{"a step that no sweeper carried out", func(_ *testing.T, w *workspace) {
			w.sent()
			w.Clock.Advance(5*time.Minute + 20*time.Second)
		}, watch.Overdue{Escalations: 1, Oldest: 20 * time.Second}, 2, 1},
		{"paging that never pagingtest.Began", func(t *testing.T, w *workspace) {
			w.Exec(t, `DELETE FROM notification`)
			w.Exec(t, `UPDATE incident SET paging_status = NULL, paging_due_at = NULL`)
			w.Clock.Advance(20 * time.Second)
		}, watch.Overdue{Unpaged: 1}, 1, 1},
		{"maintenance that ended without a word", func(t *testing.T, w *workspace) {
			w.sent()
			w.AddMaintenance(t, pagingtest.Began, pagingtest.Began.Add(time.Minute), "Work", w.Service)
			w.Exec(t, `UPDATE incident SET paging_due_at = paging_due_at + interval '1 day', paging_held_by = (SELECT id FROM maintenance_window)`)
			w.Clock.Advance(80 * time.Second)
		}, watch.Overdue{MaintenanceOver: 1}, 2, 1},
		{"a lease that never ends", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE notification SET state = 'sending', lease_token = gen_random_uuid(), lease_until = nightbell_now() + interval '1 hour'`)
		}, watch.Overdue{Leases: 1}, 1, 1},
		{"a clock that was set back", func(_ *testing.T, w *workspace) {
			w.Clock.Advance(-time.Hour)
		}, watch.Overdue{ClockSetBack: 2}, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(pagingtest.Began)
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			test.forget(t, w)

			found, left := w.audit(t)

			if found != test.found {
				t.Errorf("found %+v, want %+v", found, test.found)
			}
			if left.Any() {
				t.Errorf("%+v is left", left)
			}
			if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification`); got != test.pages {
				t.Errorf("%d pages, want %d", got, test.pages)
			}
			if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification WHERE state = 'pending' AND next_try_at <= nightbell_now()`); got != test.pending {
				t.Errorf("%d pages are ready, want %d", got, test.pending)
			}
			if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM incident
				WHERE paging_status = 'active' AND paging_due_at BETWEEN nightbell_now() AND nightbell_now() + interval '5 minutes'`); got != 1 {
				t.Error("the next step does not follow in five minutes")
			}
		})
	}
}

// TestAClockThatWasSetBackHurriesNoStep: only one that was hurried has a time of its own, which moves with the clock.
func TestAClockThatWasSetBackHurriesNoStep(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began), pagingtest.Firing("disk", "", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_own_due_at = paging_due_at + interval '1 hour' WHERE title = 'Latency of cpu'`)
	w.Clock.Advance(-time.Hour)
	w.audit(t)
	if got := w.Texts(t, `SELECT title || ' ' || (paging_own_due_at - paging_due_at)::text FROM incident WHERE paging_own_due_at IS NOT NULL`); !slices.Equal(got, []string{"Latency of cpu 01:00:00"}) {
		t.Errorf("of their own time have %q", got)
	}
}

// sent marks all pages as sent, as an outbox does.
func (w *workspace) sent() {
	_ = w.InSystem(context.Background(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE notification SET state = 'sent', finished_at = nightbell_now()`)
		return err
	})
}

// TestAPageThatIsRetriedHidesNoOther: both go to the same contact; one has its next try in
// the future, the other was never tried.
func TestAPageThatIsRetriedHidesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began), pagingtest.Firing("disk", "", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = paging_due_at + interval '1 hour'`)
	w.Exec(t, `UPDATE notification SET attempts = 1, next_try_at = next_try_at + interval '10 minutes' WHERE id = (SELECT id FROM notification LIMIT 1)`)
	w.Clock.Advance(2 * time.Minute)
	if found, _ := w.audit(t); found.Pages != 1 {
		t.Errorf("found %+v, want one late page", found)
	}
	w.Exec(t, `UPDATE notification SET next_try_at = nightbell_now() + interval '1 minute'`)
	if found, _ := w.audit(t); found.Any() {
		t.Errorf("found %+v while both wait for their contact", found)
	}
}

// TestAPageBehindAMailThatHangsIsLate, unless the server takes other mail: then its contact is slow.
func TestAPageBehindAMailThatHangsIsLate(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Exec(t, `UPDATE incident SET paging_due_at = paging_due_at + interval '1 hour'`)
	w.Clock.Advance(2 * time.Minute)
	is := func(outcome string, ago time.Duration) {
		w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, lease_until, finished_at)
			SELECT n.org_id, gen_random_uuid(), n.contact_method_id, n.channel, $1::text, 1, nightbell_now() - $2::interval, CASE WHEN $1 = 'sending' THEN nightbell_now() + interval '5 seconds' END,
				CASE WHEN $1 <> 'sending' THEN nightbell_now() - $2::interval END FROM notification n`, outcome, ago)
	}
	late := func(want int, why string) {
		t.Helper()
		if found, _ := w.audit(t); found.Pages != want {
			t.Errorf("%d pages are late, want %d: %s", found.Pages, want, why)
		}
	}
	is("accepted", time.Minute)
	late(1, "nothing is under way to its contact")
	is("sending", time.Minute)
	late(0, "other mail was taken")
	w.Exec(t, `UPDATE delivery SET finished_at = finished_at - interval '1 minute' WHERE outcome = 'accepted'`)
	late(1, "no other mail was taken for two minutes")
	is("accepted", 0)
	w.Exec(t, `UPDATE delivery SET lease_until = nightbell_now() WHERE outcome = 'sending'`)
	late(1, "its worker is gone")
}

func TestTheAuditorNoticesForgottenTimers(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 600`)
	w.Clock.Freeze(pagingtest.Began)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
	w.Clock.Advance(10*time.Minute + 20*time.Second)
	found, left := w.audit(t)
	if want := (watch.Overdue{Timers: 1, Oldest: 20 * time.Second}); found != want || left.Any() {
		t.Errorf("found %+v, left %+v", found, left)
	}
	if paged := w.Paged(t); !slices.Equal(paged, []string{"0.0 Ada", "0.0 Ada"}) {
		t.Errorf("paged %q", paged)
	}
}

// TestTheDeadManIsWithheldWhileNobodyLooksForHeartbeats: the loop stands still, or cannot store
// what is missing. A minute's lag is told.
func TestTheDeadManIsWithheldWhileNobodyLooksForHeartbeats(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.Exec(t, `INSERT INTO heartbeat_watch (looked_at) VALUES (nightbell_now())`)
	w.Clock.Advance(2 * time.Hour)
	if got := w.round(t); len(got) > 0 {
		t.Errorf("nothing is expected, and the problems are %v", got)
	}
	w.Exec(t, `INSERT INTO heartbeat (org_id, id, service_id, name, every_seconds, severity, status, deadline_at, created_at, updated_at)
		SELECT org_id, gen_random_uuid(), id, 'orders-worker', 60, 'high', 'ok', nightbell_now() + interval '1 hour', nightbell_now(), nightbell_now()
		FROM service WHERE id = $1`, w.Service)
	w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
	for _, step := range []struct {
		after  time.Duration
		looked bool
		told   []string
	}{
		{59 * time.Second, false, nil},
		{2 * time.Second, false, []string{"late"}}, // nobody has looked for a minute
		{0, true, nil},
		{59 * time.Minute, true, nil}, // its deadline is a second ago
		{58 * time.Second, true, nil},
		{2 * time.Second, true, []string{"late"}}, // somebody looks, and nobody was told for a minute
	} {
		w.Clock.Advance(step.after)
		if step.looked {
			w.Exec(t, `UPDATE heartbeat_watch SET looked_at = nightbell_now()`)
		}
		if got := w.round(t); !slices.Equal(got, step.told) {
			t.Errorf("after %v more, looked %v: the problems are %v, want %v", step.after, step.looked, got, step.told)
		}
	}
	if logged := w.logged.String(); !strings.Contains(logged, "heartbeat:1") {
		t.Errorf("logged: %s", logged)
	}
}

var audited = flag.Int("audited-incidents", 100_000, "how many incidents lie in the database whose audit is timed")

// mostBlocks is what the thousand open incidents may cost, however long the history is.
const mostBlocks = 10_000

// TestAuditIsCheap counts what the auditor's question reads beside a long history: the
// newest thousand incidents are open, and everything that was paged is kept.
func TestAuditIsCheap(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.generate(t, *audited)
	took, blocks, plan := w.explainAudit(t)
	if strings.Contains(plan, "SeqScan") {
		t.Fatalf("the audit reads a whole table: %s", plan)
	}
	t.Logf("%d incidents: %d blocks, %.1f ms", *audited, blocks, took)
	if blocks > mostBlocks {
		t.Errorf("the audit of %d incidents read %d blocks, want %d at most", *audited, blocks, mostBlocks)
	}
}

// TestAuditIsCheapBesideABacklog of one organization that has all the sends it may have under way: its pages
// are late by its own doing, however many they are.
func TestAuditIsCheapBesideABacklog(t *testing.T) {
	t.Parallel()
	const late = 20_000
	w := newWorkspace(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.generate(t, late)
	w.Exec(t, `UPDATE notification SET state = 'pending', finished_at = NULL, due_at = due_at - interval '1 hour', next_try_at = next_try_at - interval '1 hour'`)
	w.Exec(t, `INSERT INTO delivery (org_id, id, contact_method_id, channel, outcome, incident_count, started_at, lease_until)
		SELECT n.org_id, gen_random_uuid(), n.contact_method_id, n.channel, 'sending', 1, nightbell_now(), nightbell_now() + interval '1 minute'
		FROM (SELECT * FROM notification LIMIT 1) n, generate_series(1, 100)`)
	took, blocks, _ := w.explainAudit(t)
	t.Logf("%d late pages: %d blocks, %.1f ms", late, blocks, took)
	if most := late / 4; blocks > most { // the open pages are read once, not for each count
		t.Errorf("the audit beside %d late pages read %d blocks, want %d at most", late, blocks, most)
	}
	if found, _ := w.audit(t); found.Pages != 0 {
		t.Errorf("%d pages are called late, which wait for their own organization", found.Pages)
	}
}

// generate adds incidents with their states and pages, and a contact that works for each.
func (w *workspace) generate(t *testing.T, incidents int) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO incident (org_id, id, number, service_id, incident_key, escalation_policy_id, title, description, status, severity, urgency,
		     source, alert_count, triggered_at, acknowledged_at, resolved_at, updated_at,
		     paging_policy_id, paging_cycle, paging_status, paging_due_at, paging_reason, paging_updated_at)
		 SELECT i.org_id, gen_random_uuid(), 1000 + n, i.service_id, 'generated:' || n, i.escalation_policy_id, 'Generated ' || n, '',
		     CASE WHEN n > $1 - 1000 THEN 'triggered' ELSE 'resolved' END, i.severity, i.urgency, i.source, 1, nightbell_now() - interval '1 hour',
		     NULL, CASE WHEN n > $1 - 1000 THEN NULL ELSE nightbell_now() END, nightbell_now(),
		     i.escalation_policy_id, 1, CASE WHEN n > $1 - 1000 THEN 'active' ELSE 'stopped' END,
		     CASE WHEN n > $1 - 1000 THEN nightbell_now() + interval '1 hour' END, 'generated', nightbell_now()
		 FROM (SELECT * FROM incident LIMIT 1) i, generate_series(1, $1::integer) n`,
		`INSERT INTO notification (org_id, id, effect_key, incident_id, user_id, contact_method_id, channel, cycle, round, step, reason,
		     severity_rank, state, due_at, next_try_at, finished_at, created_at)
		 SELECT i.org_id, gen_random_uuid(), i.id::text, i.id, n.user_id, n.contact_method_id, n.channel, 1, 0, 0, '', 0, 'sent',
		     nightbell_now(), nightbell_now(), nightbell_now(), nightbell_now()
		 FROM incident i, (SELECT * FROM notification LIMIT 1) n WHERE i.incident_key LIKE 'generated:%' AND $1::integer > 0`,
		`INSERT INTO incident_timer (org_id, incident_id, kind, due_at)
		 SELECT org_id, id, CASE WHEN number % 2 = 0 THEN 'auto_resolve' ELSE 'ack_timeout' END, nightbell_now() + interval '1 hour' FROM incident WHERE number > $1 - 2000`,
		`INSERT INTO contact_method (org_id, id, kind, name, address, created_at)
		 SELECT org_id, gen_random_uuid(), 'email', 'Generated ' || n, n || '@example.com', nightbell_now() FROM (SELECT * FROM incident LIMIT 1) i, generate_series(1, $1::integer) n`,
	} {
		if err := w.InSystem(t.Context(), postgres.Background, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = '10min'"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, sql, incidents)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	owner := w.Owner(t)
	for _, table := range []string{"incident", "notification", "contact_method", "incident_timer"} {
		if _, err := owner.Exec(t.Context(), "ANALYZE "+table); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *workspace) explainAudit(t *testing.T) (milliseconds float64, blocks int, plan string) {
	t.Helper()
	err := w.InSystem(t.Context(), postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		sql, arguments := watch.OverdueQuery(now)
		return tx.QueryRow(ctx, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, arguments...).Scan(&plan)
	})
	if err != nil {
		t.Fatal(err)
	}
	var explained []map[string]any
	if err := json.Unmarshal([]byte(plan), &explained); err != nil {
		t.Fatal(err)
	}
	took := explained[0]["Planning Time"].(float64) + explained[0]["Execution Time"].(float64)
	top := explained[0]["Plan"].(map[string]any)
	blocks = int(top["Shared Hit Blocks"].(float64) + top["Shared Read Blocks"].(float64))
	return took, blocks, strings.NewReplacer(" ", "", "\n", "").Replace(plan)
}

// TestAPageThatIsClaimedAgainAndAgainIsLate: its workers end without a word, or the database is too slow for a
// last look. It is leased nearly all the time, as a page is that leaves in a moment.
func TestAPageThatIsClaimedAgainAndAgainIsLate(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	uptime := time.Duration(0)
	var told []string
	for range 8 { // each last look takes nine seconds
		claims := delivery.New(w.DB, notify.Email, w, delivery.Options{
			Logger: slog.New(slog.DiscardHandler), AckKey: []byte(strings.Repeat("k", 32)), Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
			Uptime: func() time.Duration { uptime += 9 * time.Second; return uptime },
		})
		if _, err := claims.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := claims.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		told = append(told, strings.Join(w.round(t), " "))
		w.Clock.Advance(notifydb.Lease + time.Second)
	}
	if got := strings.Join(told, ","); got != ",,,,,,late,late" {
		t.Errorf("each lease: %q, want it told after a minute", got)
	}
	if w.oldest < time.Minute {
		t.Errorf("the oldest is overdue by %s", w.oldest)
	}
	w.deliver(t)
	if got := w.round(t); len(got) > 0 {
		t.Errorf("after it was sent: %v", got)
	}
}

// TestAMessageThatEndsTheProcessIsTold: each boot gives back what the one before had claimed, so that the page is never
// late by its next try. The auditor looks before it is claimed again, and after it.
func TestAMessageThatEndsTheProcessIsTold(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	auditor := watch.NewAuditor(w.DB, slog.New(slog.DiscardHandler), nil, paging.Signals{})
	uptime := time.Duration(0)
	var late []int
	look := func() {
		found, err := auditor.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, found.Pages)
	}
	for range 5 {
		if _, err := delivery.ReleaseLeases(t.Context(), w.DB); err != nil {
			t.Fatal(err)
		}
		look()
		crashes := delivery.New(w.DB, notify.Email, w, delivery.Options{
			Logger: slog.New(slog.DiscardHandler), AckKey: []byte(strings.Repeat("k", 32)), Changed: func(uuid.UUID) {}, Freed: func() {}, Lateness: func(string, time.Duration) {},
			Uptime: func() time.Duration { uptime += 9 * time.Second; return uptime },
		})
		if _, err := crashes.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := crashes.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		look()
		w.Clock.Advance(21 * time.Second)
	}
	if want := []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}; !slices.Equal(late, want) {
		t.Errorf("late at each look: %v, want it told after a minute: %v", late, want)
	}
	if _, err := delivery.ReleaseLeases(t.Context(), w.DB); err != nil {
		t.Fatal(err)
	}
	w.failure = errors.New("450 4.2.0 try later")
	w.deliver(t)
	if look(); late[10] != 0 {
		t.Error("it is late once its worker has recorded something")
	}
}

// TestAPageThatIsRetriedIsNotClaimedInVain: its contact defers each mail, and it is under way at the moment.
func TestAPageThatIsRetriedIsNotClaimedInVain(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	w.failure = errors.New("450 4.2.0 try later")
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	for range 4 {
		w.deliver(t)
		w.Clock.Advance(time.Minute)
	}
	w.Exec(t, `UPDATE notification SET state = 'sending', lease_token = gen_random_uuid(), lease_until = nightbell_now() + interval '9 seconds'`)
	w.Exec(t, `UPDATE incident SET paging_due_at = nightbell_now() + interval '5 minutes'`)
	auditor := watch.NewAuditor(w.DB, slog.New(slog.DiscardHandler), nil, paging.Signals{})
	if found, err := auditor.Find(t.Context()); err != nil || found.Any() {
		t.Errorf("found %+v, %v", found, err)
	}
}
