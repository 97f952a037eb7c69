package ingest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
)

// ChangeStore keeps changes. It returns nil only after the commit.
type ChangeStore interface {
	// KeepChange tells whether the change was kept before (replayed), and whether something else
	// was sent with its id then.
	KeepChange(ctx context.Context, route Route, change event.Change) (replayed, mismatch bool, err error)
}

// Changes takes what was deployed or configured: POST /v1/changes. It never pages.
type Changes struct {
	Events Events
	Store  ChangeStore
}

// ServeHTTP answers 201 once the change is kept, also to a repeated call.
func (c Changes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	change, replayed, err := c.keep(w, r)
	if err != nil {
		c.Events.writeError(w, r, forProgram(err))
		return
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Location", "/v1/changes/"+change.ID.String())
	writeJSON(w, http.StatusCreated, map[string]any{
		"id": change.ID, "truncated": append([]string{}, change.Truncated...), "warnings": append([]event.Warning{}, change.Warnings...),
	})
}

func (c Changes) keep(w http.ResponseWriter, r *http.Request) (change event.Change, replayed bool, err error) {
	sender, err := c.Events.counted(w, r, c.Events.Quotas.Changes)
	if err != nil {
		return change, false, err
	}
	fields, err := c.Events.decode(w, r, sender, maxEvent, errEventTooLarge)
	if err != nil {
		return change, false, err
	}
	if change, err = event.ReadChange(fields, callID(r, sender)); err != nil {
		return change, false, err
	}
	replayed, mismatch, err := c.Store.KeepChange(r.Context(), sender.Route, change)
	switch {
	case err != nil:
		return change, false, fmt.Errorf("keeping a change: %w", err)
	case mismatch:
		return change, false, errChangeMismatch
	}
	c.Events.called(r, sender.Route, catalog.ChangeSender)
	return change, replayed, nil
}
