// Package prometheus reads what Prometheus Alertmanager posts to a webhook
// (version 4) and Grafana's dialect of it.
//
// Parse is pure: bytes in, alerts out. Its order of concern is that an alert is
// never lost: whatever can be understood is kept, what must be cut is cut, and
// only a body in which nothing is an alert is refused.
// Entry file: parse.go. Neighbours: wire (bounded JSON), alert (the nouns),
// ingest/senders.go (the table this parser stands in).
package prometheus

import (
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/ingest/wire"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// What is kept of one message. The rest is counted, not stored.
const (
	maxAlerts      = 10_000  // per message
	maxLabels      = 64      // per alert, and as many annotations
	maxNameBytes   = 256     // of a label's name
	maxValueBytes  = 4 << 10 // of a label's value, of an annotation and of a link
	maxTitle       = 500     // characters
	maxDescription = 20_000  // characters
	maxKeyBytes    = 255     // of an alert's identity; longer ones are hashed
	maxGroupBytes  = 500     // of a group's identity; longer ones are hashed
)

// Sources, as incidents show them.
const (
	SourcePrometheus = "prometheus"
	SourceGrafana    = "grafana"
)

// Codes of the faults Parse returns, all of kind Invalid.
const (
	// CodeNotJSON: the body is not JSON.
	CodeNotJSON = "invalid_json"
	// CodeUnknownShape: JSON, but nothing in it is an alert.
	CodeUnknownShape = "unknown_alert_format"
	// CodeNoAlerts: the format is right and says that there is nothing to say.
	CodeNoAlerts = "no_alerts"
)

// message is the envelope: what all alerts of one body have in common.
type message struct {
	grafana      bool
	status       string
	group        string
	groupTitle   string
	externalURL  string
	groupLabels  wire.Value
	commonLabels wire.Value
	alerts       []wire.Value
	ungrouped    bool // the sender groups by nothing that its alerts have
	listed       bool // a list of alerts was there, even if it was empty
	omitted      int  // alerts that the sender or the limit left out
}

// Parse turns one body into alerts with Key, Title, Status and Severity; text is valid UTF-8 without NUL and within the
// limits above, times are whole microseconds (PostgreSQL's). Alerts beyond the ten thousandth add to Truncated, what is
// no alert to Unread, which points into body. It fails only with fault.Invalid, which says what to send instead.
func Parse(body []byte) (alert.Batch, error) {
	doc, err := wire.Read(body)
	if err != nil {
		phrase := strings.TrimPrefix(err.Error(), wire.ErrNotJSON.Error()+": ")
		return alert.Batch{}, fault.Newf(fault.Invalid, CodeNotJSON,
			"The body is not JSON: %s. Send what Alertmanager or Grafana sends, unchanged.", phrase).Because(err)
	}
	m := readMessage(doc)
	if err := m.refusal(); err != nil {
		return alert.Batch{}, err
	}
	batch := alert.Batch{Truncated: m.omitted, Alerts: make([]alert.Received, 0, len(m.alerts))}
	r := reader{message: &m, names: make(map[string]string, 32)}
	for _, entry := range m.alerts {
		if received, ok := r.read(entry); ok {
			batch.Alerts = append(batch.Alerts, received)
		} else {
			batch.Unread = append(batch.Unread, entry)
		}
	}
	if len(batch.Alerts) == 0 {
		return alert.Batch{}, fault.New(fault.Invalid, CodeUnknownShape,
			`No entry of "alerts" has labels, annotations or a fingerprint. `+sendInstead)
	}
	return batch, nil
}

const sendInstead = "Send Alertmanager's webhook format (version 4) or Grafana's, without a custom payload template."

func (m *message) refusal() error {
	switch {
	case !m.listed:
		return fault.New(fault.Invalid, CodeUnknownShape, `The body has no list called "alerts". `+sendInstead)
	case len(m.alerts) == 0:
		return fault.New(fault.Invalid, CodeNoAlerts,
			`The list "alerts" is empty, so there is nobody to page. Send at least one alert.`)
	default:
		return nil
	}
}

// readMessage reads the envelope. The version is not looked at: "4", "1" (Grafana,
// incident.io), 4 and none at all mean the same fields.
func readMessage(doc wire.Value) message {
	var m message
	var state, title bool
	for name, value := range doc.Fields() {
		switch string(name) {
		case "alerts":
			m.addAlerts(value)
		case "status":
			m.status = value.Text(maxNameBytes)
		case "groupKey":
			m.group = identity(value, maxGroupBytes)
		case "groupLabels":
			m.groupLabels = value
		case "commonLabels":
			m.commonLabels = value
		case "externalURL":
			m.externalURL = link(value)
		case "truncatedAlerts":
			m.omitted += value.Int(1_000_000)
		case "orgId":
			m.grafana = true
		case "state":
			state = true
		case "title":
			title = true
		}
	}
	// Grafana has left out orgId in some versions, never its own words for the state.
	m.grafana = m.grafana || (state && title)
	m.ungrouped = m.group != "" && m.groupLabels.IsObject() && isEmpty(m.groupLabels)
	m.groupTitle = groupTitle(m.groupLabels, m.commonLabels)
	return m
}

// addAlerts collects entries; a body that says "alerts" twice means both lists.
func (m *message) addAlerts(list wire.Value) {
	m.listed = m.listed || list.IsArray() || list.IsNull()
	for entry := range list.Elements() {
		if len(m.alerts) < maxAlerts {
			m.alerts = append(m.alerts, entry)
		} else {
			m.omitted++
		}
	}
}

func (m *message) source() string {
	if m.grafana {
		return SourceGrafana
	}
	return SourcePrometheus
}
