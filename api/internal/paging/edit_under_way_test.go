package paging_test

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation/escalationdb"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// underWay begins a transaction of the organization that does something and has not ended.
func (w *workspace) underWay(t *testing.T, do func(context.Context, pgx.Tx) error) (commit func()) {
	t.Helper()
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- w.InTenant(context.WithoutCancel(t.Context()), w.Org, func(ctx context.Context, tx pgx.Tx) error {
			err := do(ctx, tx)
			close(begun)
			<-end
			return err
		})
	}()
	<-begun
	ended := sync.OnceFunc(func() { close(end) })
	t.Cleanup(ended)
	return func() {
		t.Helper()
		ended()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

func (w *workspace) endsMaintenance(window uuid.UUID) func(context.Context, pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err == nil {
			_, err = escalationdb.EndMaintenance(ctx, tx, w.Org, window, now)
		}
		return err
	}
}

// TestMaintenanceThatIsBeingEndedDelaysNoOtherOrganization: whoever ends it has lost the connection
// in the middle, and one sweep pages for all organizations.
func TestMaintenanceThatIsBeingEndedDelaysNoOtherOrganization(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	window := w.AddMaintenance(t, friday, friday.Add(time.Hour), "Work", w.Service)
	other := &workspace{&pagingtest.Workspace{Database: w.Database, Intake: w.Intake, Escalator: w.Escalator}}
	other.Fill(t)
	other.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Clock.Advance(5 * time.Minute)
	commit := w.underWay(t, w.endsMaintenance(window))
	var log bytes.Buffer
	escalator := paging.NewEscalator(w.DB, postgres.Sweep, slog.New(slog.NewTextHandler(&log, nil)), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	if _, err := escalator.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	if log.Len() > 0 {
		t.Errorf("the sweep waited for the other organization: %s", log.String())
	}
	equal(t, "meanwhile the other organization", other.Paged(t), "0.0 Ada", "0.1 Bob")
	equal(t, "its own", w.Paged(t), "0.0 Ada")
	commit()
	w.Later(t, time.Second)
	equal(t, "once it is ended", w.Paged(t), "0.0 Ada", "0.1 Bob")
}

// TestMaintenanceThatIsBeingEndedDelaysNoAlert: it is stored at once, and paged for when it is known
// whether maintenance holds its pages.
func TestMaintenanceThatIsBeingEndedDelaysNoAlert(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(*workspace, uuid.UUID) func(context.Context, pgx.Tx) error
		want []string
	}{
		{"ended", (*workspace).endsMaintenance, []string{"0.0 Ada"}},
		{"only looked at", func(_ *workspace, window uuid.UUID) func(context.Context, pgx.Tx) error {
			return func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `SELECT FROM maintenance_window WHERE id = $1 FOR NO KEY UPDATE`, window)
				return err
			}
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			window := w.AddMaintenance(t, friday.Add(-time.Hour), friday.Add(time.Hour), "Work", w.Service)
			commit := w.underWay(t, test.do(w, window))
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			w.Later(t, time.Second)
			equal(t, "meanwhile", w.Paged(t))
			commit()
			w.Later(t, time.Second)
			equal(t, "then", w.Paged(t), test.want...)
			equal(t, "said", w.Said(t, "held"), "Pages are held until 23:00 UTC: Work.")
			w.Later(t, time.Hour)
			equal(t, "in the end", w.Paged(t)[:1], "0.0 Ada")
		})
	}
}

// TestAnAnswerUnderWayDelaysTimersOfNoOtherOrganization: a person's answer hangs that holds the
// incident whose timer is due first.
func TestAnAnswerUnderWayDelaysTimersOfNoOtherOrganization(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	other := &workspace{&pagingtest.Workspace{Database: w.Database, Intake: w.Intake, Escalator: w.Escalator, Responder: w.Responder}}
	other.Fill(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	for _, one := range []*workspace{w, other} {
		one.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
		incidentID := uuidOf(t, one.Texts(t, `SELECT id::text FROM incident WHERE org_id = $1`, one.Org)[0])
		if err := w.Responder.Respond(t.Context(), one.Org, []uuid.UUID{incidentID}, incident.Acknowledge{By: pagingtest.By(one.Ada, "Ada")}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Second)
	}
	w.Clock.Advance(30 * time.Minute)
	commit := w.underWay(t, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT FROM incident FOR NO KEY UPDATE`)
		return err
	})
	if _, err := w.timerSweeper().Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	equal(t, "the other organization", other.Incidents(t), "triggered critical 1")
	commit()
	w.tick(t, 15*time.Second)
	equal(t, "its own", w.Incidents(t), "triggered critical 1")
}

// TestQuietTimesThatAreBeingEditedHoldNothingByTheOldOnes: what is put off in the moment of the edit
// would wait for the end of a quiet time that is no more.
func TestQuietTimesThatAreBeingEditedHoldNothingByTheOldOnes(t *testing.T) {
	t.Parallel()
	noLongerQuiet := func(w *workspace) func(context.Context, pgx.Tx) error {
		return func(ctx context.Context, tx pgx.Tx) error {
			q := escalationdb.New(tx)
			if _, err := tx.Exec(ctx, `UPDATE escalation_policy SET quiet = '[]', revision = revision + 1 WHERE org_id = $1`, w.Org); err != nil {
				return err
			}
			now, err := postgres.Now(ctx, tx)
			if err != nil {
				return err
			}
			if err := q.ReleaseQuiet(ctx, &now, w.Org, w.Policy); err != nil {
				return err
			}
			return q.ReleaseQuietTimers(ctx, now, w.Policy, w.Org)
		}
	}
	t.Run("a step", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.quietFrom(t, 23*60, 6*60)
		w.Clock.Freeze(friday)
		w.AddMaintenance(t, friday, friday.Add(2*time.Hour), "Work", w.Service)
		w.send(t, "down", alert.Critical)
		w.Clock.Advance(2 * time.Hour)
		commit := w.underWay(t, noLongerQuiet(w))
		w.Sweep(t)
		commit()
		w.Later(t, time.Second)
		equal(t, "paged", w.cycles(t), "1.0.0 Ada")
	})
	t.Run("a question", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.quietFrom(t, 22*60, 6*60)
		w.acknowledgedLow(t)
		commit := w.underWay(t, noLongerQuiet(w))
		w.send(t, "down", alert.Critical)
		commit()
		w.tick(t, time.Second)
		equal(t, "asked", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
	})
	t.Run("a timer", func(t *testing.T) {
		t.Parallel()
		w := newWorkspace(t)
		w.quietFrom(t, 22*60+10, 6*60)
		w.acknowledgedLow(t)
		w.send(t, "down", alert.Critical)
		w.Clock.Advance(15 * time.Minute)
		commit := w.underWay(t, noLongerQuiet(w))
		w.tick(t, 0)
		equal(t, "timers", w.timers(t), "confirm_timeout")
		commit()
		w.tick(t, time.Second)
		equal(t, "paged", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise", "2.0.0 Ada")
	})
}

// TestEditedQuietTimesReleaseTheTimeToConfirm: nobody confirmed that it is critical, and the policy
// was to page in the morning.
func TestEditedQuietTimesReleaseTheTimeToConfirm(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.quietFrom(t, 22*60+10, 6*60)
	w.acknowledgedLow(t)
	w.send(t, "down", alert.Critical)
	w.editQuiet(t)
	w.tick(t, 0)
	equal(t, "before its time", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
	w.quietFrom(t, 22*60+10, 6*60)
	w.tick(t, 16*time.Minute)
	equal(t, "by night", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise")
	w.editQuiet(t)
	w.tick(t, time.Second)
	equal(t, "once it is not quiet", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob rise", "2.0.0 Ada")
}
