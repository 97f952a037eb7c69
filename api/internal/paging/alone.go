package paging

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// postponed is how soon an incident that could not be decided is tried again: once more before the auditor calls it late.
const postponed = 10 * time.Second

// later are the incidents that could not be carried out here, and until when they are left alone. It is kept in
// memory: hours and quiet times are asked of when a step was due, which stays, and another replica may well do it.
type later struct {
	mu    sync.Mutex
	until map[uuid.UUID]time.Time
}

// at are those that are left alone at now. A time too far ahead is that of a clock that was set back.
func (l *later) at(now time.Time) (list []uuid.UUID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for incident, until := range l.until {
		if !until.After(now) || until.After(now.Add(postponed)) {
			delete(l.until, incident)
			continue
		}
		list = append(list, incident)
	}
	return list
}

func (l *later) postpone(try *try) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = map[uuid.UUID]time.Time{}
	}
	for _, incident := range try.incidents {
		l.until[incident] = try.now.Add(postponed)
	}
}

// try is one transaction: how many it may take on, and what it took.
type try struct {
	limit     int
	now       time.Time
	incidents []uuid.UUID
}

func (t *try) claims(now time.Time, n int, incident func(i int) uuid.UUID) {
	t.now, t.incidents = now, nil
	for i := range n {
		t.incidents = append(t.incidents, incident(i))
	}
}

// orEachAlone carries out what is due in one transaction, up to dueAtOnce. When that fails for a reason that may lie in
// one incident, each has a transaction of its own, and one that still fails is postponed and logged: neither a spoiled
// policy nor a lock that somebody holds for long silences the others.
func (l *later) orEachAlone(ctx context.Context, logger *slog.Logger, what string, carryOut func(*try) (due int, err error)) (due int, err error) {
	due, err = guarded(carryOut, &try{limit: dueAtOnce})
	if err == nil || postgres.IsAway(err) || ctx.Err() != nil {
		return due, err
	}
	logger.ErrorContext(ctx, "what is due could not be carried out together; each incident is tried alone", "kind", what, "error", err)
	for range dueAtOnce {
		alone := &try{limit: 1}
		due, err := guarded(carryOut, alone)
		switch {
		case err == nil && due == 0:
			return 0, nil
		case err == nil:
			continue
		case len(alone.incidents) == 0 || postgres.IsAway(err) || ctx.Err() != nil:
			return 0, err
		}
		logger.ErrorContext(ctx, "an incident could not be carried out; it is tried again soon", "kind", what, "incident", alone.incidents[0], "error", err)
		l.postpone(alone)
	}
	return dueAtOnce, nil
}

// guarded makes a panic in a rule an error like any other.
func guarded(carryOut func(*try) (int, error), try *try) (due int, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			due, err = 0, fmt.Errorf("panic in a rule: %v\n%s", cause, debug.Stack())
		}
	}()
	return carryOut(try)
}
