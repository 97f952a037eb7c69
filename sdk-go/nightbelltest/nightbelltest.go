// Package nightbelltest lets a program's tests see what it reports.
//
//	client, wire := nightbelltest.New(t)
//	checkout(client)
//	client.Flush(t.Context())
//	if len(wire.Incidents()) != 1 { ... }
package nightbelltest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

// New makes a client that reports into memory. At the end of the test the client is
// closed; what it could not deliver by then fails the test.
func New(t testing.TB, change ...func(*nightbell.Config)) (*nightbell.Client, *Wire) {
	t.Helper()
	wire := &Wire{}
	config := nightbell.Config{
		ServiceKey: "nbs_test000000000000000000", BaseURL: "https://nightbell.test", Environment: "test",
		ServerName: "test", Transport: wire, Debug: nightbell.Set(false),
	}
	for _, change := range change {
		change(&config)
	}
	client, err := nightbell.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if err := client.Close(ctx); err != nil {
			t.Errorf("nightbell could not deliver everything: %v, %+v", err, client.Stats())
		}
	})
	return client, wire
}

var errLost = errors.New("nightbelltest: the connection was lost")

// RoundTrip answers without a network.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	answered := make(chan *http.Response, 1)
	go func() {
		defer close(answered)
		defer func() { _ = recover() }() // a lost answer or a silent server
		out := &recorder{header: http.Header{}, status: http.StatusOK}
		w.ServeHTTP(out, r)
		answered <- &http.Response{StatusCode: out.status, Header: out.header, Body: io.NopCloser(&out.body), Request: r}
	}()
	select {
	case response := <-answered:
		if response == nil {
			return nil, errors.Join(errLost, r.Context().Err())
		}
		return response, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header            { return r.header }
func (r *recorder) WriteHeader(status int)         { r.status = status }
func (r *recorder) Write(part []byte) (int, error) { return r.body.Write(part) }
