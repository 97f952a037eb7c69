package org

// Quotas are what one organization may use of an installation that it shares with others.
// docs-mdx/quotas.md has the same table. No quota refuses what a
// monitor's webhook brings: Alertmanager does not send again what was answered 429.
type Quotas struct {
	// Contacts is how many contact methods its people and channels have; more are refused.
	Contacts int
	// IncidentsPerMinute is how many incidents may open before its pages are bundled: each
	// contact then gets one message every 15 seconds at most, with exact counts.
	IncidentsPerMinute int
	// StoredMiBPerDay is how much text of alerts and declared incidents it may store in a day. What
	// comes beyond it opens incidents and pages as before, and is stored without labels, annotations,
	// tags, metadata and most of the description.
	StoredMiBPerDay int
	// Streams is how many live screens it has open in one process; more are refused.
	Streams int
	// RequestsPerMinute is how many calls one account or API key may make in one process; more are
	// refused, but for those that answer incidents.
	RequestsPerMinute int
	// SentPerMinute is how many calls may bring events about one service in one process, and as many
	// each changes, samples and pings; more are to be sent again later.
	SentPerMinute int
}

// DefaultQuotas are above what the chaos tests and the benchmarks do.
var DefaultQuotas = Quotas{
	Contacts: 1000, IncidentsPerMinute: 300_000, StoredMiBPerDay: 10_240, Streams: 500, RequestsPerMinute: 60_000, SentPerMinute: 300_000,
}
