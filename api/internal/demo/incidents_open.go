package demo

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// sampleIncident is one incident of the past two weeks.
type sampleIncident struct {
	// code is the end of its id, by which people call it: "#c41e".
	code               string
	service            string
	title, description string
	severity           alert.Severity
	ago                time.Duration // when it was triggered, before now
	// alerts opened or joined it. Without any, somebody or something declared it.
	alerts []sampleAlert
	by     string // the person who declared it; empty for a program
	// The rest is in time after it was triggered; zero means never.
	acknowledged time.Duration
	who          string // acknowledged it, and has it
	resolved     time.Duration
	resolver     string // empty: it resolved with its last alert
	raised       sampleRise
	said         []sampleComment
}

type sampleAlert struct {
	name, source string
	after        time.Duration
	repeats      int
}

// sampleRise says that it turned out worse than it was declared.
type sampleRise struct {
	from  alert.Severity
	after time.Duration
	by    string
}

type sampleComment struct {
	after     time.Duration
	who, text string
}

// openNow are the three that need somebody: one that nobody has, two that somebody has.
var openNow = []sampleIncident{
	{
		code: "c41e", service: checkout, severity: alert.Critical, ago: minutes(11, 12),
		title:       "Checkout payments failing in eu-west-1",
		description: "38% of card payments fail with time-outs to the payment gateway.",
		alerts: []sampleAlert{
			{"CheckoutPaymentFailureRate", "prometheus", 0, 41},
			{"GatewayPoolExhausted", "prometheus", minutes(1, 6), 12},
			{"checkout synthetic, Frankfurt", "datadog", minutes(2, 4), 1},
		},
		raised: sampleRise{alert.High, minutes(2, 27), "Priya"},
		said: []sampleComment{
			{minutes(3, 48), "Priya", "The gateway pool is at its limit on eu-west-1b only. I am not on call, but I can look until Mara is up."},
		},
	},
	{
		code: "9a07", service: signIn, severity: alert.High, ago: hours(1, 2),
		title:       "Login latency above 2 s at p95",
		description: "Password logins wait for the session store. Token refreshes are not affected.",
		alerts: []sampleAlert{
			{"LoginLatencyHigh", "prometheus", 0, 58},
			{"session-store slow queries", "datadog", minutes(7, 20), 9},
		},
		acknowledged: minutes(4, 10), who: "Priya",
		said: []sampleComment{
			{minutes(16, 5), "Priya", "It began with 2.31.4. Rolling back one region to compare."},
			{minutes(38, 40), "Tomás", "sessions-replica-2 is far behind, see #5be2. Reads that land there are the slow ones."},
		},
	},
	{
		code: "5be2", service: signIn, severity: alert.High, ago: hours(2, 7),
		title:        "Replication lag on sessions-replica-2 above 90 s",
		description:  "The replica serves a third of session reads.",
		alerts:       []sampleAlert{{"ReplicationLagHigh", "prometheus", 0, 117}},
		acknowledged: minutes(9, 35), who: "Tomás",
		said: []sampleComment{
			{minutes(25, 0), "Tomás", "A long report query holds it back. I have asked for it to be stopped."},
			{minutes(71, 30), "Tomás", "Query stopped, lag is falling. About an hour to catch up."},
		},
	},
}
