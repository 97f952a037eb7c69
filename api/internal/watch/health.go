package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Problem is a reason of this installation's own that keeps alerts from being taken or pages
// from being delivered. A contact that does not answer is none.
type Problem struct {
	// Kind is one of ProblemKinds.
	Kind string
	// Since is when it was first seen, of pages since when they are kept.
	Since time.Time
	// Message is a sentence for the administrators of any organization.
	Message string
}

// ProblemKinds are all there are: database (away), disk (cannot be written), late (pages or
// steps that nobody carried out), blocked (pages that our own mail server keeps), intake
// (alerts that were refused).
var ProblemKinds = []string{"database", "disk", "late", "blocked", "intake"}

// Problems are what the last round found, as they are known in this process.
func (w *Watch) Problems() []Problem {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.problems)
}

// note keeps what a round found. A problem that was there before keeps its beginning.
func (w *Watch) note(found []Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range found {
		if found[i].Since.IsZero() {
			found[i].Since = time.Now()
		}
		for _, before := range w.problems {
			if before.Kind == found[i].Kind && before.Since.Before(found[i].Since) {
				found[i].Since = before.Since
			}
		}
	}
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
SELECT n.channel, count(*), min(n.blocked_since), (array_agg(n.finished_for ORDER BY n.blocked_since))[1]
FROM (SELECT channel, blocked_since, finished_for FROM notification
      WHERE finished_at IS NULL AND blocked_since < $1::timestamptz - $2::interval ORDER BY blocked_since LIMIT $3) n
GROUP BY n.channel ORDER BY n.channel`

// Blocked finds pages that have been kept for a minute by this installation's own failures.
func (a *Auditor) Blocked(ctx context.Context) (problems []Problem, err error) {
	err = a.db.InSystem(ctx, postgres.Audit, func(ctx context.Context, tx pgx.Tx) error {
		now, err := postgres.Now(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, blockedSQL, now, latePage, mostAudited)
		if err != nil {
			return err
		}
		problems, err = pgx.CollectRows(rows, blockedProblem)
		return err
	})
	return problems, err
}

func blockedProblem(row pgx.CollectableRow) (Problem, error) {
	var channel notify.Kind
	var pages int
	var why string
	problem := Problem{Kind: "blocked"}
	err := row.Scan(&channel, &pages, &problem.Since, &why)
	problem.Message = fmt.Sprintf("%d pages by %s cannot be delivered: %s.", pages, channel.Word(), cmp.Or(why, "the server has not answered yet"))
	if pages == 1 {
		problem.Message = fmt.Sprintf("A page by %s cannot be delivered: %s.", channel.Word(), cmp.Or(why, "the server has not answered yet"))
	}
	return problem, err
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
