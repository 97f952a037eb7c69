package paging_test

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// friday is the end of a working week in Berlin; Monday at 08:00 there is 07:00 UTC.
var friday = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// support adds a schedule on which Ada and Bob take turns week by week, Ada first.
func (w *workspace) support(t *testing.T) (schedule uuid.UUID) {
	t.Helper()
	schedule = w.AddSchedule(t, "24/7 Support", "Europe/Berlin")
	w.AddWeeks(t, schedule, "Weeks", time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC), w.Ada, w.Bob)
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
	eve := w.AddPerson(t, "Eve")
	w.SetSteps(t, page(schedule(w.support(t))), pagingtest.Step{Wait: 2 * time.Hour, Targets: []pagingtest.Target{schedule(w.support2(t, eve))}}, page(schedule(w.onlySchedule(t, "24/7 Support"))))
	w.Clock.Freeze(time.Date(2026, 11, 23, 6, 50, 0, 0, time.UTC)) // ten minutes before the hand-over
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Later(t, 5*time.Minute)
	w.Later(t, 2*time.Hour) // the same schedule means Bob by now

	equal(t, "paged", w.Paged(t), "0.0 Ada", "0.1 Eve", "0.2 Bob")
	var why escalation.Why
	text := pgtest.One[[]byte](t, w.Database, `SELECT why FROM notification WHERE step = 0`)
	if err := json.Unmarshal(text, &why); err != nil {
		t.Fatal(err)
	}
	const sentence = "On call for 24/7 Support (Weeks) until 08:00 CET; step 1 of Default."
	if why.Sentence != sentence || why.TargetKind != escalation.Schedule || why.Because != "rotation" || why.BecauseName != "Weeks" ||
		why.PolicyID != w.Policy || why.Step != 1 || why.Round != 1 || why.Severity != "critical" ||
		!why.ShiftStartsAt.Equal(time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)) || !why.ShiftEndsAt.Equal(time.Date(2026, 11, 23, 7, 0, 0, 0, time.UTC)) {
		t.Errorf("%s", text)
	}
	if got := pgtest.One[string](t, w.Database, `SELECT reason FROM notification WHERE step = 0`); got != sentence {
		t.Errorf("the message says %q", got)
	}
}

// TestTheShiftOfAPageBeginsWhenSomebodyWasRelieved: overrides that were over were not read, and the shift had begun
// before them.
func TestTheShiftOfAPageBeginsWhenSomebodyWasRelieved(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	support := w.support(t)
	w.SetSteps(t, page(schedule(support)))
	relieved := time.Date(2026, 11, 18, 23, 0, 0, 0, time.UTC)
	w.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ($1, $2, $3, 'take_over', $4, $5, $6, $5)`, w.Org, id.New(), support, w.Bob, relieved.Add(-time.Hour), relieved)
	shiftStart := func() *time.Time {
		return pgtest.One[*time.Time](t, w.Database, `SELECT (why->>'shift_starts_at')::timestamptz FROM notification ORDER BY created_at DESC LIMIT 1`)
	}
	w.Clock.Freeze(relieved.Add(time.Hour))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	if start := shiftStart(); start == nil || !start.Equal(relieved) {
		t.Errorf("Ada's shift began at %v, want %s", start, relieved)
	}
	w.SetSteps(t, page(schedule(w.support2(t, w.Ada)))) // since a month
	w.Clock.Advance(time.Minute)
	w.Accept(t, pagingtest.Firing("disk", "", pagingtest.Began))
	if start := shiftStart(); start != nil {
		t.Errorf("a shift that began long ago began at %v", start)
	}
}

// support2 adds a schedule on which one person is always on call.
func (w *workspace) support2(t *testing.T, person uuid.UUID) (schedule uuid.UUID) {
	t.Helper()
	schedule = w.AddSchedule(t, "Backup Support", "UTC")
	w.AddWeeks(t, schedule, "Always", friday.AddDate(0, -1, 0), person)
	return schedule
}

func (w *workspace) onlySchedule(t *testing.T, name string) uuid.UUID {
	t.Helper()
	return pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM schedule WHERE org_id = $1 AND name = $2`, w.Org, name)
}

func TestAnEmptyScheduleIsSkippedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	empty := w.AddSchedule(t, "Night Shift", "UTC")
	w.SetSteps(t, page(schedule(empty)), page(user(w.Bob)))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	equal(t, "paged", w.Paged(t), "0.1 Bob")
	equal(t, "said", w.Said(t, "nobody_on_call"), "Step 1 of Default was skipped: nobody is on call for Night Shift.")

	// Nobody at all: the owners.
	w.SetSteps(t, page(schedule(empty)))
	w.Clock.Advance(time.Second)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	equal(t, "paged", w.Paged(t), "0.1 Bob", "0.0 Ada")
	equal(t, "said", w.Said(t, "last_resort"), "Nobody is on call for Default, so the owners of the workspace are paged.")
}

func TestOverridesDecideWhoIsPaged(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	support := w.support(t)
	w.SetSteps(t, page(schedule(support)))
	w.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ($1, $2, $3, 'take_over', $4, $5, $6, nightbell_now())`, w.Org, id.New(), support, w.Bob, friday, friday.Add(time.Hour))
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	w.Clock.Advance(time.Hour)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	equal(t, "paged", w.Paged(t), "0.0 Bob", "0.0 Ada")
	equal(t, "why", w.Texts(t, `SELECT reason FROM notification WHERE org_id = $1 ORDER BY created_at`, w.Org),
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
			eve := w.AddPerson(t, "Eve")
			night := w.support2(t, eve)
			w.SetSteps(t, page(schedule(night)), page(user(w.Bob)))
			w.Exec(t, lose, eve)
			w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
			equal(t, "paged", w.Paged(t), "0.1 Bob")
			if len(w.Said(t, "nobody_on_call")) != 1 {
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
	w.SetSteps(t, page(schedule(support)), page(user(w.Bob)))
	w.Exec(t, `UPDATE escalation_policy SET timezone = 'Mars/Olympus'`)
	w.Exec(t, `UPDATE escalation_step SET windows = '{"from": "dawn"}'`)
	w.Accept(t, pagingtest.Firing("cpu", "", pagingtest.Began))
	var log strings.Builder
	w.Escalator = paging.NewEscalator(w.DB, postgres.Sweep, slog.New(slog.NewTextHandler(&log, nil)), paging.Signals{Pages: func(...notify.Kind) {}, Changed: func(uuid.UUID) {}})
	w.Later(t, 5*time.Minute)
	equal(t, "paged", w.Paged(t), "0.0 Ada", "0.1 Bob")
	if text := log.String(); strings.Count(text, "time zone is unknown") != 1 || !strings.Contains(text, "windows cannot be read") {
		t.Errorf("the log says %s", text)
	}
}

func TestADisabledChannelIsSkippedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	ops := w.AddChannel(t, "ops")
	w.SetSteps(t, page(channel(ops)), page(user(w.Bob)))
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began))
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE id = $1`, ops)
	w.Clock.Advance(time.Second)
	w.Accept(t, pagingtest.Firing("disk", "disk", pagingtest.Began))
	equal(t, "paged", w.Paged(t), "0.0 ops", "0.1 Bob")
	equal(t, "said", w.Said(t, "nobody_on_call"), "Step 1 of Default was skipped: no page can be sent to ops (disabled).")
}
