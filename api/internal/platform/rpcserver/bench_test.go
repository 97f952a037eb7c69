package rpcserver

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// plainIncident has the fields that the contract's incident has.
type plainIncident struct {
	ID             string       `json:"id"`
	Number         int32        `json:"number"`
	Title          string       `json:"title"`
	Description    string       `json:"description"`
	Status         string       `json:"status"`
	Severity       string       `json:"severity"`
	ServiceID      string       `json:"service_id"`
	ServiceName    string       `json:"service_name"`
	TriggeredAt    time.Time    `json:"triggered_at"`
	AcknowledgedAt *time.Time   `json:"acknowledged_at,omitempty"`
	ResolvedAt     *time.Time   `json:"resolved_at,omitempty"`
	Assignee       *plainPerson `json:"assignee,omitempty"`
	AcknowledgedBy *plainPerson `json:"acknowledged_by,omitempty"`
	Source         string       `json:"source"`
	AlertCount     int32        `json:"alert_count"`
}

type plainPerson struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

var (
	at      = time.Date(2026, 11, 21, 3, 0, 0, 0, time.UTC)
	twenty  = incidents(20)
	twentyP = plainIncidents(20)
)

const uuidText = "0198a5b2-7c1d-7e3f-8a4b-5c6d7e8f9a0b"

func incidents(count int) (list []*nightbellv1.IncidentSummary) {
	for i := range count {
		list = append(list, &nightbellv1.IncidentSummary{
			Id: uuidText, Number: int32(i), Title: "Database is slow", Description: "p99 of 4.1 s", Status: "triggered", Severity: "high",
			Service: &nightbellv1.Reference{Id: uuidText, Name: "Checkout"}, ServiceName: new("Checkout"), TriggeredAt: timestamppb.New(at),
			Assignee: &nightbellv1.Reference{Id: uuidText, Name: "Mara"}, AlertCount: 2,
		})
	}
	return list
}

func plainIncidents(count int) (list []plainIncident) {
	for i := range count {
		list = append(list, plainIncident{
			ID: uuidText, Number: int32(i), Title: "Database is slow", Description: "p99 of 4.1 s", Status: "triggered", Severity: "high",
			ServiceID: uuidText, ServiceName: "Checkout", TriggeredAt: at,
			Assignee: &plainPerson{uuidText, "Mara"}, Source: "prometheus", AlertCount: 2,
		})
	}
	return list
}

func benchServer(b *testing.B, steps ...Step) http.Handler {
	b.Helper()
	server := New(quiet(), steps...)
	mountProbe(b, server, &probe{
		create: func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
			return &nightbellv1.CreateIncidentResponse{Incident: &nightbellv1.Incident{Id: uuidText, Title: "Database is slow"}}, nil
		},
		list: func(context.Context, *nightbellv1.ListIncidentsRequest) (*nightbellv1.ListIncidentsResponse, error) {
			return &nightbellv1.ListIncidentsResponse{Incidents: twenty}, nil
		},
	})
	return server.Handler()
}

// BenchmarkHandlers compares the adapter with what one would write by hand.
func BenchmarkHandlers(b *testing.B) {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/incidents", func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Title, Severity string }
		_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&asked)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"incident": twentyP[0]})
	})
	mux.HandleFunc("GET /v1/incidents", func(w http.ResponseWriter, r *http.Request) {
		_ = r.URL.Query().Get("limit")
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"incidents": twentyP})
	})
	for name, handler := range map[string]http.Handler{
		"plain":         mux,
		"adapter":       benchServer(b),
		"adapter+steps": benchServer(b, Recover(), MapFaults(nil), Validate(), Timeout(10*time.Second)),
	} {
		b.Run("create/"+name, func(b *testing.B) {
			serveMany(b, handler, http.MethodPost, "/v1/incidents", `{"title":"Database is slow","severity":"high"}`)
		})
		b.Run("list20/"+name, func(b *testing.B) { serveMany(b, handler, http.MethodGet, "/v1/incidents?limit=20", "") })
	}
}

func serveMany(b *testing.B, handler http.Handler, verb, target, body string) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(verb, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
