package nightbell

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	gzipFrom   = 1 << 10
	maxAnswer  = 1 << 20
	sdkHeader  = "Nightbell-Sdk"
	jsonFormat = "application/json"
)

// request is one POST.
type request struct {
	kind kind
	path string
	id   string // of the call; a batch has ids instead
	ids  []string
	body []byte
}

// transport sends requests to one Nightbell. It follows no redirect: no other host
// gets the key.
type transport struct {
	client     *http.Client
	baseURL    string
	apiKey     string
	serviceKey string
	timeout    time.Duration
	own        *http.Transport // nil if the program gave its own
}

func newTransport(s *settings, roundTripper http.RoundTripper) (*transport, error) {
	t := &transport{baseURL: s.baseURL, apiKey: s.apiKey, serviceKey: s.serviceKey, timeout: s.timeout}
	if roundTripper == nil {
		trusted, err := trust(s.caFile)
		if err != nil {
			return nil, err
		}
		t.own = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 2,
			IdleConnTimeout:     90 * time.Second,
			TLSHandshakeTimeout: s.timeout,
			TLSClientConfig:     trusted,
		}
		roundTripper = t.own
	}
	t.client = &http.Client{
		Transport:     roundTripper,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return t, nil
}

// trust adds the authorities of a PEM file to those of the machine; without a file it is nil.
func trust(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil //nolint:nilnil // net/http's default
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, &ConfigError{"ca_file", "bad_format", "CAFile cannot be read: " + err.Error()}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &ConfigError{"ca_file", "bad_format", "CAFile " + caFile + " holds no certificate in PEM form"}
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// send makes one try within the timeout.
func (t *transport) send(ctx context.Context, r request, attempt int) answer {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	body, zipped := compress(r.body)
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, t.baseURL+r.path, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	t.setHeaders(post.Header, r, attempt)
	if zipped {
		post.Header.Set("Content-Encoding", "gzip")
	}
	response, err := t.client.Do(post)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil { // a lost answer: what the server did is unknown
		return answer{err: err}
	}
	return answer{status: response.StatusCode, header: response.Header, body: read}
}

func (t *transport) setHeaders(header http.Header, r request, attempt int) {
	header.Set("Content-Type", jsonFormat)
	header.Set("Accept", jsonFormat)
	header.Set(sdkHeader, sdkName())
	header.Set("User-Agent", sdkName())
	header.Set("Nightbell-Attempt", strconv.Itoa(attempt))
	header.Set("Nightbell-Sent-At", time.Now().UTC().Format(timestampLayout))
	if r.id != "" {
		header.Set("Idempotency-Key", r.id)
	}
	if t.apiKey == "" {
		header.Set("Authorization", "Bearer "+t.serviceKey)
		return
	}
	header.Set("Authorization", "Bearer "+t.apiKey)
	if t.serviceKey != "" {
		header.Set("Nightbell-Service-Key", t.serviceKey)
	}
}

// close ends connections that nobody uses.
func (t *transport) close() {
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
}

var sdkName = sync.OnceValue(func() string {
	return "go/" + Version + " (" + strings.Fields(runtime.Version())[0] + "; " + runtime.GOOS + ")"
})

// A gzip writer is 800 kB, so it is kept.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

func compress(body []byte) ([]byte, bool) {
	if len(body) < gzipFrom {
		return body, false
	}
	w, ok := gzipWriters.Get().(*gzip.Writer)
	if !ok {
		return body, false
	}
	defer gzipWriters.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	if _, err := w.Write(body); err != nil {
		return body, false
	}
	if err := w.Close(); err != nil {
		return body, false
	}
	return b.Bytes(), true
}
