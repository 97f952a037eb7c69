//go:build e2e

package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// sdkWorld is a server for tests of SDKs. Each test has a service of its own.
type sdkWorld struct {
	server *nightbell
	api    *caller
}

func newSDKWorld(t *testing.T) *sdkWorld {
	t.Helper()
	server := serve(t, emptyDataDir(t), freeAddress(t))
	person, _ := register(t, server.url)
	// A person's token ends before a fault table does.
	var made struct{ Key string }
	person.post(t, "/v1/api-keys", map[string]any{
		"name": "Tests", "role": "admin", "scopes": []string{"config:read", "config:write", "incidents:read", "secrets:read"},
	}, &made)
	return &sdkWorld{server, &caller{url: server.url, token: made.Key}}
}

// service makes a service, and returns its id and key.
func (w *sdkWorld) service(t *testing.T) (id, key string) {
	t.Helper()
	var made struct {
		Service    struct{ ID string }
		ServiceKey string `json:"service_key"`
	}
	w.api.post(t, "/v1/services", map[string]string{"name": strings.ReplaceAll(t.Name(), "/", " ")}, &made)
	return made.Service.ID, made.ServiceKey
}

// incidents are all of a service.
func (w *sdkWorld) incidents(t *testing.T, serviceID string) []incident {
	t.Helper()
	var answer struct{ Incidents []incident }
	w.api.get(t, "/v1/incidents?limit=100&service_id="+url.QueryEscape(serviceID), &answer)
	return answer.Incidents
}

// occurrences is how often the problem of an incident occurred.
func (w *sdkWorld) occurrences(t *testing.T, incidentID string) (count int) {
	t.Helper()
	var answer struct {
		Alerts []struct {
			OccurrenceCount int `json:"occurrence_count"`
		}
	}
	w.api.get(t, "/v1/incidents/"+incidentID+"/alerts", &answer)
	for _, alert := range answer.Alerts {
		count += alert.OccurrenceCount
	}
	return count
}

// credentials are the environment of a program that reports through a door.
func credentials(d *door, key string, more ...string) []string {
	return append(more, "NIGHTBELL_SERVICE_KEY="+key, "NIGHTBELL_BASE_URL="+d.url())
}

// TestSDK: each client and the real server.
func TestSDK(t *testing.T) {
	w := newSDKWorld(t)
	for _, f := range oneFrameworkEach(t) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.serves(t, w)
		})
	}
	for _, l := range languages(t) {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			runExamples(t, w, l)
			t.Run("a trigger returns the incident that the API shows, sent twice and with its answer lost", func(t *testing.T) {
				t.Parallel()
				serviceID, key := w.service(t)
				d := openDoor(t, w.server.url, fault{lost: true})
				program := run(t, append(l.scenario, "trigger"), credentials(d, key)...)
				ids := program.lines(2)
				if code, _ := program.wait(t.Context()); code != 0 {
					t.Errorf("exit code %d: %s", code, program.complaints())
				}
				found := w.incidents(t, serviceID)
				if len(found) != 1 || ids[0] != found[0].ID || ids[1] != ids[0] || found[0].Severity != "critical" {
					t.Fatalf("printed %v, there are %+v", ids, found)
				}
				if requests := d.seen(); len(requests) != 3 || requests[0].key != requests[2].key {
					t.Errorf("requests %v", requests)
				}
				if count := w.occurrences(t, found[0].ID); count != 1 {
					t.Errorf("%d occurrences of one call", count)
				}
			})
			t.Run("an error that happens three times is one incident", func(t *testing.T) {
				t.Parallel()
				serviceID, key := w.service(t)
				d := openDoor(t, w.server.url)
				program := run(t, append(l.scenario, "capture"), credentials(d, key)...)
				if code, _ := program.wait(t.Context()); code != 0 {
					t.Errorf("exit code %d: %s", code, program.complaints())
				}
				found := w.incidents(t, serviceID)
				if len(found) != 1 || !strings.Contains(found[0].Title, "no stock") || found[0].Severity != "medium" {
					t.Fatalf("incidents %+v", found)
				}
				if count := w.occurrences(t, found[0].ID); count != 3 || len(d.events()) != 3 {
					t.Errorf("%d occurrences, %d events", count, len(d.events()))
				}
			})
			t.Run("by way of a proxy, to a server whose certificate is of an authority of its own", func(t *testing.T) {
				t.Parallel()
				l.tunnels(t, w)
			})
			for _, c := range []struct {
				description, scenario string
				code                  int
				faults                []fault
			}{
				{"exit right after a capture", "exit", 3, nil},
				{"a short outage at the end", "end", 0, []fault{{status: 503}, {status: 503}}},
				{"a lost answer at the end", "exit", 3, []fault{{lost: true}}},
			} {
				t.Run(c.description+" delivers once", func(t *testing.T) {
					t.Parallel()
					serviceID, key := w.service(t)
					d := openDoor(t, w.server.url, c.faults...)
					code, delay := run(t, append(l.scenario, c.scenario), credentials(d, key)...).wait(t.Context())
					if found := w.incidents(t, serviceID); len(found) != 1 || w.occurrences(t, found[0].ID) != 1 {
						t.Errorf("incidents %+v", found)
					}
					if code != c.code || delay > exitLimit {
						t.Errorf("exit code %d after %s", code, delay)
					}
				})
			}
			t.Run("an outage while the program goes on delivers once", func(t *testing.T) {
				t.Parallel()
				serviceID, key := w.service(t)
				d := openDoor(t, w.server.url)
				d.shut()
				program := run(t, append(l.scenario, "stay"), credentials(d, key)...)
				program.lines(1)
				time.Sleep(3 * time.Second)
				d.open(t)
				eventually(t, "the incident", func() error {
					if found := w.incidents(t, serviceID); len(found) != 1 {
						return fmt.Errorf("%+v", found)
					}
					return nil
				})
				program.finish()
				code, _ := program.wait(t.Context())
				if found := w.incidents(t, serviceID); code != 0 || len(found) != 1 || w.occurrences(t, found[0].ID) != 1 {
					t.Errorf("exit code %d, incidents %+v", code, found)
				}
			})
		})
	}
}

// exitLimit is how much longer a program may take to end because it reports.
const exitLimit = 2500 * time.Millisecond
