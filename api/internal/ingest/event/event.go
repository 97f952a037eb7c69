// Package event reads what POST /v1/events takes: it becomes the same alert.Received as a
// monitor's webhook. It is pure: bytes and the service's clock in, an event or a refusal out.
//
// An alert is worth more than its ending: only what is needed is refused when it is missing. What
// is too long is cut (limit.go, as the SDKs cut it), what is of the wrong kind is left out and
// named in a warning.
package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Warning is something of an event that was not used as its sender may have meant it.
type Warning struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Event is an event that can be stored.
type Event struct {
	Received alert.Received
	// Test wants everything checked and nobody paged.
	Test bool
	// Truncated are the fields that lost something, by name.
	Truncated []string
	Warnings  []Warning
}

// errJSON is the answer to what is no JSON object.
var errJSON = fault.New(fault.Invalid, "invalid_json", `The body is not a JSON object. Send one such as {"title": "Orders stopped", "severity": "critical"}.`)

// Decode reads a JSON object; it fails with invalid_json.
func Decode(body []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var fields map[string]any
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return nil, errJSON
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errJSON
	}
	return fields, nil
}

// Size is how many bytes a decoded event has as compact JSON.
func Size(fields map[string]any) int { return len(encode(fields)) }

// Read makes an event of a decoded body. callID is the Idempotency-Key as a UUID, empty for none; by names
// the key that sends it. It fails with invalid_fields.
func Read(fields map[string]any, callID, by string) (Event, error) {
	sum := hashOf(fields)
	r := &reader{fields: fields}
	event := &alert.Event{Hash: sum, By: by}
	event.ID = r.id(callID)
	event.Action = r.action()
	severity := r.severity(event.Action)
	test := r.boolean("test")
	occurred := r.time("occurred_at", 1) // whether it can be depends on the sender's clock, see Clocked
	count := r.count()
	r.types(shapes)
	r.links()
	r.errorParts()
	truncated := limit(fields)
	received := alert.Received{
		Status: alert.Firing, Severity: severity, Source: plaintext.Line(r.text("source")), StartsAt: occurred, Count: count, Event: event,
		Title: plaintext.Line(r.text("title")), Description: r.text("description"), Labels: tags(fields["tags"]), Annotations: map[string]string{},
		Key: r.key(event), Link: firstLink(fields["links"]),
	}
	if received.Source == "" {
		received.Source = "api"
	}
	if event.Action == alert.Resolve {
		received.Status, received.EndsAt = alert.Resolved, occurred
	}
	if event.Action == alert.Trigger && received.Title == "" {
		r.refuse("title", fault.Required, "Give a title: it is what a person who is woken reads first.")
	}
	if received.Title == "" {
		received.Title = plaintext.Line(received.Key)
	}
	if len(r.faults) > 0 {
		return Event{}, fault.InvalidFields(r.faults[0].Message, r.faults...)
	}
	event.IncidentDetails, event.AlertDetails = details(fields)
	return Event{Received: received, Test: test, Truncated: truncated, Warnings: r.warnings}, nil
}

// Clocked is e as it arrived, with what its sender's clock showed when it was sent; zero where that is not known. A
// device without a battery says 1970 until it has the time: only what cannot be by our clock either is not taken.
func (e Event) Clocked(sent, arrived time.Time) Event {
	r := &e.Received
	occurred := r.StartsAt
	if !sent.IsZero() {
		r.SentAt, r.ArrivedAt = sent, arrived
		occurred = arrived.Add(occurred.Sub(sent))
	}
	if !r.StartsAt.IsZero() && occurred.Year() < earliestYear {
		r.StartsAt, r.EndsAt = time.Time{}, time.Time{}
		e.Warnings = append(slices.Clip(e.Warnings), Warning{"occurred_at", "occurred_at" + notATime})
	}
	return e
}

// reader reads fields, and notes what is wrong with them.
type reader struct {
	fields   map[string]any
	faults   []fault.Field
	warnings []Warning
}

func (r *reader) refuse(field string, code fault.FieldCode, sentence string) {
	r.faults = append(r.faults, fault.Field{Path: field, Code: code, Message: sentence})
}

func (r *reader) warn(field, sentence string) {
	r.warnings = append(r.warnings, Warning{field, sentence})
}

// id is the call's: the body's, or the header's, or a fresh one.
func (r *reader) id(header string) uuid.UUID {
	own, given := r.fields["id"]
	if !given || own == nil {
		if header == "" {
			return id.New()
		}
		own = header
	}
	text, _ := own.(string)
	parsed, ok := id.Parse(text)
	if !ok || parsed == uuid.Nil { // all zeros is what programs send that forgot to make one: it names no call
		r.refuse("id", fault.BadFormat, "id must be a UUID such as 0192d3a5-6a80-7000-8000-000000000001, not all zeros, or left out.")
	}
	if other, _ := id.Parse(header); ok && header != "" && other != parsed {
		r.refuse("id", fault.BadFormat, "id and the header Idempotency-Key must be the same; send one of them.")
	}
	return parsed
}

func (r *reader) action() alert.Action {
	word, given := r.fields["action"]
	if !given || word == nil || word == "" {
		return alert.Trigger
	}
	text, _ := word.(string)
	if action := alert.Action(text); slices.Contains([]alert.Action{alert.Trigger, alert.Acknowledge, alert.Resolve}, action) {
		return action
	}
	r.refuse("action", fault.NotOneOf, "action must be trigger, acknowledge or resolve.")
	return alert.Trigger
}

// severity is medium when the event says none: an SDK's user wrote no word for it.
func (r *reader) severity(action alert.Action) alert.Severity {
	word, given := r.fields["severity"]
	text, isText := word.(string)
	if !given || word == nil || isText && strings.TrimSpace(text) == "" {
		return alert.Medium
	}
	severity, known := alert.SeverityOf(text)
	if !known && action == alert.Trigger {
		r.warn("severity", "severity must be critical, high, medium or low; it was taken for high.")
	}
	return severity
}

func (r *reader) boolean(field string) bool {
	value, given := r.fields[field]
	yes, ok := value.(bool)
	if given && value != nil && !ok {
		r.warn(field, field+" must be true or false; it was taken for false.")
	}
	return yes
}

// earliestYear is when what happens to programs of today begins.
const earliestYear = 2000

const notATime = " must be a time such as 2026-11-22T03:00:00Z; the time of arrival was taken."

func (r *reader) time(field string, earliest int) time.Time {
	value, given := r.fields[field]
	if !given || value == nil {
		return time.Time{}
	}
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < earliest || at.Year() > 9999 {
		r.warn(field, field+notATime)
		return time.Time{}
	}
	return at.UTC()
}

// maxCount keeps the sum of what one transaction stores within PostgreSQL's integer.
const maxCount = 1_000_000

func (r *reader) count() int {
	value, given := r.fields["count"]
	if !given || value == nil {
		return 1
	}
	number, _ := value.(json.Number)
	n, err := number.Int64()
	if err != nil || n < 1 || n > maxCount {
		r.warn("count", "count must be between 1 and 1,000,000; it was taken for 1.")
		return 1
	}
	return int(n)
}

func (r *reader) text(field string) string {
	text, _ := r.fields[field].(string)
	return strings.TrimSpace(text)
}

// key names the problem: what the sender says, or the error's fingerprint, or the call.
func (r *reader) key(event *alert.Event) string {
	if own, _ := r.fields["dedup_key"].(string); strings.TrimSpace(own) != "" {
		return own
	}
	if event.Action != alert.Trigger {
		r.refuse("dedup_key", fault.Required, "Give the dedup_key of what you "+string(event.Action)+".")
	}
	if details, _ := r.fields["error"].(map[string]any); details != nil {
		if fingerprint, _ := details["fingerprint"].(string); fingerprint != "" {
			return clean(fingerprint)
		}
	}
	return event.ID.String()
}

// shapes are the fields of an event, and what each must be.
var shapes = map[string]string{
	"action": "text", "id": "text", "severity": "", "test": "", "occurred_at": "", "count": "", // read above
	"dedup_key": "text", "title": "text", "description": "text", "source": "text", "environment": "text", "release": "text", "operation": "text",
	"tags": "an object of texts", "metadata": "an object", "links": `a list such as [{"href": "https://...", "text": "Dashboard"}]`,
	"error": "an object", "user": "an object", "trace": "an object",
}

// types leaves out what is of the wrong kind, and says so of that and of fields that do not exist.
func (r *reader) types(shapes map[string]string) {
	for _, field := range sortedKeys(r.fields) {
		value := r.fields[field]
		shape, exists := shapes[field]
		switch {
		case !exists:
			r.warn(plaintext.Cut(plaintext.Line(field), 100), "There is no such field; it was not read.")
			delete(r.fields, field)
			continue
		case value == nil || shape == "":
			continue
		}
		if number, isNumber := value.(json.Number); isNumber && shape == "text" {
			r.fields[field] = number.String()
			continue
		}
		if !fits(value, shape) {
			r.leaveOut(field, shape)
			delete(r.fields, field)
		}
	}
}

// fits reports whether a value is of the kind that a shape describes.
func fits(value any, shape string) (ok bool) {
	switch {
	case shape == "text":
		_, ok = value.(string)
	case strings.HasPrefix(shape, "a list"):
		_, ok = value.([]any)
	default:
		_, ok = value.(map[string]any)
	}
	return ok
}

func (r *reader) leaveOut(field, shape string) {
	r.warn(field, field+" must be "+shape+"; it was left out.")
}

// links leaves out what no browser opens as a page, such as javascript:, and says so.
func (r *reader) links() {
	sent, given := r.fields["links"].([]any)
	if !given {
		return
	}
	pages := slices.DeleteFunc(slices.Clone(sent), func(one any) bool { return !isPage(hrefOf(one)) })
	if len(pages) < len(sent) {
		r.warn("links", `Each of links must have an href that begins with https:// or http://; others were left out.`)
	}
	r.fields["links"] = pages
}

// The parts of an error, and what each must be.
var (
	errorShapes     = map[string]string{"fingerprint": "text", "exceptions": `a list such as [{"type": "TypeError", "message": "..."}]`, "breadcrumbs": "a list of objects"}
	exceptionShapes = map[string]string{"type": "text", "message": "text", "frames": "a list of objects"}
)

// errorParts names the parts of an error that cannot be read; limit leaves them out.
func (r *reader) errorParts() {
	details, _ := r.fields["error"].(map[string]any)
	r.parts("error", details, errorShapes)
	exceptions, _ := details["exceptions"].([]any)
	for i, one := range exceptions[:min(len(exceptions), maxExceptions)] {
		path := fmt.Sprintf("error.exceptions[%d]", i)
		if exception, isObject := one.(map[string]any); isObject {
			r.parts(path, exception, exceptionShapes)
		} else {
			r.leaveOut(path, "an object")
		}
	}
}

func (r *reader) parts(path string, whole map[string]any, shapes map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if value := whole[name]; value != nil && !fits(value, shapes[name]) {
			r.leaveOut(path+"."+name, shapes[name])
		}
	}
}

func tags(value any) map[string]string {
	all := map[string]string{}
	sent, _ := value.(map[string]any)
	for name, value := range sent {
		all[name], _ = value.(string)
	}
	return all
}

// firstLink is the first that a browser opens as a page.
func firstLink(value any) string {
	links, _ := value.([]any)
	for _, one := range links {
		if href := hrefOf(one); isPage(href) {
			return href
		}
	}
	return ""
}

func hrefOf(link any) string {
	object, _ := link.(map[string]any)
	href, _ := object["href"].(string)
	return href
}

func isPage(href string) bool {
	parsed, err := url.Parse(href)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
}

// details are what an incident shows and what is kept with its alert, as JSON; nothing is kept of an
// event that says no more.
func details(fields map[string]any) (ofIncident, ofAlert []byte) {
	shown := map[string]any{"tags": object(fields["tags"]), "metadata": object(fields["metadata"])}
	kept := map[string]any{}
	for _, name := range []string{"metadata", "links", "environment", "release", "error", "user", "operation", "trace"} {
		if value := fields[name]; value != nil {
			kept[name] = value
		}
	}
	if len(kept) == 0 {
		return encode(shown), nil
	}
	return encode(shown), encode(kept)
}

func object(value any) map[string]any {
	if fields, ok := value.(map[string]any); ok {
		return fields
	}
	return map[string]any{}
}

// hashOf is of what a body says, not of its id, which may be in the header, and not of when and where
// it was made: a call that a program makes again after its restart, or another replica, is the same.
func hashOf(fields map[string]any) [sha256.Size]byte {
	says := maps.Clone(fields)
	delete(says, "id")
	delete(says, "occurred_at")
	delete(says, "source")
	return sha256.Sum256(encode(says))
}

// encode writes compact JSON with sorted keys; decoded JSON can always be written.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
