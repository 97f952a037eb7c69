// Package ai is help to understand an incident. Until a provider can be configured it
// only knows how to say so, in the words of spec section 8.
package ai

import "github.com/nightbell/nightbell/api/internal/kernel/fault"

var (
	// ErrNotConfigured answers what would need a provider.
	ErrNotConfigured = fault.New(fault.Conflict, "ai_not_configured", "AI not configured")
	// ErrNoSummary answers for an incident without a stored summary.
	ErrNoSummary = fault.New(fault.NotFound, "ai_summary_not_found", "No AI summary available yet.")
	// ErrNoContext answers for an incident without a stored context.
	ErrNoContext = fault.New(fault.NotFound, "ai_context_not_found", "No AI context available yet.")
)
