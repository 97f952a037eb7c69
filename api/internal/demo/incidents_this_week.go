package demo

import "github.com/nightbell/nightbell/api/internal/alert"

// thisWeek are the resolved ones of the last seven days, the newest first.
var thisWeek = []sampleIncident{
	{
		code: "18fa", service: checkout, severity: alert.High, ago: hours(11, 4),
		title:        "Retry storm on checkout queue",
		description:  "Workers retry faster than the queue drains.",
		alerts:       []sampleAlert{{"QueueRetryRateHigh", "prometheus", 0, 64}, {"QueueDepthHigh", "prometheus", minutes(5, 30), 51}},
		acknowledged: minutes(3, 5), who: "Mara", resolved: minutes(102, 10), resolver: "Mara",
		said: []sampleComment{
			{minutes(31, 20), "Mara", "Back-off was missing for one error code. A fix is on its way."},
			{minutes(96, 0), "Amira", "4.17.3 is out, retries are back to normal."},
		},
	},
	{
		code: "d3c9", service: search, severity: alert.Medium, ago: hours(14, 12),
		title:        "Search index refresh older than 30 minutes",
		alerts:       []sampleAlert{{"IndexRefreshStale", "prometheus", 0, 37}},
		acknowledged: minutes(14, 40), who: "Wei", resolved: hours(3, 5),
		said: []sampleComment{{hours(1, 2), "Wei", "1.9.2 refreshes the large shard first. Letting it finish."}},
	},
	{
		code: "40b6", service: relay, severity: alert.Low, ago: hours(20, 30),
		title:        "Certificate for status.example.com expires in 6 days",
		alerts:       []sampleAlert{{"CertificateExpiresSoon", "prometheus", 0, 4}},
		acknowledged: minutes(47, 20), who: "Jonas", resolved: hours(3, 42),
		said: []sampleComment{{hours(3, 30), "Jonas", "Renewed. The renewal job had lost its permission in the last clean-up."}},
	},
	{
		code: "a1f8", service: relay, severity: alert.High, ago: hours(26, 5),
		title:        "Push delivery rate below 95% for Android",
		alerts:       []sampleAlert{{"PushDeliveryRateLow", "datadog", 0, 28}},
		acknowledged: minutes(6, 15), who: "Wei", resolved: hours(2, 20) + minutes(0, 30), resolver: "Wei",
		said: []sampleComment{{minutes(44, 10), "Wei", "The rotated provider key is missing in one region."}},
	},
	{
		code: "e77c", service: checkout, severity: alert.Critical, ago: hours(29, 20),
		title:        "Fewer than 10 orders in the last hour",
		description:  "7 orders in the last hour; at this time of day 180 are usual.",
		acknowledged: minutes(1, 50), who: "Mara", resolved: minutes(58, 20), resolver: "Mara",
		raised: sampleRise{alert.High, minutes(6, 5), "Mara"},
		said: []sampleComment{
			{minutes(12, 30), "Mara", "The basket page fails for signed-out visitors. Rolling back 4.17.2."},
			{minutes(51, 0), "Lena", "Customers report that ordering works again."},
		},
	},
	{
		code: "03dd", service: lake, severity: alert.Medium, ago: hours(33, 10),
		title:    "Disk 91% full on warehouse-ingest-4",
		alerts:   []sampleAlert{{"DiskAlmostFull", "prometheus", 0, 19}},
		resolved: hours(1, 31),
	},
	{
		code: "b9e4", service: signIn, severity: alert.High, ago: hours(50, 15),
		title:        "Token refresh errors after key rotation",
		alerts:       []sampleAlert{{"TokenRefreshErrors", "prometheus", 0, 73}, {"auth 401 rate", "datadog", minutes(3, 40), 22}},
		acknowledged: minutes(4, 45), who: "Priya", resolved: hours(2, 2), resolver: "Priya",
		said: []sampleComment{{minutes(58, 0), "Priya", "Two pods kept the old key set. 2.31.3 reads it again every minute."}},
	},
	{
		code: "7c20", service: search, severity: alert.Low, ago: hours(55, 40),
		title:    "Autocomplete p95 above 800 ms",
		alerts:   []sampleAlert{{"AutocompleteSlow", "prometheus", 0, 11}},
		resolved: minutes(34, 0),
	},
	{
		code: "f5a3", service: gateway, severity: alert.Medium, ago: hours(61, 25),
		title:        "Webhook retries to ledger partner exhausted",
		alerts:       []sampleAlert{{"PartnerWebhookFailed", "prometheus", 0, 8}},
		acknowledged: minutes(16, 30), who: "Amira", resolved: hours(3, 28), resolver: "Amira",
		said: []sampleComment{{hours(2, 50), "Amira", "Their certificate had expired. They have renewed it; sending what was held back."}},
	},
	{
		code: "26be", service: gateway, severity: alert.High, ago: hours(75, 30),
		title:        "Nightly reconciliation job did not report",
		alerts:       []sampleAlert{{"HeartbeatMissing", "prometheus", 0, 1}},
		acknowledged: minutes(7, 25), who: "Jonas", resolved: hours(2, 47),
		said: []sampleComment{{minutes(35, 10), "Jonas", "It waits for a lock that a migration left behind. Released, the job runs."}},
	},
	{
		code: "8d91", service: checkout, severity: alert.Medium, ago: hours(82, 20),
		title:        "Conversion rate below 2% over 24 hours",
		alerts:       []sampleAlert{{"conversion rate", "datadog", 0, 5}},
		acknowledged: minutes(21, 10), who: "Mara", resolved: hours(4, 6), resolver: "Mara",
		said: []sampleComment{{hours(3, 40), "Mara", "A campaign brought many visitors who only look. The threshold now leaves campaigns out."}},
	},
	{
		code: "c0e5", service: gateway, severity: alert.Critical, ago: hours(98, 10),
		title:        "Gateway 3-D Secure challenge timeouts",
		alerts:       []sampleAlert{{"ThreeDSecureTimeouts", "prometheus", 0, 33}, {"card payments synthetic", "datadog", minutes(4, 15), 6}},
		acknowledged: minutes(2, 20), who: "Priya", resolved: hours(1, 12), resolver: "Priya",
		said: []sampleComment{{minutes(24, 0), "Priya", "One card scheme answers slowly. Raising our time-out to 20 s until they are well."}},
	},
	{
		code: "6f1b", service: lake, severity: alert.Medium, ago: hours(107, 45),
		title:        "Consumer lag on events.orders above 50,000",
		alerts:       []sampleAlert{{"ConsumerLagHigh", "prometheus", 0, 26}},
		acknowledged: minutes(12, 55), who: "Wei", resolved: hours(2, 15),
		said: []sampleComment{{minutes(40, 0), "Wei", "One consumer was stuck on a message of 9 MB. Skipped and filed."}},
	},
	{
		code: "92ad", service: relay, severity: alert.Low, ago: hours(126, 20),
		title:        "SMTP bounce rate above 4%",
		alerts:       []sampleAlert{{"MailBounceRateHigh", "prometheus", 0, 9}},
		acknowledged: minutes(26, 30), who: "Tomás", resolved: hours(1, 47),
	},
}
