package nightbell

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const askedProxyOf = "NIGHTBELL_TEST_PROXY_OF"

// Go reads the environment of proxies once in a process, so each case has a process of its own.
func TestVectorsProxy(t *testing.T) {
	if baseURL := os.Getenv(askedProxyOf); baseURL != "" {
		printProxyOf(t, baseURL)
		return
	}
	var file struct {
		About string
		Cases []struct {
			Description string
			BaseURL     string `json:"base_url"`
			Env         map[string]string
			Proxy       *string
		}
	}
	readVectors(t, "proxy", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			t.Parallel()
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), program, "-test.run=^TestVectorsProxy$", "-test.v")
			child.Env = []string{askedProxyOf + "=" + c.BaseURL}
			for name, value := range c.Env {
				child.Env = append(child.Env, name+"="+value)
			}
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := "by way of nothing\n"
			if c.Proxy != nil {
				want = "by way of " + *c.Proxy + "\n"
			}
			if !strings.Contains(string(out), want) {
				t.Errorf("want %q of\n%s", want, out)
			}
		})
	}
}

func printProxyOf(t *testing.T, baseURL string) {
	t.Helper()
	made, err := newTransport(&settings{baseURL: baseURL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, baseURL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	way := "nothing"
	proxy, err := made.own.Proxy(request)
	if err == nil && proxy != nil { // for a CGI program it is an error
		way = proxy.String()
	}
	if _, err := os.Stdout.WriteString("by way of " + way + "\n"); err != nil {
		t.Fatal(err)
	}
}
