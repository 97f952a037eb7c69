// Package demo is the demo workspace: one organization with people, policies,
// services and two weeks of incidents, as real rows that every screen computes from.
//
// What is in the workspace stands in workspace.yaml: edit that to change the demo. The entry
// file is demo.go (Seed, Reset, Account). workspace.go and schedules.go write what people
// set up; history.go lets the incidents happen again by the code that takes alerts in, pages
// and answers, each at its past instant.
//
// Whatever the hour of the first start, the owner is on call for 24/7 Support then, and
// the default policy pages her at any other time as well. On the Saturday after nobody is
// on call for six hours, and a week later somebody covers for a colleague.
//
// # Figures
//
// Everything is relative to the moment of seeding, and at that moment the live
// figures are the specification's samples. The dashboard computes them like this:
//
//   - This week is (now - 7 days, now], last week (now - 14 days, now - 7 days]. An
//     incident belongs to the week in which it was triggered.
//   - Open incidents: those triggered or acknowledged now (3). The change compares with
//     how many were open 7 days ago: triggered by then, and not resolved by then (5).
//   - MTTA: the average of acknowledged_at - triggered_at over the week's incidents that
//     were acknowledged, open or not (12m 45s; last week 14m 15s).
//   - MTTR: the average of resolved_at - triggered_at over the week's incidents that are
//     resolved (2h 15m; last week 2h 05m).
//   - A service's health follows from its worst open incident (incident.HealthOf).
//
// No incident lies within a day of the edges over which these windows slide, except
// the five that were open a week ago, so the averages stand for a day.
//
// Seeded incidents page nobody: their escalation has ended, and every notification was
// marked sent in the transaction that made it. What a person or an alert starts afterwards pages like anything else, and
// hand-overs are told from the first one after seeding on.
package demo
