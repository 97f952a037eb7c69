package ingest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// How much is read; how long that may take is the server's business (rpcserver).
// Ten thousand alerts as Alertmanager writes them (620 bytes each) are 6 MiB.
const (
	maxBody     = 8 << 20   // as sent and, when it was compressed, as unpacked
	smallBody   = 256 << 10 // up to here a body is read without asking
	largeBodies = 4         // larger ones are in memory at the same time, some 40 MiB each with their alerts
	largeWait   = 2 * time.Second
)

var (
	errTooLarge = fault.Newf(fault.TooLarge, "body_too_large",
		"The body is larger than %d MiB. Send fewer alerts at once, for example with max_alerts.", maxBody>>20)
	errBusy = fault.New(fault.Unavailable, "too_many_large_bodies",
		"Too many large messages are being received at the moment. Send this one again in a few seconds.").After(retrySeconds)
	errCutOff = fault.New(fault.Unavailable, "body_incomplete",
		"The body did not arrive in full. Send it again.").After(retrySeconds)
	errBadGzip = fault.New(fault.Invalid, "bad_compression",
		"The body is not the gzip that its Content-Encoding promises. Send it uncompressed.")
	errEncoding = fault.New(fault.Invalid, "unknown_encoding",
		"Nightbell reads bodies that are uncompressed or gzip. Send the body with one of these Content-Encodings.")
)

// readBody reads and unpacks a request's body. The caller must call done when it
// has finished with the body and all that came of it; done is never nil. With an
// error comes what was read before it.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	done = func() {}
	sent := &remembering{from: http.MaxBytesReader(w, r.Body, maxBody)}
	plain, err := unpacked(r.Header.Get("Content-Encoding"), sent)
	if err != nil {
		return nil, done, sent.blame(err)
	}
	var buffer bytes.Buffer
	size, err := io.CopyN(&buffer, plain, smallBody)
	if err == nil { // there may be more
		if done, err = h.reserve(r); err != nil {
			return nil, done, err
		}
		if r.ContentLength > size && r.ContentLength <= maxBody {
			buffer.Grow(int(r.ContentLength-size) + bytes.MinRead)
		}
		_, err = io.CopyN(&buffer, plain, maxBody-size+1)
	}
	switch {
	case errors.Is(err, io.EOF):
		return buffer.Bytes(), done, nil
	case err == nil:
		return buffer.Bytes(), done, errTooLarge
	default:
		return buffer.Bytes(), done, sent.blame(err)
	}
}

// reserve waits for one of the few places for large bodies.
func (h *Handler) reserve(r *http.Request) (done func(), err error) {
	patience := time.NewTimer(largeWait)
	defer patience.Stop()
	select {
	case h.large <- struct{}{}:
		return func() { <-h.large }, nil
	case <-patience.C:
		return func() {}, errBusy
	case <-r.Context().Done():
		return func() {}, errCutOff
	}
}

// unpacked undoes the encoding. Its output is as long as its reader lets it be.
func unpacked(encoding string, sent io.Reader) (io.Reader, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return sent, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(sent)
	default:
		return nil, errEncoding
	}
}

// remembering keeps the error of the connection, which gzip would hide.
type remembering struct {
	from io.Reader
	err  error
}

func (m *remembering) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// blame says whose fault an error while reading is: too much (the sender's), cut
// off (nobody's, so it may be sent again), or not what was promised.
func (m *remembering) blame(err error) error {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(m.err, &tooLarge):
		return errTooLarge
	case m.err != nil:
		return errCutOff.Because(m.err)
	default:
		if known, ok := fault.Of(err); ok {
			return known
		}
		return errBadGzip.Because(err)
	}
}
