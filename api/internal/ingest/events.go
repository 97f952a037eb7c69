package ingest

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// Limits of POST /v1/events and /v1/events/batch, after gunzip.
const (
	maxEvent       = 64 << 10
	maxEventsBody  = 512 << 10
	maxEventsCount = 100
	// mostTries is how often an event is stored that met a change of its incident.
	mostTries = 4
)

var (
	errEventTooLarge = fault.Newf(fault.TooLarge, "body_too_large",
		"The event is larger than %d KiB. Send less of the error and of the metadata.", maxEvent>>10)
	errEventsTooLarge = fault.Newf(fault.TooLarge, "body_too_large",
		"The events are larger than %d KiB together. Send half of them at once.", maxEventsBody>>10)
	errContentType = fault.New(fault.Unsupported, "content_type",
		"Events are JSON. Send them with the header Content-Type: application/json.")
	errContentEncoding = fault.New(fault.Unsupported, "content_type",
		"Events are taken as they are or as gzip. Send them with one of these Content-Encodings.")
	errNotStored = fault.New(fault.Unavailable, "overloaded",
		"This cannot be stored right now. Send it again with the same id in a few seconds.")
	errNoGzip = fault.New(fault.Invalid, "invalid_json",
		"The body is not the gzip that its Content-Encoding promises. Send it uncompressed.")
	errEventMismatch = fault.New(fault.Unprocessable, "idempotency_mismatch",
		"Another event was sent with this id in the last 72 hours. Give each event an id of its own.")
	errChangeMismatch = fault.New(fault.Unprocessable, "idempotency_mismatch",
		"Another change was sent with this id in the last 72 hours. Give each change an id of its own.")
	errSamplesMismatch = fault.New(fault.Unprocessable, "idempotency_mismatch",
		"Other samples were sent with this id in the last 72 hours. Give each call an id of its own.")
	errChanging = fault.New(fault.Unavailable, "overloaded",
		"The incident is being changed by others right now. Send this again in a second.").After(1)
)

// Events takes what programs report: POST /v1/events and /v1/events/batch. It is safe for
// concurrent use.
type Events struct {
	*Handler
	Senders Senders
	// IncidentURL is the address of an incident for people.
	IncidentURL func(incidentID uuid.UUID) string
	Quotas      Quotas
}

// Quota counts the calls about a service and says in the answer what is left. It fails with
// rate_limited when there were too many.
type Quota interface {
	Count(caller uuid.UUID, answer http.Header) error
}

// Quotas are those of what programs send.
type Quotas struct{ Events, Changes, Samples, Pings Quota }

// counted finds out who sends a request, and counts it.
func (h Events) counted(w http.ResponseWriter, r *http.Request, quota Quota) (Sender, error) {
	sender, err := h.Senders.Identify(r)
	if err == nil {
		err = quota.Count(sender.place(), w.Header())
	}
	return sender, err
}

// callID is the Idempotency-Key; empty for none. One that is no UUID is of its sender only.
func callID(r *http.Request, sender Sender) string {
	key := r.Header.Get("Idempotency-Key")
	if _, isID := id.Parse(key); key == "" || isID {
		return key
	}
	return uuid.NewSHA1(sender.ID, []byte(key)).String()
}

// clocked is an event with what the sender's clock showed when it sent the request (RFC 3339), where it says so.
func clocked(one event.Event, r *http.Request, arrived time.Time) event.Event {
	header := r.Header.Get("Nightbell-Sent-At")
	sent, err := time.Parse(time.RFC3339, header)
	if err != nil {
		sent = time.Time{}
		if header != "" {
			one.Warnings = append(one.Warnings, event.Warning{Field: "Nightbell-Sent-At", Message: "Nightbell-Sent-At must be a time such as 2026-11-22T03:00:00Z; the sender's clock was taken to be right."})
		}
	}
	return one.Clocked(sent, arrived)
}

// forProgram is forSender in the words of the contract's table for events: what may be sent again
// is overloaded.
func forProgram(err error) error {
	known, ok := fault.Of(err)
	switch {
	case ok && known.Code == errEncoding.Code:
		return errContentEncoding
	case ok && known.Code == errBadGzip.Code:
		return errNoGzip.Because(err)
	case ok && known.Kind == fault.Limited: // a program reads Retry-After, as Alertmanager does not
		return err
	}
	err = forSender(err)
	if known, ok = fault.Of(err); ok && known.Kind == fault.Unavailable && known.Code != "overloaded" {
		return errNotStored.After(known.RetryAfterSeconds).Because(err)
	}
	return err
}

// eventAnswer is what became of an event.
type eventAnswer struct {
	ID             string            `json:"id,omitempty"`
	EventID        string            `json:"event_id,omitempty"`
	DedupKey       string            `json:"dedup_key,omitempty"`
	IncidentNumber int               `json:"incident_number,omitempty"`
	URL            string            `json:"url,omitempty"`
	Status         alert.EventStatus `json:"status"`
	Truncated      []string          `json:"truncated"`
	Warnings       []event.Warning   `json:"warnings"`
	Error          *eventError       `json:"error,omitempty"`

	replayed bool
}

// eventError is the refusal of one event of a batch.
type eventError struct {
	Code      string       `json:"code"`
	Message   string       `json:"message"`
	Details   []eventField `json:"details"`
	Retryable bool         `json:"retryable"`
}

type eventField struct {
	Field   string          `json:"field"`
	Code    fault.FieldCode `json:"code"`
	Message string          `json:"message"`
}

// One answers POST /v1/events: 201 when it opened an incident, 200 otherwise.
func (h Events) One() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := h.one(w, r)
		if err != nil {
			h.writeError(w, r, forProgram(err))
			return
		}
		status := http.StatusOK
		if answer.Status == alert.EventCreated {
			w.Header().Set("Location", "/v1/incidents/"+answer.ID)
			status = http.StatusCreated
		}
		if answer.replayed {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		writeJSON(w, status, answer)
	})
}

func (h Events) one(w http.ResponseWriter, r *http.Request) (eventAnswer, error) {
	arrived := time.Now()
	sender, err := h.counted(w, r, h.Quotas.Events)
	if err != nil {
		return eventAnswer{}, err
	}
	fields, err := h.decode(w, r, sender, maxEvent, errEventTooLarge)
	if err != nil {
		return eventAnswer{}, err
	}
	one, err := event.Read(fields, callID(r, sender), sender.By)
	if err != nil {
		return eventAnswer{}, err
	}
	one = clocked(one, r, arrived)
	answers := []eventAnswer{{}}
	h.store(r.Context(), sender.Route, []event.Event{one}, func(_ int, answer eventAnswer, failure error) {
		answers[0], err = answer, failure
	})
	if err == nil {
		h.called(r, sender.Route, catalog.PlainHTTP)
	}
	return answers[0], err
}

// Batch answers POST /v1/events/batch: 200 with a result for each event, in order.
func (h Events) Batch() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		results, err := h.batch(w, r)
		if err != nil {
			h.writeError(w, r, forProgram(err))
			return
		}
		if len(results) > 0 && !slices.ContainsFunc(results, func(result eventAnswer) bool { return !result.replayed }) {
			w.Header().Set("Idempotent-Replayed", "true")
		}
		writeJSON(w, http.StatusOK, map[string]any{"results": results})
	})
}

func (h Events) batch(w http.ResponseWriter, r *http.Request) ([]eventAnswer, error) {
	arrived := time.Now()
	sender, err := h.counted(w, r, h.Quotas.Events)
	if err != nil {
		return nil, err
	}
	fields, err := h.decode(w, r, sender, maxEventsBody, errEventsTooLarge)
	if err != nil {
		return nil, err
	}
	sent, ok := fields["events"].([]any)
	switch {
	case !ok:
		return nil, fault.InvalidField("events", fault.Required, `Send the events as a list: {"events": [{"id": "...", "title": "..."}]}.`)
	case len(sent) > maxEventsCount:
		return nil, fault.InvalidField("events", fault.TooLong, "A batch holds up to 100 events. Send the others in another one.")
	}
	results := make([]eventAnswer, len(sent))
	var events []event.Event
	var places []int
	for i, value := range sent {
		one, eventID, err := readOne(value, sender.By)
		if err != nil {
			results[i] = refused(eventID, err)
			continue
		}
		events, places = append(events, clocked(one, r, arrived)), append(places, i)
	}
	taken := false
	h.store(r.Context(), sender.Route, events, func(i int, answer eventAnswer, err error) {
		if taken = taken || err == nil; err != nil {
			answer = refused(events[i].Received.Event.ID.String(), err)
		}
		results[places[i]] = answer
	})
	if taken {
		h.called(r, sender.Route, catalog.PlainHTTP)
	}
	return results, nil
}

// readOne reads an event of a batch, whose id says which one a result is about.
func readOne(value any, by string) (one event.Event, eventID string, err error) {
	fields, ok := value.(map[string]any)
	if !ok {
		return one, "", fault.InvalidField("events", fault.BadFormat, "Each event must be a JSON object.")
	}
	eventID, _ = fields["id"].(string)
	switch {
	case fields["id"] == nil:
		return one, "", fault.InvalidField("id", fault.Required, "Give each event of a batch an id: it says which result is whose.")
	case event.Size(fields) > maxEvent:
		return one, eventID, errEventTooLarge
	}
	one, err = event.Read(fields, "", by)
	return one, eventID, err
}

func refused(eventID string, err error) eventAnswer {
	known, ok := fault.Of(forProgram(err))
	if !ok {
		known = errChanging
	}
	answer := eventAnswer{EventID: eventID, Status: "error", Truncated: []string{}, Warnings: []event.Warning{}, Error: &eventError{
		Code: known.Code, Message: known.Message, Details: []eventField{}, Retryable: known.Kind == fault.Unavailable || known.Kind == fault.Limited,
	}}
	for _, field := range known.Fields {
		answer.Error.Details = append(answer.Error.Details, eventField{field.Path, field.Code, field.Message})
	}
	return answer
}

// checkJSON refuses a body that says to be something else.
func checkJSON(r *http.Request) error {
	if sent := r.Header.Get("Content-Type"); sent != "" {
		kind, _, err := mime.ParseMediaType(sent)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return errContentType
		}
	}
	return nil
}

// decode reads the JSON of a body.
func (h Events) decode(w http.ResponseWriter, r *http.Request, sender Sender, limit int, tooLarge *fault.Error) (map[string]any, error) {
	if err := checkJSON(r); err != nil {
		return nil, err
	}
	body, err := h.readAtMost(w, r, sender.Route.OrgID, limit, tooLarge)
	defer body.free()
	if err != nil {
		return nil, err
	}
	return event.Decode(body.bytes)
}

// store stores events in order and tells what became of each. Those of one problem that want
// different things are stored one after the other; all others share a request to the acceptor.
func (h Events) store(ctx context.Context, route Route, events []event.Event, told func(i int, answer eventAnswer, err error)) {
	for rest := 0; rest < len(events); {
		end := rest
		for actions := map[string]alert.Action{}; end < len(events); end++ {
			r := events[end].Received
			if action, seen := actions[r.Key]; seen && action != r.Event.Action {
				break
			}
			actions[r.Key] = r.Event.Action
		}
		together := events[rest:end]
		err := h.accept(ctx, route, together)
		for i, one := range together {
			answer, failure := eventAnswer{}, err
			if failure == nil || one.Test {
				answer, failure = h.answer(one)
			}
			told(rest+i, answer, failure)
		}
		rest = end
	}
}

// accept stores events, and those again that met a change of their incident.
func (h Events) accept(ctx context.Context, route Route, events []event.Event) error {
	var batch alert.Batch
	for _, one := range events {
		if !one.Test {
			batch.Alerts = append(batch.Alerts, one.Received)
		}
	}
	for range mostTries {
		if len(batch.Alerts) == 0 {
			return nil
		}
		if err := h.acceptor.Accept(ctx, route, batch.Plain()); err != nil {
			return fmt.Errorf("committing %d events: %w", len(batch.Alerts), err)
		}
		batch.Alerts = slices.DeleteFunc(slices.Clone(batch.Alerts), func(r alert.Received) bool { return !r.Event.Outcome.Again })
	}
	return nil
}

// answer says what became of an event.
func (h Events) answer(one event.Event) (eventAnswer, error) {
	outcome := one.Received.Event.Outcome
	switch {
	case outcome.Mismatch:
		return eventAnswer{}, errEventMismatch
	case outcome.Again:
		return eventAnswer{}, errChanging
	}
	answer := eventAnswer{
		EventID: one.Received.Event.ID.String(), DedupKey: one.Received.Key, Status: outcome.Status, IncidentNumber: outcome.Number,
		Truncated: append([]string{}, one.Truncated...), Warnings: append([]event.Warning{}, one.Warnings...), replayed: outcome.Replayed,
	}
	if one.Test {
		answer.Status = alert.EventIgnored
		answer.Warnings = append(answer.Warnings, event.Warning{Field: "test", Message: "This event is valid. It is a test, so it opened nothing and paged nobody."})
	}
	if one.Received.Event.Action == alert.Trigger && outcome.Status == alert.EventIgnored {
		answer.Warnings = append(answer.Warnings, event.Warning{
			Field:   "occurred_at",
			Message: "This occurred before the problem was resolved, so it opened nothing and paged nobody. If it is news, set the sender's clock, or leave occurred_at out.",
		})
	}
	if outcome.IncidentID != uuid.Nil {
		answer.ID, answer.URL = outcome.IncidentID.String(), h.IncidentURL(outcome.IncidentID)
	}
	return answer, nil
}
