package ingest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// How much is read; how long that may take is the server's business (rpcserver).
// Ten thousand alerts as Alertmanager writes them (620 bytes each) are 6 MiB.
const (
	maxBody       = 8 << 20   // as sent and, when it was compressed, as unpacked
	smallBody     = 256 << 10 // up to here a body is read and parsed without asking
	arrivingBytes = 64 << 20  // of what is longer, while it arrives; of one organization at most half
	parsedAtOnce  = 4         // larger bodies parsed at the same time, some 30 MiB each
	parseWait     = 2 * time.Second
)

var (
	errTooLarge = fault.Newf(fault.TooLarge, "body_too_large",
		"The body is larger than %d MiB. Send fewer alerts at once, for example with max_alerts.", maxBody>>20)
	errBusy = fault.New(fault.Unavailable, "too_many_large_bodies",
		"Too many large messages are being received at the moment. Send this one again in a few seconds.").After(retrySeconds)
	errCutOff = fault.New(fault.Unavailable, "alerts_cut_off",
		"The body did not arrive in full. Send it again.").After(retrySeconds)
	errBadGzip = fault.New(fault.Invalid, "bad_compression",
		"The body is not the gzip that its Content-Encoding promises. Send it uncompressed.")
	errEncoding = fault.New(fault.Unsupported, "content_encoding",
		"Nightbell reads bodies that are uncompressed or gzip. Send the body with one of these Content-Encodings.")
)

// received is the body of a request, as far as it was read.
type received struct {
	bytes []byte
	// free gives back the memory that the body took of its organization's share. It may be
	// called again.
	free func()
}

// readBody reads and unpacks a request's body, for as long as its organization's share
// of memory has room for what has arrived. The caller must call free; with an error
// comes what was read before it.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, orgID uuid.UUID) (received, error) {
	return h.readAtMost(w, r, orgID, maxBody, errTooLarge)
}

// readAtMost is readBody with a limit of its own, and the refusal of what is larger.
func (h *Handler) readAtMost(w http.ResponseWriter, r *http.Request, orgID uuid.UUID, limit int, tooLarge *fault.Error) (received, error) {
	taken := 0
	free := func() {
		h.arriving.Return(orgID, taken)
		taken = 0
	}
	sent := &remembering{from: http.MaxBytesReader(w, r.Body, int64(limit)), tooLarge: tooLarge}
	plain, err := unpacked(r.Header.Get("Content-Encoding"), sent)
	if err != nil {
		return received{free: free}, sent.blame(err)
	}
	var buffer bytes.Buffer
	for err == nil && buffer.Len() <= limit {
		if buffer.Len() > 0 { // the first part is small and asks for nothing
			if !h.arriving.Take(orgID, smallBody) {
				return received{buffer.Bytes(), free}, errBusy
			}
			taken += smallBody
		}
		_, err = io.CopyN(&buffer, plain, smallBody)
	}
	switch {
	case buffer.Len() > limit:
		return received{buffer.Bytes(), free}, tooLarge
	case errors.Is(err, io.EOF):
		return received{buffer.Bytes(), free}, nil
	default:
		return received{buffer.Bytes(), free}, sent.blame(err)
	}
}

// turnToParse waits for one of the few places for large bodies. Only a body that has
// arrived asks for one: a sender that stalls keeps nobody waiting.
func (h *Handler) turnToParse(ctx context.Context, size int) (done func(), err error) {
	if size <= smallBody {
		return func() {}, nil
	}
	patience := time.NewTimer(parseWait)
	defer patience.Stop()
	select {
	case h.parsing <- struct{}{}:
		return func() { <-h.parsing }, nil
	case <-patience.C:
		return nil, errBusy
	case <-ctx.Done():
		return nil, errCutOff
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
	from     io.Reader
	err      error
	tooLarge *fault.Error
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
		return m.tooLarge
	case m.err != nil:
		return errCutOff.Because(m.err)
	default:
		if known, ok := fault.Of(err); ok {
			return known
		}
		return errBadGzip.Because(err)
	}
}
