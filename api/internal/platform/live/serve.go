package live

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver"
)

const (
	// heartbeat is often enough for two to be lost before a browser says that it is silent, at 10 s.
	heartbeat    = 4 * time.Second
	writeTimeout = 10 * time.Second
	// recheck is how often a stream asks whether its caller may still follow. A sign-in is
	// believed for 3 s without asking the database, and what a removed member may still see
	// is limited to 5 s in all.
	recheck = 2 * time.Second
	// openPatience is how long a caller waits for the room before it is told to come again.
	openPatience = 8 * time.Second
)

// Serve answers GET /v1/stream for a caller who may follow the organization, until either side ends it; the package
// comment shows the stream. The answer begins once the stream is subscribed, so that whoever has its header and then
// loads misses nothing.
func (h *Hub) Serve(w http.ResponseWriter, r *http.Request, orgID, callerID uuid.UUID) {
	after, resuming, err := lastEventID(r)
	if err != nil {
		rpcserver.WriteError(w, r, err)
		return
	}
	place, who, err := h.join(orgID, callerID)
	if err != nil {
		rpcserver.WriteError(w, r, err)
		return
	}
	defer h.leave(place, who, callerID)
	stream := &stream{hub: h, place: place, who: who, w: w, control: http.NewResponseController(w), sent: map[int64]struct{}{}}
	if err := stream.awaitRoom(r.Context()); err != nil {
		rpcserver.WriteError(w, r, err)
		return
	}
	stream.begin()
	if stream.catchUp(r.Context(), after, resuming) == nil {
		stream.follow(r.Context())
	}
}

// lastEventID reads where to continue; an id that was never ours is refused.
func lastEventID(r *http.Request) (after int64, given bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("last_event_id")
	}
	if text == "" {
		return 0, false, nil
	}
	after, err = strconv.ParseInt(text, 10, 64)
	if err != nil || after < 0 {
		return 0, false, fault.New(fault.Invalid, "invalid_last_event_id",
			"Last-Event-ID must be an id of this stream; leave it out to begin now.")
	}
	return after, true, nil
}

// stream is one answer under way.
type stream struct {
	hub     *Hub
	place   *room
	who     *subscriber
	w       http.ResponseWriter
	control *http.ResponseController
	// sent are the events of the catch-up, which may also arrive through the room.
	sent map[int64]struct{}
	out  bytes.Buffer
}

// awaitRoom waits until what happens from now on reaches the stream.
func (s *stream) awaitRoom(ctx context.Context) error {
	patience := time.NewTimer(openPatience)
	defer patience.Stop()
	select {
	case <-s.place.opened:
		return nil
	case <-s.hub.done:
	case <-patience.C:
	case <-ctx.Done():
	}
	return errNotOpen
}

func (s *stream) begin() {
	header := s.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // nginx would hold events back
	s.w.WriteHeader(http.StatusOK)
	s.out.WriteString("retry: 2000\n\n")
}

// catchUp sends what the caller missed, or says where the feed stands.
func (s *stream) catchUp(ctx context.Context, after int64, resuming bool) error {
	if !resuming {
		s.put("hello", s.place.newestSeq(), nil)
		return s.flush()
	}
	missed, err := s.hub.source.Read(ctx, s.place.orgID, after, readAtOnce)
	if err != nil || len(missed) == readAtOnce || after > s.place.newestSeq() {
		// Too much, unreadable, or an id from before the database was replaced.
		s.put("resync", s.place.newestSeq(), nil)
		return s.flush()
	}
	s.put("hello", after, nil)
	for _, event := range missed {
		s.sent[event.Seq] = struct{}{}
		s.put(event.Kind, event.Seq, event.Data)
	}
	return s.flush()
}

// follow sends what happens until either side has enough.
func (s *stream) follow(ctx context.Context) {
	beat, check := time.NewTicker(heartbeat), time.NewTicker(recheck)
	defer beat.Stop()
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.hub.done:
			return
		case <-s.who.ready:
			s.putPending()
		case <-beat.C:
			s.out.WriteString(": still here\n\n")
		case <-check.C:
			if !s.allowed(ctx) {
				return
			}
		}
		if s.flush() != nil {
			return
		}
	}
}

func (s *stream) allowed(ctx context.Context) bool {
	if s.hub.source.Allowed == nil {
		return true
	}
	err := s.hub.source.Allowed(ctx, s.place.orgID)
	if fault.Is(err, fault.Unavailable) {
		return true // nobody's fault; asked again soon
	}
	return err == nil
}

func (s *stream) putPending() {
	events, lostTo := s.who.take()
	if lostTo > 0 {
		s.put("resync", lostTo, nil)
	}
	for _, event := range events {
		if _, doubled := s.sent[event.Seq]; doubled {
			delete(s.sent, event.Seq)
			continue
		}
		s.put(event.Kind, event.Seq, event.Data)
	}
}

// oneLine keeps the line breaks that JSON may hold between its words out of the event.
var oneLine = func(r rune) rune {
	if r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

func (s *stream) put(kind string, seq int64, data []byte) {
	if data == nil {
		data = fmt.Appendf(nil, `{"seq":%d}`, seq)
	}
	fmt.Fprintf(&s.out, "id: %d\nevent: %s\ndata: %s\n\n", seq, kind, bytes.Map(oneLine, data))
}

// flush writes with a deadline of its own. Between writes there is none, because HTTP/2 resets a
// stream whose deadline passes even when nothing is being written.
func (s *stream) flush() error {
	if s.out.Len() == 0 {
		return nil
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTimeout))
	defer func() { _ = s.control.SetWriteDeadline(time.Time{}) }()
	_, err := s.w.Write(s.out.Bytes())
	s.out.Reset()
	if err != nil {
		return err
	}
	return s.control.Flush()
}
