package paging_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/pagingtest"
	"github.com/nightbell/nightbell/api/internal/platform/postgres/pgtest"
)

// send lets an alert of the group arrive with a severity.
func (w *workspace) send(t *testing.T, key string, severity alert.Severity) {
	t.Helper()
	received := pagingtest.Firing(key, "db", pagingtest.Began)
	received.Severity = severity
	w.Accept(t, received)
}

// cycles gives "cycle.round.step whom" of each page in the order of decisions.
func (w *workspace) cycles(t *testing.T) []string {
	t.Helper()
	return w.Texts(t, `SELECT n.cycle || '.' || n.round || '.' || n.step || ' ' || u.name || CASE WHEN n.effect_key LIKE '%/critical/%' THEN ' rise' ELSE '' END
		FROM notification n JOIN users u ON u.id = n.user_id WHERE n.org_id = $1 ORDER BY n.created_at, n.cycle, n.round, n.step, u.name`, w.Org)
}

// TestACriticalAlertAfterPagingRanOutPagesAgain: a low alert opened the incident and nobody
// answered; what joins it is critical.
func TestACriticalAlertAfterPagingRanOutPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	for range 4 {
		w.Later(t, 5*time.Minute)
	}
	equal(t, "for the low one", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob", "1.0.1 Ada")
	equal(t, "paging", w.Texts(t, `SELECT paging_status FROM incident WHERE org_id = $1`, w.Org), "exhausted")
	w.Clock.Advance(time.Hour)
	w.send(t, "down", alert.Critical)
	equal(t, "at once", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise")
	equal(t, "incident", w.Incidents(t), "triggered critical 2")
	w.Later(t, 5*time.Minute)
	equal(t, "five minutes later", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
	w.send(t, "down, too", alert.Critical)
	w.Sweep(t)
	equal(t, "for more of the same", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
}

// TestACriticalAlertBeforeTheSweepThatEndsPagingPagesAgain: the last resort had its time to
// answer, and the critical alert comes before the sweep that would say that paging ran out.
func TestACriticalAlertBeforeTheSweepThatEndsPagingPagesAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Later(t, 5*time.Minute)
	w.Later(t, 5*time.Minute)
	equal(t, "for the low one", w.cycles(t), "1.0.0 Ada", "1.0.1 Bob", "1.0.1 Ada")
	w.Clock.Advance(5 * time.Minute)
	w.send(t, "down", alert.Critical)
	w.Sweep(t)
	equal(t, "for the critical one", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise")
	w.Later(t, 5*time.Minute)
	equal(t, "five minutes later", w.cycles(t)[3:], "2.0.0 Ada", "2.0.0 Bob rise", "2.0.1 Bob")
}

// TestACriticalAlertTellsWhoeverWasPaged: the paging of a low incident is under way, and a
// step for critical ones was skipped.
func TestACriticalAlertTellsWhoeverWasPaged(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	eve := w.AddPerson(t, "Eve")
	w.SetSteps(t,
		pagingtest.Step{Wait: 5 * time.Minute, Targets: []pagingtest.Target{user(eve)}, Severities: []string{"critical"}},
		page(user(w.Bob)), page(user(w.Ada)))
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	equal(t, "for the low one", w.cycles(t), "1.0.1 Bob")
	w.Clock.Advance(time.Minute)
	w.send(t, "slow", alert.Critical) // the same alert, with another severity
	equal(t, "at once", w.cycles(t)[1:], "1.0.0 Eve", "1.0.2 Bob rise")
	w.Later(t, 4*time.Minute)
	equal(t, "the next step in its time", w.cycles(t)[3:], "1.0.2 Ada")
}

// TestAPersonWhoRaisesTheSeverityPages: the command does what an alert does.
func TestAPersonWhoRaisesTheSeverityPages(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	w.send(t, "slow", alert.Low)
	w.Clock.Advance(time.Minute)
	w.Respond(t, incident.ChangeSeverity{By: pagingtest.By(w.Bob, "Bob"), To: alert.Critical})
	equal(t, "told", w.cycles(t), "1.0.0 Ada", "1.0.1 Ada rise")
}

// TestAnAlertThatCannotBeReadRaisesTheSeverity: the incident of such alerts was lowered
// since, and the next one makes it high again.
func TestAnAlertThatCannotBeReadRaisesTheSeverity(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t)
	w.Clock.Freeze(friday)
	unreadable := func() {
		if err := w.Intake.AcceptUndecodable(t.Context(), w.Route, "prometheus", "not JSON", []byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	unreadable()
	w.Exec(t, `UPDATE incident SET severity = 'low', urgency = 'low'`)
	w.Exec(t, `UPDATE incident SET paging_severity = 'low', paging_status = 'exhausted', paging_due_at = NULL`)
	w.Clock.Advance(time.Minute)
	unreadable()
	equal(t, "paged", w.cycles(t), "1.0.0 Ada", "2.0.0 Ada")
}

// TestAnEditUnderWayLeavesNobodyOut: Priya was paged, Wei is next, and the policy is edited.
func TestAnEditUnderWayLeavesNobodyOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		edit func(t *testing.T, w *workspace, priya, wei uuid.UUID)
		want []string
	}{
		{"[Priya, Wei] becomes [Wei]", func(t *testing.T, w *workspace, _, _ uuid.UUID) {
			w.Exec(t, `DELETE FROM escalation_step WHERE position = 0`)
			w.Exec(t, `UPDATE escalation_policy SET revision = revision + 1`)
		}, []string{"0.0 Priya", "0.0 Wei", "0.0 Ada"}},
		{"sent without ids", func(t *testing.T, w *workspace, priya, wei uuid.UUID) {
			w.SetSteps(t, page(user(wei)), page(user(priya)))
		}, []string{"0.0 Priya", "0.0 Wei", "0.1 Ada"}},
		{"somebody joins the step that was paged", func(t *testing.T, w *workspace, priya, wei uuid.UUID) {
			w.SetSteps(t, page(user(priya), user(w.Bob)), page(user(wei)))
		}, []string{"0.0 Priya", "0.0 Bob", "0.1 Wei", "0.1 Ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			priya, wei := w.AddPerson(t, "Priya"), w.AddPerson(t, "Wei")
			w.SetSteps(t, page(user(priya)), page(user(wei)))
			w.send(t, "db", alert.High)
			w.Clock.Advance(time.Minute)
			test.edit(t, w, priya, wei)
			for range 5 {
				w.Later(t, 5*time.Minute)
			}
			equal(t, "paged", w.Paged(t), test.want...)
		})
	}
}

// TestPagingThatRunsOutEndsWithTheLastResort, which is the owners, somebody else or nobody.
func TestPagingThatRunsOutEndsWithTheLastResort(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		set  func(t *testing.T, w *workspace)
		want []string
	}{
		{"owners", func(*testing.T, *workspace) {}, []string{"0.0 Bob", "0.1 Ada"}},
		{"nobody", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
		}, []string{"0.0 Bob"}},
		{"somebody else", func(t *testing.T, w *workspace) {
			w.lastResort(t, w.AddPerson(t, "Zoe"))
		}, []string{"0.0 Bob", "0.1 Zoe"}},
		{"somebody else who has left", func(t *testing.T, w *workspace) {
			zoe := w.AddPerson(t, "Zoe")
			w.lastResort(t, zoe)
			w.Exec(t, `DELETE FROM membership WHERE user_id = $1`, zoe)
		}, []string{"0.0 Bob", "0.1 Ada"}},
		{"quiet for the severity", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["critical"], "windows": []}]'`)
		}, nil},
		{"quiet at these hours", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": [], "windows": [{"days": [], "from": 0, "to": 0}]}]'`)
		}, nil},
		{"quiet for another severity", func(t *testing.T, w *workspace) {
			w.Exec(t, `UPDATE escalation_policy SET quiet = '[{"severities": ["low"], "windows": []}]'`)
		}, []string{"0.0 Bob", "0.1 Ada"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t)
			w.Clock.Freeze(friday)
			w.SetSteps(t, page(user(w.Bob)), page()) // the second step means nobody
			test.set(t, w)
			w.send(t, "db", alert.Critical)
			for range 4 {
				w.Later(t, 5*time.Minute)
			}
			equal(t, "paged", w.Paged(t), test.want...)
			if got := pgtest.One[string](t, w.Database, `SELECT paging_status FROM incident`); got != "exhausted" {
				t.Errorf("paging is %s", got)
			}
		})
	}
}

func (w *workspace) lastResort(t *testing.T, person uuid.UUID) {
	t.Helper()
	w.Exec(t, `UPDATE escalation_policy SET last_resort = 'target'`)
	w.Exec(t, `INSERT INTO escalation_step (org_id, policy_id, position, delay_seconds) VALUES ($1, $2, -1, 300)`, w.Org, w.Policy)
	w.Exec(t, `INSERT INTO escalation_target (org_id, policy_id, step_position, position, kind, user_id) VALUES ($1, $2, -1, 0, 'user', $3)`, w.Org, w.Policy, person)
}

// TestWhomNoPageReachesIsNobody: with a mail server, somebody whose only address is not confirmed would
// get no page, and those after them waited for one that had failed.
func TestWhomNoPageReachesIsNobody(t *testing.T) {
	t.Parallel()
	unconfirmed := func(t *testing.T) (*workspace, uuid.UUID) {
		t.Helper()
		w := newWorkspace(t)
		w.VerifiesMail()
		eve := w.AddPerson(t, "Eve")
		w.Exec(t, `UPDATE contact_method SET kind = 'email', verified_at = CASE WHEN user_id = $1 THEN NULL ELSE nightbell_now() END`, eve)
		w.Exec(t, `UPDATE membership SET role = 'owner' WHERE user_id = $1`, w.Ada)
		w.Clock.Freeze(friday)
		return w, eve
	}
	t.Run("a step goes on at once, also in a repeat", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(eve)), page(user(w.Bob)))
		w.Exec(t, `UPDATE escalation_policy SET repeats = 1`)
		w.send(t, "down", alert.Critical)
		equal(t, "at once", w.cycles(t), "1.0.1 Bob")
		w.Later(t, 5*time.Minute)
		equal(t, "again", w.cyclesAfter(t, 1), "1.1.1 Bob")
	})
	t.Run("the last resort is the owners", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(w.Bob)))
		w.lastResort(t, eve)
		w.send(t, "down", alert.Critical)
		w.Later(t, 5*time.Minute)
		equal(t, "the last resort", w.cyclesAfter(t, 1), "1.0.0 Ada")
	})
	t.Run("escalating by hand pages the first step again", func(t *testing.T) {
		t.Parallel()
		w, eve := unconfirmed(t)
		w.SetSteps(t, page(user(w.Bob)), page(user(eve)))
		w.Exec(t, `UPDATE escalation_policy SET last_resort = 'nobody'`)
		w.send(t, "down", alert.Critical)
		w.Respond(t, incident.Acknowledge{By: pagingtest.By(w.Ada, "Ada")})
		w.Respond(t, incident.Escalate{By: pagingtest.By(w.Ada, "Ada")})
		if got := w.cyclesAfter(t, 1); len(got) != 1 || !strings.HasSuffix(got[0], " Bob") {
			t.Errorf("escalated by hand: %q", got)
		}
	})
}
