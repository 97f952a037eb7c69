// Package outgoing posts JSON to addresses that tenants gave, for the channels that
// do (webhook, slack): one rule for what an answer means, and sentences for the
// delivery log that repeat neither the address nor what was answered.
package outgoing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/nightbell/nightbell/api/internal/notify"
	"github.com/nightbell/nightbell/api/internal/platform/egress"
)

// Doer sends a request; *egress.Client is the one for tenants' addresses.
type Doer interface {
	Do(request *http.Request) (*http.Response, error)
}

// Answer is what came back.
type Answer struct {
	Status int
	// Body is the first KiB. It is the receiver's word: never show it unexamined.
	Body []byte
	// BrokeOff is set when the connection ended within the body.
	BrokeOff bool
}

const bodyLimit = 1 << 10

// Post sends body as JSON with the extra headers; 2xx is success. 408, 409, 425, 429, 5xx and network errors are
// temporary, with the wait of Retry-After (a date is counted from now); other answers are permanent. When the whole
// request left and no answer came, the outcome is unknown. An answer is returned beside its error, too.
func Post(ctx context.Context, client Doer, address string, headers map[string]string, body []byte, now time.Time) (Answer, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	sent, err := pack(ctx, end, address, body)
	if err != nil {
		return Answer{}, notify.Permanent(errors.New("the address is not a valid URL; correct it in the settings"))
	}
	request := sent.request
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Nightbell")
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return Answer{}, sent.explain(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer := Answer{Status: response.StatusCode}
	// The status decides; an answer that breaks off after it is an answer, unless its words count.
	answer.Body, err = io.ReadAll(io.LimitReader(response.Body, bodyLimit))
	answer.BrokeOff = err != nil
	return answer, judge(response, now)
}

// judge turns a status into success or the right kind of failure.
func judge(response *http.Response, now time.Time) error {
	status := response.StatusCode
	failure := fmt.Errorf("HTTP %d", status)
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusConflict,
		status == http.StatusTooEarly, status == http.StatusTooManyRequests:
		if wait, ok := retryAfter(response.Header.Get("Retry-After"), now); ok {
			return notify.After(failure, wait)
		}
		return failure
	default:
		return notify.Permanent(failure)
	}
}

// retryAfter reads seconds or an HTTP date (RFC 9110 section 10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 86400)) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// explain says what became of a parcel without an answer.
func (p *parcel) explain(ctx context.Context, err error) error {
	failure := explain(ctx, err)
	switch {
	case p.unwanted:
		return notify.ErrNotWanted
	case p.gone.Load() && !errors.Is(failure, notify.ErrPermanent):
		return notify.UnknownOutcome(failure)
	default:
		return failure
	}
}

// explain says what the network did, without the address: it may be a secret.
func explain(ctx context.Context, err error) error {
	refusal, refused := errors.AsType[*egress.Refusal](err)
	_, unresolved := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case refused:
		return notify.Permanent(refusal)
	case ctx.Err() != nil, isNetwork && network.Timeout():
		return errors.New("no answer in time")
	case unresolved:
		return fmt.Errorf("%s", egress.Unreachable)
	case untrusted:
		return errors.New("the receiver's certificate is not trusted")
	default:
		return errors.New("the connection failed")
	}
}
