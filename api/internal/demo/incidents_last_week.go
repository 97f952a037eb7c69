package demo

import (
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
)

const week = 7 * 24 * time.Hour

// lastWeek are those of the seven days before. The first five began when eu-west-1a
// lost packets, and were all open exactly a week ago.
var lastWeek = []sampleIncident{
	{
		code: "b27e", service: relay, severity: alert.Low, ago: week + hours(1, 12),
		title:        "Webhook queue older than 5 minutes",
		alerts:       []sampleAlert{{"WebhookQueueOld", "prometheus", 0, 24}},
		acknowledged: minutes(46, 10), who: "Wei", resolved: hours(2, 10),
	},
	{
		code: "4d38", service: lake, severity: alert.Medium, ago: week + hours(1, 25),
		title:        "Ingestion of events.orders stalled",
		alerts:       []sampleAlert{{"IngestionStalled", "prometheus", 0, 31}},
		acknowledged: minutes(21, 0), who: "Tomás", resolved: hours(2, 55),
	},
	{
		code: "a9c2", service: search, severity: alert.High, ago: week + hours(1, 38),
		title:        "Search shards unassigned in eu-west-1a",
		alerts:       []sampleAlert{{"ShardsUnassigned", "prometheus", 0, 40}},
		acknowledged: minutes(8, 15), who: "Wei", resolved: hours(3, 5), resolver: "Wei",
		said: []sampleComment{{minutes(52, 0), "Wei", "Packets are lost between zones a and b. Moving shards away from zone a."}},
	},
	{
		code: "0e65", service: signIn, severity: alert.Medium, ago: week + hours(1, 46),
		title:        "Session store failed over twice in 10 minutes",
		alerts:       []sampleAlert{{"SessionStoreFailover", "prometheus", 0, 2}},
		acknowledged: minutes(9, 40), who: "Tomás", resolved: hours(2, 25),
	},
	{
		code: "f14b", service: checkout, severity: alert.High, ago: week + hours(1, 50),
		title:        "Checkout p99 above 3 s in eu-west-1a",
		alerts:       []sampleAlert{{"CheckoutLatencyHigh", "prometheus", 0, 47}, {"checkout synthetic, Dublin", "datadog", minutes(2, 45), 13}},
		acknowledged: minutes(4, 20), who: "Mara", resolved: hours(2, 40), resolver: "Mara",
		said: []sampleComment{
			{minutes(19, 0), "Mara", "Every slow call crosses zone a. Draining it."},
			{hours(2, 30), "Jonas", "The provider confirms a faulty switch in zone a and has replaced it."},
		},
	},
	{
		code: "77d0", service: gateway, severity: alert.Critical, ago: 9*24*time.Hour + hours(3, 10),
		title:        "Gateway pool exhausted after release",
		alerts:       []sampleAlert{{"GatewayPoolExhausted, release 7.4.0", "prometheus", 0, 6}},
		acknowledged: minutes(1, 25), who: "Mara", resolved: minutes(9, 0), resolver: "Mara",
		said: []sampleComment{{minutes(5, 10), "Mara", "Rolling back to 7.3.9."}},
	},
	{
		code: "e2b9", service: gateway, severity: alert.High, ago: 11*24*time.Hour + hours(5, 0),
		title:        "Card timeouts in eu-west-1",
		alerts:       []sampleAlert{{"CardTimeouts", "prometheus", 0, 18}},
		acknowledged: minutes(5, 10), who: "Jonas", resolved: hours(1, 16),
	},
	{
		code: "5c93", service: relay, severity: alert.Medium, ago: 12*24*time.Hour + hours(20, 0),
		title:        "Login e-mails arrive 10 minutes late",
		description:  "Eleven customers have written in since noon.",
		by:           "Lena",
		acknowledged: minutes(18, 0), who: "Wei", resolved: hours(2, 0), resolver: "Wei",
		said: []sampleComment{{minutes(49, 0), "Wei", "The mail provider throttles us. Raised with them, limit lifted."}},
	},
}
