package nightbell

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type monitorCase struct {
	Description, Kind, Environment, Start, End, Stop string

	Config   tree
	Readings []struct {
		At, Error          string
		Restart            bool // read by a new process
		Value, Hits, Total float64
	}
	IDs    []string
	Failed bool
	Expect struct {
		Events  []tree
		Samples []tree
		Path    string
		Pings   []struct {
			SentAt string `json:"sent_at"`
			Body   tree
		}
	}
}

func TestVectorsMonitors(t *testing.T) {
	var file struct {
		About, Credential string
		ServerName        string `json:"server_name"`
		Cases             []monitorCase
	}
	readVectors(t, "monitors", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &scripted{}
				environment := c.Environment
				if environment == "" {
					environment = "production"
				}
				client := payloadClient(t, payloadCase{Config: tree{
					"service_key": file.Credential, "base_url": "https://nightbell.acme.test", "environment": environment, "server_name": file.ServerName,
				}}, server)
				client.newID = func() string {
					id := c.IDs[0]
					c.IDs = c.IDs[1:]
					return id
				}
				switch c.Kind {
				case "metric", "ratio":
					runReadings(t, client, c)
				case "performance":
					runPerformance(t, client, server, c)
				case "heartbeat":
					runHeartbeat(t, client, server, c)
				case "job":
					runJob(t, client, server, c)
				default:
					t.Fatal("unknown kind " + c.Kind)
				}
				_ = client.Close(t.Context())
			})
		})
	}
}

func milliseconds(v any) time.Duration {
	f, _ := v.(float64)
	return time.Duration(f) * time.Millisecond
}

func runReadings(t *testing.T, client *Client, c monitorCase) {
	t.Helper()
	number := func(key string) *float64 {
		if f, ok := c.Config[key].(float64); ok {
			return &f
		}
		return nil
	}
	incident, _ := c.Config["incident"].(tree)
	process := watch{
		kind: c.Kind, name: text(c.Config["name"]), every: milliseconds(c.Config["every_ms"]), below: number("below"), above: number("above"),
		keepOpen: c.Config["auto_resolve"] == false, incident: incidentOf(t, incident), environment: client.environment, newID: client.newID,
	}
	if n := number("for_count"); n != nil {
		process.forCount = int(*n)
	}
	least := 0.0
	if n := number("min_total"); n != nil {
		least = *n
	}
	w, events, samples := process, []any{}, []any{}
	for _, given := range c.Readings {
		if given.Restart {
			w = process
		}
		found, ok := reading{value: given.Value}, given.Error == ""
		if c.Kind == "ratio" {
			found, ok = ratio(given.Hits, given.Total, least)
		}
		if !ok {
			continue
		}
		at := moment(t, given.At)
		samples = append(samples, tree{"name": w.name, "at": Timestamp{at}, "value": found.value})
		if e := w.look(at, found); e != nil {
			body, err := client.seal(e)
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, parsed(t, body))
		}
	}
	equalJSON(t, "events", events, append([]tree{}, c.Expect.Events...))
	equalJSON(t, "samples", samples, append([]tree{}, c.Expect.Samples...))
}

func runPerformance(t *testing.T, client *Client, server *scripted, c monitorCase) {
	t.Helper()
	time.Sleep(time.Until(moment(t, c.Start)))
	options := []PerformanceOption{Threshold(milliseconds(c.Config["threshold_ms"]))}
	if severity := text(c.Config["severity"]); severity != "" {
		options = append(options, SlowSeverity(Severity(severity)))
	}
	operation := client.Performance(t.Context(), text(c.Config["name"]), options...)
	if c.End == "" {
		time.Sleep(time.Hour)
	} else {
		time.Sleep(time.Until(moment(t, c.End)))
		operation.End()
	}
	_, _ = client.Flush(t.Context())
	got := []any{}
	for _, r := range server.take() {
		body, _ := parsed(t, r.body).(tree)
		if batch, ok := body["events"].([]any); ok {
			got = append(got, batch...)
		} else {
			got = append(got, body)
		}
	}
	want := []any{}
	for _, e := range c.Expect.Events {
		want = append(want, e["body"])
	}
	equalJSON(t, "events", got, want)
}

func runHeartbeat(t *testing.T, client *Client, server *scripted, c monitorCase) {
	t.Helper()
	time.Sleep(time.Until(moment(t, c.Start)))
	var options []HeartbeatOption
	if grace, ok := c.Config["grace_ms"]; ok {
		options = append(options, Grace(milliseconds(grace)))
	}
	heartbeat, err := client.Heartbeat(text(c.Config["name"]), milliseconds(c.Config["every_ms"]), options...)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(moment(t, c.Stop)))
	heartbeat.Stop()
	comparePings(t, client, server, c)
}

func runJob(t *testing.T, client *Client, server *scripted, c monitorCase) {
	t.Helper()
	time.Sleep(time.Until(moment(t, c.Start)))
	var options []JobOption
	if schedule := text(c.Config["schedule"]); schedule != "" {
		options = append(options, Cron(schedule, text(c.Config["time_zone"])))
	}
	if runtime, ok := c.Config["max_runtime_ms"]; ok {
		options = append(options, MaxRuntime(milliseconds(runtime)))
	}
	fault := errors.New("no space left")
	err := client.Job(t.Context(), text(c.Config["name"]), func(context.Context) error {
		time.Sleep(time.Until(moment(t, c.End)))
		if c.Failed {
			return fault
		}
		return nil
	}, options...)
	if c.Failed != errors.Is(err, fault) {
		t.Errorf("the job returned %v", err)
	}
	comparePings(t, client, server, c)
}

func comparePings(t *testing.T, client *Client, server *scripted, c monitorCase) {
	t.Helper()
	_, _ = client.Flush(t.Context())
	got, want := []any{}, []any{}
	for _, r := range server.take() {
		if r.path != c.Expect.Path {
			t.Errorf("path %s, want %s", r.path, c.Expect.Path)
		}
		got = append(got, tree{"sent_at": Timestamp{r.at}, "body": parsed(t, r.body)})
	}
	for _, p := range c.Expect.Pings {
		want = append(want, tree{"sent_at": p.SentAt, "body": p.Body})
	}
	equalJSON(t, "pings", got, want)
}
