package flow_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/flow"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// friday is the end of a working week in Berlin; Monday at 08:00 there is 07:00 UTC.
var friday = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// support adds a schedule on which Ada and Bob take turns week by week, Ada first.
func (w *workspace) support(t *testing.T) (schedule uuid.UUID) {
	t.Helper()
	schedule = w.addSchedule(t, "24/7 Support", "Europe/Berlin")
	w.addWeeks(t, schedule, "Weeks", time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC), w.ada, w.bob)
	return schedule
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestSchedulesArePagedAtTheInstantOfEachStep(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.addPerson(t, "Eve")
	w.setSteps(t, page(schedule(w.support(t))), stepRow{wait: 2 * time.Hour, targets: []targetRow{schedule(w.support2(t, eve))}}, page(schedule(w.onlySchedule(t, "24/7 Support"))))
	w.Clock.Freeze(time.Date(2026, 11, 23, 6, 50, 0, 0, time.UTC)) // ten minutes before the hand-over
	w.accept(t, firing("cpu", "", began))
	w.later(t, 5*time.Minute)
	w.later(t, 2*time.Hour) // the same schedule means Bob by now

	equal(t, "paged", w.paged(t), "0.0 Ada", "0.1 Eve", "0.2 Bob")
	var why escalation.Why
	text := pgtest.One[[]byte](t, w.Database, `SELECT why FROM notification WHERE step = 0`)
	if err := json.Unmarshal(text, &why); err != nil {
		t.Fatal(err)
	}
	const sentence = "On call for 24/7 Support (Weeks) until 08:00 CET; step 1 of Default."
	if why.Sentence != sentence || why.TargetKind != escalation.Schedule || why.Because != "rotation" || why.BecauseName != "Weeks" ||
		why.PolicyID != w.policy || why.Step != 1 || why.Round != 1 || why.Severity != "critical" ||
		!why.ShiftStartsAt.Equal(time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)) || !why.ShiftEndsAt.Equal(time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)) {
		t.Errorf("%s", text)
	}
	if got := pgtest.One[string](t, w.Database, `SELECT reason FROM notification WHERE step = 0`); got != sentence {
		t.Errorf("the message says %q", got)
	}
}

// support2 adds a schedule on which one person is always on call.
func (w *workspace) support2(t *testing.T, person uuid.UUID) (schedule uuid.UUID) {
	t.Helper()
	schedule = w.addSchedule(t, "Backup Support", "UTC")
	w.addWeeks(t, schedule, "Always", friday.AddDate(0, -1, 0), person)
	return schedule
}

func (w *workspace) onlySchedule(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM schedule WHERE org_id = $1 AND name = $2`, w.org, name)
}

func TestAnEmptyScheduleIsSkippedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	empty := w.addSchedule(t, "Night Shift", "UTC")
	w.setSteps(t, page(schedule(empty)), page(user(w.bob)))
	w.accept(t, firing("cpu", "", began))
	equal(t, "paged", w.paged(t), "0.1 Bob")
	equal(t, "said", w.said(t, "nobody_on_call"), "Step 1 of Default was skipped: nobody is on call for Night Shift.")

	// Nobody at all: the owners.
	w.setSteps(t, page(schedule(empty)))
	w.Clock.Advance(time.Second)
	w.accept(t, firing("disk", "disk", began))
	equal(t, "paged", w.paged(t), "0.1 Bob", "0.0 Ada")
	equal(t, "said", w.said(t, "last_resort"), "Nobody is on call for Default, so the owners of the workspace are paged.")
}

func TestOverridesDecideWhoIsPaged(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	support := w.support(t)
	w.setSteps(t, page(schedule(support)))
	w.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ($1, $2, $3, 'take_over', $4, $5, $6, nightbell_now())`, w.org, id.New(), support, w.bob, friday, friday.Add(time.Hour))
	w.accept(t, firing("cpu", "", began))
	w.Clock.Advance(time.Hour)
	w.accept(t, firing("disk", "disk", began))
	equal(t, "paged", w.paged(t), "0.0 Bob", "0.0 Ada")
	equal(t, "why", w.texts(t, `SELECT reason FROM notification WHERE org_id = $1 ORDER BY created_at`, w.org),
		"On call for 24/7 Support (override) until Sat 00:00 CET; step 1 of Default.", "On call for 24/7 Support (Weeks) until Mon 08:00 CET; step 1 of Default.")
}

func TestWhoCannotBePagedIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]string{
		"disabled":           `UPDATE users SET disabled_at = nightbell_now() WHERE id = $1`,
		"gone":               `DELETE FROM membership WHERE user_id = $1`,
		"without a contact":  `DELETE FROM contact_method WHERE user_id = $1`,
		"with a bad contact": `UPDATE contact_method SET disabled_at = nightbell_now() WHERE user_id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			eve := w.addPerson(t, "Eve")
			night := w.support2(t, eve)
			w.setSteps(t, page(schedule(night)), page(user(w.bob)))
			w.Exec(t, lose, eve)
			w.accept(t, firing("cpu", "", began))
			equal(t, "paged", w.paged(t), "0.1 Bob")
			if len(w.said(t, "nobody_on_call")) != 1 {
				t.Error("it is not visible that a step was skipped")
			}
		})
	}
}

func TestAPolicyThatCannotBeReadPagesNevertheless(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	support := w.support(t)
	w.setSteps(t, page(schedule(support)), page(user(w.bob)))
	w.Exec(t, `UPDATE escalation_policy SET timezone = 'Mars/Olympus'`)
	w.Exec(t, `UPDATE escalation_step SET windows = '{"from": "dawn"}'`)
	w.accept(t, firing("cpu", "", began))
	var log strings.Builder
	w.escalator = flow.NewEscalator(w.DB, slog.New(slog.NewTextHandler(&log, nil)), flow.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	w.later(t, 5*time.Minute)
	equal(t, "paged", w.paged(t), "0.0 Ada", "0.1 Bob")
	if text := log.String(); strings.Count(text, "time zone is unknown") != 1 || !strings.Contains(text, "windows cannot be read") {
		t.Errorf("the log says %s", text)
	}
}

func TestADisabledChannelIsSkippedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ops := w.addChannel(t, "ops")
	w.setSteps(t, page(channel(ops)), page(user(w.bob)))
	w.accept(t, firing("cpu", "cpu", began))
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE id = $1`, ops)
	w.Clock.Advance(time.Second)
	w.accept(t, firing("disk", "disk", began))
	equal(t, "paged", w.paged(t), "0.0 ops", "0.1 Bob")
	equal(t, "said", w.said(t, "nobody_on_call"), "Step 1 of Default was skipped: nobody is on call for ops (disabled).")
}
