//go:build clients

package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestGeneratedClientsWork makes a client of the OpenAPI document in three languages and declares an
// incident with each, at the real server. It needs the generators that `make test-clients` fetches.
func TestGeneratedClientsWork(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	n := r.newTenant("acme")
	server := httptest.NewServer(r.handler)
	t.Cleanup(server.Close)
	const folder, document = "../../openapi/clients/", "../../../gen/openapi/openapi.yaml"
	python := os.Getenv("NIGHTBELL_CLIENTS_PYTHON")
	if python == "" {
		t.Fatal("NIGHTBELL_CLIENTS_PYTHON names no folder of programs. Run make test-clients.")
	}
	for language, steps := range map[string][]string{
		"Go": {
			"go tool oapi-codegen -config oapi-codegen.yaml " + document,
			"go run .",
		},
		"TypeScript": {
			"../../node_modules/.bin/openapi-typescript " + document + " -o schema.d.ts",
			"../../../../node_modules/.bin/tsc -p .",
			"node build/main.js",
		},
		"Python": {
			python + "/openapi-python-client generate --path " + document + " --output-path nightbell_client --meta none --overwrite --fail-on-warning --config config.yaml",
			python + "/python main.py",
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			var said string
			for _, step := range steps {
				said = runIn(t, folder+strings.ToLower(language), step, "NIGHTBELL_URL="+server.URL, "NIGHTBELL_API_KEY="+n.apiKey)
			}
			if want := "Declared in " + language + " triggered"; strings.TrimSpace(said) != want {
				t.Errorf("the program says %q, want %q", said, want)
			}
			listed := r.get("/v1/incidents?limit=100", n.owner())
			if listed.status != http.StatusOK || !strings.Contains(listed.body, `"title":"Declared in `+language+`"`) {
				t.Errorf("the incident is not listed: %s", listed.whole())
			}
		})
	}
}

func runIn(t *testing.T, folder, line string, environment ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	words := strings.Fields(line)
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	command.Env = append(command.Env, "GOWORK=off")
	var failure strings.Builder
	command.Stderr = &failure
	said, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", line, err, said, failure.String())
	}
	return string(said)
}
