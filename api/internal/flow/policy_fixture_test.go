package flow_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// stepRow is a step of the workspace's policy as it is stored.
type stepRow struct {
	wait       time.Duration
	targets    []targetRow
	roundRobin bool
	severities []string
	windows    []windowRow
}

type windowRow struct {
	Days []int `json:"days"`
	From int   `json:"from"`
	To   int   `json:"to"`
}

type targetRow struct {
	kind string
	id   uuid.UUID
}

func user(id uuid.UUID) targetRow     { return targetRow{"user", id} }
func schedule(id uuid.UUID) targetRow { return targetRow{"schedule", id} }
func team(id uuid.UUID) targetRow     { return targetRow{"team", id} }
func channel(id uuid.UUID) targetRow  { return targetRow{"channel", id} }

// page is a step of five minutes for everyone.
func page(targets ...targetRow) stepRow { return stepRow{wait: 5 * time.Minute, targets: targets} }

// setSteps replaces the steps of the workspace's policy, as an edit does.
func (w *workspace) setSteps(t *testing.T, steps ...stepRow) {
	t.Helper()
	w.setPolicy(t, w.policy, steps...)
}

func (w *workspace) setPolicy(t *testing.T, policy uuid.UUID, steps ...stepRow) {
	t.Helper()
	w.Exec(t, `DELETE FROM escalation_step WHERE policy_id = $1`, policy)
	for i, step := range steps {
		windows, _ := json.Marshal(append([]windowRow{}, step.windows...))
		assignment := map[bool]string{true: "round_robin", false: "everyone"}[step.roundRobin]
		w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds, assignment, severities, windows) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			w.org, policy, i, int(step.wait.Seconds()), assignment, append([]string{}, step.severities...), windows)
		for j, target := range step.targets {
			column := map[string]string{"channel": "contact_method_id"}[target.kind]
			if column == "" {
				column = target.kind + "_id"
			}
			w.Exec(t, fmt.Sprintf(`INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, %s) VALUES ($1, $2, $3, $4, $5, $6)`, column),
				w.org, policy, i, j, target.kind, target.id)
		}
	}
}

// addPerson adds somebody with a contact method.
func (w *workspace) addPerson(t *testing.T, name string) uuid.UUID {
	t.Helper()
	person := id.New()
	w.person(t, person, name, "responder")
	return person
}

// addSchedule makes a schedule without rotations.
func (w *workspace) addSchedule(t *testing.T, name, zone string) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO schedule (org_id, id, name, timezone, created_at) VALUES ($1, $2, $3, $4, nightbell_now())`, w.org, made, name, zone)
	return made
}

// addWeeks makes people take turns on a schedule: each a week from Monday 08:00, the
// first from start on. Nil is a vacant seat.
func (w *workspace) addWeeks(t *testing.T, schedule uuid.UUID, name string, start time.Time, people ...uuid.UUID) uuid.UUID {
	t.Helper()
	rotation := id.New()
	w.Exec(t, `INSERT INTO rotation (org_id, id, schedule_id, position, name, unit, length, turns, handover, weekday, starts_at)
		SELECT $1, $2, $3, count(*), $4, 'week', 1, $5, 480, 1, $6 FROM rotation WHERE schedule_id = $3`, w.org, rotation, schedule, name, len(people), start)
	for turn, person := range people {
		if person != uuid.Nil {
			w.Exec(t, `INSERT INTO rotation_person (org_id, rotation_id, turn, position, user_id) VALUES ($1, $2, $3, 0, $4)`, w.org, rotation, turn, person)
		}
	}
	return rotation
}

func (w *workspace) addTeam(t *testing.T, name string, people ...uuid.UUID) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO team (org_id, id, name, created_at) VALUES ($1, $2, $3, nightbell_now())`, w.org, made, name)
	for i, person := range people {
		w.Exec(t, `INSERT INTO team_member (org_id, team_id, user_id, created_at) VALUES ($1, $2, $3, nightbell_now() + $4::interval)`,
			w.org, made, person, time.Duration(i)*time.Second)
	}
	return made
}

func (w *workspace) addChannel(t *testing.T, name string) uuid.UUID {
	t.Helper()
	made := id.New()
	w.Exec(t, `INSERT INTO contact_method (org_id, id, kind, name, address, created_at) VALUES ($1, $2, 'email', $3, 'ops@example.com', nightbell_now())`, w.org, made, name)
	return made
}

// paged gives "round.step whom" of each notification in the order of decisions, whom for
// a shared channel being its name.
func (w *workspace) paged(t *testing.T) []string {
	t.Helper()
	return w.texts(t, `SELECT n.round || '.' || n.step || ' ' || coalesce(u.name, c.name) FROM notification n
		LEFT JOIN users u ON u.id = n.user_id JOIN contact_method c ON c.org_id = n.org_id AND c.id = n.contact_method_id
		WHERE n.org_id = $1 ORDER BY n.created_at, n.cycle, n.round, n.step, n.id`, w.org)
}

// said gives the messages of a kind in the timeline.
func (w *workspace) said(t *testing.T, kind string) []string {
	t.Helper()
	return w.texts(t, `SELECT message FROM timeline_event WHERE org_id = $1 AND kind = $2 ORDER BY seq`, w.org, kind)
}

// later moves the clock and sweeps.
func (w *workspace) later(t *testing.T, d time.Duration) {
	t.Helper()
	w.Clock.Advance(d)
	w.sweep(t)
}
