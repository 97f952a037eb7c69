package departure_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/departure"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var friday = time.Date(2026, 3, 27, 9, 0, 0, 0, time.UTC)

func leave(t *testing.T, w *pagingtest.Workspace, who, replaceBy uuid.UUID) error {
	t.Helper()
	by := incident.Actor{Kind: incident.User, ID: w.Ada, Name: "Ada"}
	return w.InTenant(t.Context(), w.Org, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		return departure.Leave(ctx, tx, departure.Person{OrgID: w.Org, ID: who, ReplaceBy: replaceBy}, by, func(string) error { return nil }, now)
	})
}

// pages gives "step name" of each page that is not called off, in order.
func pages(t *testing.T, w *pagingtest.Workspace) []string {
	t.Helper()
	return w.Texts(t, `SELECT n.step || ' ' || u.name FROM notification n JOIN users u ON u.id = n.user_id
		WHERE n.org_id = $1 AND n.state <> 'cancelled' ORDER BY n.created_at, n.step, u.name`, w.Org)
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func code(err error) string {
	if refusal, ok := fault.Of(err); ok {
		return refusal.Code
	}
	return fmt.Sprint(err)
}

func TestAPageThatWaitsForWhoLeavesGoesToTheReplacementAtOnce(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	cid := w.AddPerson(t, "Cid")
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Bob)), pagingtest.Page(pagingtest.User(w.Ada)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	equal(t, "before", pages(t, w), "0 Bob")
	w.Clock.Advance(time.Minute)
	if err := leave(t, w, w.Bob, cid); err != nil {
		t.Fatal(err)
	}
	equal(t, "at once", pages(t, w), "0 Cid")
	w.Sweep(t)
	equal(t, "nobody early", pages(t, w), "0 Cid")
	w.Clock.Advance(5 * time.Minute)
	w.Sweep(t)
	equal(t, "the next step keeps its delay", pages(t, w), "0 Cid", "1 Ada")
}

// TestWhoLeavesPagesNobodyInAMaintenance: nobody asked for that page, and what was due waits for the end as before.
func TestWhoLeavesPagesNobodyInAMaintenance(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	cid := w.AddPerson(t, "Cid")
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Bob)), pagingtest.Page(pagingtest.User(w.Ada)))
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	w.AddMaintenance(t, friday.Add(time.Minute), friday.Add(6*time.Hour), "Moving the database", w.Service)
	w.Clock.Advance(10 * time.Minute)
	w.Sweep(t)
	if err := leave(t, w, w.Bob, cid); err != nil {
		t.Fatal(err)
	}
	w.Sweep(t)
	equal(t, "in the maintenance", pages(t, w))
	w.Clock.Advance(6 * time.Hour)
	w.Sweep(t)
	equal(t, "at its end", pages(t, w), "0 Cid", "1 Ada")
}

func TestAStepThatIsNotDueIsNotPagedEarly(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	cid := w.AddPerson(t, "Cid")
	w.Accept(t, pagingtest.Firing("cpu", "", friday)) // Ada, then Bob
	if err := leave(t, w, w.Bob, cid); err != nil {
		t.Fatal(err)
	}
	equal(t, "at once", pages(t, w), "0 Ada")
	w.Clock.Advance(5 * time.Minute)
	w.Sweep(t)
	equal(t, "in its time", pages(t, w), "0 Ada", "1 Cid")
}

func TestAnIncidentThatWhoLeavesHadAcknowledgedPagesAgain(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Clock.Freeze(friday)
	cid := w.AddPerson(t, "Cid")
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	bob := incident.Actor{Kind: incident.User, ID: w.Bob, Name: "Bob"}
	open := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident`)
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{open}, incident.Acknowledge{By: bob}); err != nil {
		t.Fatal(err)
	}
	if err := leave(t, w, w.Bob, uuid.Nil); code(err) != "user_has_duties" {
		t.Fatalf("without a replacement: %v", err)
	}
	w.Clock.Advance(time.Minute)
	if err := leave(t, w, w.Bob, cid); err != nil {
		t.Fatal(err)
	}
	if status := pgtest.One[string](t, w.Database, `SELECT status FROM incident`); status != "triggered" {
		t.Errorf("the incident is %s", status)
	}
	if got := pgtest.One[int](t, w.Database, `SELECT count(*) FROM notification n JOIN incident i ON i.id = n.incident_id
		WHERE n.cycle = i.paging_cycle AND n.cycle > 0 AND n.user_id = $1`, w.Ada); got != 1 {
		t.Errorf("the first step was paged %d times in the new cycle", got)
	}
}

func TestTheLastOwnerStays(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	if err := leave(t, w, w.Ada, w.Bob); !errors.Is(err, departure.ErrLastOwner) {
		t.Fatalf("the last owner leaves: %v", err)
	}
	// However many owners leave at the same time, one stays.
	owners := []uuid.UUID{w.Ada}
	for i := range 4 {
		owners = append(owners, w.AddPerson(t, fmt.Sprintf("Owner %d", i)))
	}
	w.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = ANY($1)`, owners)
	done := make(chan error)
	for _, owner := range owners {
		go func() { done <- leave(t, w, owner, w.Bob) }()
	}
	refused := 0
	for range owners {
		if err := <-done; errors.Is(err, departure.ErrLastOwner) {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if left := pgtest.One[int](t, w.Database, `SELECT count(*) FROM membership WHERE role = 'owner'`); left != 1 || refused != 1 {
		t.Errorf("%d owners are left, %d were refused", left, refused)
	}
}

// TestReplaceByLeavesNoStepSeatOrTeamWithoutAPerson builds organizations at random and lets people
// leave until one is left.
func TestReplaceByLeavesNoStepSeatOrTeamWithoutAPerson(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 11))
		w := pagingtest.New(t)
		w.Clock.Freeze(friday)
		people := []uuid.UUID{w.Bob}
		for i := range 4 {
			people = append(people, w.AddPerson(t, fmt.Sprintf("Person %d", i)))
		}
		anybody := func() uuid.UUID { return people[random.IntN(len(people))] }
		schedule, team := w.AddSchedule(t, "Weeks", "Europe/Paris"), w.AddTeam(t, "Team", anybody())
		w.AddWeeks(t, schedule, "Turns", friday.AddDate(0, -1, 0), anybody(), anybody(), anybody())
		w.SetSteps(t, pagingtest.Page(pagingtest.User(anybody())), pagingtest.Page(pagingtest.Schedule(schedule)), pagingtest.Page(pagingtest.Team(team), pagingtest.User(anybody())))
		places := func() (found [3]int) {
			for i, sql := range []string{
				`SELECT count(DISTINCT (step_position)) FROM escalation_target WHERE org_id = $1`,
				`SELECT count(DISTINCT (rotation_id, turn)) FROM rotation_person WHERE org_id = $1`,
				`SELECT count(DISTINCT team_id) FROM team_member WHERE org_id = $1`,
			} {
				found[i] = pgtest.One[int](t, w.Database, sql, w.Org)
			}
			return found
		}
		before := places()
		w.Accept(t, pagingtest.Firing("cpu", "", friday))
		for len(people) > 1 {
			i := random.IntN(len(people))
			gone := people[i]
			people = slices.Delete(people, i, i+1)
			if err := leave(t, w, gone, anybody()); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if after := places(); after != before {
				t.Fatalf("seed %d: steps, seats and teams with people were %v and are %v", seed, before, after)
			}
			if waits := pgtest.One[bool](t, w.Database, `SELECT EXISTS (SELECT FROM incident i WHERE i.org_id = $1 AND i.status = 'triggered' AND i.paging_status = 'active'
				AND NOT EXISTS (SELECT FROM notification n JOIN membership m ON m.org_id = n.org_id AND m.user_id = n.user_id
				                WHERE n.incident_id = i.id AND n.cycle = i.paging_cycle AND n.state <> 'cancelled'))`, w.Org); waits {
				t.Fatalf("seed %d: an incident pages nobody who is still here", seed)
			}
			w.Clock.Advance(2 * time.Minute)
			w.Sweep(t)
		}
	}
}

func TestWhoLeavesIsForgottenByTheOwnOrganizationAlone(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	other := &pagingtest.Workspace{Database: w.Database}
	other.Fill(t)
	w.Exec(t, `INSERT INTO membership (org_id, user_id, role, created_at) VALUES ($1, $2, 'viewer', nightbell_now())`, other.Org, w.Bob)
	if err := leave(t, w, other.Bob, w.Ada); !errors.Is(err, departure.ErrNoUser) {
		t.Errorf("a person of another organization leaves: %v", err)
	}
	if err := leave(t, w, w.Bob, other.Ada); code(err) != "invalid_fields" {
		t.Errorf("a person of another organization replaces: %v", err)
	}
	if err := leave(t, w, w.Bob, w.Ada); err != nil {
		t.Fatal(err)
	}
	equal(t, "memberships elsewhere", other.Texts(t, `SELECT m.role FROM membership m WHERE user_id = $1`, w.Bob), "viewer")
	if kept := pgtest.One[int](t, w.Database, `SELECT count(*) FROM contact_method WHERE org_id = $1 AND (user_id = $2 OR address LIKE $2::text || '%')`, w.Org, w.Bob); kept != 0 {
		t.Errorf("%d addresses are kept", kept)
	}
}

// The names of who acted stay on incidents that are over; whoever has left is nobody's to choose any more.
func TestPastIncidentsKeepTheNameOfWhoActed(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	w.Exec(t, `INSERT INTO incident (org_id, id, number, title, status, severity, urgency, source, acknowledged_by, acknowledged_at, resolved_by, resolved_at, triggered_at, updated_at)
		SELECT $1, gen_random_uuid(), 70 + n, 'Past', 'resolved', 'low', 'low', 'api', $2::uuid, nightbell_now(), CASE n WHEN 1 THEN $2::uuid ELSE $3::uuid END, nightbell_now(), nightbell_now(), nightbell_now()
		FROM generate_series(1, 2) n`, w.Org, w.Bob, w.Ada)
	w.SetSteps(t, pagingtest.Page(pagingtest.User(w.Ada)))
	if err := leave(t, w, w.Bob, uuid.Nil); err != nil {
		t.Fatal(err)
	}
	equal(t, "who acted", w.Texts(t, `SELECT number || ' ' || coalesce(acknowledged_name, '-') || ' ' || coalesce(resolved_name, '-') || ' ' || (acknowledged_by IS NULL) || ' ' || (resolved_by IS NULL)
		FROM incident WHERE org_id = $1 AND number > 70 ORDER BY number`, w.Org), "71 Bob Bob true true", "72 Bob - true false")
}

// TestPagingThatGoesOnWithoutWhoLeftWaitsForTheMorning: who had an incident leaves at night, when the policy is quiet.
func TestPagingThatGoesOnWithoutWhoLeftWaitsForTheMorning(t *testing.T) {
	t.Parallel()
	w := pagingtest.New(t)
	cid := w.AddPerson(t, "Cid")
	w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["critical"], "windows": [{"days": [], "from": 1320, "to": 420}]}]'`)
	w.Clock.Freeze(friday.Add(12 * time.Hour)) // 21:00
	w.Accept(t, pagingtest.Firing("cpu", "", friday))
	open := pgtest.One[uuid.UUID](t, w.Database, `SELECT id FROM incident`)
	bob := incident.Actor{Kind: incident.User, ID: w.Bob, Name: "Bob"}
	if err := w.Responder.Respond(t.Context(), w.Org, []uuid.UUID{open}, incident.Acknowledge{By: bob}); err != nil {
		t.Fatal(err)
	}
	before := len(pages(t, w))
	w.Clock.Freeze(friday.Add(14 * time.Hour)) // 23:00
	if err := leave(t, w, w.Bob, cid); err != nil {
		t.Fatal(err)
	}
	w.Sweep(t)
	if at := pages(t, w)[before:]; len(at) != 0 {
		t.Errorf("paged in the quiet time: %v", at)
	}
	w.Clock.Freeze(friday.Add(22 * time.Hour)) // 07:00
	w.Sweep(t)
	if at := pages(t, w)[before:]; len(at) == 0 {
		t.Error("nobody is paged in the morning for what nobody has")
	}
}
