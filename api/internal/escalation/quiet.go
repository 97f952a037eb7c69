package escalation

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/oncall"
)

// HeldByQuiet stands for a quiet time among what State.HeldBy may name.
var HeldByQuiet = uuid.Max

// onTime is how late a step may be paged in a quiet time that began since it was due: later
// it waits for the end. A sweep that is a moment late is no reason to wait for the morning.
const onTime = time.Minute

// IsNeverOn reports whether quiet times leave no severity that is ever paged, as far as one of them
// alone is always under way.
func IsNeverOn(rules []Quiet) bool {
	return !slices.ContainsFunc([]alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}, func(severity alert.Severity) bool {
		return !slices.ContainsFunc(rules, func(q Quiet) bool { return Step{Severities: q.Severities}.isFor(severity) && q.isAlways() })
	})
}

// isAlways reports whether it has no end: no window, or one that is a whole day of every day.
func (q Quiet) isAlways() bool {
	return len(q.Windows) == 0 || slices.ContainsFunc(q.Windows, func(w oncall.Window) bool {
		return w.From == w.To && (len(w.Days) == 0 || len(w.Days) == 7)
	})
}

// quietAt reports whether the policy pages nobody for a severity at an instant.
func (p Policy) quietAt(severity alert.Severity, at time.Time) bool {
	return slices.ContainsFunc(p.Quiet, func(q Quiet) bool {
		step := Step{Severities: q.Severities, Windows: q.Windows}
		return step.isFor(severity) && step.isOn(p.zone(), at)
	})
}

// quietHold is the quiet time under way at now as what puts pages off until it ends; ends is
// false when it never does.
func (p Policy) quietHold(severity alert.Severity, now time.Time) (hold Hold, ends bool) {
	for _, q := range p.Quiet {
		for _, end := range oncall.WindowEnds(q.Windows, p.zone(), now) {
			if (hold.Until.IsZero() || end.Before(hold.Until)) && !p.quietAt(severity, end) {
				hold.Until = end
			}
		}
	}
	hold.Window, hold.Because = HeldByQuiet, p.quietUntilThen(severity)
	return hold, !hold.Until.IsZero()
}

// WaitForQuiet says whether pages that the clock asks for have to wait, because the policy
// is quiet for the incident's severity at now: until when, with the line of the timeline
// that says so. until is zero when that time has no end. There is no line when it is not quiet.
func WaitForQuiet(snapshot Snapshot, now time.Time) (until time.Time, line []Effect) {
	if !snapshot.Policy.quietAt(snapshot.Severity, now) {
		return time.Time{}, nil
	}
	w := begin(snapshot, now)
	w.due = now
	if hold, ends := w.policy.quietHold(w.severity, now); ends {
		w.want(Effect{Kind: PagesHeld, Message: w.heldMessage(hold)})
		return hold.Until, w.effects
	}
	w.want(Effect{Kind: PagesNobody, Message: w.quietMessage()})
	return time.Time{}, w.effects
}

// WaitToAsk is WaitForQuiet for asking whoever has the incident to acknowledge it again,
// which maintenance puts off too. The line is empty while somebody ends that.
func WaitToAsk(snapshot Snapshot, now time.Time) (until time.Time, line []Effect) {
	if !snapshot.Hold.holds(now) {
		return WaitForQuiet(snapshot, now)
	}
	if snapshot.Hold.Changing {
		return snapshot.Hold.due(now), []Effect{}
	}
	w := begin(snapshot, now)
	w.want(Effect{Kind: PagesHeld, Message: w.heldMessage(snapshot.Hold)})
	return snapshot.Hold.Until, w.effects
}
