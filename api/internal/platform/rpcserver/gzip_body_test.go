package rpcserver

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var small bytes.Buffer
	writer := gzip.NewWriter(&small)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return small.String()
}

func TestBodiesMayBeGzip(t *testing.T) {
	handler, created, _ := echo(t)
	got := rest(handler, http.MethodPost, "/v1/incidents", zipped(t, `{"title":"Small"}`), "Content-Encoding", "gzip", "Content-Type", "application/json")
	if got.status >= 300 || created.GetTitle() != "Small" {
		t.Errorf("%d %s, arrived as %v", got.status, got.body, created)
	}
	for name, c := range map[string]struct {
		body, encoding string
		status         int
		code           string
	}{
		"no gzip":           {`{}`, "gzip", 400, "bad_compression"},
		"cut off":           {zipped(t, `{"title":"x"}`)[:20], "gzip", 400, "bad_compression"},
		"another encoding":  {`{}`, "br", 415, "content_encoding"},
		"too large in full": {zipped(t, `{"title":"`+strings.Repeat("x", maxBody)+`"}`), "gzip", 413, "body_too_large"},
	} {
		got := rest(handler, http.MethodPost, "/v1/incidents", c.body, "Content-Encoding", c.encoding)
		if got.status != c.status || !strings.Contains(got.body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

// Clients send again what is resource_exhausted.
func TestALargeBodyOverConnectIsNotSentAgain(t *testing.T) {
	handler, created, _ := echo(t)
	large := `{"title":"` + strings.Repeat("x", maxBody) + `"}`
	call := func(body, encoding string) answer {
		return rest(handler, http.MethodPost, nightbellv1connect.IncidentServiceCreateIncidentProcedure, body, "Content-Encoding", encoding, "Content-Type", "application/json")
	}
	for name, got := range map[string]answer{"plain": call(large, ""), "gzip": call(zipped(t, large), "gzip")} {
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, `"code":"invalid_argument"`) || !strings.Contains(got.body, "larger than 1024 KiB") || !strings.Contains(got.body, "ErrorInfo") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	for name, got := range map[string]answer{"plain": call(`{"title":"Small"}`, ""), "gzip": call(zipped(t, `{"title":"Small"}`), "gzip")} {
		if got.status != http.StatusOK || created.GetTitle() != "Small" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}

func TestAnswersSayTheContractsVersion(t *testing.T) {
	handler, _, _ := echo(t)
	for path, want := range map[string]string{"/v1/incidents": ContractVersion, "/v1/nothing": ContractVersion, "/healthz": ContractVersion} {
		if got := rest(handler, http.MethodGet, path, "").header.Get("Nightbell-Version"); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}
