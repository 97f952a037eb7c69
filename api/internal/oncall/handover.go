package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
)

// OldestHandover is how long after a hand-over telling people of it still helps.
const OldestHandover = 24 * time.Hour

// Handover is that somebody comes on call or goes off, as that one is to be told.
type Handover struct {
	Person uuid.UUID
	// On is true for who comes on call, false for who goes off.
	On bool
	// At is when. A change that somebody made of the schedule counts from when it was seen.
	At time.Time
	// Until is when who comes on goes off again; zero when that is beyond the Horizon,
	// and for who goes off.
	Until time.Time
	// Others are who had it before, for who comes on, or who has it now, for who goes off.
	Others []uuid.UUID
}

// Handovers is what people are to be told now, when told are those who were last told that
// they are on call, at after. The schedule may have been changed since. Each person has one
// hand-over at most, the latest, none older than OldestHandover; who came and went has none.
func Handovers(s Schedule, told []uuid.UUID, after, now time.Time) (list []Handover) {
	after, now = toUTC(after), toUTC(now)
	from := clock.Later(after, now.Add(-OldestHandover))
	look := lookBack{
		Schedule: s, told: told, from: from, now: now,
		before: At(s, after).People, current: At(s, now).People, clipped: from.After(after), last: map[uuid.UUID]PersonShift{},
	}
	for _, shift := range PersonShifts(s, from, now.Add(time.Nanosecond)) {
		look.last[shift.Person] = shift
	}
	for _, person := range look.current {
		if at, came := look.cameOn(person); came {
			list = append(list, Handover{Person: person, On: true, At: at, Until: untilOff(s, person, now), Others: look.relieved(at)})
		}
	}
	for _, person := range without(told, look.current) {
		if at, went := look.wentOff(person); went {
			list = append(list, Handover{Person: person, At: at, Others: slices.Clone(look.current)})
		}
	}
	return list
}

// lookBack is a schedule's recent past.
type lookBack struct {
	Schedule
	// told is who was on call when people were told last, and before who was by what the
	// schedule says now: where the two differ, somebody changed it since.
	told, before []uuid.UUID
	current      []uuid.UUID
	// from is where the look begins; clipped says that they were told longer ago.
	from, now time.Time
	clipped   bool
	// last is the last time since from at which each person was on.
	last map[uuid.UUID]PersonShift
}

// cameOn tells since when somebody is on call, if that is news.
func (l *lookBack) cameOn(person uuid.UUID) (at time.Time, news bool) {
	was, known := slices.Contains(l.told, person), slices.Contains(l.before, person)
	if began := l.last[person].Start; began.After(l.from) {
		return began, !was || known // otherwise only the past was changed
	}
	return l.now, !was && known
}

// wentOff tells since when somebody who was told to be on call is not any more, if that
// is worth telling.
func (l *lookBack) wentOff(person uuid.UUID) (at time.Time, news bool) {
	if shift, ok := l.last[person]; ok {
		return shift.End, true
	}
	return l.now, !l.clipped || !slices.Contains(l.before, person)
}

// relieved is who had it until then and has not any more.
func (l *lookBack) relieved(at time.Time) []uuid.UUID {
	had := l.told
	if at.Before(l.now) || len(had) == 0 {
		had = At(l.Schedule, at.Add(-time.Nanosecond)).People
	}
	return without(had, l.current)
}

// untilOff is when a person who is on call at t goes off; zero when not within the Horizon.
func untilOff(s Schedule, person uuid.UUID, t time.Time) time.Time {
	limit := t.Add(Horizon)
	stays := func(people []uuid.UUID) bool { return slices.Contains(people, person) }
	if off := newResolver(&s, t, limit).withWindowEdges().until(t, limit, stays); off.Before(limit) {
		return off
	}
	return time.Time{}
}
