package paging_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// spoil makes every line of the timeline of one incident fail, until mend.
func (w *workspace) spoil(t *testing.T, title string) (mend func()) {
	t.Helper()
	run := func(statements ...string) {
		t.Helper()
		owner := w.Owner(t)
		for _, sql := range statements {
			if _, err := owner.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(`CREATE FUNCTION spoiled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT title FROM incident WHERE org_id = NEW.org_id AND id = NEW.incident_id) = '`+title+`' THEN RAISE 'spoiled'; END IF; RETURN NEW; END $$`,
		`CREATE TRIGGER spoiled BEFORE INSERT ON timeline_event FOR EACH ROW EXECUTE FUNCTION spoiled()`)
	return func() { run(`DROP TRIGGER spoiled ON timeline_event`, `DROP FUNCTION spoiled`) }
}

// TestAnIncidentThatCannotBeDecidedKeepsItsTime, by which its hours and quiet times are asked, and takes no other's.
func TestAnIncidentThatCannotBeDecidedKeepsItsTime(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began), pagingtest.Firing("disk", "disk", pagingtest.Began))
	due := pgtest.One[time.Time](t, w.Database, `SELECT paging_due_at FROM incident WHERE title = 'cpu'`)
	mend := w.spoil(t, "cpu")
	w.Later(t, 5*time.Minute)
	equal(t, "paged for the other one", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.1 Bob")
	w.Later(t, 5*time.Second)
	if got := pgtest.One[time.Time](t, w.Database, `SELECT paging_due_at FROM incident WHERE title = 'cpu'`); !got.Equal(due) {
		t.Errorf("its step is due at %s now, want %s", got, due)
	}
	mend()
	w.Later(t, 4*time.Second)
	equal(t, "left alone", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.1 Bob")
	w.Later(t, 2*time.Second)
	equal(t, "tried again", w.Paged(t), "0.0 Ada", "0.0 Ada", "0.1 Bob", "0.1 Bob")
}

// TestATimerThatCannotBeCarriedOutKeepsItsTime likewise.
func TestATimerThatCannotBeCarriedOutKeepsItsTime(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Exec(t, `UPDATE escalation_policy SET ack_timeout_seconds = 1800`)
	w.Clock.Freeze(friday)
	w.Accept(t, pagingtest.Firing("cpu", "cpu", pagingtest.Began), pagingtest.Firing("disk", "disk", pagingtest.Began))
	for _, title := range []string{"cpu", "disk"} {
		id := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident WHERE title = $1`, title)
		if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{id}, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")}); err != nil {
			t.Fatal(err)
		}
	}
	due := w.Texts(t, `SELECT due_at::text FROM incident_timer`)
	if len(due) != 2 {
		t.Fatalf("timers are due at %q", due)
	}
	defer w.spoil(t, "cpu")()
	sweeper := w.timerSweeper()
	w.Clock.Advance(30 * time.Minute)
	for range 2 {
		if _, err := sweeper.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "timers", w.Texts(t, `SELECT i.title || ' ' || t.due_at FROM incident_timer t JOIN incident i ON i.org_id = t.org_id AND i.id = t.incident_id`), "cpu "+due[0])
}
