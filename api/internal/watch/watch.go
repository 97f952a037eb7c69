// Package watch looks at the page path from beside it (design rule 10). Every 30 s:
//
//  1. find out whether the database can store more;
//  2. count what should have happened and has not (audit.go), do what was forgotten, and
//     count what that repaired;
//  3. ask for pages that our own mail server keeps (health.go) or that a channel takes from
//     nobody (channel.go), and for refused alerts;
//  4. with nothing wrong, call the dead-man URL: when that hears nothing, something outside
//     of Nightbell knows within 90 s (promise P6).
//
// Every hour it deletes what has served its time (retention.go).
package watch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

const (
	// Interval is how often Round is to be called.
	Interval = 30 * time.Second
	// HousekeepingInterval is how often Housekeep is to be called.
	HousekeepingInterval = time.Hour

	pingTimeout = 10 * time.Second
)

// Options are what a Watch needs besides the database and what it watches.
type Options struct {
	Logger *slog.Logger
	// DeadmanURL is called while all is well; empty for none.
	DeadmanURL string
	// RetentionDays is how long the details of the page path are kept.
	RetentionDays int
	// OldestOverdue is told how long the most overdue page or step has been waiting.
	OldestOverdue func(time.Duration)
	// Repaired is told how much of a kind was overdue and is not any more.
	Repaired func(kind string, count int)
	// Problem is told in each round of each of ProblemKinds whether there is one.
	Problem func(kind string, exists bool)
	// Refused counts the requests with alerts that were ever refused for the installation's own
	// reasons (intake.ErrOwnDoing tells the others apart).
	Refused func() int64
}

// Watch finds out whether pages are late, and says so.
type Watch struct {
	db      *postgres.DB
	auditor *Auditor
	options Options
	// refused is Refused of the last round; only Round uses it.
	refused       int64
	refusedBefore bool
	// deadmanStatus is the HTTP status that the dead-man URL answered last, zero for no answer; only Round uses it.
	deadmanStatus int

	mu       sync.Mutex
	problems []Problem
}

// New makes a watch. Its loops call Round and Housekeep.
func New(db *postgres.DB, auditor *Auditor, options Options) *Watch {
	return &Watch{db: db, auditor: auditor, options: options, deadmanStatus: http.StatusOK}
}

// Round looks for problems, does what was forgotten, and tells the dead-man URL while all is
// well. A round in which something was overdue is not well, even if it is repaired.
func (w *Watch) Round(ctx context.Context) {
	problems := w.look(ctx)
	if ctx.Err() != nil {
		return
	}
	w.note(problems)
	if len(problems) == 0 {
		w.pingDeadman(ctx)
	}
}

func (w *Watch) look(ctx context.Context) (problems []Problem) {
	if err := w.db.Writable(ctx); err != nil {
		w.options.Logger.ErrorContext(ctx, "the database cannot be written", "error", err)
		problems = append(problems, unwritable(err))
	}
	problems = append(problems, w.refusals()...)
	found, err := w.auditor.Find(ctx)
	blocked, blockedErr := w.auditor.Blocked(ctx)
	if err = errors.Join(err, blockedErr); err != nil {
		w.options.Logger.ErrorContext(ctx, "cannot tell whether pages are late", "error", err)
		return append(problems, Problem{Kind: "database", Message: "The database does not answer. The server's log says why."})
	}
	w.options.OldestOverdue(found.Oldest)
	for _, kept := range blocked {
		w.options.Logger.ErrorContext(ctx, "pages cannot be delivered",
			"channel", kept.Channel, "pages", kept.Pages, "since", kept.Since, "reason", kept.Reason)
		problems = append(problems, kept.problem())
	}
	if found.Any() {
		w.repair(ctx, found)
		problems = append(problems, Problem{Kind: "late", Message: "Pages, escalation steps or missing heartbeats were late. The server's log says which."})
	}
	return problems
}

// repair does what is overdue, and counts what is not any more.
func (w *Watch) repair(ctx context.Context, found Overdue) {
	w.options.Logger.ErrorContext(ctx, "pages are late; the auditor does what was forgotten",
		"oldest", found.Oldest.String(), "overdue", found.ByKind())
	failure := w.auditor.Repair(ctx)
	left, err := w.auditor.Find(ctx)
	if err = errors.Join(failure, err); err != nil {
		w.options.Logger.ErrorContext(ctx, "not everything that is overdue could be done", "error", err)
		return
	}
	remaining := left.ByKind()
	for kind, count := range found.ByKind() {
		w.options.Repaired(kind, max(0, count-remaining[kind]))
	}
}

func (w *Watch) pingDeadman(ctx context.Context) {
	if w.options.DeadmanURL == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.options.DeadmanURL, http.NoBody)
	if err != nil {
		w.options.Logger.ErrorContext(ctx, "NIGHTBELL_DEADMAN_URL cannot be called", "error", err)
		return
	}
	// The operator's own address: the rules for tenants' addresses do not apply.
	response, err := http.DefaultClient.Do(request)
	status := 0
	if err == nil {
		status = response.StatusCode
		_ = response.Body.Close()
	}
	w.noteDeadman(ctx, status)
}

// noteDeadman logs what the dead-man URL answered when that changes; status is zero for no answer. One that was mistyped
// would never page anybody. The address is a secret, and errors of the client name it.
func (w *Watch) noteDeadman(ctx context.Context, status int) {
	before := w.deadmanStatus
	w.deadmanStatus = status
	switch taken := status >= 200 && status <= 299; {
	case status == before:
	case status == 0:
		w.options.Logger.WarnContext(ctx, "NIGHTBELL_DEADMAN_URL did not answer")
	case !taken:
		w.options.Logger.WarnContext(ctx, "NIGHTBELL_DEADMAN_URL answers with an error: what is to notice an outage may not know of this installation", "status", status)
	case before < 200 || before > 299:
		w.options.Logger.InfoContext(ctx, "NIGHTBELL_DEADMAN_URL takes the call again", "status", status)
	}
}
