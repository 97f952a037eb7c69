//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"
)

// scenarios are the examples that each language has, and what the API shows of them.
var scenarios = map[string]func(t *testing.T, s *scene) error{
	"trigger":          opens("Orders stopped", "critical"),
	"capture-error":    opens("no stock", "medium"),
	"performance":      opens("monthly-report takes longer than 5 s", "high"),
	"low-order-volume": opens("Low order volume", "high"),
	"conversion-rate":  opens("Conversion below 2%", "high"),
	"heartbeat":        beats("orders-worker", "stopped", expectation{EverySeconds: 60}),
	"scheduled-job":    beats("nightly-backup", "ok", expectation{Schedule: "0 3 * * *", TimeZone: "Europe/Berlin", MaxRuntimeSeconds: 1800}),
	"change":           changes("2026.11.3"),
}

// scene is an example under way.
type scene struct {
	*sdkWorld
	*running
	door      *door
	serviceID string
	ended     bool
}

// opens expects one incident and no other.
func opens(title, severity string) func(*testing.T, *scene) error {
	return func(t *testing.T, s *scene) error {
		found := s.incidents(t, s.serviceID)
		if len(found) != 1 || !strings.Contains(found[0].Title, title) || found[0].Severity != severity {
			return fmt.Errorf("want %q %s, there are %+v", title, severity, found)
		}
		return nil
	}
}

// expectation is when a heartbeat's next ping is due, as its program said it.
type expectation struct {
	EverySeconds      int `json:"every_seconds"`
	Schedule          string
	TimeZone          string `json:"time_zone"`
	MaxRuntimeSeconds int    `json:"max_runtime_seconds"`
}

// beats expects one heartbeat that is well, has the status atEnd when its program ended, and no
// incident.
func beats(name, atEnd string, want expectation) func(*testing.T, *scene) error {
	return func(t *testing.T, s *scene) error {
		var answer struct {
			Heartbeats []struct {
				Name, Status string
				LastPingAt   string `json:"last_ping_at"`

				expectation
			}
		}
		s.api.get(t, "/v1/heartbeats?service_id="+url.QueryEscape(s.serviceID), &answer)
		if len(answer.Heartbeats) != 1 {
			return fmt.Errorf("want one heartbeat, there are %+v, asked for by %+v", answer.Heartbeats, s.door.seen())
		}
		found := answer.Heartbeats[0]
		well := found.Status == atEnd || (found.Status == "ok" && !s.ended)
		if found.Name != name || !well || found.LastPingAt == "" || found.expectation != want {
			return fmt.Errorf("want %s with %+v, there is %+v", name, want, found)
		}
		return s.quiet(t)
	}
}

// changes expects one change and no incident.
func changes(version string) func(*testing.T, *scene) error {
	return func(t *testing.T, s *scene) error {
		var answer struct{ Changes []struct{ Version string } }
		s.api.get(t, "/v1/changes?service_id="+url.QueryEscape(s.serviceID), &answer)
		if len(answer.Changes) != 1 || answer.Changes[0].Version != version {
			return fmt.Errorf("want a change to %s, there are %+v", version, answer.Changes)
		}
		return s.quiet(t)
	}
}

// quiet expects that every request was accepted and that nothing opened an incident.
func (s *scene) quiet(t *testing.T) error {
	if found := s.incidents(t, s.serviceID); len(found) != 0 {
		return fmt.Errorf("incidents %+v", found)
	}
	for _, k := range s.door.seen() {
		if k.answered/100 != 2 {
			return fmt.Errorf("requests %+v", s.door.seen())
		}
	}
	return nil
}

// runExamples starts the examples of a language and looks for what they did.
func runExamples(t *testing.T, w *sdkWorld, l language) {
	t.Helper()
	for name, done := range scenarios {
		t.Run("example "+name, func(t *testing.T) {
			t.Parallel()
			s := &scene{sdkWorld: w}
			var key string
			s.serviceID, key = w.service(t)
			s.door = openDoor(t, w.server.url)
			s.running = run(t, l.example(name), credentials(s.door, key)...)
			eventually(t, name, func() error { return done(t, s) })
			s.tell(syscall.SIGTERM)
			if code, _ := s.wait(t.Context()); code != 0 && code != 128+int(syscall.SIGTERM) {
				t.Errorf("exit code %d: %s", code, s.complaints())
			}
			s.ended = true
			if err := done(t, s); err != nil {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}
