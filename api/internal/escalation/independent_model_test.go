package escalation_test

import (
	"slices"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/escalation"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// plainStep is a step as the words of the documentation have it. People are letters; a
// space is a target that means nobody.
type plainStep struct {
	id         byte
	delay      time.Duration
	who        string
	turns      bool
	severities []alert.Severity
	hours      []oncall.Window
	// fresh is set by an edit that added the step or changed whom it pages, until it is paged.
	fresh bool
}

type plainQuiet struct {
	severities []alert.Severity
	hours      []oncall.Window
}

type plainPolicy struct {
	steps   []plainStep
	repeats int
	quiet   []plainQuiet
	// last is who is the last resort; empty is the owners, "-" is nobody.
	last string
}

const plainOwners = "OA"

// plainModel says who is paged when, written from the documentation without a look at the
// rules: it knows letters and sets, no effects, revisions or keys.
type plainModel struct {
	policy   plainPolicy
	turn     int
	severity alert.Severity
	hold     time.Time

	running bool
	due     time.Time
	// own is when the step that was hurried is due by itself.
	own time.Time
	// waits is set while due is the end of maintenance, or of a quiet time.
	waits, waitsForQuiet bool
	round                int
	passed               map[byte]bool // of this round
	lastPaged            bool          // the last resort, in this cycle
	roundPaged           string
	cyclePaged           string
	told                 int
	// earlier is who was paged in the last cycle that paged anybody, tellAt when a rise is told
	// that maintenance put off.
	earlier string
	tellAt  time.Time
	// began is set once paging has begun for the first time.
	began bool
}

const nobodyTold = 9

func (m *plainModel) start(now time.Time) string {
	if m.cyclePaged != "" {
		m.earlier = m.cyclePaged
	}
	m.running, m.due, m.cyclePaged, m.round, m.lastPaged = true, now, "", -1, false
	m.waits, m.waitsForQuiet, m.own = false, false, time.Time{}
	m.nextRound()
	if m.began && !m.hold.After(now) && m.quietAt(now) { // what there was before waits for the end
		m.due, m.waits = now, true
	}
	m.began = true
	return m.wake(now)
}

func (m *plainModel) nextRound() {
	m.round++
	m.passed, m.roundPaged = map[byte]bool{}, ""
	for i := range m.policy.steps {
		m.policy.steps[i].fresh = false
	}
}

func (m *plainModel) quietAt(at time.Time) bool {
	return slices.ContainsFunc(m.policy.quiet, func(q plainQuiet) bool { return forSeverity(q.severities, m.severity) && inHours(q.hours, at) })
}

func forSeverity(list []alert.Severity, s alert.Severity) bool {
	return len(list) == 0 || slices.Contains(list, s)
}

func inHours(list []oncall.Window, at time.Time) bool {
	if len(list) == 0 {
		return true
	}
	minute := at.Hour()*60 + at.Minute()
	for _, w := range list {
		from, to := int(w.From), int(w.To)
		if from < to && from <= minute && minute < to || from >= to && (minute >= from || minute < to) {
			return true
		}
	}
	return false
}

// means is whom a step pages this time.
func (m *plainModel) means(s plainStep) string {
	if !s.turns {
		return strings.ReplaceAll(s.who, " ", "")
	}
	for i := range s.who {
		if c := s.who[(m.turn+m.round+i)%len(s.who)]; c != ' ' {
			return string(c)
		}
	}
	return ""
}

// wake is one sweep: everybody whose time has come, each once.
func (m *plainModel) wake(now time.Time) (paged string) {
	if !m.running || now.Before(m.due) {
		return ""
	}
	if !m.waits && m.own.After(m.due) && m.quietAt(m.due) { // hurried into a quiet time: asked at its own
		m.due = m.own
	}
	switch {
	case m.nothingFollows():
		m.running = false
		return ""
	case m.hold.After(now):
		m.due, m.waits, m.waitsForQuiet = m.hold, true, false
		return ""
	case m.due.After(now):
		return ""
	case m.quietAt(now) && (m.waits || !m.quietAt(m.due) && now.Sub(m.due) > time.Minute):
		end := now.Truncate(time.Minute)
		for m.quietAt(end) && end.Before(now.AddDate(0, 0, 2)) {
			end = end.Add(time.Minute)
		}
		m.running = !m.quietAt(end)
		m.due, m.waits, m.waitsForQuiet = end, true, true
		return ""
	case m.quietAt(m.due) && !m.waits:
		m.running = false
		return ""
	}
	m.waits, m.waitsForQuiet = false, false
	before, begins := m.told, len(m.passed) == 0 && !m.lastPaged
	if !begins {
		paged = m.tell(now)
	}
	paged = union(paged, m.pageDue(now, paged))
	if begins && before != nobodyTold && m.severity.Rank() < before { // a cycle in which nobody was told yet
		others := without(m.earlier, paged)
		m.page(others)
		paged = union(paged, others)
	}
	return paged
}

// pageDue pages the steps whose time has come; told are those that hear of it already.
func (m *plainModel) pageDue(now time.Time, told string) (paged string) {
	off := map[byte]time.Time{} // what was hurried to when it pages nobody, with that time
	owed := func() bool {       // an edit may leave a step nobody whom it has not paged
		return slices.ContainsFunc(m.policy.steps, func(s plainStep) bool {
			_, put := off[s.id]
			who := m.means(s)
			done := s.fresh && who != "" && forSeverity(s.severities, m.severity) && inHours(s.hours, m.own) && without(who, m.roundPaged) == ""
			return put && !m.passed[s.id] && !done && !m.own.IsZero()
		})
	}
	defer func() {
		if !owed() || !m.own.After(now) {
			m.own = time.Time{}
		} else if m.running && (m.due.After(m.own) || !m.due.After(now)) {
			m.due = m.own
		}
	}()
	first := escalation.DefaultDelay
	if len(m.policy.steps) > 0 {
		first = m.policy.steps[0].delay
	}
	seen := map[byte]bool{} // by this wake-up, which goes through the steps once at most
	looks := 0
	for at := m.due; !at.After(now); looks++ {
		next := m.next(at, off)
		switch {
		case looks > 10_000:
			return "it never ends"
		case paged != "" && m.quietAt(at):
			return paged
		case next < 0 && owed() && !m.own.After(now) && m.own.After(at):
			at = m.own
			continue
		case next < 0 && !owed() && !m.lastRound() && (len(seen) == 0 || m.anybody(at)):
			if paged != "" && seen[m.policy.steps[0].id] {
				return paged
			}
			m.nextRound()
			clear(off)
			continue
		case next < 0 && paged != "": // whoever was only just paged has the time to answer
			return paged
		case next < 0 && !m.lastPaged && m.policy.last != "-":
			m.lastPaged, m.due = true, now.Add(first)
			if paged = m.policy.last; paged == "" {
				paged = plainOwners
			}
			m.page(without(paged, told))
			return paged
		case next < 0 && owed():
			m.due = m.own
			return ""
		case next < 0 && !m.lastRound():
			m.due = now.Add(first)
			return ""
		case next < 0:
			m.running = false
			return ""
		}
		s := &m.policy.steps[next]
		applies := forSeverity(s.severities, m.severity) && inHours(s.hours, at)
		if m.own.After(at) && forSeverity(s.severities, m.severity) && (!applies || m.means(*s) == "") &&
			(owed() || m.means(*s) != "" && inHours(s.hours, m.own)) {
			off[s.id] = at
			continue
		}
		if paged != "" && seen[s.id] {
			return paged
		}
		m.passed[s.id], seen[s.id] = true, true
		if !applies {
			continue
		}
		who := m.means(*s)
		if s.fresh {
			who, s.fresh = without(who, m.roundPaged), false
		}
		if who != "" {
			m.page(without(who, told+paged)) // a page counts for the round in which it is made
			paged = union(paged, who)
			if at, m.due = at.Add(s.delay), now.Add(s.delay); !owed() {
				m.own = time.Time{}
			} else if at.After(m.own) {
				at = m.own
			}
		}
	}
	return paged
}

func (m *plainModel) lastRound() bool { return m.round >= m.policy.repeats || len(m.policy.steps) == 0 }

// next is the first step that this round still has to pass: one that an edit added or
// changed, while it means somebody whom the round has not paged.
func (m *plainModel) next(at time.Time, off map[byte]time.Time) int {
	return slices.IndexFunc(m.policy.steps, func(s plainStep) bool {
		if off[s.id].Equal(at) {
			return false
		}
		if who := m.means(s); s.fresh && who != "" && forSeverity(s.severities, m.severity) && inHours(s.hours, at) {
			return without(who, m.roundPaged) != ""
		}
		return !m.passed[s.id]
	})
}

func (m *plainModel) anybody(at time.Time) bool {
	return slices.ContainsFunc(m.policy.steps, func(s plainStep) bool {
		return forSeverity(s.severities, m.severity) && inHours(s.hours, at) && m.means(s) != ""
	})
}

func (m *plainModel) page(who string) {
	m.roundPaged, m.cyclePaged = union(m.roundPaged, who), union(m.cyclePaged, who)
	if who != "" {
		m.told = min(m.told, m.severity.Rank())
	}
}

// hurry asks the next step now, because whoever was paged cannot be reached.
func (m *plainModel) hurry(now time.Time) {
	if m.own.IsZero() {
		m.own = m.due
	}
	m.due = now
}

// lower is an incident that somebody says is less bad: what rises after that is news.
func (m *plainModel) lower() {
	if m.told != nobodyTold {
		m.told = max(m.told, m.severity.Rank())
	}
}

// rise is a triggered incident that became more severe.
func (m *plainModel) rise(now time.Time) (paged string) {
	late := !m.due.After(now)
	m.tellAt = time.Time{}
	switch {
	case m.severity.Rank() >= m.told:
		return ""
	case m.running && m.waitsForQuiet: // it may not be quiet for this severity
		m.due = now
		return m.wake(now)
	case m.running && len(m.passed) == 0 && !m.lastPaged:
		return ""
	case !m.running || m.told == nobodyTold:
		return m.start(now)
	case late:
		if paged = m.wake(now); !m.running && m.severity.Rank() < m.told {
			return m.start(now)
		}
		return paged
	case m.hold.After(now): // the next step keeps its time
		if !m.waits {
			m.tellAt = m.hold
		}
		return ""
	case m.quietAt(now):
		return ""
	}
	return m.tell(now)
}

// tell pages whoever was paged in this cycle for less, and whom the steps that the round has
// passed mean now.
func (m *plainModel) tell(now time.Time) (paged string) {
	if m.told == nobodyTold || m.severity.Rank() >= m.told {
		return ""
	}
	before := severityOf(m.told)
	if paged, m.told = m.cyclePaged, m.severity.Rank(); paged == "" {
		paged = m.earlier
	}
	for _, s := range m.policy.steps {
		again := m.cyclePaged != "" || !forSeverity(s.severities, before)
		if m.passed[s.id] && again && forSeverity(s.severities, m.severity) && inHours(s.hours, now) {
			paged = union(paged, m.means(s))
		}
	}
	m.page(paged)
	return paged
}

func severityOf(rank int) alert.Severity {
	for _, s := range []alert.Severity{alert.Critical, alert.High, alert.Medium} {
		if s.Rank() == rank {
			return s
		}
	}
	return alert.Low
}

func (m *plainModel) nothingFollows() bool {
	return m.lastRound() && (m.lastPaged || m.policy.last == "-") && m.next(m.due, nil) < 0
}

// edit replaces the policy; changed are the steps that it added or that page others now.
func (m *plainModel) edit(policy plainPolicy, changed string) {
	m.policy = policy
	for i := range m.policy.steps {
		if s := &m.policy.steps[i]; (len(m.passed) > 0 || m.lastPaged) && strings.IndexByte(changed, s.id) >= 0 {
			s.fresh = true
		}
	}
}

func union(a, b string) string {
	for _, c := range b {
		if !strings.ContainsRune(a, c) {
			a += string(c)
		}
	}
	return a
}

func without(a, b string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune(b, c) {
			return -1
		}
		return c
	}, a)
}

func sorted(s string) string {
	r := []rune(s)
	slices.Sort(r)
	return string(r)
}
