//go:build chaos

package chaos

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// hostileBodies are a few of those that the parsers are tried with; here they pass
// through the whole program.
func hostileBodies() map[string][]byte {
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	for range 100 {
		_, _ = zip.Write(make([]byte, 1<<20))
	}
	_ = zip.Close()
	many := strings.Repeat(`{"status":"firing","labels":{"alertname":"x"}},`, 100_000)
	var labels strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&labels, `"l%d":"v",`, n)
	}
	alert := func(inside string) []byte {
		return []byte(`{"version":"4","status":"firing","alerts":[{"status":"firing",` + inside + `}]}`)
	}
	return map[string][]byte{
		"empty":               {},
		"not JSON":            []byte("hello"),
		"just over a MiB":     alert(`"labels":{"alertname":"` + strings.Repeat("x", 1<<20) + `"}`),
		"100 MB in gzip":      bomb.Bytes(),
		"100,000 alerts":      []byte(`{"version":"4","alerts":[` + many + `{}]}`),
		"10,000 labels":       alert(`"labels":{` + labels.String() + `"alertname":"hostile-labels"}`),
		"depth 10,000":        []byte(strings.Repeat(`{"a":[`, 10_000)),
		"duplicate keys":      alert(`"labels":{"alertname":"a"},"labels":{"alertname":"hostile-twice"}`),
		"invalid UTF-8":       alert("\"labels\":{\"alertname\":\"hostile-\xff\xfe\"}"),
		"NUL":                 alert(`"labels":{"alertname":"hostile-\u0000nul"}`),
		"bidi and zero-width": alert(`"labels":{"alertname":"hostile-\u202egnp.exe\u200b"}`),
		"the year 9999":       alert(`"labels":{"alertname":"hostile-9999"},"startsAt":"9999-12-31T23:59:59Z"`),
		"a year that is none": alert(`"labels":{"alertname":"hostile-99999"},"startsAt":"99999-12-31T23:59:59Z"`),
		"a number for a name": alert(`"labels":{"alertname":1e309}`),
	}
}

// TestT06HostileBodies posts what no sender should. Nothing is answered with 5xx, the
// program does not grow, and an honest alert is served as before.
func TestT06HostileBodies(t *testing.T) {
	begin(t, "T06")
	w := alone(t)
	o := w.newTenant("hostile", step{aDay, []string{"hook"}})
	w.ready()
	key := o.alertKey(1)
	w.insist(0, o, key, firing(key))
	before := w.nodes[0].residentMB()
	rounds := length(20, 2)
	worst, statuses := "", map[int]int{}
	for name, body := range hostileBodies() {
		for range rounds {
			status := postHostile(w.nodes[0].url+"/v1/webhooks/prometheus/"+o.key, name, body)
			statuses[status/100*100]++
			if status/100 == 5 || status == 0 && len(body) < 1<<20 {
				t.Errorf("%s: answered with %d", name, status)
				worst = name
			}
		}
	}
	key = o.alertKey(2)
	w.insist(0, o, key, firing(key))
	growth := w.nodes[0].residentMB() - before
	measured(t, "T06", "answers by class", fmt.Sprint(statuses), "no 5xx "+worst)
	measured(t, "T06", fmt.Sprintf("growth of private memory after %d hostile bodies", rounds*len(hostileBodies())), fmt.Sprintf("%d MiB", growth), "less than 64 MiB")
	if growth >= 64 {
		t.Errorf("the program grew by %d MiB", growth)
	}
	if n := w.nodes[0].logged("level=ERROR"); n > 0 {
		t.Errorf("%d errors were logged; the log is %s", n, w.nodes[0].log)
	}
	w.awaitQuiet(patience)
}

func postHostile(url, name string, body []byte) (status int) {
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0
	}
	if strings.Contains(name, "gzip") {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// TestT06UnreadableFlood sends a thousand messages that nobody can read at once, again and
// again, to one organization. It hears of them by one incident, and others notice nothing.
func TestT06UnreadableFlood(t *testing.T) {
	begin(t, "T06")
	w := alone(t)
	noisy, quiet := w.newTenant("noisy", step{aDay, []string{"hook"}}), w.newTenant("quiet", step{aDay, []string{"hook"}})
	w.ready()
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				key := quiet.alertKey(n)
				w.post(w.nodes[0], quiet, key, firing(key))
			}
		}
	})
	var flood sync.WaitGroup
	rounds, refused := length(5, 2), 0
	for range rounds {
		for range 1_000 {
			flood.Go(func() { w.post(w.nodes[0], noisy, "", []byte(`{"version":"4","alerts":`)) })
		}
		flood.Wait()
	}
	close(stop)
	running.Wait()
	var beside []time.Duration
	counted := 0
	for _, answer := range w.answers.all() {
		switch {
		case answer.Tenant == quiet.name:
			beside = append(beside, answer.Took)
			if answer.Status != http.StatusOK {
				refused++
			}
		case answer.Status == http.StatusBadRequest:
			counted++
		case answer.Status != http.StatusServiceUnavailable || !answer.RetryAfter:
			t.Errorf("an unreadable message was answered with %d", answer.Status)
		}
	}
	w.check()
	slices.Sort(beside)
	p99 := beside[len(beside)*99/100]
	kept, known := w.count(`SELECT count(*) FROM undecodable_alert`), w.count(`SELECT count(*) + sum(not_kept) FROM undecodable_alert`)
	measured(t, "T06", fmt.Sprintf("another organization beside %d unreadable messages, p99", rounds*1_000), p99, "5 s asserted")
	measured(t, "T06", "unreadable messages: answered as such / counted / kept", fmt.Sprintf("%d / %d / %d", counted, known, kept), "none uncounted, 20 an hour kept")
	incidents := w.count(`SELECT count(*) FROM incident WHERE incident_key LIKE 'undecodable:%'`)
	if incidents < 1 || incidents > 2 { // two when an hour ends meanwhile
		t.Errorf("%d incidents tell of it", incidents)
	}
	if refused > 0 || p99 > 5*time.Second || known < counted || kept > 40 {
		t.Errorf("%d of the other's alerts were refused, answers took %s, %d of %d messages are counted, %d kept", refused, p99, known, counted, kept)
	}
}

// TestT07Slowloris opens many connections that say next to nothing. Honest senders do
// not notice, and the connections are closed.
func TestT07Slowloris(t *testing.T) {
	begin(t, "T07")
	w := alone(t)
	o := w.newTenant("slow", step{aDay, []string{"hook"}})
	w.ready()
	stop := make(chan struct{})
	var open sync.WaitGroup
	heads, bodies := length(1_000, 100), length(250, 25)
	closedHeads, closedBodies := make(chan time.Duration, heads), make(chan time.Duration, bodies)
	for range heads {
		open.Go(func() {
			closedHeads <- trickle(w.nodes[0].address, "POST /v1/webhooks/prometheus/x HTTP/1.1\r\n", stop)
		})
	}
	for range bodies {
		open.Go(func() {
			closedBodies <- trickle(w.nodes[0].address, "POST /v1/webhooks/prometheus/"+o.key+" HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", stop)
		})
	}
	for n := range 100 {
		key := o.alertKey(n)
		w.insist(0, o, key, firing(key))
		time.Sleep(100 * time.Millisecond)
	}
	_, p99 := w.answerTimes()
	time.AfterFunc(time.Minute, func() { close(stop) })
	open.Wait()
	head, body := longest(closedHeads), longest(closedBodies)
	w.check()
	measured(t, "T07", fmt.Sprintf("honest answers beside %d slow connections, p99", heads+bodies), p99, "1 s, 5 s asserted")
	measured(t, "T07", "a header that does not end is closed after", head, "5 s, 20 s asserted")
	measured(t, "T07", "a body that does not end is closed after", body, "15 s, 30 s asserted")
	if p99 > 5*time.Second || head > 20*time.Second || body > 30*time.Second {
		t.Errorf("honest answers took %s; slow headers lived %s, slow bodies %s", p99, head, body)
	}
}

func longest(list chan time.Duration) (most time.Duration) {
	for range len(list) {
		most = max(most, <-list)
	}
	return most
}

// trickle says one byte every two seconds after the beginning, and gives how long the
// server bore it.
func trickle(address, beginning string, stop <-chan struct{}) time.Duration {
	began := time.Now()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0
	}
	defer conn.Close()
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, conn) // ends when the server has had enough
		close(closed)
	}()
	_, _ = io.WriteString(conn, beginning)
	for {
		select {
		case <-closed:
			return time.Since(began)
		case <-stop:
			return time.Since(began)
		case <-time.After(2 * time.Second):
			_, _ = io.WriteString(conn, "x")
		}
	}
}
