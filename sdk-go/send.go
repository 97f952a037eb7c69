package nightbell

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// TriggerIncident reports an incident and waits for its id. It retries within three
// times the timeout; after that, or when ctx ends, the background goes on under the
// same id and the error says Queued.
func (c *Client) TriggerIncident(ctx context.Context, incident Incident) (*IncidentResult, error) {
	e, err := incident.event()
	if err != nil {
		return nil, err
	}
	return c.call(ctx, e)
}

// Acknowledge acknowledges the open incident of this dedup key. Without one the
// result's Status is ignored.
func (c *Client) Acknowledge(ctx context.Context, dedupKey string) (*IncidentResult, error) {
	return c.respond(ctx, "acknowledge", dedupKey)
}

// Resolve resolves the open incident of this dedup key, like Acknowledge.
func (c *Client) Resolve(ctx context.Context, dedupKey string) (*IncidentResult, error) {
	return c.respond(ctx, "resolve", dedupKey)
}

func (c *Client) respond(ctx context.Context, action, dedupKey string) (*IncidentResult, error) {
	if strings.TrimSpace(dedupKey) == "" {
		return nil, invalid("dedup_key", "required", "give the dedup key of the incident")
	}
	return c.call(ctx, &Event{Action: action, DedupKey: dedupKey})
}

// EnqueueIncident reports an incident without waiting and returns the id of the event,
// or "" for an incident without a title, which is warned of.
func (c *Client) EnqueueIncident(ctx context.Context, incident Incident) string {
	if !c.on() {
		return ""
	}
	e, err := incident.event()
	if err != nil {
		c.log.warn("invalid", "nightbell: an incident was not sent", "error", err)
		return ""
	}
	c.complete(ctx, e)
	id := e.ID // from now on the worker has the event
	c.enqueueEvent(e, &item{})
	return id
}

// complete adds what the scope knows.
func (c *Client) complete(ctx context.Context, e *Event) {
	if e.Action == "trigger" {
		scopeOf(ctx).snapshot().apply(e)
	}
	if e.ID == "" {
		e.ID = c.newID()
	}
	if e.OccurredAt.IsZero() {
		e.OccurredAt = Timestamp{time.Now()}
	}
}

// call sends an event while somebody waits for its result.
func (c *Client) call(ctx context.Context, e *Event) (*IncidentResult, error) {
	if !c.on() || c.isClosed() {
		return nil, &APIError{Kind: ErrClosed}
	}
	c.complete(ctx, e)
	weight := e.Severity.weight()
	body, err := c.seal(e)
	if err != nil {
		return nil, err
	}
	r := request{kind: kindEvent, path: pathEvents, id: e.ID, ids: []string{e.ID}, body: body}
	rule := foreground{maxRetries: c.maxRetries, life: 3 * c.timeout}
	start := time.Now()
	for n := 0; ; n++ {
		v := judge(r.kind, r.ids, c.transport.send(ctx, r, n+1), time.Now())
		c.noted(r, v)
		if v.err != nil {
			v.err.EventID = e.ID
		}
		switch v.outcome {
		case delivered:
			c.counters.deliveredOne()
			return v.result, nil
		case rejected, disabled, split:
			c.counters.dropped(dropRejected, 1)
			return nil, v.err
		case tryAgain:
		}
		delay, again := rule.next(n, v, time.Since(start), rand.Float64())
		if !again || !sleep(ctx, delay) {
			if ctx.Err() != nil && v.err.cause == nil {
				v.err.cause = ctx.Err()
			}
			v.err.Queued = c.enqueue(&item{kind: kindEvent, id: e.ID, path: pathEvents, body: body, size: len(body), weight: weight, urgent: e.Severity == Critical})
			return nil, v.err
		}
	}
}

// sleep reports whether ctx lasted that long.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// RecordChange reports a deployment or another change without waiting. Of the
// fields only Summary is needed. It returns the id of the change.
func (c *Client) RecordChange(change Change) (string, error) {
	change.Summary = strings.TrimSpace(change.Summary)
	if change.Summary == "" {
		return "", invalid("summary", "required", "say what changed")
	}
	switch change.Kind {
	case "":
		change.Kind = "other"
	case "deployment", "configuration", "feature_flag", "other":
	default:
		return "", invalid("kind", "not_one_of", "kind must be deployment, configuration, feature_flag or other, not "+quote(change.Kind))
	}
	if !c.on() {
		return "", nil
	}
	if change.ID == "" {
		change.ID = c.newID()
	}
	if change.OccurredAt.IsZero() {
		change.OccurredAt = Timestamp{time.Now()}
	}
	if change.Environment == "" {
		change.Environment = c.environment
	}
	l := &limiter{}
	change.Summary = l.text("summary", c.redactor.text(change.Summary), maxTitle)
	change.Metadata = l.metadata(c.redactor.tree(snapshot(change.Metadata)))
	change.Links = slices.Clone(change.Links)
	c.redactor.links(change.Links)
	body, err := encode(change)
	if err != nil {
		return "", err
	}
	c.enqueue(&item{kind: kindChange, id: change.ID, path: pathChanges, body: body, size: len(body), weight: Low.weight()})
	return change.ID, nil
}

// sample is one reading.
type sample struct {
	Name  string
	Unit  string
	At    time.Time
	Value float64
}

// RecordSample reports a reading, such as a latency in "ms", without waiting. The
// service's page draws it; it never pages anybody.
func (c *Client) RecordSample(name, unit string, value float64) {
	if c.on() && name != "" {
		c.recordSample(sample{name, unit, time.Now(), value})
	}
}

func (c *Client) recordSample(s sample) {
	c.enqueue(&item{kind: kindSample, path: pathSamples, sample: &s, size: 64, weight: 0})
}

// sampleBody makes one body of readings of one name.
func sampleBody(batch []*item) []byte {
	if batch[0].sample == nil { // from the spool
		return batch[0].body
	}
	type point struct {
		At    Timestamp `json:"at"`
		Value any       `json:"value"`
	}
	points := make([]point, len(batch))
	for n, i := range batch {
		points[n] = point{Timestamp{i.sample.At}, copyFloat(i.sample.Value)}
	}
	body, _ := encode(struct { // it has nothing that JSON cannot write
		Name   string  `json:"name"`
		Unit   string  `json:"unit,omitempty"`
		Points []point `json:"points"`
	}{batch[0].sample.Name, batch[0].sample.Unit, points})
	return body
}
