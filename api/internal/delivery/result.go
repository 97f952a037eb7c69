package delivery

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/incident"
	"github.com/nightbell/nightbell/api/internal/incident/incidentdb"
	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/notify/notifydb"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// settleLock is how long settling waits for somebody who changes the same pages.
const settleLock = 50 * time.Millisecond

// settle records a try in one transaction: the pages' next state, the delivery log and the timeline; bare is the pages
// alone. A worker that lost its lease changes nothing. It fails after limit, on a locked row, and instead of panicking:
// few connections settle for all organizations.
func (d *Outbox) settle(ctx context.Context, claim notifydb.Claim, done try, bare bool, limit time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	grew, moved := false, false
	var skipped []notifydb.DuePage
	err = d.db.InSystem(ctx, postgres.Sweep, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if err := done.readAgain(ctx, tx, claim, now); err != nil {
			return err
		}
		d.leaveToOthers(claim, done, now)
		held, results := done.held(claim), done.results(claim, now)
		settled, err := notifydb.SettlePages(ctx, tx, claim, held, results, now)
		if err != nil || len(settled)+len(held) == 0 || bare {
			return err
		}
		var hopeless []notifydb.DuePage
		if done.turnsDead() { // also for what was not in this message
			if hopeless, err = notifydb.OpenPages(ctx, tx, claim, now); err != nil {
				return err
			}
		}
		results = slices.DeleteFunc(results, func(r notifydb.Result) bool { return !slices.Contains(settled, r.PageID) })
		batch := &pgx.Batch{}
		notifydb.QueueSettleDelivery(batch, claim, done.delivery(results), now)
		entries := d.entries(claim, done, results)
		grew = len(entries) > 0
		incidentdb.QueueTimeline(batch, entries, now)
		done.queueContact(batch, claim, now)
		skipped = hopeless // for the next look: there may be thousands, and this result is not to wait for them
		moved = done.queueFailOver(batch, claim, results, &skipped, now) || len(hopeless) > 0
		return postgres.Finish(ctx, tx, batch)
	}, postgres.LockTimeout(settleLock))
	if err == nil && grew {
		d.options.Changed(claim.OrgID)
	}
	if err == nil && moved {
		d.addSkipped(skipped)
		d.options.Moved()
	}
	return err
}

func seedOf(claim notifydb.Claim) uint64 { return binary.BigEndian.Uint64(claim.ContactMethodID[8:]) }

// results says for each page of the claim what follows from the try at now.
func (t try) results(claim notifydb.Claim, now time.Time) []notifydb.Result {
	results := make([]notifydb.Result, 0, len(claim.Pages))
	for _, page := range claim.Pages {
		result := notifydb.Result{PageID: page.ID, IncidentID: page.IncidentID}
		about, known := t.checked.Incidents[page.ID]
		switch {
		case known && about.Unanswered && t.checked.Held[page.ID]:
			continue
		case known && !about.Unanswered:
			result.State, result.Reason = "cancelled", about.Status
		case t.err == nil && t.called:
			result.State = "sent"
		case t.err == nil:
			continue
		default:
			t.fail(&result, page, claim, now)
		}
		results = append(results, result)
	}
	return results
}

// held are the pages of the claim that wait for the end of maintenance, unless somebody has answered.
func (t try) held(claim notifydb.Claim) (held []uuid.UUID) {
	for _, page := range claim.Pages {
		if t.checked.Held[page.ID] && t.checked.Incidents[page.ID].Unanswered {
			held = append(held, page.ID)
		}
	}
	return held
}

// atFault reports whether the message may be what is wrong, so that its pages are tried in smaller groups.
func (t try) atFault() bool { return t.internal || errors.Is(t.err, notify.ErrRefused) }

// waitsItsTurn reports whether the address is not confirmed and has had its mail of this hour.
func (t try) waitsItsTurn() bool { return errors.Is(t.err, notify.ErrPageWaits) }

// fail decides whether a page that did not get through is tried again.
func (t try) fail(result *notifydb.Result, page notifydb.ClaimedPage, claim notifydb.Claim, now time.Time) {
	seed := seedOf(claim)
	next, giveUp := notify.Retry(page.Attempts, page.Due, now, seed)
	result.Fault, result.Blocked, result.Unknown = t.atFault(), t.blocked(), t.unsure() && !t.lost
	switch {
	case t.waitsItsTurn():
		wait, _ := notify.RetryAfter(t.err)
		next, giveUp = now.Add(wait), false
	case t.internal && page.Faults < notify.MostFaults: // else it was refused until now
		next, giveUp = now.Add(notify.Backoff(page.Faults+1, seed)), page.Faults+1 == notify.MostFaults
	case t.atFault():
		next, giveUp = notify.RetryRefused(page.Faults+1, len(claim.Pages) == 1, page.Due, now, seed)
		result.Hopeless = page.Faults+1 >= notify.MostFaults
	case errors.Is(t.err, notify.ErrPermanent):
		giveUp = true
	case result.Unknown && !t.checked.Contact.Kind.TellsRepeats():
		next, giveUp = notify.RetryUnknown(t.checked.Contact.Kind, page.Unknowns+1, now, giveUp)
	case result.Blocked && giveUp: // not the page's fault: it waits until somebody answers the incident
		next, giveUp = now.Add(notify.LongestWait), false
	case result.Blocked: // what hung has waited already
		next = clock.Later(next.Add(claim.Began().Sub(now)), now)
	default:
		next = notify.WaitUntil(page.Due, now) // or when its contact answers again
	}
	why := t.said(t.err.Error())
	if !giveUp {
		result.State, result.NextTryAt, result.Reason = "pending", next, why
		return
	}
	result.State, result.Reason, result.Lost = "failed", why, t.called || t.internal
	if page.Attempts > 1 {
		result.Reason = fmt.Sprintf("%s (%d tries)", why, page.Attempts)
	}
}

// delivery sums the try up for the delivery log.
func (t try) delivery(results []notifydb.Result) notifydb.Delivery {
	incidents := map[uuid.UUID]bool{}
	for _, result := range results {
		if result.State != "cancelled" {
			incidents[result.IncidentID] = true
		}
	}
	delivery := notifydb.Delivery{Incidents: len(incidents)}
	switch {
	case t.err == nil && !t.called && len(results) == 0: // nothing ended
		delivery.Outcome, delivery.Detail = "skipped", "maintenance holds it"
	case t.err == nil && !t.called:
		delivery.Outcome, delivery.Detail = "skipped", "somebody answered before it was sent"
	case t.err == nil:
		delivery.Outcome, delivery.Detail = "accepted", t.said(t.receipt.Detail)
		delivery.ProviderID = notify.Line(t.receipt.ProviderID, 500)
	case errors.Is(t.err, notify.ErrPermanent):
		delivery.Outcome, delivery.Detail = "permanent_failure", t.said(t.err.Error())
	default:
		delivery.Outcome, delivery.Detail = "temporary_failure", t.said(t.err.Error())
	}
	return delivery
}

// entries are the lines of the timelines: who was paged, and who could not be. Tries
// that are repeated are in the delivery log only.
func (d *Outbox) entries(claim notifydb.Claim, done try, results []notifydb.Result) []incidentdb.TimelineEntry {
	var entries []incidentdb.TimelineEntry
	for _, result := range results {
		var kind, message string
		switch result.State {
		case "sent":
			kind, message = "paged", done.whom()+" was paged by "+done.way(d.kind)
		case "failed":
			kind, message = "page_failed", fmt.Sprintf("%s could not be paged by %s: %s", done.whom(), done.way(d.kind), result.Reason)
		default:
			continue
		}
		entries = append(entries, incidentdb.TimelineEntry{OrgID: claim.OrgID, IncidentID: result.IncidentID, Event: incident.Event{
			Kind: kind, Actor: incident.Actor{Kind: incident.System}, Message: message, Data: d.facts(claim, done, result),
		}})
	}
	return entries
}

// facts are what screens show beside the sentence.
func (d *Outbox) facts(claim notifydb.Claim, done try, result notifydb.Result) map[string]any {
	facts := map[string]any{
		"channel": string(d.kind), "notification_id": result.PageID.String(), "delivery_id": claim.DeliveryID.String(),
		"contact_name": done.checked.Contact.Name, "contact_hint": notify.MaskHint(done.checked.Contact.Hint),
	}
	if claim.UserID != nil {
		facts["user_id"], facts["user_name"] = claim.UserID.String(), done.checked.Contact.PersonName
	}
	if result.Reason != "" {
		facts["reason"] = result.Reason
	}
	for _, page := range claim.Pages {
		if page.ID == result.PageID {
			facts["step"], facts["round"] = page.Step+1, page.Round+1
		}
	}
	return facts
}

// whom is the person, or the shared channel.
func (t try) whom() string {
	if name := notify.Line(t.checked.Contact.PersonName, 100); name != "" {
		return name
	}
	if name := notify.Line(t.checked.Contact.Name, 100); name != "" {
		return name
	}
	return "Somebody"
}

// said is a line of what a receiver said. Mail servers name the address, and everybody reads the log.
func (t try) said(text string) string {
	if address := t.checked.Contact.Address; address != "" {
		masked := notify.MaskHint(address)
		text = strings.NewReplacer(address, masked, strings.ToLower(address), masked).Replace(text)
	}
	return notify.Line(text, 500)
}

// way is how, with the address as far as it may be shown.
func (t try) way(kind notify.Kind) string {
	if hint := notify.Line(notify.MaskHint(t.checked.Contact.Hint), 100); hint != "" {
		return kind.Word() + " (" + hint + ")"
	}
	return kind.Word()
}
