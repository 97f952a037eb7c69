// Package watch looks at the page path from beside it (design rule 10). Every 30 s:
//
//  1. count what should have happened and has not (audit.go);
//  2. do what was forgotten, and count what that repaired;
//  3. with nothing overdue, call the dead-man URL: when that hears nothing, something
//     outside of Nightbell knows within 90 s (promise P6).
//
// Every hour it deletes what has served its time (retention.go).
package watch

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
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
}

// Watch finds out whether pages are late, and says so.
type Watch struct {
	db      *postgres.DB
	auditor *Auditor
	options Options
}

// New makes a watch. Its loops call Round and Housekeep.
func New(db *postgres.DB, auditor *Auditor, options Options) *Watch {
	return &Watch{db: db, auditor: auditor, options: options}
}

// Round asks what is overdue, does it, and tells the dead-man URL while all is well:
// when that hears nothing, something outside of us knows (promise P6). A round in which
// something was overdue is not well, even if it is repaired.
func (w *Watch) Round(ctx context.Context) {
	found, err := w.auditor.Find(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.options.Logger.ErrorContext(ctx, "cannot tell whether pages are late", "error", err)
		}
		return
	}
	w.options.OldestOverdue(found.Oldest)
	if found.Any() {
		w.repair(ctx, found)
		return
	}
	w.pingDeadman(ctx)
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
	if err != nil {
		w.options.Logger.WarnContext(ctx, "NIGHTBELL_DEADMAN_URL did not answer")
		return
	}
	_ = response.Body.Close()
}
