//go:build e2e

package e2e

import (
	"fmt"
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
	"heartbeat":        sends("/v1/heartbeats/orders-worker/ping"),
	"scheduled-job":    sends("/v1/heartbeats/nightly-backup/ping"),
	"change":           sends("/v1/changes"),
}

// notYetTaken are paths that the SDKs have and the server has not.
var notYetTaken = map[string]bool{"/v1/heartbeats/orders-worker/ping": true, "/v1/heartbeats/nightly-backup/ping": true}

// scene is an example under way.
type scene struct {
	*sdkWorld
	*running
	door      *door
	serviceID string
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

// sends expects an accepted request to a path, and no incident.
func sends(path string) func(*testing.T, *scene) error {
	return func(t *testing.T, s *scene) error {
		if found := s.incidents(t, s.serviceID); len(found) != 0 {
			t.Fatalf("incidents %+v", found)
		}
		for _, k := range s.door.seen() {
			if k.path == path && (k.answered/100 == 2 || notYetTaken[k.path]) {
				return nil
			}
		}
		return fmt.Errorf("requests %+v", s.door.seen())
	}
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
			if err := done(t, s); err != nil {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}
