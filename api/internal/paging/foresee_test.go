package paging_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/paging"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

var (
	foresights = flag.Int("foresights", 60, "how many random policies are foreseen and then paged by")
	foreseed   = flag.Uint64("foreseed", 0, "run the same random policies again; 0 chooses new ones")
)

// TestForesightIsWhatHappens asks who would be paged at random instants, by random
// policies, schedules and maintenance, and then lets the real sweep page, with the clock
// moved from step to step: the pages, their times and their reasons are the same.
func TestForesightIsWhatHappens(t *testing.T) {
	t.Parallel()
	seed := *foreseed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-foreseed %d", seed)
	w := newWorkspace(t)
	world := newRandomWorld(t, w, rand.New(rand.NewPCG(seed, 7)))
	pages := 0
	for n := range *foresights {
		pages += world.foreseeAndPage(t, n)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d policies, %d pages", *foresights, pages)
}

// randomWorld is people, teams, schedules and channels for policies to name.
type randomWorld struct {
	*workspace

	random  *rand.Rand
	targets []pagingtest.Target
}

func newRandomWorld(t *testing.T, w *workspace, random *rand.Rand) *randomWorld {
	t.Helper()
	r := &randomWorld{workspace: w, random: random}
	people := []uuid.UUID{w.Ada, w.Bob}
	for _, name := range []string{"Eve", "Mallory", "Trent", "Peggy"} {
		people = append(people, w.AddPerson(t, name))
	}
	w.Exec(t, `DELETE FROM contact_method WHERE user_id = $1`, people[4])
	w.Exec(t, `UPDATE notification_rule SET delay_seconds = 120 WHERE user_id = $1 AND urgency = 'low'`, people[2])
	for _, person := range people {
		r.targets = append(r.targets, user(person))
	}
	for _, members := range [][]uuid.UUID{people[1:4], people[3:], nil} {
		r.targets = append(r.targets, team(w.AddTeam(t, fmt.Sprint("Team ", len(r.targets)), members...)))
	}
	disabled := w.AddChannel(t, "old")
	w.Exec(t, `UPDATE contact_method SET disabled_at = nightbell_now() WHERE id = $1`, disabled)
	r.targets = append(r.targets, channel(w.AddChannel(t, "ops")), channel(disabled))
	for n, zone := range []string{"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		r.targets = append(r.targets, schedule(r.randomSchedule(t, fmt.Sprint("Schedule ", n), zone, people)))
	}
	return r
}

// randomSchedule has short turns, so that hand-overs fall between steps.
func (r *randomWorld) randomSchedule(t *testing.T, name, zone string, people []uuid.UUID) uuid.UUID {
	t.Helper()
	made := r.AddSchedule(t, name, zone)
	for layer := range 1 + r.random.IntN(3) {
		turns, rotation := 1+r.random.IntN(4), id.New()
		unit, length := []string{"hour", "day", "week"}[r.random.IntN(3)], 1+r.random.IntN(3)
		windows := []string{`[]`, `[{"days": [], "from": 540, "to": 1020}]`, `[{"days": [6, 0], "from": 1200, "to": 300}]`}[r.random.IntN(3)]
		r.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, weekday, starts_at, windows)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, r.Org, rotation, made, layer, fmt.Sprint("Layer ", layer), unit, length,
			turns, r.random.IntN(1440), r.random.IntN(7), pagingtest.Began.AddDate(0, -1, 0).Add(time.Duration(r.random.IntN(1000))*time.Hour), []byte(windows))
		for turn := range turns {
			if r.random.IntN(4) > 0 {
				r.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ($1, $2, $3, 0, $4)`,
					r.Org, rotation, turn, people[r.random.IntN(len(people))])
			}
		}
	}
	for range r.random.IntN(6) {
		start := r.instant()
		r.Exec(t, `INSERT INTO schedule_override (org_id, id, schedule_id, kind, user_id, starts_at, ends_at, created_at)
			VALUES ($1, $2, $3, 'take_over', $4, $5, $6, nightbell_now())`, r.Org, id.New(), made, people[r.random.IntN(len(people))],
			start, start.Add(time.Duration(1+r.random.IntN(100))*time.Hour))
	}
	return made
}

// instant is within 120 days, over which clocks change in Europe and in Australia.
func (r *randomWorld) instant() time.Time {
	return pagingtest.Began.Add(-10 * 24 * time.Hour).Add(time.Duration(r.random.Int64N(int64(120 * 24 * time.Hour)))).Truncate(time.Second)
}

func (r *randomWorld) randomSteps() []pagingtest.Step {
	steps := make([]pagingtest.Step, r.random.IntN(5))
	for i := range steps {
		steps[i] = pagingtest.Step{Wait: time.Duration(10+r.random.IntN(7000)) * time.Second, RoundRobin: r.random.IntN(3) == 0}
		for range r.random.IntN(4) {
			steps[i].Targets = append(steps[i].Targets, r.targets[r.random.IntN(len(r.targets))])
		}
		if r.random.IntN(3) == 0 {
			steps[i].Severities = []string{"critical", "low"}[:1+r.random.IntN(2)]
		}
		if r.random.IntN(3) == 0 {
			steps[i].Windows = []pagingtest.Window{{Days: []int{r.random.IntN(7), r.random.IntN(7)}, From: r.random.IntN(1440), To: r.random.IntN(1440)}}
		}
	}
	return steps
}

// foreseeAndPage compares for one random policy and instant, and counts the pages.
func (r *randomWorld) foreseeAndPage(t *testing.T, n int) int {
	t.Helper()
	at := r.instant()
	severity := []alert.Severity{alert.Critical, alert.High, alert.Low}[r.random.IntN(3)]
	steps := r.randomSteps()
	r.SetSteps(t, steps...)
	r.Exec(t, `UPDATE escalation_policy SET repeats = $1, timezone = $2`, r.random.IntN(3), []string{"UTC", "Europe/Berlin", "America/New_York"}[r.random.IntN(3)])
	r.Exec(t, `DELETE FROM maintenance_window`)
	for range r.random.IntN(3) {
		start := at.Add(time.Duration(r.random.IntN(240)-120) * time.Minute)
		r.AddMaintenance(t, start, start.Add(time.Duration(1+r.random.IntN(300))*time.Minute), "Work", r.Service)
	}
	r.Clock.Freeze(at)
	foreseen := r.foresee(t, severity, at)
	received := pagingtest.Firing(fmt.Sprint("alert", n), fmt.Sprint("alert", n), pagingtest.Began)
	received.Severity = severity
	r.Accept(t, received)
	happened := r.pageToTheEnd(t, fmt.Sprint("group:alert", n))
	if !slices.Equal(foreseen, happened) {
		t.Errorf("policy %d at %s for %s incidents: %+v\nforeseen:\n%q\nhappened:\n%q", n, at, severity, steps, foreseen, happened)
	}
	return len(happened)
}

// foresee is the pages that are foreseen, as lines.
func (r *randomWorld) foresee(t *testing.T, severity alert.Severity, at time.Time) (lines []string) {
	t.Helper()
	err := r.InTenant(t.Context(), r.Org, func(ctx context.Context, tx pgx.Tx) error {
		foresight, err := paging.Foresee(ctx, tx, r.Org, r.Service, uuid.Nil, severity, at)
		for _, decision := range foresight.Ahead {
			for _, effect := range decision.Effects {
				if !effect.Pages() {
					continue
				}
				for _, p := range notify.Plan(foresight.Rules(effect), string(incident.UrgencyOf(severity)), decision.At) {
					lines = append(lines, fmt.Sprintf("%s %s %d.%d %s", decision.At.UTC().Format(time.RFC3339), p.DueAt.UTC().Format(time.RFC3339),
						effect.Round, effect.Step, p.ContactMethodID)+" "+effect.Why.Sentence)
				}
			}
		}
		return err
	}, postgres.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// pageToTheEnd sweeps at each moment at which something is due, and gives the pages.
func (r *randomWorld) pageToTheEnd(t *testing.T, key string) []string {
	t.Helper()
	for range 200 {
		due := pgtest.One[*time.Time](t, r.Database, `SELECT min(paging_due_at) FROM incident WHERE paging_status = 'active'`)
		if due == nil {
			break
		}
		r.Clock.Freeze(*due)
		r.Sweep(t)
	}
	lines := r.Texts(t, `SELECT to_char(n.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || ' ' || to_char(n.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
			|| ' ' || n.round || '.' || n.step || ' ' || n.contact_method_id || ' ' || (n.why ->> 'sentence')
		FROM notification n JOIN incident i ON i.org_id = n.org_id AND i.id = n.incident_id WHERE i.org_id = $1 AND i.incident_key = $2`, r.Org, key)
	slices.Sort(lines)
	return lines
}
