//go:build e2e

package e2e

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// posted is one request that a receiver got.
type posted struct {
	header http.Header
	body   []byte
	// answeredAt is when the answer to it was known in full.
	answeredAt time.Time
	status     int
}

// receiver is a web server that keeps what is posted to it.
type receiver struct {
	*httptest.Server

	mu   sync.Mutex
	kept []posted
}

// newReceiver answers each post with 200 and the given text.
func newReceiver(t *testing.T, answer string) *receiver {
	t.Helper()
	return newReceiverFor(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
}

// newRelay passes everything on to target, and keeps it.
func newRelay(t *testing.T, target string) *receiver {
	t.Helper()
	parsed, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return newReceiverFor(t, &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(parsed) }})
}

func newReceiverFor(t *testing.T, handler http.Handler) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		handler.ServeHTTP(seen, request)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept = append(r.kept, posted{header: request.Header, body: body, answeredAt: time.Now(), status: seen.status})
	}))
	t.Cleanup(r.Close)
	return r
}

type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader notes the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// all gives what was posted so far.
func (r *receiver) all() []posted {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// await waits for a post whose body contains text.
func (r *receiver) await(t *testing.T, text string) posted {
	t.Helper()
	var found posted
	eventually(t, "nobody posted "+text, func() error {
		for _, p := range r.all() {
			if bytes.Contains(p.body, []byte(text)) {
				found = p
				return nil
			}
		}
		return fmt.Errorf("%d other posts", len(r.all()))
	})
	return found
}

// signedBy checks a message as https://www.standardwebhooks.com tells receivers to,
// without a line of Nightbell's.
func (p posted) signedBy(secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") {
		return fmt.Errorf("%q is no signing secret: %w", secret, err)
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", p.header.Get("Webhook-Id"), p.header.Get("Webhook-Timestamp"), p.body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	if !slices.Contains(strings.Fields(p.header.Get("Webhook-Signature")), expected) {
		return fmt.Errorf("the signature %q does not fit", p.header.Get("Webhook-Signature"))
	}
	return nil
}

// decode reads the body into a value, and fails the test when it is not that.
func (p posted) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(p.body, into); err != nil {
		t.Fatalf("%s: %v", p.body, err)
	}
}
