package watch

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/kernel/clock"
	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Problem is a reason of this installation's own that keeps alerts from being taken or pages
// from being delivered. A contact that does not answer is none.
type Problem struct {
	// Kind is one of ProblemKinds.
	Kind string
	// Message is a fixed sentence for the administrators of any organization. What a problem
	// says of one organization's pages (counts, times, a server's reply) is only logged.
	Message string
}

// ProblemKinds are all there are: database (away), disk (cannot be written), late (pages,
// steps or missing heartbeats that nobody carried out), blocked (pages that our own mail server, or a channel, does not take), intake
// (alerts that were refused).
var ProblemKinds = []string{"database", "disk", "late", "blocked", "intake"}

// Problems are what the last round found, as they are known in this process.
func (w *Watch) Problems() []Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.problems)
}

// note keeps what a round found.
func (w *Watch) note(found []Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = found
	for _, kind := range ProblemKinds {
		w.options.Problem(kind, slices.ContainsFunc(found, func(p Problem) bool { return p.Kind == kind }))
	}
}

// unwritable tells what a write that failed says of the installation.
func unwritable(err error) Problem {
	if postgres.IsDiskFull(err) {
		return Problem{Kind: "disk", Message: "The database's disk is full: alerts are refused. Free space on it."}
	}
	return Problem{Kind: "database", Message: "The database cannot be written. The server's log says why."}
}

// blockedSQL finds the channels whose pages are kept by this installation's own failures.
const blockedSQL = `
SELECT n.channel, count(*), min(n.blocked_since), coalesce((array_agg(n.finished_for ORDER BY n.blocked_since))[1], ''),
       max(n.blocked_since), count(DISTINCT n.contact_method_id)
FROM (SELECT channel, blocked_since, finished_for, contact_method_id FROM notification
      WHERE finished_at IS NULL AND blocked_since < $1::timestamptz - $2::interval ORDER BY blocked_since LIMIT $3) n
GROUP BY n.channel ORDER BY n.channel`

// Blocked are the pages of a channel, of all organizations, that have been kept for a minute
// by this installation's own failures. It is for the log.
type Blocked struct {
	Channel notify.Kind
	Pages   int
	Since   time.Time
	// Reason is the error of the page that is kept longest; empty while nothing was answered.
	Reason string
	// Latest is since when the last of them is kept, and Contacts how many contacts they are for.
	Latest   time.Time
	Contacts int
}

// problem tells administrators of it, without what it says of an organization's pages.
func (b Blocked) problem() Problem {
	if b.Channel == notify.Email {
		return Problem{Kind: "blocked", Message: "Pages by e-mail are delayed or lost: the mail server of this installation does not take mail at the moment."}
	}
	return Problem{Kind: "blocked", Message: "Pages by " + b.Channel.Word() + " are delayed or lost: this installation cannot send them at the moment."}
}

// ownFault reports whether pages are kept by the faults of one contact or two: the provider takes other
// messages at this time, and took one after the last of them was blocked.
func (b Blocked) ownFault(accepted, now time.Time) bool {
	return b.Contacts < manyAtFault && accepted.After(b.Latest) && now.Sub(accepted) < lastAccepted
}

// Blocked finds pages that have been kept for a minute by this installation's own failures, and the channels by
// which they are given up or refused although nothing is kept. Rows tell, so that each replica knows what all of them met.
func (a *Auditor) Blocked(ctx context.Context) (blocked []Blocked, err error) {
	err = a.db.InSystem(ctx, postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		if blocked, err = kept(ctx, tx, now); err != nil {
			return err
		}
		several, err := severalOrgs(ctx, tx)
		if err != nil {
			return err
		}
		for _, kind := range notify.Kinds {
			if slices.ContainsFunc(blocked, func(b Blocked) bool { return b.Channel == kind }) {
				continue
			}
			fails := channelFails
			if kind == notify.Email {
				fails = mailFails
			}
			more, err := fails(ctx, tx, kind, several, now)
			if err != nil {
				return err
			}
			blocked = append(blocked, more...)
		}
		return nil
	})
	return blocked, err
}

// kept are the pages that this installation's own failures keep, but for the faults of one contact or two.
func kept(ctx context.Context, tx pgx.Tx, now time.Time) (blocked []Blocked, err error) {
	rows, err := tx.Query(ctx, blockedSQL, now, latePage, mostAudited)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Blocked])
	if err != nil {
		return nil, err
	}
	for _, b := range found {
		accepted, err := acceptedAt(ctx, tx, b.Channel, now)
		if err != nil {
			return nil, err
		}
		if !b.ownFault(accepted, now) {
			blocked = append(blocked, b)
		}
	}
	return blocked, nil
}

// mailFails tells of mail that is given up or refused while none is taken, also where each time only its
// recipient seems to be at fault; and of recipients that cannot all be at fault, whatever other mail is taken.
func mailFails(ctx context.Context, tx pgx.Tx, _ notify.Kind, several bool, now time.Time) ([]Blocked, error) {
	accepted, err := acceptedAt(ctx, tx, notify.Email, now)
	if err != nil {
		return nil, err
	}
	quiet := now.Sub(accepted) >= lastAccepted
	since, ok, err := mailIsLost(ctx, tx, accepted, several, quiet, now)
	switch {
	case err != nil:
		return nil, err
	case ok:
		return []Blocked{{Channel: notify.Email, Since: since, Reason: "pages were given up, and no mail was taken since"}}, nil
	}
	least := manyAtFault
	if quiet {
		least, several = 1, false
	}
	rows, err := tx.Query(ctx, failingSQL, string(notify.Email), now, latePage, notify.LongestWait, least, several)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Blocked])
}

// failingSQL finds the contacts of a channel that failed for a minute, are tried still and keep a page which was
// tried, where they are enough, and of several organizations if that is asked. None of them has had a message taken
// since. What is about one mailbox (RFC 3463 sections 3.2 and 3.3) is never the server's.
const failingSQL = `
SELECT c.kind, count(*), min(c.failing_since), (array_agg(c.failing_for ORDER BY c.failing_since))[1], max(c.failing_since), count(*)
FROM contact_method c
WHERE c.kind = $1 AND c.next_try_at IS NOT NULL AND c.failing_since <= $2::timestamptz - $3::interval
  AND c.next_try_at > $2::timestamptz - $4::interval AND c.failing_for !~ '\m4\d\d 4\.(1\.|2\.[12])'
  AND EXISTS (SELECT FROM notification n WHERE n.contact_method_id = c.id AND n.finished_at IS NULL AND n.attempts > 0)
GROUP BY c.kind HAVING count(*) >= $5::bigint AND (NOT $6::boolean OR count(DISTINCT c.org_id) > 1)`

// severalOrgs reports whether the installation has more than one organization: then one alone may be at fault itself.
func severalOrgs(ctx context.Context, tx pgx.Tx) (several bool, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) > 1 FROM (SELECT FROM org LIMIT 2) few`).Scan(&several)
	return several, err
}

// mailIsLost says since when pages by e-mail are given up and none is taken, by the fault of the mail server or
// of this installation.
func mailIsLost(ctx context.Context, tx pgx.Tx, from time.Time, several, quiet bool, now time.Time) (since time.Time, ok bool, err error) {
	losses, err := lossesSince(ctx, tx, notify.Email, clock.Later(from, now.Add(-lossesLast)))
	if err != nil || len(losses) == 0 {
		return time.Time{}, false, err
	}
	since, ok = losing(losses, now, several, quiet)
	return since, ok, nil
}

// refusals tells of alerts that were refused in this round and in the one before it.
func (w *Watch) refusals() (problems []Problem) {
	total := w.options.Refused()
	inThisRound := total > w.refused
	if inThisRound && w.refusedBefore {
		problems = append(problems, Problem{Kind: "intake", Message: "Alerts are being refused (HTTP 503). Their senders try again; the server's log says why."})
	}
	w.refused, w.refusedBefore = total, inThisRound
	return problems
}
