package nightbell

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metric is a number that is asked for regularly. An incident opens when it is below
// or above its threshold, and is resolved at the first good reading.
type Metric struct {
	Name  string
	Every time.Duration
	Unit  string // of the reading, such as "ms"
	Query func(ctx context.Context) (float64, error)

	Below, Above *float64 // one of the two; nightbell.Set(10)
	ForCount     int      // bad readings in a row before the incident: 1
	KeepOpen     bool     // only people resolve
	Incident     Incident // Title and severity high by themselves
}

// Ratio is a share, such as orders per visitors, that is asked for regularly.
type Ratio struct {
	Name  string
	Every time.Duration
	Query func(ctx context.Context) (hits, total float64, err error)

	Below, Above *float64 // one of the two: 0.02 is 2 %
	MinTotal     float64  // a smaller total says nothing
	ForCount     int
	KeepOpen     bool
	Incident     Incident
}

// Monitor is a metric or ratio that is being watched.
type Monitor struct{ stop func() }

// Stop ends the monitor. It resolves nothing.
func (m *Monitor) Stop() {
	if m != nil {
		m.stop()
	}
}

// MetricMonitor asks for a metric now and every Every, until Stop or Close. Replicas
// that watch the same metric open one incident, which the first good reading of any
// resolves: a number of one process needs a Name of its own.
func (c *Client) MetricMonitor(m Metric) (*Monitor, error) {
	if m.Query == nil {
		return nil, errors.New("nightbell: a metric needs a Query")
	}
	w := &watch{kind: "metric", name: m.Name, every: m.Every, unit: m.Unit, below: m.Below, above: m.Above, forCount: m.ForCount, keepOpen: m.KeepOpen, incident: m.Incident}
	return c.monitor(w, func(ctx context.Context) (reading, bool, error) {
		value, err := m.Query(ctx)
		return reading{value: value}, true, err
	})
}

// RatioMonitor asks for a ratio now and every Every, like MetricMonitor.
func (c *Client) RatioMonitor(r Ratio) (*Monitor, error) {
	if r.Query == nil {
		return nil, errors.New("nightbell: a ratio needs a Query")
	}
	w := &watch{kind: "ratio", name: r.Name, every: r.Every, unit: "1", below: r.Below, above: r.Above, forCount: r.ForCount, keepOpen: r.KeepOpen, incident: r.Incident}
	return c.monitor(w, func(ctx context.Context) (reading, bool, error) {
		hits, total, err := r.Query(ctx)
		found, ok := ratio(hits, total, r.MinTotal)
		return found, ok, err
	})
}

func ratio(hits, total, least float64) (reading, bool) {
	if total <= 0 || total < least {
		return reading{}, false
	}
	return reading{value: hits / total, hits: hits, total: total, ratio: true}, true
}

func (c *Client) monitor(w *watch, ask func(context.Context) (reading, bool, error)) (*Monitor, error) {
	if w.name == "" || w.every < time.Second || (w.below == nil) == (w.above == nil) {
		return nil, errors.New("nightbell: a monitor needs a Name, an Every of at least a second, and either Below or Above")
	}
	if !c.on() {
		return nil, nil
	}
	w.environment, w.newID = c.environment, c.newID
	ctx, cancel := context.WithCancel(c.root)
	monitor := &Monitor{stop: c.onClose(cancel)}
	c.goroutine(func(context.Context) {
		c.every(ctx, w.every, func(ctx context.Context) { c.look(ctx, w, ask) })
	})
	return monitor, nil
}

// every runs fn now and then regularly. A fault in it does not end that.
func (c *Client) every(ctx context.Context, interval time.Duration, fn func(context.Context)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		func() {
			defer c.guard()
			bounded, cancel := context.WithTimeout(ctx, interval)
			defer cancel()
			fn(bounded)
		}()
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (c *Client) look(ctx context.Context, w *watch, ask func(context.Context) (reading, bool, error)) {
	found, ok, err := ask(ctx)
	now := time.Now()
	if err != nil {
		if ctx.Err() == nil || errors.Is(err, context.DeadlineExceeded) {
			c.log.warn("monitor "+w.name, "nightbell: a monitor could not be read", "monitor", w.name, "error", err.Error())
		}
		return
	}
	if !ok || math.IsNaN(found.value) {
		return
	}
	c.recordSample(sample{w.name, w.unit, now, found.value})
	if e := w.look(now, found); e != nil {
		c.enqueueEvent(e, &item{})
	}
}

// reading is what a query found.
type reading struct {
	value, hits, total float64
	ratio              bool
}

// watch is the state of a monitor. It knows no clock.
type watch struct {
	kind, name, unit string
	every            time.Duration
	below, above     *float64
	forCount         int
	keepOpen         bool
	incident         Incident
	environment      string
	newID            func() string

	bad    int
	opened bool
	known  bool // whether it is open: an earlier process may have opened it
}

// look is the event that a reading makes, or nil.
func (w *watch) look(at time.Time, r reading) *Event {
	if !w.isBad(r.value) {
		resolve := (w.opened || !w.known) && !w.keepOpen
		w.bad, w.opened, w.known = 0, false, true
		if resolve {
			return w.event("resolve", at)
		}
		return nil
	}
	w.bad++
	if w.opened || w.bad < max(w.forCount, 1) {
		return nil
	}
	w.opened, w.known = true, true
	e := w.event("trigger", at)
	word, threshold := "below", w.below
	if threshold == nil {
		word, threshold = "above", w.above
	}
	e.Title = strings.TrimSpace(w.incident.Title)
	if e.Title == "" {
		e.Title = w.name + " is " + word + " its threshold"
	}
	e.Severity = w.incident.Severity
	if e.Severity == "" {
		e.Severity = High
	}
	facts := map[string]any{"value": r.value, "threshold": *threshold}
	if r.ratio {
		facts["hits"], facts["total"] = r.hits, r.total
	}
	e.Description, e.Links = w.incident.Description, slices.Clone(w.incident.Links)
	e.Tags = merged(map[string]string{"type": w.kind, "monitor": w.name}, w.incident.Tags)
	e.Metadata = merged(facts, snapshot(w.incident.Metadata))
	return e
}

func (w *watch) isBad(value float64) bool {
	return (w.below != nil && value < *w.below) || (w.above != nil && value > *w.above)
}

// event has an id of its own: with one for each window, a second trigger of that window
// would be answered as a repeat of the first. What replicas send, the dedup key joins.
func (w *watch) event(action string, at time.Time) *Event {
	return &Event{Action: action, ID: w.newID(), DedupKey: monitorKey(w.environment, w.name), OccurredAt: Timestamp{at}}
}

// monitorKey keeps a staging system from resolving an incident of production.
func monitorKey(environment, name string) string { return "monitor:" + environment + ":" + name }

// PerformanceOption changes what is too slow and how severe that is.
type PerformanceOption func(*Operation)

// Threshold replaces five seconds.
func Threshold(d time.Duration) PerformanceOption { return func(o *Operation) { o.threshold = d } }

// SlowSeverity replaces high.
func SlowSeverity(s Severity) PerformanceOption { return func(o *Operation) { o.severity = s } }

// Operation is something whose duration is watched.
type Operation struct {
	c         *Client
	name      string
	threshold time.Duration
	severity  Severity
	start     time.Time
	scope     Scope
	timer     *time.Timer

	mu    sync.Mutex
	fired bool
	ended bool
}

// Performance watches an operation. If it takes longer than five seconds, an incident
// opens while it still runs; End adds how long it took.
//
//	defer client.Performance(ctx, "checkout").End()
func (c *Client) Performance(ctx context.Context, name string, options ...PerformanceOption) *Operation {
	if !c.on() {
		return nil
	}
	o := &Operation{c: c, name: name, threshold: 5 * time.Second, severity: High, start: time.Now(), scope: scopeOf(ctx).snapshot()}
	for _, option := range options {
		option(o)
	}
	o.timer = time.AfterFunc(o.threshold, o.fire)
	return o
}

func (o *Operation) fire() {
	defer o.c.guard()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.fired = true
	o.send(map[string]any{"running": true})
}

// End says that the operation is over.
func (o *Operation) End() {
	if o == nil {
		return
	}
	o.timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fired && !o.ended {
		o.send(map[string]any{"running": false, "duration_ms": float64(time.Since(o.start).Milliseconds())})
	}
	o.ended = true
}

// send dates both events alike: after somebody resolved the incident, the second
// opens no other.
func (o *Operation) send(facts map[string]any) {
	facts["threshold_ms"] = float64(o.threshold.Milliseconds())
	e := &Event{
		Action: "trigger", ID: o.c.newID(), DedupKey: monitorKey(o.c.environment, o.name),
		Title: o.name + " takes longer than " + shortDuration(o.threshold), Severity: o.severity, Operation: o.name,
		OccurredAt: Timestamp{o.start.Add(o.threshold)},
		Tags:       map[string]string{"type": "performance", "monitor": o.name}, Metadata: facts,
	}
	o.scope.apply(e)
	o.c.enqueueEvent(e, &item{})
}

// shortDuration writes "5 s", "1.5 s" or "250 ms".
func shortDuration(d time.Duration) string {
	ms := d.Milliseconds()
	if ms < 1000 || ms%100 != 0 {
		return fmt.Sprintf("%d ms", ms)
	}
	return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s"
}
