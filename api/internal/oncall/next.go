package oncall

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// Horizon is how far Next and Changes look for the ends of a shift, to both sides.
const Horizon = 400 * 24 * time.Hour

// Next is who is on call at an instant with the whole stretch in which the same people
// are, and the stretch after it, which may be a gap. Because of each is that of the
// instant and of the beginning: what decides may change while the people stay.
//
// When nobody comes or goes within the Horizon, ok is false, next is empty, and current
// ends at the horizon. A beginning that is further away is cut off there as well.
func Next(s Schedule, at time.Time) (current, next Shift, ok bool) {
	at = plain(at)
	from, to := at.Add(-Horizon), at.Add(Horizon)
	p := planOf(&s, from, to).walking()
	current = p.stretch(at, to)
	current.Start = p.since(at, from, current.Duty)
	if !current.End.Before(to) {
		return current, Shift{}, false
	}
	return current, p.stretch(current.End, to), true
}

// Change is a handover: somebody comes on call or goes off.
type Change struct {
	At time.Time
	// On is who comes, Off who goes. Who stays is in neither.
	On, Off []uuid.UUID
	// Shift begins with the handover and lasts as long as the same people are on call,
	// but at most until the Horizon after the range.
	Shift Shift
}

// Changes is the handovers in (after, through], for telling those who come and go. A
// change of layer or override that leaves the same people on is none.
func Changes(s Schedule, after, through time.Time) (list []Change) {
	after, through = plain(after), plain(through)
	if !after.Before(through) {
		return nil
	}
	limit := through.Add(Horizon)
	p := planOf(&s, after, limit).walking()
	before := p.stretch(after, limit)
	for before.End.Before(limit) && !before.End.After(through) {
		shift := p.stretch(before.End, limit)
		list = append(list, Change{
			At: shift.Start, Shift: shift,
			On: without(shift.People, before.People), Off: without(before.People, shift.People),
		})
		before = shift
	}
	return list
}

// stretch is from t for as long as the same people are on, at most until limit.
func (p *plan) stretch(t, limit time.Time) Shift {
	duty, end := p.step(t, limit)
	for end.Before(limit) {
		next, then := p.step(end, limit)
		if !samePeople(duty.People, next.People) {
			break
		}
		end = then
	}
	duty.People = slices.Clone(duty.People)
	return Shift{t, end, duty}
}

// since is when the people of t came on, at the earliest limit.
func (p *plan) since(t, limit time.Time, duty Duty) time.Time {
	for {
		begin := p.last(t, limit)
		if !begin.After(limit) {
			return limit
		}
		t = begin.Add(-time.Nanosecond)
		if !samePeople(p.at(t).People, duty.People) {
			return begin
		}
	}
}
