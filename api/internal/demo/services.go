package demo

import "time"

// The services, by the names that the other tables use.
const (
	checkout = "Checkout API"
	signIn   = "Authentication Service"
	gateway  = "Payment Gateway"
	search   = "Search Index"
	relay    = "Notification Relay"
	lake     = "Data Warehouse"
)

// firedAt is the service that the command printed at start sends its alert to. It has
// no policy of its own, so that the default one pages the demo's owner.
const firedAt = checkout

type sampleService struct {
	name, description string
	team              string
	owner             string
	policy            string // empty: the default one
	repo              string
	tier              int
	needs             []string
}

var services = []sampleService{
	{
		checkout, "Takes baskets to paid orders.", "Payments", "Mara", "",
		"https://git.example.com/fernhill/checkout-api", 1,
		[]string{signIn, gateway, search},
	},
	{
		signIn, "Sign-in, sessions and tokens for every product.", "Identity", "Priya", "Platform, critical",
		"https://git.example.com/fernhill/authentication", 1,
		[]string{relay, lake},
	},
	{
		gateway, "Talks to banks and card schemes.", "Payments", "Amira", "Payments, critical",
		"https://git.example.com/fernhill/payment-gateway", 1,
		[]string{relay},
	},
	{
		search, "Product search and autocomplete.", "Platform", "Wei", "Standard, 15 minutes",
		"https://git.example.com/fernhill/search-index", 2,
		[]string{lake},
	},
	{
		relay, "Mail, push and webhooks to customers.", "Platform", "Jonas", "Standard, 15 minutes",
		"https://git.example.com/fernhill/notification-relay", 2, nil,
	},
	{
		lake, "Orders and events for reports and models.", "Infrastructure", "Tomás", "Standard, 15 minutes",
		"https://git.example.com/fernhill/warehouse", 3, nil,
	},
}

type sampleChange struct {
	service string
	kind    string // deployment or configuration
	what    string
	by      string
	ago     time.Duration
}

var changes = []sampleChange{
	{checkout, "deployment", "checkout-api 4.18.0 to eu-west-1", "Amira", 13 * time.Minute},
	{checkout, "configuration", "Gateway pool lowered from 64 to 16 connections per pod", "Amira", 27 * time.Minute},
	{signIn, "deployment", "authentication 2.31.4 to all regions", "Priya", hours(1, 16)},
	{signIn, "configuration", "Session lifetime raised from 12 to 24 hours", "Priya", hours(2, 40)},
	{search, "deployment", "search-index 1.9.2 to eu-west-1", "Wei", hours(13, 25)},
	{checkout, "deployment", "checkout-api 4.17.3 to all regions", "Mara", hours(19, 10)},
	{relay, "configuration", "Push provider key rotated", "Jonas", hours(26, 20)},
	{gateway, "deployment", "payment-gateway 7.4.1 to all regions", "Priya", hours(31, 45)},
	{lake, "configuration", "Retention of raw events lowered from 90 to 60 days", "Tomás", hours(32, 5)},
	{signIn, "configuration", "Signing keys rotated", "Priya", hours(50, 25)},
	{signIn, "deployment", "authentication 2.31.3 to all regions", "Amira", hours(49, 10)},
	{lake, "deployment", "warehouse-ingest 3.2.0", "Tomás", hours(71, 30)},
	{signIn, "deployment", "authentication 2.31.2 to all regions", "Priya", hours(120, 50)},
	{gateway, "configuration", "3-D Secure time-out raised from 8 to 20 seconds", "Priya", hours(96, 30)},
}

// connected are the tools that the integrations page shows as connected.
var connected = []string{"datadog", "zendesk"}

func hours(hours, minutes int) time.Duration {
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
}

func minutes(minutes, seconds int) time.Duration {
	return time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
}
