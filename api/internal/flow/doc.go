// Package flow is the stories: one file for each verb that touches more than one
// domain. What happens when an alert arrives, in the order of the files it passes:
//
//	ingest/webhook.go             the request: key, size, answer
//	ingest/prometheus/parse.go    bytes to []alert.Received
//	flow/group_commit.go          many requests, one transaction
//	flow/alert_received.go        alert, incident, escalation and first pages, committed together
//	delivery/deliver.go           the outbox: claim, last check, send, record
//	channel/email, webhook, slack the provider
//
// Then flow/escalation_due.go pages the next step until flow/respond.go hears an
// answer. Beside that path, handover/handover.go tells people that they come on call or go
// off. Rules are pure and live in the domains (alert.Decide, incident.Decide,
// escalation.Decide, notify.Plan, oncall.Handovers); flow reads what they need, calls
// them, and writes what they decided, in one transaction.
package flow
