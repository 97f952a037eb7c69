package app

import (
	"net/http"
	"slices"
	"strings"
)

// What the client reads of each answer (specification, section 3).
var (
	readsOfIncident = []string{
		"incident.id", "incident.number", "incident.title", "incident.description", "incident.status", "incident.severity",
		"incident.service_name", "incident.triggered_at", "incident.acknowledged_by.name",
	}
	readsOfList = []string{
		"incidents.length", "incidents.0.id", "incidents.0.number", "incidents.0.title", "incidents.0.description", "incidents.0.status",
		"incidents.0.severity", "incidents.0.service_name", "incidents.0.triggered_at", "incidents.0.acknowledged_by.name", "incidents.1.title",
	}
	readsOfSlack = []string{"integration.is_active", "integration.channel", "integration.bot_token", "integration.webhook_url", "integration.user_mappings"}
	readsOfLogin = []string{"tokens.access_token", "tokens.refresh_token", "user.id", "user.name", "user.email"}
)

// signingUp comes first, because it gives the tokens of signedIn.
func signingUp() []specCall { return slices.Concat(registrations(), logins()) }

// signedIn are the calls in the order of a first day: an alert, an answer, Slack.
func signedIn() []specCall {
	return slices.Concat(services(), declarations(), prometheusAlerts(), incidentReads(), answers(), unreadableAlerts(), slackCalls(), aiCalls(), viewerCalls(), withoutToken())
}

func registrations() []specCall {
	post := func(what, body string) specCall {
		return specCall{what: what, verb: http.MethodPost, path: "/v1/auth/register", body: body}
	}
	return []specCall{
		post("organization", `{"email":"ada@example.com","password":"velvet-otter-lamp-42","name":"Ada","timezone":"Europe/Paris","user_type":"organization","org_name":"Acme"}`),
		post("individual with a phone", `{"email":"bob@example.com","password":"velvet-otter-lamp-42","name":"Bob","timezone":"UTC","user_type":"individual","phone":"+33 1 23 45 67 89"}`),
		post("address taken", `{"email":"Ada@example.com","password":"velvet-otter-lamp-42","name":"Ada","timezone":"UTC","user_type":"individual"}`),
		post("nothing filled in", `{"email":"","password":"","name":"","timezone":"UTC","user_type":"individual"}`),
		post("no e-mail address", `{"email":"ada","password":"velvet-otter-lamp-42","name":"Ada","timezone":"UTC","user_type":"individual"}`),
		post("short password", `{"email":"eve@example.com","password":"short","name":"Eve","timezone":"UTC","user_type":"individual"}`),
		post("known password", `{"email":"eve@example.com","password":"password1234","name":"Eve","timezone":"UTC","user_type":"individual"}`),
		post("organization without a name", `{"email":"eve@example.com","password":"velvet-otter-lamp-42","name":"Eve","timezone":"UTC","user_type":"organization","org_name":""}`),
		post("unknown zone", `{"email":"eve@example.com","password":"velvet-otter-lamp-42","name":"Eve","timezone":"Mars/Olympus","user_type":"individual"}`),
		post("unknown type", `{"email":"eve@example.com","password":"velvet-otter-lamp-42","name":"Eve","timezone":"UTC","user_type":"robot"}`),
		post("a field that does not exist", `{"email":"eve@example.com","password":"velvet-otter-lamp-42","name":"Eve","timezone":"UTC","user_type":"individual","coupon":"SPRING"}`),
	}
}

func logins() []specCall {
	login := specCall{
		what: "right password", verb: http.MethodPost, path: "/v1/auth/login", body: `{"email":"ada@example.com","password":"velvet-otter-lamp-42"}`,
		reads: readsOfLogin, keeps: map[string]string{"owner": "tokens.access_token", "owner_id": "user.id", "org_id": "user.org_id"},
	}
	again := login
	again.what, again.as, again.keeps = "an old token does not keep anybody out", "not.a.token", nil
	post := func(what, body string) specCall {
		return specCall{what: what, verb: http.MethodPost, path: "/v1/auth/login", body: body}
	}
	return []specCall{
		login, again,
		post("wrong password", `{"email":"ada@example.com","password":"velvet-otter-lamp-43"}`),
		post("unknown address", `{"email":"nobody@example.com","password":"velvet-otter-lamp-42"}`),
		post("nothing filled in", `{"email":"","password":""}`),
	}
}

func services() []specCall {
	return []specCall{
		{
			what: "only a name", verb: http.MethodPost, path: "/v1/services", as: "{owner}", body: `{"name":"Checkout"}`,
			reads: []string{"service.id", "service.name", "service_key"}, keeps: map[string]string{"service_key": "service_key", "service": "service.id"},
		},
		{
			what: "a field that does not exist", verb: http.MethodPost, path: "/v1/services", as: "{owner}", body: `{"name":"Search","description":"Finds things","colour":"red"}`,
			reads: []string{"service.id", "service.name", "service.description"},
		},
		{what: "no name", verb: http.MethodPost, path: "/v1/services", as: "{owner}", body: `{}`},
		{what: "name taken", verb: http.MethodPost, path: "/v1/services", as: "{owner}", body: `{"name":"Checkout"}`},
		{
			what: "two services", verb: http.MethodGet, path: "/v1/services", as: "{owner}",
			reads: []string{"services.length", "services.0.id", "services.0.name", "services.1.name", "services.0.health"},
		},
	}
}

func declarations() []specCall {
	post := func(what, body string, keeps map[string]string) specCall {
		return specCall{what: what, verb: http.MethodPost, path: "/v1/incidents", as: "{owner}", body: body, reads: readsOfIncident, keeps: keeps}
	}
	return []specCall{
		post("as SDKs send it", `{"title":"Orders stopped","severity":"critical","description":"No order for an hour","tags":{"type":"business","test":"true"},"metadata":{"orders_count":3,"threshold":10,"time_window":"1h","service":"orders"}}`,
			map[string]string{"incident": "incident.id"}),
		post("only a title", `{"title":"Something is odd"}`, map[string]string{"second": "incident.id"}),
		post("with its service", `{"title":"Checkout is slow","severity":"low","service_id":"{service}"}`, nil),
		post("a field that does not exist", `{"title":"Tagged","severity":"high","priority":1}`, nil),
		post("no title", `{"severity":"high"}`, nil),
		post("unknown severity", `{"title":"x","severity":"urgent"}`, nil),
	}
}

// testAlert is what the client sends as Alertmanager.
const testAlert = `{"version":"4","groupKey":"{}:{alertname=\"TestAlert\"}","status":"firing","receiver":"nightbell","groupLabels":{"alertname":"TestAlert"},"commonLabels":{"alertname":"TestAlert","severity":"warning"},"commonAnnotations":{},"externalURL":"http://localhost:9093",` +
	`"alerts":[{"status":"firing","labels":{"alertname":"TestAlert","instance":"localhost:9090","severity":"warning"},"annotations":{"summary":"Test alert","description":"A test"},"startsAt":"2026-11-22T03:00:00Z","endsAt":"0001-01-01T00:00:00Z"}]}`

func sendAlerts(what, key, body string) specCall {
	return specCall{what: what, verb: http.MethodPost, path: "/v1/webhooks/prometheus/" + key, body: body}
}

func prometheusAlerts() []specCall {
	return []specCall{
		sendAlerts("test alert", "{service_key}", testAlert),
		sendAlerts("test alert again", "{service_key}", testAlert),
		sendAlerts("no alerts", "{service_key}", `{"version":"4","status":"firing","alerts":[]}`),
		sendAlerts("unknown key", "{no_key}", testAlert),
	}
}

// unreadableAlerts come late: each opens an incident.
func unreadableAlerts() []specCall {
	return []specCall{
		sendAlerts("not JSON", "{service_key}", `alerts`),
		sendAlerts("another shape", "{service_key}", `{"hello":"world"}`),
	}
}

func incidentReads() []specCall {
	get := func(what, path string, reads []string) specCall {
		return specCall{what: what, verb: http.MethodGet, path: path, as: "{owner}", reads: reads}
	}
	return []specCall{
		get("the list page", "/v1/incidents?limit=1000&offset=0", readsOfList),
		get("the second page", "/v1/incidents?limit=1&offset=1", readsOfList),
		get("past the end", "/v1/incidents?limit=1000&offset=1000", []string{"incidents.length"}),
		get("without parameters", "/v1/incidents", readsOfList),
		get("triggered", "/v1/incidents/{incident}", readsOfIncident),
		get("nobody's id", "/v1/incidents/{nobody}", readsOfIncident),
		get("no id", "/v1/incidents/{no_id}", readsOfIncident),
	}
}

func answers() []specCall {
	post := func(what, path, body string) specCall {
		return specCall{what: what, verb: http.MethodPost, path: path, as: "{owner}", body: body, reads: readsOfIncident}
	}
	return []specCall{
		post("triggered", "/v1/incidents/{incident}/acknowledge", `{"message":"Incident acknowledged"}`),
		post("acknowledged", "/v1/incidents/{incident}/acknowledge", `{"message":"Incident acknowledged"}`),
		{what: "acknowledged", verb: http.MethodGet, path: "/v1/incidents/{incident}", as: "{owner}", reads: readsOfIncident},
		post("acknowledged", "/v1/incidents/{incident}/resolve", `{"message":"Incident resolved"}`),
		post("resolved", "/v1/incidents/{incident}/resolve", `{"message":"Incident resolved"}`),
		post("resolved", "/v1/incidents/{incident}/acknowledge", `{"message":"Incident acknowledged"}`),
		post("nobody's id", "/v1/incidents/{nobody}/acknowledge", `{"message":"Incident acknowledged"}`),
		post("nobody's id", "/v1/incidents/{nobody}/resolve", `{"message":"Incident resolved"}`),
		{what: "resolved", verb: http.MethodGet, path: "/v1/incidents/{incident}", as: "{owner}", reads: readsOfIncident},
	}
}

func slackCalls() []specCall {
	const base = "/v1/integrations/slack/"
	configure := func(what, body string) specCall {
		return specCall{what: what, verb: http.MethodPost, path: base + "configure", as: "{owner}", body: body}
	}
	config := func(what string) specCall {
		return specCall{what: what, verb: http.MethodGet, path: base + "config", as: "{owner}", reads: readsOfSlack}
	}
	test := specCall{what: "not configured", verb: http.MethodPost, path: base + "test", as: "{owner}", body: `{"channel":"#incidents","message":"Hello from the test"}`, reads: []string{"message"}}
	works, empty := test, test
	works.what, empty.what, empty.body = "configured", "no message", `{"channel":"#incidents","message":""}`
	disconnect := specCall{what: "configured", verb: http.MethodDelete, path: base + "disconnect", as: "{owner}"}
	again := disconnect
	again.what = "not configured"
	return []specCall{
		config("not configured"), test, again,
		configure("no token", `{"bot_token":"","channel":"#incidents","webhook_url":"{slack_webhook}","user_mappings":{}}`),
		configure("no token of a bot", `{"bot_token":"xoxp-1","channel":"#incidents","webhook_url":"{slack_webhook}","user_mappings":{}}`),
		configure("no channel", `{"bot_token":"xoxb-1234567890","channel":"","webhook_url":"{slack_webhook}","user_mappings":{}}`),
		configure("no address", `{"bot_token":"xoxb-1234567890","channel":"#incidents","webhook_url":"","user_mappings":{}}`),
		configure("everything", `{"bot_token":"xoxb-1234567890","channel":"#incidents","webhook_url":"{slack_webhook}","user_mappings":{"ada@example.com":"U1"}}`),
		config("configured"), works, empty,
		configure("active already, so without a token", `{"bot_token":"","channel":"#night","webhook_url":"{slack_webhook}","user_mappings":{}}`),
		config("changed"), disconnect, config("disconnected"),
	}
}

func aiCalls() []specCall {
	var calls []specCall
	for _, call := range []string{"POST summary", "GET summary", "POST refresh", "GET context", "POST context"} {
		verb, path, _ := strings.Cut(call, " ")
		calls = append(calls,
			specCall{what: "without a language model", verb: verb, path: "/v1/ai/incidents/{incident}/" + path, as: "{owner}"},
			specCall{what: "nobody's id", verb: verb, path: "/v1/ai/incidents/{nobody}/" + path, as: "{owner}"})
	}
	return calls
}

// viewerCalls are those that need more than to look.
func viewerCalls() []specCall {
	calls := []specCall{{what: "as a viewer", verb: http.MethodGet, path: "/v1/incidents?limit=1000&offset=0", reads: []string{"incidents.length"}}}
	for _, path := range []string{"/v1/incidents", "/v1/incidents/{second}/acknowledge", "/v1/services", "/v1/integrations/slack/configure"} {
		calls = append(calls, specCall{what: "as a viewer", verb: http.MethodPost, path: path, body: `{"title":"x"}`})
	}
	for i := range calls {
		calls[i].as, calls[i].path = "{viewer}", strings.Replace(calls[i].path, "{second}", "{incident}", 1)
	}
	return calls
}

// withoutToken: every call but sign-up, sign-in and the webhook needs a bearer token, whatever
// else it says, and the client tells an expired one by the 401.
func withoutToken() []specCall {
	var calls []specCall
	for line := range strings.Lines(strings.TrimSpace(specTable)) {
		verb, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(path, "/v1/auth/") || strings.HasPrefix(path, "/v1/webhooks/") {
			continue
		}
		for _, token := range []string{"", "{expired}", "not.a.token"} {
			what := map[string]string{"": "no token", "{expired}": "expired token", "not.a.token": "no token of ours"}[token]
			calls = append(calls, specCall{what: what, verb: verb, path: path, as: token})
		}
	}
	return calls
}
