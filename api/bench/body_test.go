package main

import (
	"testing"

	"github.com/nightbell/nightbell/api/internal/ingest/event"
	"github.com/nightbell/nightbell/api/internal/ingest/prometheus"
)

// What is measured must be what Alertmanager sends: the same size, and as many
// alerts, groups and identities as the case says.
func TestBodiesAreWhatTheySay(t *testing.T) {
	for _, alerts := range []int{1, 100} {
		b := newBody(alerts)
		keys, groups := map[string]bool{}, map[string]bool{}
		for request := range uint64(3) {
			b.number(request, request*1000)
			batch, err := prometheus.Parse(b.text)
			if err != nil || len(batch.Alerts) != alerts || batch.Truncated != 0 {
				t.Fatalf("%d of %d alerts were read: %v", len(batch.Alerts), alerts, err)
			}
			for _, a := range batch.Alerts {
				keys[a.Key], groups[a.Group] = true, true
			}
		}
		if len(keys) != 3*alerts || len(groups) != 3 {
			t.Errorf("3 requests of %d alerts have %d identities in %d groups", alerts, len(keys), len(groups))
		}
	}
	if size := len(newBody(1).text); size < 1200 || size > 1600 {
		t.Errorf("one alert is %d bytes, Alertmanager's are about 1,300", size)
	}
}

func TestEventsAreWhatTheySay(t *testing.T) {
	b, keys := newEvent(), map[string]bool{}
	for request := range uint64(3) {
		b.number(request, request)
		fields, err := event.Decode(b.text)
		if err != nil {
			t.Fatal(err)
		}
		one, err := event.Read(fields, "", "a key")
		if err != nil || len(one.Truncated) > 0 || len(one.Warnings) > 0 {
			t.Fatalf("%v %v %v", err, one.Truncated, one.Warnings)
		}
		keys[one.Received.Key] = true
	}
	if size := len(b.text); len(keys) != 3 || size < 900 || size > 1600 {
		t.Errorf("%d problems, %d bytes; an alert alone is about 1,300", len(keys), size)
	}
}

func TestSpreadSaysWhatIsWorst(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	if got := spreadOf(values, true); got != (spread{3, 5}) {
		t.Errorf("small is good: %v", got)
	}
	if got := spreadOf(values, false); got != (spread{3, 1}) {
		t.Errorf("large is good: %v", got)
	}
}
