package ingest

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestHostileBodies is T06 of the reliability plan: whatever a stranger with a key
// sends is answered with 2xx or 4xx and is either committed or kept, and no body
// makes the process grow by 64 MiB beyond what the test itself holds.
func TestHostileBodies(t *testing.T) {
	for _, c := range hostileBodies {
		t.Run(c.name, func(t *testing.T) {
			body := c.body(t)
			var header []string
			if c.gzip {
				header = []string{"Content-Encoding", "gzip"}
			}
			d := newDesk()
			debug.FreeOSMemory()
			before := resident()
			got := d.post(t, goodKey, strings.NewReader(body), header...)
			grown := resident() - before
			t.Logf("grew by %d MiB", grown>>20)
			if grown > memoryFactor*64<<20 {
				t.Errorf("grew by %d MiB", grown>>20)
			}
			if got.status != c.status {
				t.Errorf("got %+v", got)
			}
			if len(d.batches)+len(d.undecodable) != 1 {
				t.Errorf("committed %d, kept %d", len(d.batches), len(d.undecodable))
			}
			for _, batch := range d.batches {
				if _, err := json.Marshal(batch); err != nil || len(batch.Alerts) > 10_000 {
					t.Errorf("%d alerts, %v", len(batch.Alerts), err)
				}
			}
		})
	}
}

// resident is how many bytes of memory this process holds. What was freed is only
// given back on request, so that it is also the most it held since.
func resident() int {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.Sys - stats.HeapReleased)
}

type hostileBody struct {
	name   string
	body   func(testing.TB) string
	status int
	gzip   bool
}

var hostileBodies = []hostileBody{
	{name: "one byte too many", body: repeat("", "x", maxBody+1, ""), status: 413},
	{name: "largest, spaces and a word", body: repeat("", " ", maxBody-1, "x"), status: 400},
	{name: "gzip bomb of 1 GiB", body: bomb, gzip: true, status: 413},
	{name: "100,000 alerts", body: repeat(`{"alerts":[`, `{"fingerprint":"f"},`, 99_999, `{}]}`), status: 200},
	{name: "2,700,000 alerts", body: repeat(`{"alerts":[`, `{},`, 2_700_000, `{}]}`), status: 400},
	{name: "10,000 labels", body: manyLabels(10_000), status: 200},
	{name: "400,000 labels", body: manyLabels(400_000), status: 200},
	{name: "400,000 times one label", body: inAlert(repeat(`"labels":{`, `"a":"v",`, 400_000, `"z":""}`)), status: 200},
	{name: "label of 1 MiB", body: inAlert(repeat(`"labels":{"a":"`, "x", 1<<20, `"}`)), status: 200},
	{name: "label name of 1 MiB", body: inAlert(repeat(`"labels":{"`, "x", 1<<20, `":"a"}`)), status: 200},
	{name: "7 MiB of escapes", body: inAlert(repeat(`"labels":{"a":"`, `\u00e9`, 1_200_000, `"}`)), status: 200},
	{name: "7 MiB of backslashes", body: inAlert(repeat(`"labels":{"a":"`, `\\`, 3_600_000, `"}`)), status: 200},
	{name: "group key of 1 MiB", body: repeat(`{"groupKey":"`, "g", 1<<20, `","alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "fingerprint of 1 MiB", body: repeat(`{"alerts":[{"fingerprint":"`, "g", 1<<20, `"}]}`), status: 200},
	{name: "depth 9,990", body: inAlert(repeat(`"labels":{"a":`, "[", 9_990, strings.Repeat("]", 9_990)+"}")), status: 200},
	{name: "depth 8,000,000", body: repeat("", "[", 8_000_000, ""), status: 400},
	{name: "duplicate keys", body: inAlert(exactly(`"labels":{"a":"1","a":"2"},"labels":{"a":"3"}`)), status: 200},
	{name: "invalid UTF-8", body: inAlert(exactly("\"labels\":{\"a\xc3\":\"\xff\xfe\"}")), status: 200},
	{name: "escaped NUL", body: inAlert(exactly(`"labels":{"a\u0000":"b\u0000"}`)), status: 200},
	{name: "raw NUL", body: inAlert(exactly("\"labels\":{\"a\":\"\x00\"}")), status: 400},
	{name: "bidi and zero width", body: inAlert(exactly(`"annotations":{"summary":"\u202eevil\u200b\u2066"}`)), status: 200},
	{name: "half a surrogate", body: inAlert(exactly(`"labels":{"a":"\ud800"}`)), status: 200},
	{name: "control characters", body: inAlert(exactly(`"annotations":{"summary":"a\r\nBcc: b@example.com\u001b[31m"}`)), status: 200},
	{name: "year 2038", body: inAlert(exactly(`"startsAt":"2038-01-19T03:14:08Z"`)), status: 200},
	{name: "year 10000 in UTC", body: inAlert(exactly(`"startsAt":"9999-12-31T23:59:59-12:00"`)), status: 200},
	{name: "year -1 in UTC", body: inAlert(exactly(`"startsAt":"0000-01-01T00:00:00+14:00"`)), status: 200},
	{name: "NaN", body: inAlert(exactly(`"values":{"A":NaN}`)), status: 400},
	{name: "huge number", body: inAlert(exactly(`"labels":{"a":1e999999}`)), status: 200},
	{name: "numbers for strings", body: inAlert(exactly(`"status":1,"labels":{"severity":5},"startsAt":0,"generatorURL":7`)), status: 200},
	{name: "strings for objects", body: inAlert(exactly(`"labels":"a","annotations":[1]`)), status: 200},
	{name: "negative truncation", body: exactly(`{"truncatedAlerts":-5,"alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "endless truncation", body: exactly(`{"truncatedAlerts":1e300,"alerts":[{"fingerprint":"f"}]}`), status: 200},
	{name: "XML", body: exactly(`<?xml version="1.0"?><alerts/>`), status: 400},
	{name: "UTF-16", body: exactly("\xff\xfe{\x00}\x00"), status: 400},
}

// The bodies are built when their turn comes, so that the test holds one at a time.

func exactly(text string) func(testing.TB) string {
	return func(testing.TB) string { return text }
}

func repeat(before, text string, times int, after string) func(testing.TB) string {
	return func(testing.TB) string { return before + strings.Repeat(text, times) + after }
}

func inAlert(fields func(testing.TB) string) func(testing.TB) string {
	return func(tb testing.TB) string {
		tb.Helper()
		return `{"alerts":[{"fingerprint":"f",` + fields(tb) + `}]}`
	}
}

func manyLabels(n int) func(testing.TB) string {
	return inAlert(func(testing.TB) string {
		var b strings.Builder
		b.WriteString(`"labels":{`)
		for i := range n {
			fmt.Fprintf(&b, `"label_%d":"v",`, i)
		}
		return b.String() + `"z":""}`
	})
}

// bomb is 64 gzip members of 16 MiB each, in a megabyte.
func bomb(tb testing.TB) string {
	tb.Helper()
	return strings.Repeat(string(packed(tb, strings.Repeat("\x00", 16<<20))), 64)
}
