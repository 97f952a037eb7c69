package rpcserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fairshare"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

const (
	// largeBytes are held by the large bodies of organizations until they are parsed; one alone has half at most.
	largeBytes        = 32 << 20
	strangeLargeBytes = 16 << 20
	// parsedAtOnce are of different organizations; strangers have one. Each is over in a moment.
	parsedAtOnce = 2
	largeWait    = 2 * time.Second
)

var errManyLarge = fault.New(fault.Unavailable, "too_many_large_bodies",
	"Too many large calls are being read at the moment. Send this one again in a few seconds.").After(2)

// Share is whose share of what is finite the reading of a call takes: that of an organization, as far as Admit
// knows it without asking, or that of a network of strangers.
type Share struct {
	ID       uuid.UUID
	Stranger bool
}

// largeShares divide the memory and the places that large bodies take.
type largeShares struct {
	memory *fairshare.Pool[uuid.UUID]
	places *fairshare.Gate[uuid.UUID]
}

// largeBodies keep those of strangers apart, so that none of them holds back an organization.
type largeBodies struct{ organizations, strangers largeShares }

func newLargeBodies() largeBodies {
	return largeBodies{
		organizations: largeShares{fairshare.New[uuid.UUID](largeBytes), fairshare.NewGate[uuid.UUID](parsedAtOnce, 1)},
		strangers:     largeShares{fairshare.New[uuid.UUID](strangeLargeBytes), fairshare.NewGate[uuid.UUID](1, 1)},
	}
}

func (l largeBodies) reading(share Share) reading {
	if share.Stranger {
		return reading{shares: l.strangers, of: share.ID}
	}
	return reading{shares: l.organizations, of: share.ID}
}

// reading is what the body of one call holds until it is parsed, which is nothing for a small one.
type reading struct {
	shares largeShares
	of     uuid.UUID
	taken  int
	leave  func()
}

// receive reads a body for as long as its share has room for what has arrived.
func (r *reading) receive(from io.Reader) ([]byte, error) {
	var body bytes.Buffer
	for {
		_, err := io.CopyN(&body, from, smallBody)
		switch {
		case errors.Is(err, io.EOF):
			return body.Bytes(), nil
		case err != nil:
			return nil, bodyFault(err)
		case !r.take(r.taken + smallBody):
			return nil, errManyLarge
		}
	}
}

// take takes so much memory in all, if there is room.
func (r *reading) take(all int) bool {
	if all <= r.taken {
		return true
	}
	if !r.shares.memory.Take(r.of, all-r.taken) {
		return false
	}
	r.taken = all
	return true
}

// turn waits for a place in which a body that becomes so large is unpacked and parsed. Only one that has arrived
// asks for it: a caller that stalls keeps nobody waiting.
func (r *reading) turn(ctx context.Context, becomes int64) error {
	if !r.take(int(becomes)) {
		return errManyLarge
	}
	waiting, cancel := context.WithTimeout(ctx, largeWait)
	defer cancel()
	leave, err := r.shares.places.Enter(waiting, r.of)
	switch {
	case err != nil && ctx.Err() == nil:
		return errManyLarge
	case err != nil:
		return err
	}
	r.leave = leave
	return nil
}

// end gives everything back. It may be called again.
func (r *reading) end() {
	if r.leave != nil {
		r.leave()
		r.leave = nil
	}
	if r.taken > 0 {
		r.shares.memory.Return(r.of, r.taken)
		r.taken = 0
	}
}

// unzip holds what a body becomes to the limit of one that is sent as it is. It takes a turn once more than a
// small body has come out.
func (r *reading) unzip(ctx context.Context, body []byte, most int64) ([]byte, error) {
	packed, err := gzip.NewReader(bytes.NewReader(body))
	var plain []byte
	if err == nil {
		plain, err = io.ReadAll(io.LimitReader(packed, smallBody+1))
	}
	if err == nil && len(plain) > smallBody && most > smallBody {
		if err := r.turn(ctx, most); err != nil {
			return nil, err
		}
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(packed, most-smallBody))
		plain = append(plain, rest...)
	}
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "bad_compression", "The body is not the gzip that its Content-Encoding promises. Send it uncompressed.").Because(err)
	case int64(len(plain)) > most:
		return nil, bodyFault(&http.MaxBytesError{Limit: most})
	}
	return plain, nil
}

// envelopePrefix is what stands before each message of gRPC and of Connect's streams: flags and length.
const envelopePrefix = 5

// enveloped takes a turn for what is no small message: the library unpacks and parses a second one too, before
// it refuses it.
func (r *reading) enveloped(ctx context.Context, body []byte, most int64) error {
	small := len(body) <= smallBody
	if small && len(body) >= envelopePrefix {
		small = int64(binary.BigEndian.Uint32(body[1:])) == int64(len(body)-envelopePrefix)
		if packed, err := gzip.NewReader(bytes.NewReader(body[envelopePrefix:])); small && body[0]&1 != 0 && err == nil {
			unpacked, _ := io.CopyN(io.Discard, packed, smallBody+1) // the library says what is wrong with it
			small = unpacked <= smallBody
		}
	}
	if small {
		return nil
	}
	return r.turn(ctx, most)
}
