package oncalldb_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/oncall/oncalldb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// monday is the beginning of a week in Berlin.
var monday = time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)

// support is an organization with three people who take turns week by week.
type support struct {
	*pgtest.Database
	org, schedule, rotation uuid.UUID
	people                  [3]uuid.UUID
}

func newSupport(t *testing.T) *support {
	t.Helper()
	w := &support{Database: pgtest.New(t), org: id.New(), schedule: id.New(), rotation: id.New()}
	w.Exec(t, `INSERT INTO org (id, kind, name, created_at) VALUES ($1, 'organization', 'Acme', nightbell_now())`, w.org)
	w.Exec(t, `INSERT INTO schedule (org_id, id, name, timezone, created_at) VALUES ($1, $2, '24/7 Support', 'Europe/Berlin', nightbell_now())`, w.org, w.schedule)
	w.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, starts_at, windows)
		VALUES ($1, $2, $3, 0, 'Weeks', 'week', 1, 3, 480, $4, '[{"days": [], "from": 480, "to": 480}]')`, w.org, w.rotation, w.schedule, monday)
	for turn := range w.people {
		w.people[turn] = id.New()
		w.Exec(t, `INSERT INTO users (id, name, email, password_hash, created_at) VALUES ($1::uuid, 'Somebody', $1::text || '@example.com', 'x', nightbell_now())`, w.people[turn])
		w.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'responder', nightbell_now())`, w.org, w.people[turn])
		w.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ($1, $2, $3, 0, $4)`, w.org, w.rotation, turn, w.people[turn])
	}
	return w
}

func (w *support) override(t *testing.T, person uuid.UUID, start, end time.Time) {
	t.Helper()
	w.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
		VALUES ($1, $2, $3, 'take_over', $4, $5, $6, nightbell_now())`, w.org, id.New(), w.schedule, person, start, end)
}

func (w *support) load(t *testing.T, since time.Time) oncall.Schedule {
	t.Helper()
	var loaded []oncall.Schedule
	err := w.InTenant(t.Context(), w.org, func(ctx context.Context, tx pgx.Tx) (err error) {
		loaded, err = oncalldb.Load(ctx, tx, w.org, []uuid.UUID{w.schedule}, since)
		return err
	}, postgres.ReadOnly())
	if err != nil || len(loaded) != 1 {
		t.Fatalf("%d schedules, %v", len(loaded), err)
	}
	return loaded[0]
}

// weeks is who is on call on the Tuesdays of the weeks that follow: the turn, or - for nobody.
func (w *support) weeks(t *testing.T) string {
	t.Helper()
	schedule, shown := w.load(t, monday), ""
	for week := range 6 {
		duty := oncall.At(schedule, monday.AddDate(0, 0, 7*week+1))
		if len(duty.People) == 0 {
			shown += "-"
		}
		for _, person := range duty.People {
			shown += string(rune('0' + slices.Index(w.people[:], person)))
		}
	}
	return shown
}

func TestWhoeverLeavesKeepsTheCadence(t *testing.T) {
	t.Parallel()
	w := newSupport(t)
	w.override(t, w.people[0], monday.AddDate(0, 0, 7), monday.AddDate(0, 0, 14))
	if got := w.weeks(t); got != "002012" {
		t.Errorf("three turns and an override are %s", got)
	}
	w.Exec(t, `UPDATE users SET disabled_at = nightbell_now() WHERE id = $1`, w.people[0])
	if got := w.weeks(t); got != "-12-12" {
		t.Errorf("with the first one disabled it is %s: the seat is vacant and the override is gone", got)
	}
	w.Exec(t, `UPDATE users SET disabled_at = NULL`)
	w.Exec(t, `DELETE FROM membership WHERE user_id = $1`, w.people[1])
	if got := w.weeks(t); got != "0020-2" {
		t.Errorf("without the second one it is %s", got)
	}
}

func TestOverridesThatEndedAreLeftOut(t *testing.T) {
	t.Parallel()
	w := newSupport(t)
	w.override(t, w.people[2], monday, monday.Add(time.Hour))
	for since, want := range map[time.Time]int{monday.Add(time.Hour - time.Second): 1, monday.Add(time.Hour): 0} {
		if got := len(w.load(t, since).Overrides); got != want {
			t.Errorf("since %s there are %d overrides, want %d", since, got, want)
		}
	}
}

func TestFlawsLoseNobody(t *testing.T) {
	t.Parallel()
	w := newSupport(t)
	w.Exec(t, `UPDATE schedule SET timezone = 'Mars/Olympus'`)
	w.Exec(t, `UPDATE rotation SET windows = '{"from": "dawn"}'`)
	schedule := w.load(t, monday)
	if schedule.Zone != time.UTC || len(schedule.Rotations[0].Windows) != 0 || len(oncall.At(schedule, monday).People) != 1 {
		t.Errorf("%+v", schedule)
	}
	text := pgtest.One[[]byte](t, w.Database, `SELECT `+oncalldb.DefinitionSQL("x", "$1")+` FROM schedule x`, monday)
	_, err := oncalldb.Parse(text)
	if err == nil || !strings.Contains(err.Error(), "time zone is unknown") || !strings.Contains(err.Error(), "windows cannot be read") {
		t.Errorf("the log is told %v", err)
	}
	if schedule, err := oncalldb.Parse([]byte("nonsense")); err == nil || len(oncall.At(schedule, monday).People) != 0 {
		t.Errorf("%+v, %v", schedule, err)
	}
}

func TestWindowsAreReadAsTheyWereStored(t *testing.T) {
	stored := []oncall.Window{{Days: []time.Weekday{time.Sunday, time.Saturday}, From: 480, To: 60}, {From: 5, To: 5}}
	got, err := oncalldb.ReadWindows(oncalldb.StoreWindows(stored))
	if err != nil || len(got) != 2 || !slices.Equal(got[0].Days, stored[0].Days) || got[0].To != 60 || len(got[1].Days) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
