package pagingtest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// Step is a step of the workspace's policy as it is stored.
type Step struct {
	Wait       time.Duration
	Targets    []Target
	RoundRobin bool
	Severities []string
	Windows    []Window
}

// Window is hours on some days in which a step pages.
type Window struct {
	Days []int `json:"days"`
	From int   `json:"from"`
	To   int   `json:"to"`
}

// Target is whom a step pages.
type Target struct {
	Kind string
	ID   uuid.UUID
}

// User is a person as a target.
func User(id uuid.UUID) Target { return Target{"user", id} }

// Schedule is whoever is on call, as a target.
func Schedule(id uuid.UUID) Target { return Target{"schedule", id} }

// Team is the members of a team as a target.
func Team(id uuid.UUID) Target { return Target{"team", id} }

// Channel is a shared contact method as a target.
func Channel(id uuid.UUID) Target { return Target{"channel", id} }

// Page is a step of five minutes for everyone.
func Page(targets ...Target) Step { return Step{Wait: 5 * time.Minute, Targets: targets} }

// SetSteps replaces the steps of the workspace's policy, as an edit does.
func (w *Workspace) SetSteps(t *testing.T, steps ...Step) {
	t.Helper()
	w.SetPolicy(t, w.Policy, steps...)
}

// SetPolicy replaces the steps of any policy.
func (w *Workspace) SetPolicy(t *testing.T, policy uuid.UUID, steps ...Step) {
	t.Helper()
	w.Exec(t, `DELETE FROM escalation_step WHERE policy_id = $1`, policy)
	w.Exec(t, `UPDATE escalation_policy SET revision = revision + 1 WHERE id = $1`, policy)
	for i, step := range steps {
		windows, _ := json.Marshal(append([]Window{}, step.Windows...))
		assignment := map[bool]string{true: "round_robin", false: "everyone"}[step.RoundRobin]
		w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds, assignment, severities, windows, changed_in)
			SELECT $1, $2, $3, $4, $5, $6, $7, revision FROM escalation_policy WHERE id = $2`,
			w.Org, policy, i, int(step.Wait.Seconds()), assignment, append([]string{}, step.Severities...), windows)
		for j, target := range step.Targets {
			column := map[string]string{"channel": "contact_method_id"}[target.Kind]
			if column == "" {
				column = target.Kind + "_id"
			}
			w.Exec(t, fmt.Sprintf(`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, %s) VALUES ($1, $2, $3, $4, $5, $6)`, column),
				w.Org, policy, i, j, target.Kind, target.ID)
		}
	}
}

// AddPerson adds somebody with a contact method.
func (w *Workspace) AddPerson(t *testing.T, name string) uuid.UUID {
	t.Helper()
	person := id.New()
	w.Person(t, person, name, "responder")
	return person
}

// AddSchedule makes a schedule without rotations.
func (w *Workspace) AddSchedule(t *testing.T, name, zone string) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO schedule (org_id, id, name, timezone, created_at) VALUES ($1, $2, $3, $4, nightbell_now())`, w.Org, made, name, zone)
	return made
}

// AddWeeks makes people take turns on a schedule: each a week from Monday 08:00, the
// first from start on. Nil is a vacant seat.
func (w *Workspace) AddWeeks(t *testing.T, schedule uuid.UUID, name string, start time.Time, people ...uuid.UUID) uuid.UUID {
	t.Helper()
	rotation := id.New()
	w.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, weekday, starts_at)
		SELECT $1, $2, $3, count(*), $4, 'week', 1, $5, 480, 1, $6 FROM rotation WHERE schedule_id = $3`, w.Org, rotation, schedule, name, len(people), start)
	for turn, person := range people {
		if person != uuid.Nil {
			w.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ($1, $2, $3, 0, $4)`, w.Org, rotation, turn, person)
		}
	}
	return rotation
}

// AddTeam makes a team of people who joined in this order.
func (w *Workspace) AddTeam(t *testing.T, name string, people ...uuid.UUID) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO team (org_id, id, name, created_at) VALUES ($1, $2, $3, nightbell_now())`, w.Org, made, name)
	for i, person := range people {
		w.Exec(t, `INSERT INTO team_member (org_id, team_id, user_id, created_at) VALUES ($1, $2, $3, nightbell_now() + $4::interval)`,
			w.Org, made, person, time.Duration(i)*time.Second)
	}
	return made
}

// AddChannel makes a shared e-mail address.
func (w *Workspace) AddChannel(t *testing.T, name string) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO contact_method (org_id, id, kind, name, address, created_at) VALUES ($1, $2, 'email', $3, 'ops@example.com', nightbell_now())`, w.Org, made, name)
	return made
}

// Paged gives "round.step whom" of each notification in the order of decisions, whom for
// a shared channel being its name.
func (w *Workspace) Paged(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT n.round || '.' || n.step || ' ' || coalesce(u.name, c.name) FROM notification n
		LEFT JOIN users u ON u.id = n.user_id JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
		WHERE n.org_id = $1 ORDER BY n.created_at, n.cycle, n.round, n.step, n.id`, w.Org)
}

// Said gives the messages of a kind in the timeline.
func (w *Workspace) Said(t *testing.T, kind string) []string {
	t.Helper()
	return w.Texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = $2 ORDER BY seq`, w.Org, kind)
}

// Later moves the clock and sweeps.
func (w *Workspace) Later(t *testing.T, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	w.Sweep(t)
}

// AddMaintenance plans work on services.
func (w *Workspace) AddMaintenance(t *testing.T, start, end time.Time, description string, services ...uuid.UUID) uuid.UUID {
	t.Helper()
	window := id.New()
	w.Exec(t, `INSERT INTO maintenance_window (org_id, id, description, starts_at, ends_at, created_at) VALUES ($1, $2, $3, $4, $5, nightbell_now())`,
		w.Org, window, description, start, end)
	for _, service := range services {
		w.Exec(t, `INSERT INTO maintenance_service (org_id, window_id, service_id) VALUES ($1, $2, $3)`, w.Org, window, service)
	}
	return window
}
