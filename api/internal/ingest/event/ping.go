package event

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Ping is a sign of life that can be taken in.
type Ping struct {
	Report   heartbeat.Report
	Warnings []Warning
}

var pingFields = []string{"status", "run_id", "every_seconds", "grace_seconds", "max_runtime_seconds", "schedule", "time_zone"}

var signals = []heartbeat.Signal{heartbeat.Lives, heartbeat.Starts, heartbeat.Fails, heartbeat.Stops}

// noteField is where text that a script sent besides its ping is put, cutField is set when a body was
// too long to be read to its end. They cannot be sent.
const (
	noteField = "(body)"
	cutField  = "(cut)"
)

// PingText gives the fields of a ping whose body is no JSON: those of a form, if it has one of a
// ping's at least, and otherwise none.
func PingText(body []byte) map[string]any {
	// What of it is a form counts, also beside what is none: a percent sign in the note of a failed
	// job must not make its failure a sign of life.
	form, _ := url.ParseQuery(strings.ReplaceAll(string(body), ";", "%3B"))
	fields, known := map[string]any{}, false
	for name, values := range form {
		fields[name] = values[len(values)-1]
		known = known || slices.Contains(pingFields, name)
	}
	if !known {
		return map[string]any{noteField: true}
	}
	return fields
}

// StartOfPing gives the fields of a ping of whose body only the start is there: those that are whole.
func StartOfPing(start []byte, isJSON bool) map[string]any {
	fields := map[string]any{}
	if isJSON {
		fields = wholeFields(start)
	} else if whole := bytes.LastIndexByte(start, '&'); whole >= 0 {
		fields = PingText(start[:whole])
		delete(fields, noteField)
	}
	fields[cutField] = true
	return fields
}

// wholeFields are the fields of a JSON object as far as they are followed by something: what stands at
// the cut, also a number, may go on.
func wholeFields(start []byte) map[string]any {
	fields := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(start))
	decoder.UseNumber()
	if brace, err := decoder.Token(); err != nil || brace != json.Delim('{') {
		return fields
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			break
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			break
		}
		if !decoder.More() {
			if end, err := decoder.Token(); err != nil || end != json.Delim('}') {
				break
			}
		}
		if field, isText := name.(string); isText && field != noteField {
			fields[field] = value
		}
	}
	return fields
}

// ReadPing makes a ping of decoded fields, whose numbers may be text, as those of an address are.
// callID is the Idempotency-Key as a UUID, empty for none. It fails with invalid_fields.
func ReadPing(fields map[string]any, callID string) (Ping, error) {
	r := &reader{fields: fields}
	for _, field := range sortedKeys(fields) {
		switch {
		case field == cutField:
			r.warn("body", "The body is too long: only its first 64 KiB were read. Send status and run_id in the address, or before all else.")
		case field == noteField:
			r.warn("body", "The body is neither JSON nor a form with fields of a ping, so it was not read. Say how the job is with status.")
		case !slices.Contains(pingFields, field):
			r.warn(plaintext.Cut(plaintext.Line(field), 100), "There is no such field; it was not read.")
		}
	}
	report := heartbeat.Report{Ping: heartbeat.Ping{Signal: heartbeat.Lives}, Key: callID, Digest: digest(fields)}
	if word := r.word("status"); word != nil && *word != "" {
		report.Signal = heartbeat.Signal(*word)
		if !slices.Contains(signals, report.Signal) {
			r.refuse("status", fault.NotOneOf, "status must be ok, start, fail or stop.")
		}
	}
	if run := r.word("run_id"); run != nil {
		report.RunID = plaintext.Cut(plaintext.Line(*run), heartbeat.MaxRunID)
	}
	report.Every, report.Grace, report.MaxRuntime = r.span("every_seconds", 1), r.span("grace_seconds", 0), r.span("max_runtime_seconds", 1)
	report.Schedule, report.TimeZone = r.word("schedule"), r.word("time_zone")
	if report.Schedule != nil && *report.Schedule == "" {
		r.refuse("schedule", fault.Required, "schedule must be the five fields of cron, or left out.")
	}
	if len(r.faults) > 0 {
		return Ping{}, fault.InvalidFields(r.faults[0].Message, r.faults...)
	}
	return Ping{Report: report, Warnings: r.warnings}, nil
}

// digest tells pings with one key apart.
func digest(fields map[string]any) string {
	sum := sha256.Sum256(encode(fields))
	return hex.EncodeToString(sum[:8])
}

// word is the text of a field; nil when it is not there.
func (r *reader) word(field string) *string {
	switch value := r.fields[field].(type) {
	case nil:
		return nil
	case string:
		return &value
	case json.Number:
		text := value.String()
		return &text
	default:
		r.refuse(field, fault.BadFormat, field+" must be text.")
		return nil
	}
}

// mostSeconds keeps a duration, and what is stored of it, from overflowing.
const mostSeconds = 1 << 31

// span is a number of seconds; nil when it is not there.
func (r *reader) span(field string, least int64) *time.Duration {
	value := r.fields[field]
	if text, isText := value.(string); isText {
		value = json.Number(text)
	}
	if value == nil {
		return nil
	}
	number, _ := value.(json.Number)
	n, err := number.Int64()
	if err != nil {
		r.refuse(field, fault.BadFormat, field+" must be a whole number.")
		return nil
	}
	if n < least || n >= mostSeconds {
		r.refuse(field, fault.OutOfRange, fmt.Sprintf("%s must be at least %d, and at most %d.", field, least, mostSeconds-1))
		return nil
	}
	d := time.Duration(n) * time.Second
	return &d
}
