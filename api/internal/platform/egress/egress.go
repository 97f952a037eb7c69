// Package egress is the only way to an address that a tenant gave us: a webhook, a
// Slack address, an AI provider's base URL. It reaches the public internet by https
// and what the operator allows by name, and nothing else, so that nobody can use
// Nightbell to look into the network it runs in.
//
// The check that counts is made on the resolved IP address when a connection is
// opened (guard.go): a name that points somewhere else a second later, a redirect
// or an odd spelling of 127.0.0.1 changes nothing. CheckURL (url.go) says the same
// earlier and nicer, when somebody types an address into a form.
//
//	client := egress.New(egress.Options{Allow: cfg.EgressAllow})
//	if err := client.CheckURL(input); err != nil { // a *Refusal, and a fault.Unprocessable
//		return err
//	}
//	response, err := client.Do(request)
package egress

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultResponse = 64 << 10
	connectTimeout  = 5 * time.Second // name look-up and connection
)

// Options is what an operator can change. The zero value is the strictest.
type Options struct {
	// Allow lists networks that may be reached besides the public internet; within
	// them any port and plain http are fine too. Cloud metadata addresses never are.
	Allow []netip.Prefix
	// Timeout is for a whole request, reading its answer included. Zero means 10 seconds.
	Timeout time.Duration
	// MaxResponse is how many bytes of an answer can be read; the rest looks like
	// the end. Zero means 64 KiB.
	MaxResponse int64
	// RootCAs replaces the system's certificate authorities when it is set.
	RootCAs *x509.CertPool
	// Resolver replaces the system's when it is set.
	Resolver *net.Resolver
}

// Client sends requests to addresses that tenants gave. It is safe for concurrent use.
type Client struct {
	guard       guard
	secure      *http.Client
	plain       *http.Client
	maxResponse int64
}

// Refusal says that an address will not be reached, or not answered from. It is
// also a fault of kind Unprocessable, with the same sentence.
type Refusal struct {
	// Message is a sentence for people that says what to do.
	Message string
}

// Error gives the sentence.
func (r *Refusal) Error() string { return r.Message }

// Unwrap lets fault.Of find the refusal.
func (r *Refusal) Unwrap() error {
	return fault.InvalidFields(r.Message)
}

// New makes a client. It uses no proxy, whatever the environment says, because a
// proxy would resolve names by itself.
func New(options Options) *Client {
	if options.Timeout <= 0 {
		options.Timeout = defaultTimeout
	}
	if options.MaxResponse <= 0 {
		options.MaxResponse = defaultResponse
	}
	g := newGuard(options.Allow)
	return &Client{
		guard:       g,
		secure:      httpClient(options, g.controlSecure),
		plain:       httpClient(options, g.controlPlain),
		maxResponse: options.MaxResponse,
	}
}

func httpClient(options Options, control controlFunc) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Resolver: options.Resolver, Control: control}
	return &http.Client{
		Timeout: options.Timeout,
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            dialer.DialContext,
			TLSClientConfig:        &tls.Config{RootCAs: options.RootCAs, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectTimeout,
			ForceAttemptHTTP2:      true, // a dialer of our own would turn it off
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Do sends a request and returns the answer, whatever its status; a redirect (not followed) and an address that must
// not be reached are a *Refusal. No error contains the URL, which may be a secret, or names the operator's name server.
// The caller closes the body, of which at most MaxResponse bytes can be read.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if err := c.guard.checkURL(request.URL); err != nil {
		return nil, err
	}
	client := c.secure
	if request.URL.Scheme == "http" {
		client = c.plain
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	if response.StatusCode >= 300 && response.StatusCode < 400 && response.Header.Get("Location") != "" {
		_ = response.Body.Close() // nothing in it is wanted
		return nil, &Refusal{"The address answers with a redirect, and redirects are not followed. Enter the address it leads to."}
	}
	response.Body = capped{io.LimitReader(response.Body, c.maxResponse), response.Body}
	return response, nil
}

// withoutURL takes the address off an error of net/http, and the operator's name
// server off an error of the resolver.
func withoutURL(err error) error {
	var refused *Refusal
	var lookup *net.DNSError
	var sent *url.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &lookup):
		return &net.DNSError{
			Err: lookup.Err, Name: lookup.Name,
			IsTimeout: lookup.IsTimeout, IsTemporary: lookup.IsTemporary, IsNotFound: lookup.IsNotFound,
		}
	case errors.As(err, &sent):
		return sent.Err
	default:
		return err
	}
}

// capped reads up to a limit and closes the whole.
type capped struct {
	io.Reader
	io.Closer
}
