package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The shapes of load. What is distinct has an identity of its own in every request.
const (
	distinctGroups = "distinct" // every request is a group of its own: an incident each
	oneGroup       = "group"    // new alerts of one group: they join one incident
	distinctEvents = "events"   // as distinct, by POST /v1/events
	pings          = "pings"    // every request says that a program lives
	sameAlert      = "same"     // one alert, again and again, as Alertmanager repeats it
)

// Marks in the template, of the width of the numbers that replace them.
const (
	alertMark = "@@alert-number@@"
	groupMark = "@@group-number@@"
)

// body is an Alertmanager message (version 4) whose alerts and group can be numbered
// in place: about 1.3 KB with one alert and 650 bytes for each further one.
type body struct {
	text   []byte
	alerts [][]int // for each alert, where its number stands
	group  []int
}

func newBody(alerts int) *body {
	b := &body{text: []byte(template(alerts)), group: nil}
	b.group = places(b.text, 0, len(b.text), groupMark)
	at := bytes.Index(b.text, []byte(`{"status"`))
	for range alerts {
		end := bytes.Index(b.text[at+1:], []byte(`{"status"`))
		if end < 0 {
			end = len(b.text) - at - 1
		}
		b.alerts = append(b.alerts, places(b.text, at, at+1+end, alertMark))
		at += 1 + end
	}
	return b
}

// newEvent is a body of POST /v1/events whose problem can be numbered in place, about as long as
// that of one alert.
func newEvent() *body {
	b := &body{text: []byte(eventTemplate)}
	b.alerts = [][]int{places(b.text, 0, len(b.text), alertMark)}
	return b
}

const eventTemplate = `{"action":"trigger","dedup_key":"` + alertMark + `","title":"Error rate of checkout-` + alertMark + ` is above 5%","severity":"critical",` +
	`"description":"5% of the requests to checkout-` + alertMark + ` have failed for 5 minutes. Look at the gateway first.","environment":"production",` +
	`"release":"2026.11.3","source":"checkout-` + alertMark + `","tags":{"cluster":"eu-west-1","namespace":"shop","team":"payments"},"metadata":{"orders_count":3,"threshold":10},` +
	`"links":[{"href":"https://runbooks.example.com/high-error-rate","text":"Runbook"}],"error":{"exceptions":[{"type":"TimeoutError","message":"no answer after 5003 ms",` +
	`"frames":[{"file":"/srv/app/cart.py","function":"pay","module":"shop.cart","line":42,"in_app":true},{"file":"/srv/app/gateway.py","function":"charge","module":"shop.gateway","line":7,"in_app":true},` +
	`{"file":"/usr/lib/runner.py","function":"run","line":7,"in_app":false}]}]},"operation":"checkout","trace":{"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"}}`

func places(text []byte, from, to int, mark string) (list []int) {
	for at := from; ; {
		next := bytes.Index(text[at:to], []byte(mark))
		if next < 0 {
			return list
		}
		list = append(list, at+next)
		at += next + len(mark)
	}
}

// number gives the group and the alerts their numbers; the first alert gets first.
func (b *body) number(group, first uint64) {
	b.put(b.group, group)
	for i, places := range b.alerts {
		b.put(places, first+uint64(i))
	}
}

func (b *body) put(places []int, number uint64) {
	digits := fmt.Sprintf("%016x", number)
	for _, at := range places {
		copy(b.text[at:], digits)
	}
}

func template(alerts int) string {
	one := fmt.Sprintf(`{"status":"firing","labels":{"alertname":"HighErrorRate","cluster":"eu-west-1","env":"production",`+
		`"instance":"checkout-%[1]s:9090","job":"checkout","namespace":"shop","severity":"critical","team":"payments"},`+
		`"annotations":{"description":"5%% of the requests to checkout-%[1]s have failed for 5 minutes. Look at the gateway first.",`+
		`"runbook_url":"https://runbooks.example.com/high-error-rate","summary":"Error rate of checkout-%[1]s is above 5%%"},`+
		`"startsAt":"2026-11-21T08:25:38.980Z","endsAt":"0001-01-01T00:00:00Z",`+
		`"generatorURL":"http://prometheus.example.com:9090/graph?g0.expr=rate%%28http_errors_total%%5B5m%%5D%%29&g0.tab=1","fingerprint":"%[1]s"}`, alertMark)
	return `{"receiver":"nightbell","status":"firing","alerts":[` + strings.Repeat(one+",", alerts-1) + one + `],` +
		`"groupLabels":{"alertname":"HighErrorRate","shard":"` + groupMark + `"},` +
		`"commonLabels":{"alertname":"HighErrorRate","cluster":"eu-west-1","env":"production","job":"checkout","namespace":"shop","severity":"critical","team":"payments"},` +
		`"commonAnnotations":{"runbook_url":"https://runbooks.example.com/high-error-rate"},` +
		`"externalURL":"http://alertmanager.example.com:9093","version":"4",` +
		`"groupKey":"{}/{team=\"payments\"}:{alertname=\"HighErrorRate\", shard=\"` + groupMark + `\"}","truncatedAlerts":0}`
}
