package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// model is the meaning of schedules said a second time, slowly: somebody watches the
// clock on the wall minute by minute with a diary in hand, and does what the diary says
// as soon as the clock shows that time or a later one. What was done is not done again
// when clocks are set back. It shares no code with what it checks.
type model struct {
	s       Schedule
	now     time.Time
	watches []*watch
}

// watch follows one rotation.
type watch struct {
	r       Rotation
	turn    int
	started bool
	// handover is what the clock shows at the next handover.
	handover time.Time
	// diary is what windows do, in order; open counts those that are open.
	diary []entry
	open  int
}

// entry is something to be done when the clock shows a time: a window opens or closes.
type entry struct {
	at   time.Time
	open int
}

// patience is how long the clock is watched before anything counts: longer than clocks
// are ever moved.
const patience = 72 * time.Hour

// modelOf watches up to the instant from, which is a whole minute.
func modelOf(s Schedule, from, to time.Time) *model {
	m := &model{s: s, now: from}
	for _, r := range s.Rotations {
		w := &watch{r: r, diary: diaryOf(r.Windows, onTheWall(from, s.Zone).AddDate(0, 0, -5), onTheWall(to, s.Zone).AddDate(0, 0, 2))}
		w.follow(s.Zone, from)
		m.watches = append(m.watches, w)
	}
	return m
}

// onTheWall is what the clock shows, as if it were in London in winter.
func onTheWall(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.In(zone).Date()
	h, m, s := t.In(zone).Clock()
	return time.Date(year, month, day, h, m, s, 0, time.UTC)
}

// follow watches from before the start of the rotation, or a while before the end if
// the start is later, up to the instant.
func (w *watch) follow(zone *time.Location, end time.Time) {
	begin := earlier(w.r.Start, end).Add(-patience)
	w.handover = w.firstHandover(onTheWall(w.r.Start, zone))
	for shows := onTheWall(begin, zone); w.handover.After(shows); {
		w.handover = w.later(w.handover, -1)
	}
	for t := begin; ; {
		w.look(t, onTheWall(t, zone))
		if t.Equal(end) {
			return
		}
		pace := time.Minute
		if t.After(w.r.Start) && end.Sub(t) > patience+6*time.Hour {
			pace = 6 * time.Hour // nothing but the number of handovers matters here
		}
		t = earlier(t.Add(pace), end)
	}
}

// firstHandover is the last one at or before what the clock shows at the start.
func (w *watch) firstHandover(shows time.Time) time.Time {
	h := time.Date(shows.Year(), shows.Month(), shows.Day(), 0, int(w.r.Handover), 0, 0, time.UTC)
	for h.After(shows) || (w.r.Unit == Week && h.Weekday() != w.r.Weekday) {
		h = h.AddDate(0, 0, -1)
	}
	return h
}

func (w *watch) later(t time.Time, turns int) time.Time {
	n := w.r.Length * turns
	switch w.r.Unit {
	case Hour:
		return t.Add(time.Duration(n) * time.Hour)
	case Day:
		return t.AddDate(0, 0, n)
	default:
		return t.AddDate(0, 0, 7*n)
	}
}

// look is one look at the clock.
func (w *watch) look(t, shows time.Time) {
	for !shows.Before(w.handover) {
		w.handover = w.later(w.handover, 1)
		w.turn = (w.turn + 1) % len(w.r.Turns)
	}
	for len(w.diary) > 0 && !shows.Before(w.diary[0].at) {
		w.open += w.diary[0].open
		w.diary = w.diary[1:]
	}
	if !w.started && !t.Before(w.r.Start) {
		w.started, w.turn = true, 0
	}
}

// people are who is on by this rotation alone.
func (w *watch) people(t time.Time) (list []uuid.UUID) {
	over := !w.r.End.IsZero() && !t.Before(w.r.End)
	if !w.started || over || (len(w.r.Windows) > 0 && w.open == 0) {
		return nil
	}
	for _, person := range w.r.Turns[w.turn].People {
		if !slices.Contains(list, person) {
			list = append(list, person)
		}
	}
	return list
}

func diaryOf(windows []Window, from, to time.Time) (diary []entry) {
	for day := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC); day.Before(to); day = day.AddDate(0, 0, 1) {
		for _, window := range windows {
			if len(window.Days) > 0 && !slices.Contains(window.Days, day.Weekday()) {
				continue
			}
			closes := day
			if window.From >= window.To {
				closes = day.AddDate(0, 0, 1)
			}
			diary = append(diary, entry{day.Add(time.Duration(window.From) * time.Minute), 1},
				entry{closes.Add(time.Duration(window.To) * time.Minute), -1})
		}
	}
	slices.SortFunc(diary, func(a, b entry) int { return a.at.Compare(b.at) })
	return diary
}

// minute goes on to the next minute.
func (m *model) minute() {
	m.now = m.now.Add(time.Minute)
	shows := onTheWall(m.now, m.s.Zone)
	for _, w := range m.watches {
		w.look(m.now, shows)
	}
}

// duty is who is on call now.
func (m *model) duty() Duty {
	if !m.s.Active {
		return Duty{Because: Source{Kind: FromInactive}}
	}
	duty := Duty{Because: Source{Kind: FromNothing}}
	for _, w := range m.watches {
		if people := w.people(m.now); len(people) > 0 {
			duty = Duty{people, Source{FromRotation, w.r.ID, w.r.Name}}
		}
	}
	return m.applyOverrides(duty)
}

// overridden asks for each person who stands in at last: the covers of somebody, then
// the covers of those, each only by an override that is later.
func (m *model) applyOverrides(duty Duty) Duty {
	orders := m.orders()
	for i, o := range slices.Backward(orders) {
		if o.Kind == TakeOver || o.Kind == Vacant {
			duty = Duty{Because: Source{Kind: FromOverride, ID: o.ID}}
			if o.Kind == TakeOver {
				duty.People = []uuid.UUID{o.Person}
			}
			orders = orders[i+1:]
			break
		}
	}
	people := []uuid.UUID{}
	decided := -1
	for _, person := range duty.People {
		last := person
		known := []uuid.UUID{person}
		for i, o := range orders {
			if slices.Contains(known, o.Replaces) {
				known, last, decided = append(known, o.Person), o.Person, max(decided, i)
			}
		}
		if !slices.Contains(people, last) {
			people = append(people, last)
		}
	}
	if decided >= 0 {
		duty.Because = Source{Kind: FromOverride, ID: orders[decided].ID}
	}
	return Duty{people, duty.Because}
}

// orders are the overrides of this minute, the first created first.
func (m *model) orders() (list []Override) {
	for _, o := range m.s.Overrides {
		if m.now.Before(o.Start) || !m.now.Before(o.End) {
			continue
		}
		i := 0
		for i < len(list) && (list[i].CreatedAt.Before(o.CreatedAt) ||
			(list[i].CreatedAt.Equal(o.CreatedAt) && list[i].ID.String() < o.ID.String())) {
			i++
		}
		list = slices.Insert(list, i, o)
	}
	return list
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
