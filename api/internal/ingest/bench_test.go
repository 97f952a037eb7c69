package ingest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// BenchmarkHandler sends over real connections to a server that commits nothing.
// "closed" is as fast as answers come back; "open" keeps to a timetable whether
// they do or not, and counts a request's time from when it was due.
func BenchmarkHandler(b *testing.B) {
	b.Run("closed/alerts=1", func(b *testing.B) { benchmarkClosed(b, 1) })
	b.Run("closed/alerts=100", func(b *testing.B) { benchmarkClosed(b, 100) })
	b.Run("open/5000-a-second", func(b *testing.B) { benchmarkOpen(b, 5000) })
}

func benchmarkClosed(b *testing.B, alerts int) {
	b.Helper()
	send := startServer(b, alerts)
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send()
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

func benchmarkOpen(b *testing.B, rate int) {
	b.Helper()
	send := startServer(b, 1)
	took := make([]time.Duration, b.N)
	var group sync.WaitGroup
	b.ResetTimer()
	start := time.Now()
	for i := range b.N {
		due := start.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(due))
		group.Go(func() {
			send()
			took[i] = time.Since(due)
		})
	}
	group.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds())/1000, "p99-ms")
}

// startServer returns a function that sends one message of so many alerts.
func startServer(b *testing.B, alerts int) (send func()) {
	b.Helper()
	keys := NewCachedKeys(func(context.Context, KeyHash) (Route, error) { return aRoute, nil }, time.Now)
	var mux http.ServeMux
	NewHandler(keys, nothing{}, writeFault, slog.New(slog.DiscardHandler)).Register(&mux)
	server := httptest.NewServer(&mux)
	b.Cleanup(server.Close)
	one := `{"status":"firing","labels":{"alertname":"HighErrorRate","instance":"web-1","severity":"critical"},` +
		`"annotations":{"summary":"5xx above 5 %"},"startsAt":"2026-11-21T08:25:38.98Z","fingerprint":"e7ec7c95c14b24e8"}`
	body := `{"version":"4","groupKey":"g","alerts":[` + strings.Repeat(one+",", alerts-1) + one + `]}`
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	return func() {
		response, err := client.Post(server.URL+"/v1/webhooks/prometheus/"+goodKey, "application/json", strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			b.Errorf("status %d", response.StatusCode)
		}
	}
}

type nothing struct{}

func (nothing) Accept(context.Context, Route, alert.Batch) error { return nil }

func (nothing) AcceptUndecodable(context.Context, Route, string, string, []byte) error { return nil }
