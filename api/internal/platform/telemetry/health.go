package telemetry

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const checkTimeout = 2 * time.Second

// Check is one thing without which the server cannot do its job.
type Check struct {
	Name string
	// Run returns nil when all is well. Only the message of a fault is shown; other errors are
	// logged, because anyone may ask.
	Run func(context.Context) error
}

// Alive answers GET /healthz: the process runs. It depends on nothing, so that an orchestrator does
// not restart a server because its database is away.
func Alive() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, http.StatusOK, health{Status: "ok"})
	})
}

// Ready answers GET /readyz: 200 when every check passes within 2 s, otherwise 503 with the reasons.
// Callers at the same time share one round of checks, so that no number of them delays it.
func Ready(logger *slog.Logger, checks ...Check) http.Handler {
	var round singleflight.Group
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, _, _ := round.Do("", func() (any, error) {
			// Not the context of one caller, who may leave.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), checkTimeout)
			defer cancel()
			return failing(ctx, logger, checks), nil
		})
		if reasons, _ := found.([]reason); len(reasons) > 0 {
			writeHealth(w, http.StatusServiceUnavailable, health{"not ready", reasons})
			return
		}
		writeHealth(w, http.StatusOK, health{Status: "ready"})
	})
}

type health struct {
	Status  string   `json:"status"`
	Reasons []reason `json:"reasons,omitempty"`
}

type reason struct {
	Check   string `json:"check"`
	Message string `json:"message"`
}

func failing(ctx context.Context, logger *slog.Logger, checks []Check) (reasons []reason) {
	results := make([]error, len(checks))
	var running sync.WaitGroup
	for i, check := range checks {
		running.Go(func() { results[i] = check.Run(ctx) })
	}
	running.Wait()
	for i, err := range results {
		if err == nil {
			continue
		}
		message := "This check fails; the log says why."
		if known, ok := fault.Of(err); ok {
			message = known.Message
		}
		logger.WarnContext(ctx, "not ready", "check", checks[i].Name, "error", err)
		reasons = append(reasons, reason{checks[i].Name, message})
	}
	return reasons
}

func writeHealth(w http.ResponseWriter, status int, answer health) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a prober that left cannot be told
}
