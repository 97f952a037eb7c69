package delivery

import (
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
)

// slots are how many messages of one channel are under way at a time in this process.
type slots struct {
	all int
	// perOrg is the most that one organization has, reserve what is kept for
	// organizations without any.
	perOrg, reserve int
}

// All mail goes to one server, which may count its connections. Webhooks go anywhere, and
// who does not answer costs no more than a connection.
func slotsOf(kind notify.Kind) slots {
	if kind == notify.Email {
		return slots{all: 48, perOrg: 16, reserve: 16}
	}
	return slots{all: 256, perOrg: 64, reserve: 64}
}

// SendsPerOrg is how many messages of one organization this process sends at a time.
func SendsPerOrg(kind notify.Kind) int { return slotsOf(kind).perOrg }

const (
	// A contact that got floodAfter messages within floodWithin is being flooded: what
	// follows is bundled into one message each floodGap. Nothing is dropped. Programs are
	// not spared: what a webhook gets waits only while the message before is under way.
	floodAfter  = 20
	floodWithin = time.Minute
	floodGap    = 5 * time.Second
	// quotaGap is floodGap for every contact of an organization that is over its quota, and the
	// longest that anything here makes a contact wait.
	quotaGap = 15 * time.Second
	// lookSlack is how far the times of two looks beside each other may lie apart.
	lookSlack = 5 * time.Second
)

// isAhead tells what was noted before the clock of the database was set back: it would hold until
// the clock has caught up.
func isAhead(noted, now time.Time) bool { return noted.Sub(now) > lookSlack }

// room is how many more sends may begin, and for whom. Where every slot, of all or of an
// organization, is taken by a send that has turned slow, one more may begin at a time: it finds
// out whether the mail server is back while old connections hang, for up to ten minutes.
func (d *Outbox) room() notifydb.Room {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return notifydb.Room{}
	}
	most := slotsOf(d.kind)
	room := notifydb.Room{All: most.all - len(d.sending), PerOrg: most.perOrg, UnderWay: map[uuid.UUID]int{}}
	quick := map[uuid.UUID]int{}
	for _, send := range d.sending {
		room.UnderWay[send.OrgID]++
		if !send.Slow {
			quick[send.OrgID]++
		}
	}
	for org, sends := range room.UnderWay {
		if quick[org] == 0 {
			room.UnderWay[org] = min(sends, most.perOrg-1)
		}
	}
	if room.All <= 0 && len(quick) == 0 {
		room.All, room.Shared = 1, 1
		return room
	}
	room.All = max(0, room.All)
	room.Shared = max(0, room.All-most.reserve)
	return room
}

// contactsToSkip lists the contacts that nothing may be claimed for at now: those who wait, and
// those that a message is under way to. Behind one that hangs while its lease is renewed, newer
// pages leave in another (notifydb.NextBehind); who lost a lease never takes over from itself.
func (d *Outbox) contactsToSkip(now time.Time) []uuid.UUID {
	d.mu.Lock()
	defer d.mu.Unlock()
	type toOne struct {
		sends  int
		latest time.Time
		lost   bool
	}
	underWay := map[uuid.UUID]toOne{}
	for _, send := range d.sending {
		one := underWay[send.contact]
		underWay[send.contact] = toOne{one.sends + 1, clock.Later(one.latest, send.began), one.lost || !send.until.After(now)}
	}
	var contacts []uuid.UUID
	for contact, one := range underWay {
		tooEarly := now.Sub(one.latest) < notifydb.NextBehind(one.sends) && !isAhead(one.latest, now)
		if one.lost || one.sends >= notifydb.MostPerContact || tooEarly {
			contacts = append(contacts, contact)
		}
	}
	for contact, until := range d.waitUntil {
		if until.After(now) && !isAhead(until, now.Add(quotaGap)) {
			contacts = append(contacts, contact)
		} else {
			delete(d.waitUntil, contact)
		}
	}
	return contacts
}

// postpone keeps messages from a contact until then; a later time stays.
func (d *Outbox) postpone(contact uuid.UUID, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waitUntil[contact] = clock.Later(d.waitUntil[contact], until)
}

// limitRate notes a message to a contact. It postpones the next one when there were many, and
// when the organization is over its quota.
func (d *Outbox) limitRate(claim notifydb.Claim, now time.Time) {
	contact := claim.ContactMethodID
	d.mu.Lock()
	old := func(at time.Time) bool { return now.Sub(at) >= floodWithin || isAhead(at, now) }
	latest := append(slices.DeleteFunc(d.recent[contact], old), now)
	d.recent[contact] = latest
	if len(d.recent) > 10_000 { // forget who has been quiet
		maps.DeleteFunc(d.recent, func(_ uuid.UUID, times []time.Time) bool { return old(times[len(times)-1]) })
	}
	d.mu.Unlock()
	switch {
	case d.overQuota(claim, now):
		d.postpone(contact, now.Add(quotaGap))
	case d.kind != notify.Webhook && len(latest) >= floodAfter:
		d.postpone(contact, now.Add(floodGap))
	}
}

// openedBy is how many incidents an organization ever had at a time.
type openedBy struct {
	at        time.Time
	incidents int
}

// overQuota reports whether more incidents of the claim's organization opened within the last
// minute, as far as this process has seen, than may.
func (d *Outbox) overQuota(claim notifydb.Claim, now time.Time) bool {
	if d.options.IncidentsPerMinute == 0 {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	old := func(o openedBy) bool { return now.Sub(o.at) > time.Minute || isAhead(o.at, now) }
	seen := slices.DeleteFunc(d.opened[claim.OrgID], old)
	if len(seen) == 0 || now.Sub(seen[len(seen)-1].at) >= time.Second {
		seen = append(seen, openedBy{now, claim.Incidents})
	}
	d.opened[claim.OrgID] = seen
	if len(d.opened) > 10_000 { // forget who has been quiet
		maps.DeleteFunc(d.opened, func(_ uuid.UUID, all []openedBy) bool { return old(all[len(all)-1]) })
	}
	return claim.Incidents-seen[0].incidents > d.options.IncidentsPerMinute
}
