package telemetry

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

// Metrics are what Prometheus reads. Labels take their values from our own tables only, so their
// number does not depend on what strangers send.
type Metrics struct {
	registry *prometheus.Registry
	lateness *prometheus.HistogramVec
	overdue  prometheus.Gauge
	requests *prometheus.HistogramVec
	alerts   *prometheus.CounterVec
	repairs  *prometheus.CounterVec
	problems *prometheus.GaugeVec

	heartbeats       *prometheus.CounterVec
	heartbeatOverdue prometheus.Gauge
}

// NewMetrics makes an empty registry with ours and the Go runtime's metrics in it.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		lateness: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "page_lateness_seconds",
			Help:    "Time from when a page was due to when its first delivery attempt began.",
			Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 15, 30, 60, 300, 3600},
		}, []string{"channel"}),
		overdue: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "oldest_overdue_seconds",
			Help: "How long the most overdue page or escalation step has been waiting; 0 when none is.",
		}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_request_duration_seconds",
			Help:    "Time to answer a request, by route. RPCs of every transport are requests.",
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method", "status"}),
		alerts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "alerts_received_total",
			Help: "Alerts by sender and by what became of them.",
		}, []string{"sender", "outcome"}),
		repairs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "audit_repairs_total",
			Help: "What the page path had forgotten and the auditor did, by kind. Any increase is a fault to look into.",
		}, []string{"kind"}),
	}
	m.problems = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "nightbell_problem",
		Help: "1 while something of this installation's own keeps alerts or pages: database, disk, late, blocked, intake.",
	}, []string{"kind"})
	m.heartbeats = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "heartbeat_verdicts_total",
		Help: "Incidents that heartbeats opened (missed, overrun, failed) or resolved (recovered).",
	}, []string{"verdict"})
	m.heartbeatOverdue = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "heartbeat_overdue_seconds",
		Help: "How long the most overdue heartbeat has been waiting for its incident; 0 when none is.",
	})
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name:        "nightbell_build_info",
		Help:        "Always 1; the labels say what is running.",
		ConstLabels: prometheus.Labels{"version": version, "go": runtime.Version()},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.lateness, m.overdue, m.requests, m.alerts, m.repairs, m.problems, m.heartbeats, m.heartbeatOverdue, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// PageAttempted records how late the first delivery attempt of a page began.
func (m *Metrics) PageAttempted(channel string, late time.Duration) {
	m.lateness.WithLabelValues(channel).Observe(max(0, late).Seconds())
}

// OldestOverdue says how long the most overdue page has been waiting.
func (m *Metrics) OldestOverdue(age time.Duration) { m.overdue.Set(max(0, age).Seconds()) }

// HeartbeatJudged counts a verdict on a heartbeat ("missed", "overrun", "failed", "recovered").
func (m *Metrics) HeartbeatJudged(verdict string) { m.heartbeats.WithLabelValues(verdict).Inc() }

// HeartbeatOverdue says how long the most overdue heartbeat has been waiting for its incident.
func (m *Metrics) HeartbeatOverdue(age time.Duration) { m.heartbeatOverdue.Set(max(0, age).Seconds()) }

// Problem says whether there is a problem of a kind (watch.ProblemKinds).
func (m *Metrics) Problem(kind string, exists bool) {
	value := 0.0
	if exists {
		value = 1
	}
	m.problems.WithLabelValues(kind).Set(value)
}

// Repaired counts what the auditor did ("escalation", "page", "lease", "timer", "maintenance_over", "unpaged", "clock_set_back",
// "heartbeat").
func (m *Metrics) Repaired(kind string, count int) {
	m.repairs.WithLabelValues(kind).Add(float64(count))
}

// AlertsReceived counts alerts by sender ("prometheus", "grafana", "event") and outcome ("accepted", "undecodable",
// "unavailable").
func (m *Metrics) AlertsReceived(sender, outcome string, count int) {
	m.alerts.WithLabelValues(sender, outcome).Add(float64(count))
}

// RequestFinished records a request; it fits rpcserver.Server.Observers.
func (m *Metrics) RequestFinished(_ context.Context, seen rpcserver.Observation) {
	if seen.Stream {
		return // how long somebody looked at a page says nothing about us
	}
	status := strconv.Itoa(seen.Status/100) + "xx"
	m.requests.WithLabelValues(seen.Route, seen.Method, status).Observe(seen.Duration.Seconds())
}

// Handler answers GET /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
