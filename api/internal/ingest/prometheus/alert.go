package prometheus

import (
	"net/url"
	"strings"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/ingest/wire"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// reader reads the alerts of one message. Alerts of one message share label
// names, so each name is kept once.
type reader struct {
	message *message
	names   map[string]string
	scratch []pair
}

// entry is one alert as it was sent.
type entry struct {
	status, startsAt, endsAt         wire.Value
	labels, annotations, fingerprint wire.Value
	generatorURL                     wire.Value
	grafana                          []pair
}

// read turns one entry into an alert; ok is false when nothing in it identifies
// or describes one.
func (r *reader) read(value wire.Value) (received alert.Received, ok bool) {
	sent := readEntry(value)
	labels, omitted := r.pairs(sent.labels)
	received = alert.Received{
		Labels:     texts(labels),
		Group:      r.message.group,
		GroupTitle: r.message.groupTitle,
		Source:     r.message.source(),
		Status:     statusOf(sent.status, r.message.status),
		StartsAt:   sent.startsAt.Time(),
		Link:       link(sent.generatorURL),
		Count:      1,
	}
	if name := received.Labels["alertname"]; r.message.ungrouped && name != "" {
		received.Group, received.GroupTitle = r.message.groupOf(name)
	}
	received.Severity = severityOf(received.Labels)
	r.annotate(&received, &sent, omitted)
	if received.Status == alert.Resolved {
		received.EndsAt = sent.endsAt.Time()
	}
	if received.Link == "" {
		received.Link = r.message.externalURL
	}
	received.Key = identity(sent.fingerprint, maxKeyBytes)
	ok = received.Key != "" || len(received.Labels) > 0 || len(received.Annotations) > 0
	if received.Key == "" {
		received.Key = keyOf(received.Labels, sent.labels, omitted, received.Title)
	}
	return received, ok
}

func readEntry(value wire.Value) entry {
	var sent entry
	for name, field := range value.Fields() {
		switch string(name) {
		case "status":
			sent.status = field
		case "labels":
			sent.labels = field
		case "annotations":
			sent.annotations = field
		case "startsAt":
			sent.startsAt = field
		case "endsAt":
			sent.endsAt = field
		case "generatorURL":
			sent.generatorURL = field
		case "fingerprint":
			sent.fingerprint = field
		case "dashboardURL", "panelURL", "silenceURL", "imageURL", "valueString", "values":
			sent.grafana = append(sent.grafana, pair{string(name), field})
		}
	}
	return sent
}

// annotate sets what people read: annotations, title and description.
func (r *reader) annotate(received *alert.Received, sent *entry, omittedLabels int) {
	annotations, omitted := r.pairs(sent.annotations)
	received.Annotations = texts(annotations)
	received.Title = titleOf(received.Labels, received.Annotations)
	for _, name := range []string{"description", "message"} {
		if text := find(annotations, name).Text(4 * maxDescription); text != "" {
			received.Description = wire.Shorten(text, maxDescription)
			break
		}
	}
	for _, extra := range sent.grafana {
		text := extra.value.Text(maxValueBytes)
		if _, taken := received.Annotations[extra.name]; !taken && text != "" {
			received.Annotations[extra.name] = text
		}
	}
	note(received.Annotations, omittedLabels, omitted)
}

// statusOf errs on the side of paging: only a word that clearly means "over"
// resolves an alert, and an alert without a state has the message's.
func statusOf(own wire.Value, message string) alert.Status {
	word := own.Text(maxNameBytes)
	if word == "" {
		word = message
	}
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "resolved", "ok", "normal", "inactive":
		return alert.Resolved
	default:
		return alert.Firing
	}
}

// titleOf gives the alert its own words if it has some, its name and place otherwise.
func titleOf(labels, annotations map[string]string) string {
	for _, name := range []string{"summary", "title"} {
		if text := plaintext.Line(annotations[name]); text != "" {
			return wire.Shorten(text, maxTitle)
		}
	}
	name, instance := plaintext.Line(labels["alertname"]), plaintext.Line(labels["instance"])
	switch {
	case name != "" && instance != "":
		return wire.Shorten(name+" on "+instance, maxTitle)
	case name != "" || instance != "":
		return wire.Shorten(name+instance, maxTitle)
	default:
		return "Alert without a name"
	}
}

// link keeps addresses that a browser opens as pages. Everything else, such as
// javascript:, is dropped, and so is an address that would have to be cut.
func link(value wire.Value) string {
	text := value.Text(maxValueBytes + 1)
	if text == "" || len(text) > maxValueBytes {
		return ""
	}
	parsed, err := url.Parse(text)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.Host == "" {
		return ""
	}
	return text
}
