package escalation_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// real is the policy as the rules take it.
func (p plainPolicy) real(revision int, changedIn map[byte]int, turn int) escalation.Policy {
	made := escalation.Policy{Name: "P", Repeats: p.repeats, Revision: revision, NextTurn: turn}
	target := func(c byte) escalation.Target {
		t := escalation.Target{Kind: escalation.User, ID: uuid.UUID{c}}
		if c != ' ' {
			t.People = []uuid.UUID{{c}}
		}
		return t
	}
	for _, s := range p.steps {
		step := escalation.Step{ID: uuid.UUID{1, s.id}, ChangedIn: changedIn[s.id], Delay: s.delay, RoundRobin: s.turns, Severities: s.severities, Windows: s.hours}
		for _, c := range []byte(s.who) {
			step.Targets = append(step.Targets, target(c))
		}
		made.Steps = append(made.Steps, step)
	}
	for _, q := range p.quiet {
		made.Quiet = append(made.Quiet, escalation.Quiet{Severities: q.severities, Windows: q.hours})
	}
	made.NoLastResort = p.last == "-"
	if p.last != "" && p.last != "-" {
		made.LastResort = escalation.Step{ID: uuid.UUID{1, '!'}, ChangedIn: revision}
		for _, c := range []byte(p.last) {
			made.LastResort.Targets = append(made.LastResort.Targets, target(c))
		}
	}
	return made
}

type plainDice struct{ *rand.Rand }

func (d plainDice) one(in int) bool { return d.IntN(in) == 0 }

func (d plainDice) severities() (list []alert.Severity) {
	for _, s := range []alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low} {
		if d.one(2) {
			list = append(list, s)
		}
	}
	return list
}

func (d plainDice) hours() []oncall.Window {
	from := oncall.Clock(11*60 + 5*d.IntN(40))
	return []oncall.Window{{From: from, To: from + oncall.Clock(5*(1+d.IntN(24)))}}
}

func (d plainDice) step(id byte) plainStep {
	s := plainStep{id: id, delay: time.Duration(1+d.IntN(4)) * 5 * time.Minute, turns: d.one(4)}
	for range 1 + d.IntN(3) {
		c := "ABCDE  "[d.IntN(7)]
		if c == ' ' || !strings.Contains(s.who, string(c)) {
			s.who += string(c)
		}
	}
	if d.one(4) {
		s.severities = d.severities()
	}
	if d.one(6) {
		s.hours = d.hours()
	}
	return s
}

func (d plainDice) policy() (p plainPolicy) {
	p.repeats, p.last = max(0, d.IntN(4)-1), []string{"", "", "-", "L", "LA"}[d.IntN(5)]
	for i := range d.IntN(5) {
		p.steps = append(p.steps, d.step(byte('a'+i)))
	}
	if d.one(4) {
		p.quiet = append(p.quiet, plainQuiet{severities: d.severities()})
		if len(p.quiet[0].severities) == 0 || d.one(2) {
			p.quiet[0].hours = d.hours()
		}
	}
	return p
}

// edited is a policy after an edit, and the ids of the steps that page others now.
func (d plainDice) edited(p plainPolicy, next *byte) (plainPolicy, string) {
	changed := ""
	p.steps = slices.Clone(p.steps)
	for range 1 + d.IntN(3) {
		n := len(p.steps)
		switch kind := d.IntN(4); {
		case kind == 0:
			*next++
			p.steps = slices.Insert(p.steps, d.IntN(n+1), d.step(*next))
			changed += string(rune(*next))
		case n == 0:
		case kind == 1:
			i := d.IntN(n)
			p.steps = slices.Delete(p.steps, i, i+1)
		case kind == 2:
			i := d.IntN(n)
			s := d.step(p.steps[i].id)
			if s.who != p.steps[i].who {
				p.steps[i] = s
				changed += string(rune(s.id))
			}
		default:
			i, j := d.IntN(n), d.IntN(n)
			p.steps[i], p.steps[j] = p.steps[j], p.steps[i]
		}
	}
	return p, changed
}

// compareHistory plays one random history against both, and says where they differ.
func compareHistory(seed uint64) (difference string) {
	d := plainDice{rand.New(rand.NewPCG(seed, 8))}
	worst := []alert.Severity{alert.Low, alert.Medium, alert.High, alert.Critical}
	now := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	m := &plainModel{policy: d.policy(), turn: d.IntN(4), severity: worst[d.IntN(4)], told: nobodyTold}
	revision, changedIn, nextID := 1, map[byte]int{}, byte('f')
	for _, s := range m.policy.steps {
		changedIn[s.id] = 1
	}
	var state escalation.State
	var pagedInCycle []escalation.Paged
	unpaged, log := false, "" // unpaged is set while the cycle has paged nobody
	snapshot := func() escalation.Snapshot {
		s := escalation.Snapshot{State: state, Policy: m.policy.real(revision, changedIn, m.turn), Severity: m.severity, Paged: pagedInCycle}
		for _, c := range []byte(plainOwners) {
			s.Owners = append(s.Owners, uuid.UUID{c})
		}
		if m.hold.After(now) {
			s.Hold = escalation.Hold{Window: uuid.UUID{7}, Until: m.hold, Because: "Work"}
		}
		return s
	}
	apply := func(after escalation.State, effects []escalation.Effect) (who string) {
		if after.Cycle != state.Cycle {
			unpaged = true
		}
		for _, e := range effects {
			if e.Pages() {
				if unpaged {
					pagedInCycle, unpaged = nil, false
				}
				who += string(rune(e.UserID[0]))
				pagedInCycle = append(pagedInCycle, escalation.Paged{Round: e.Round, Kind: e.Kind, ID: e.UserID})
			}
		}
		if state = after; unpaged {
			for i := range pagedInCycle {
				pagedInCycle[i].Round = escalation.EarlierCycle
			}
		}
		return who
	}
	var tellAt time.Time
	rise := func() (who string) {
		who = apply(escalation.Rise(snapshot(), now))
		tellAt, _ = escalation.WaitToTell(snapshot(), now)
		return who
	}
	check := func(what, want, got string) bool {
		log += fmt.Sprintf("  %s %s: want %q got %q (due %s %v / %s %s)\n", now.Format("15:04"), what, want, got, m.due.Format("15:04"), m.running, state.NextDueAt.Format("15:04"), state.Status)
		return sorted(want) == sorted(got)
	}
	fail := func() string {
		return fmt.Sprintf("seed %d: first policy below\n%s  policy now %+v", seed, log, m.policy)
	}
	log += fmt.Sprintf("  %+v severity %s turn %d\n", m.policy, m.severity, m.turn)
	if d.one(8) {
		m.hold = now.Add(time.Duration(1+d.IntN(8)) * 5 * time.Minute)
	}
	want, got := m.start(now), apply(escalation.Start(snapshot(), now))
	if !check("start", want, got) {
		return fail()
	}
	for range 14 {
		if d.one(5) {
			now = now.Add(time.Duration(d.IntN(60)) * time.Minute)
		} else if soon := earliest(m, state); soon.After(now) {
			if now = soon; !m.tellAt.IsZero() && m.tellAt.Before(now) {
				now = m.tellAt
			}
		}
		want, got = "", ""
		if !m.tellAt.IsZero() && !m.tellAt.After(now) {
			want = m.rise(now)
		}
		if !tellAt.IsZero() && !tellAt.After(now) {
			got = rise()
		}
		if !check("the end of maintenance", want, got) {
			return fail()
		}
		want, got = "", ""
		switch d.IntN(12) {
		case 0:
			before := m.severity
			if m.severity = worst[d.IntN(4)]; m.severity.Rank() >= before.Rank() {
				log += "  severity " + string(m.severity) + "\n"
				m.lower()
				state = escalation.Lower(state, m.severity)
				break
			}
			want = m.rise(now)
			got = rise()
			log += "  severity " + string(m.severity) + " rises\n"
		case 1, 2:
			var changed string
			var p plainPolicy
			p, changed = d.edited(m.policy, &nextID)
			revision++
			for _, c := range []byte(changed) {
				changedIn[c] = revision
			}
			m.edit(p, changed)
			log += fmt.Sprintf("  edit, changed %q: %+v\n", changed, m.policy)
		case 3:
			if d.one(3) {
				m.hold = now.Add(time.Duration(d.IntN(8)) * 5 * time.Minute)
				log += "  hold until " + m.hold.Format("15:04") + "\n"
			}
		case 4:
			if d.one(3) {
				m.running, m.waits, m.waitsForQuiet, m.own = false, false, false, time.Time{}
				state = escalation.Stop(state, "Acknowledged")
				m.tellAt, tellAt = time.Time{}, time.Time{}
				log += "  stopped\n"
			}
		case 5, 6:
			if m.running && !m.waits && m.due.After(now) && !m.due.Equal(m.own) && state.Status == escalation.Active {
				m.hurry(now)
				state = escalation.Hurry(state, now)
				log += "  hurried at " + now.Format("15:04") + "\n"
			}
		}
		want = union(want, m.wake(now))
		got += apply(escalation.Decide(snapshot(), now))
		if !check("wake", want, got) {
			return fail()
		}
	}
	return ""
}

func earliest(m *plainModel, state escalation.State) time.Time {
	switch {
	case !m.running:
		return state.NextDueAt
	case state.NextDueAt.IsZero() || m.due.Before(state.NextDueAt):
		return m.due
	}
	return state.NextDueAt
}

var (
	histories = flag.Int("histories", 5_000, "how many random histories the independent model is compared over")
	history   = flag.Uint64("history", 0, "the first of them; 0 chooses one")
)

// TestRulesPageWhomTheDocumentationSays compares the rules with a second implementation of
// decision 0009 (independent_model_test.go): over random policies, edits, rises, maintenance, quiet times and late
// wake-ups both page the same people at the same time.
func TestRulesPageWhomTheDocumentationSays(t *testing.T) {
	t.Parallel()
	first := cmp.Or(*history, rand.Uint64()>>16)
	t.Logf("go test -run %s -history %d", t.Name(), first)
	for seed := first; seed < first+uint64(*histories); seed++ {
		if difference := compareHistory(seed); difference != "" {
			t.Fatal(difference)
		}
	}
}
