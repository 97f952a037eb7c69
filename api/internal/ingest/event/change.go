package event

import (
	"crypto/sha256"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Change is what somebody changed about a service. It never pages.
type Change struct {
	ID   uuid.UUID
	Hash [sha256.Size]byte
	// Kind is deployment, configuration, feature_flag or other.
	Kind, Summary, Version, Environment, Author string
	// Link is the first that a browser opens; Links and Metadata are JSON.
	Link            string
	Links, Metadata []byte
	// OccurredAt is zero when the sender did not say.
	OccurredAt time.Time
	Truncated  []string
	Warnings   []Warning
}

// changeShapes are the fields of a change, as shapes are those of an event.
var changeShapes = map[string]string{
	"id": "text", "occurred_at": "", "summary": "text", "kind": "text", "version": "text", "environment": "text", "author": "text",
	"links": shapes["links"], "metadata": "an object",
}

var changeKinds = []string{"deployment", "configuration", "feature_flag", "other"}

// ReadChange makes a change of a decoded body; see Read.
func ReadChange(fields map[string]any, callID string) (Change, error) {
	change := Change{Hash: hashOf(fields), Kind: "other"}
	r := &reader{fields: fields}
	change.ID = r.id(callID)
	change.OccurredAt = r.time("occurred_at", earliestYear)
	r.types(changeShapes)
	r.links()
	change.Truncated = limit(fields)
	line := func(field string) string { return plaintext.Line(r.text(field)) }
	change.Summary, change.Version, change.Environment, change.Author = line("summary"), line("version"), line("environment"), line("author")
	if kind := r.text("kind"); slices.Contains(changeKinds, kind) {
		change.Kind = kind
	} else if kind != "" {
		r.warn("kind", "kind must be deployment, configuration, feature_flag or other; it was taken for other.")
	}
	if change.Summary == "" {
		r.refuse("summary", fault.Required, "Say in a summary what was changed.")
	}
	if len(r.faults) > 0 {
		return Change{}, fault.InvalidFields(r.faults[0].Message, r.faults...)
	}
	change.Link = firstLink(fields["links"])
	links, _ := fields["links"].([]any)
	change.Links, change.Metadata = encode(append([]any{}, links...)), encode(object(fields["metadata"]))
	change.Warnings = r.warnings
	return change, nil
}
