package incident

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// Acknowledge says that By has seen it and is on it: nobody else is paged. It leaves the assignee alone. After the
// severity rose, acknowledging again confirms that By knows of it: By has it from then on, while AcknowledgedAt stays
// that of the first answer.
type Acknowledge struct {
	By      Actor
	Message string // may be empty
	// Seen is how severe By saw each incident; without it, as it is now. Where the severity rose between the look and
	// the answer, it is as if it had risen after the answer, and By is asked again.
	Seen map[uuid.UUID]alert.Severity
}

func (c Acknowledge) decide(current Incident, now time.Time) (Outcome, error) {
	switch {
	case current.Status == Resolved:
		return Outcome{}, refuseResolved("There is nothing left to acknowledge; if the trouble is back, declare a new incident.")
	case current.Status == Acknowledged && !current.WantsConfirmation() && !c.takesOver(current):
		// Stopping again costs nothing, and whoever says "I have it" must never be paged on.
		return unchanged(current, StopPaging), nil
	}
	seen, message := c.seen(current), "Incident acknowledged"
	rose := current.Severity.Rank() < seen.Rank()
	if rose && current.Status == Acknowledged {
		return unchanged(current, LeavePaging), nil // the question about what it is now waits on
	}
	next, paging := current, StopPaging
	switch {
	case current.WantsConfirmation():
		next.ConfirmedAt, message = now, "Acknowledged again, now that it is "+string(current.Severity)
	case current.Status == Acknowledged:
		next.ConfirmedAt, message = now, "Incident acknowledged, and no longer snoozed"
	default:
		next.AcknowledgedAt = now
	}
	if c.takesOver(current) {
		next.SnoozedUntil = time.Time{}
	}
	message = cmp.Or(c.Message, message)
	if rose {
		message, paging = message+", when it was "+string(seen), StopAndAsk
	}
	next.Status, next.AcknowledgedBy, next.AcknowledgedSeverity = Acknowledged, c.By.person(), seen
	return changed(next, paging, Event{
		Kind: "acknowledged", Actor: c.By, Message: message, Data: map[string]any{"severity": string(seen)},
	}), nil
}

// Snooze is Acknowledge for a time: unless it is resolved by then, it is triggered again. The time starts again for an
// incident that is snoozed or acknowledged already.
type Snooze struct {
	By   Actor
	For  time.Duration
	Seen map[uuid.UUID]alert.Severity
}

// The shortest and the longest time for which an incident may be snoozed.
const (
	minSnooze = time.Minute
	maxSnooze = 7 * 24 * time.Hour
)

func (c Snooze) decide(current Incident, now time.Time) (Outcome, error) {
	if c.For < minSnooze || c.For > maxSnooze {
		return Outcome{}, fault.InvalidField("duration_seconds", fault.OutOfRange, "Snooze it for a minute to a week: 60 to 604800 seconds.")
	}
	if current.Status == Resolved {
		return Outcome{}, refuseResolved("Nobody is paged for it; if the trouble is back, declare a new incident.")
	}
	seen := Acknowledge{Seen: c.Seen}.seen(current)
	// Somebody may have answered to more than this one saw, but to nothing worse than it is now: what
	// becomes as bad again is news to whoever sleeps.
	if had := current.AcknowledgedSeverity; had != "" && had.Rank() < seen.Rank() && had.Rank() >= current.Severity.Rank() {
		seen = had
	}
	next, paging, message := current, StopPaging, "Snoozed for "+lasting(c.For)
	if next.AcknowledgedAt.IsZero() {
		next.AcknowledgedAt = now
	} else {
		next.ConfirmedAt = now
	}
	if current.Severity.Rank() < seen.Rank() {
		message, paging = message+", when it was "+string(seen), StopAndAsk
	}
	next.Status, next.AcknowledgedBy, next.AcknowledgedSeverity, next.SnoozedUntil = Acknowledged, c.By.person(), seen, now.Add(c.For)
	return changed(next, paging, Event{
		Kind: "acknowledged", Actor: c.By, Message: message,
		Data: map[string]any{"severity": string(seen), "snooze_ends_at": next.SnoozedUntil.UTC().Format(time.RFC3339)},
	}), nil
}

// takesOver reports whether somebody acknowledges what another has snoozed. A program that acknowledges
// by itself, and an old link of whoever snoozed it, must not let an incident sleep for good.
func (c Acknowledge) takesOver(current Incident) bool {
	by := c.By.person()
	return !current.SnoozedUntil.IsZero() && by != uuid.Nil && by != current.AcknowledgedBy
}

// seen is the severity that the answer is to: never a higher one than the incident has.
func (c Acknowledge) seen(current Incident) alert.Severity {
	if seen := c.Seen[current.ID]; knownSeverity(seen) && seen.Rank() > current.Severity.Rank() {
		return seen
	}
	return current.Severity
}

// Resolve says that it is over. It is accepted from every open state. Message may be empty.
type Resolve struct {
	By      Actor
	Message string
}

func (c Resolve) decide(current Incident, now time.Time) (Outcome, error) {
	return resolve(current, c.By, cmp.Or(c.Message, "Incident resolved"), now), nil
}

// Merge says that it is the same trouble as another open incident, which has its alerts from now on.
type Merge struct {
	By     Actor
	IntoID uuid.UUID
}

func (c Merge) decide(current Incident, now time.Time) (Outcome, error) {
	switch {
	case current.Status == Resolved && current.MergedIntoID == c.IntoID:
		return unchanged(current, StopPaging), nil
	case current.Status == Resolved:
		return Outcome{}, refuseResolved("Link it to the other incident instead.")
	}
	outcome := resolve(current, c.By, "Merged into #"+id.Last4(c.IntoID), now)
	outcome.Next.MergedIntoID = c.IntoID
	outcome.Events[0].Data = map[string]any{"merged_into_id": c.IntoID.String()}
	return outcome, nil
}

// AlertsCleared says that the last alert of the incident resolved: the incident
// resolves itself, whether or not somebody had acknowledged it.
type AlertsCleared struct{}

func (AlertsCleared) decide(current Incident, now time.Time) (Outcome, error) {
	return resolve(current, theSystem, "All alerts resolved", now), nil
}

func resolve(current Incident, by Actor, message string, now time.Time) Outcome {
	if current.Status == Resolved {
		return unchanged(current, StopPaging)
	}
	next := current
	next.Status, next.ResolvedBy, next.ResolvedAt, next.SnoozedUntil = Resolved, by.person(), now, time.Time{}
	return changed(next, StopPaging, Event{Kind: "resolved", Actor: by, Message: message})
}

// Assign makes To the person who has it, or nobody when To is Nil. Paging goes on:
// being assigned is not the same as having seen it. ToName is for the timeline.
type Assign struct {
	By     Actor
	To     uuid.UUID
	ToName string
}

func (c Assign) decide(current Incident, _ time.Time) (Outcome, error) {
	if current.Status == Resolved {
		return Outcome{}, refuseResolved("Assign an open incident, or leave a comment on this one.")
	}
	if current.AssigneeID == c.To {
		return unchanged(current, LeavePaging), nil
	}
	next := current
	next.AssigneeID = c.To
	event := Event{Kind: "assigned", Actor: c.By, Message: "Unassigned"}
	if c.To != uuid.Nil {
		event.Message = "Assigned to " + c.ToName
		event.Data = map[string]any{"assignee_id": c.To.String(), "assignee_name": c.ToName}
	}
	return changed(next, LeavePaging, event), nil
}

// Escalate asks for the next step of the policy now. An acknowledged incident goes
// back to triggered, because whoever is paged next must be able to acknowledge it.
type Escalate struct {
	By Actor
}

func (c Escalate) decide(current Incident, _ time.Time) (Outcome, error) {
	if current.Status == Resolved {
		return Outcome{}, refuseResolved("Nobody needs to be paged; if the trouble is back, declare a new incident.")
	}
	return changed(current.unacknowledged(), NextStep, Event{
		Kind: "escalated", Actor: c.By, Message: "Escalated to the next step",
		Data: map[string]any{"from": string(current.Status)},
	}), nil
}

// AckTimeout says that nobody resolved the incident in the time that its policy gives
// those who acknowledge, or for which it was snoozed: it is triggered again and paged for from the first step. ByName
// is who had acknowledged it; empty when that is not known.
type AckTimeout struct {
	ByName string
}

func (c AckTimeout) decide(current Incident, now time.Time) (Outcome, error) {
	if current.Status != Acknowledged {
		return unchanged(current, LeavePaging), nil // somebody was faster
	}
	message := "Acknowledged " + lasting(now.Sub(current.AnsweredAt())) + " ago"
	if !current.SnoozedUntil.IsZero() {
		message = "Snoozed " + lasting(now.Sub(current.AnsweredAt())) + " ago"
	}
	if c.ByName != "" {
		message += " by " + c.ByName
	}
	return changed(current.unacknowledged(), FirstStep, Event{
		Kind: "ack_timeout", Actor: theSystem, Message: message + " and not resolved: paging again.", Data: current.answeredBy(),
	}), nil
}

// ResponderLeft says that somebody who was paged for an incident, or had acknowledged it, has left the
// organization: those after them are paged at once, and for an acknowledged one those from the first
// step on.
type ResponderLeft struct {
	By   Actor
	Name string
}

func (c ResponderLeft) decide(current Incident, _ time.Time) (Outcome, error) {
	switch current.Status {
	case Resolved:
		return unchanged(current, LeavePaging), nil // nobody is waited for
	case Acknowledged:
		return changed(current.unacknowledged(), FirstStep, Event{
			Kind: "ack_timeout", Actor: c.By, Message: c.Name + ", who had acknowledged it, has left the organization: paging again.",
		}), nil
	default:
		return changed(current, GoOn, Event{
			Kind: "escalated", Actor: c.By, Message: c.Name + " was paged and has left the organization: paging whoever follows.",
		}), nil
	}
}

// ConfirmTimeout says that nobody acknowledged the severity to which an acknowledged incident rose within the time of
// its policy, or that nobody can be asked: it is triggered again and paged for from the first step. ByName is who had
// acknowledged it; empty when that is not known.
type ConfirmTimeout struct {
	ByName string
}

func (c ConfirmTimeout) decide(current Incident, _ time.Time) (Outcome, error) {
	if !current.WantsConfirmation() {
		return unchanged(current, LeavePaging), nil // somebody was faster
	}
	message := "Acknowledged"
	if c.ByName != "" {
		message += " by " + c.ByName
	}
	return changed(current.unacknowledged(), FirstStep, Event{
		Kind: "ack_timeout", Actor: theSystem,
		Message: fmt.Sprintf("%s when it was %s, and not again since it is %s: paging again.", message, current.AcknowledgedSeverity, current.Severity),
		Data:    current.answeredBy(),
	}), nil
}

// answeredBy says by id whom a sentence names: history forgets a deleted account only where its id stands.
func (i Incident) answeredBy() map[string]any {
	if i.AcknowledgedBy == uuid.Nil {
		return nil
	}
	return map[string]any{"acknowledged_by_id": i.AcknowledgedBy.String()}
}

// unacknowledged is the incident back in triggered.
func (i Incident) unacknowledged() Incident {
	i.Status, i.AcknowledgedBy, i.AcknowledgedAt, i.ConfirmedAt, i.AcknowledgedSeverity = Triggered, uuid.Nil, time.Time{}, time.Time{}, ""
	i.SnoozedUntil = time.Time{}
	return i
}

// NothingNew says that the incident brought no news for as long as its policy waits: it
// resolves itself, whether or not somebody had acknowledged it.
type NothingNew struct {
	For time.Duration
}

func (c NothingNew) decide(current Incident, now time.Time) (Outcome, error) {
	return resolve(current, theSystem, "Resolved by itself: nothing new for "+lasting(c.For)+".", now), nil
}

// lasting is a time in words, in its two largest units: "1 hour and 30 minutes".
func lasting(d time.Duration) string {
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		n := d / unit.length
		d %= unit.length
		switch {
		case n == 1:
			parts = append(parts, "1 "+unit.name)
		case n > 1:
			parts = append(parts, strconv.Itoa(int(n))+" "+unit.name+"s")
		}
	}
	if len(parts) == 0 {
		return "a moment"
	}
	return strings.Join(parts[:min(2, len(parts))], " and ")
}

// Comment adds a line to the timeline, in every state. Each one counts, so that a
// repeat adds another line; Idempotency-Key is what guards against that.
type Comment struct {
	By      Actor
	Message string
}

func (c Comment) decide(current Incident, _ time.Time) (Outcome, error) {
	message := strings.TrimSpace(c.Message)
	if message == "" {
		return Outcome{}, fault.InvalidField("message", fault.Required, "Write a comment first; it is empty.")
	}
	return changed(current, LeavePaging, Event{Kind: "comment", Actor: c.By, Message: message}), nil
}

// ChangeSeverity says that it is worse, or less bad, than it seemed. Whoever was paged for less is told when it is
// worse. After somebody says that it is less bad, it may rise again to what people were told, or acknowledged, before,
// and they hear of it again.
type ChangeSeverity struct {
	By      Actor
	To      alert.Severity
	Because string // how it came to that when it was no person: "by an alert"
}

func (c ChangeSeverity) decide(current Incident, _ time.Time) (Outcome, error) {
	if !knownSeverity(c.To) {
		return Outcome{}, fault.InvalidField("severity", fault.NotOneOf, "Severity must be critical, high, medium or low.")
	}
	if current.Status == Resolved {
		return Outcome{}, refuseResolved("Its severity stays as it was; leave a comment instead.")
	}
	if current.Severity == c.To {
		return unchanged(current, LeavePaging), nil
	}
	lowers := c.Because == "" && c.To.Rank() > current.Severity.Rank()
	next := current
	next.Severity, next.Lowered = c.To, c.Because == "" && (current.Lowered || lowers)
	if had := current.AcknowledgedSeverity; lowers && had != "" && had.Rank() < c.To.Rank() {
		next.AcknowledgedSeverity = c.To
	}
	paging := LeavePaging
	switch {
	case lowers:
		paging = KnowLess
	case c.To.Rank() < current.Severity.Rank() && current.Status == Triggered:
		paging = TellRise
	case c.To.Rank() < current.Severity.Rank() && next.WantsConfirmation():
		paging = AskAgain
	}
	message := "Severity changed from " + string(current.Severity) + " to " + string(c.To)
	if c.Because != "" {
		message += " " + c.Because + "."
	}
	return changed(next, paging, Event{
		Kind: "severity_change", Actor: cmp.Or(c.By, theSystem), Message: message,
		Data: map[string]any{"from": string(current.Severity), "to": string(c.To)},
	}), nil
}

// theSystem acts when no person and no key does.
var theSystem = Actor{Kind: System, Name: "System"}

// person is the actor's id where a person is stored; keys and the system have none.
func (a Actor) person() uuid.UUID {
	if a.Kind == User {
		return a.ID
	}
	return uuid.Nil
}

func knownSeverity(severity alert.Severity) bool {
	switch severity {
	case alert.Critical, alert.High, alert.Medium, alert.Low:
		return true
	default:
		return false
	}
}
