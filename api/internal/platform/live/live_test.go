package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

func TestHelloThenEvents(t *testing.T) {
	inBubble(t, func(t bubble) {
		t.rows.commit(40, 41)
		shown, _, _ := open(t, "")
		shown.expect(t, "hello", "41")
		t.rows.commit(42)
		t.hub.Publish(acme)
		settle()
		shown.expect(t, "comment", "42")
		if !strings.Contains(shown.text(), "data: {\"n\": 42}\n\n") || !strings.Contains(shown.text(), `data: {"seq":41}`) {
			t.Errorf("sent %q", shown.text())
		}
		if kind := shown.header.Get("Content-Type"); kind != "text/event-stream" {
			t.Errorf("Content-Type %s", kind)
		}
	})
}

// Whoever has the answer's header takes itself for connected: what it loads then and what it is told
// must have no gap between them.
func TestTheAnswerBeginsOnceTheStreamIsSubscribed(t *testing.T) {
	inBubble(t, func(t bubble) {
		t.rows.set(func() { t.rows.broken = errors.New("slow") })
		shown, _, _ := open(t, "")
		if shown.text() != "" || shown.status != 0 {
			t.Errorf("the answer began before its room was open: %d %q", shown.status, shown.text())
		}
		t.rows.set(func() { t.rows.broken = nil })
		time.Sleep(slowLook)
		synctest.Wait()
		if shown.status != http.StatusOK || !strings.HasPrefix(shown.text(), "retry: 2000\n\nid: 0\nevent: hello\n") {
			t.Errorf("%d %q", shown.status, shown.text())
		}
		t.rows.commit(1)
		t.hub.Publish(acme)
		settle()
		shown.expect(t, "comment", "1")
	})
}

func TestAStreamThatCannotBeOpenedIsRefused(t *testing.T) {
	inBubble(t, func(t bubble) {
		t.rows.set(func() { t.rows.broken = errors.New("away") })
		shown, ended, _ := open(t, "")
		time.Sleep(openPatience)
		if !ended() || shown.status != http.StatusServiceUnavailable || shown.header.Get("Retry-After") == "" {
			t.Errorf("%d %v %q", shown.status, shown.header, shown.text())
		}
	})
}

func TestResumeSendsWhatWasMissedOnce(t *testing.T) {
	inBubble(t, func(t bubble) {
		t.rows.commit(1, 2, 3, 4)
		shown, _, _ := open(t, "2")
		t.rows.commit(5)
		t.hub.Publish(acme)
		settle()
		shown.expect(t, "comment", "3", "4", "5")
		shown.expect(t, "hello", "2")
	})
}

func TestLateCommitsAreSeen(t *testing.T) {
	for name, late := range map[string]struct {
		newest, seq int64
		within      time.Duration
	}{
		"nearby, after the next hint":     {newest: 105, seq: 103, within: 2 * coalesce},
		"far below, after a slow look":    {newest: 1105, seq: 103, within: slowLook + 2*coalesce},
		"settled for almost five seconds": {newest: 1105, seq: 103, within: slowLook + 2*coalesce},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t bubble) {
				t.rows.commit(100)
				shown, _, _ := open(t, "")
				t.rows.commit(late.newest)
				t.hub.Publish(acme)
				settle()
				if strings.Contains(name, "almost") {
					time.Sleep(settling - slowLook)
				}
				t.rows.commit(late.seq)
				t.hub.Publish(acme)
				time.Sleep(late.within)
				synctest.Wait()
				shown.expect(t, "comment", fmt.Sprint(late.newest), fmt.Sprint(late.seq))
				time.Sleep(time.Minute)
				synctest.Wait()
				shown.expect(t, "comment", fmt.Sprint(late.newest), fmt.Sprint(late.seq)) // and never again
			})
		})
	}
}

func TestLostHintsAreMadeUpFor(t *testing.T) {
	inBubble(t, func(t bubble) {
		shown, _, _ := open(t, "")
		t.rows.commit(7)
		time.Sleep(slowLook + coalesce)
		synctest.Wait()
		shown.expect(t, "comment", "7")
	})
}

func TestHintsAreCoalesced(t *testing.T) {
	inBubble(t, func(t bubble) {
		for range 20 {
			open(t, "")
		}
		t.rows.set(func() { t.rows.reads = 0 })
		for seq := range int64(1000) {
			t.rows.commit(seq + 1)
			t.hub.Publish(acme)
			time.Sleep(time.Millisecond)
		}
		settle()
		// One second, 20 looks of 50 ms and a few more rows than fit into one read.
		if t.rows.reads > 30 {
			t.Errorf("20 streams and 1,000 hints in a second caused %d reads", t.rows.reads)
		}
	})
}

func TestTooFarBehindMeansResync(t *testing.T) {
	inBubble(t, func(t bubble) {
		for seq := range int64(readAtOnce) {
			t.rows.commit(seq + 1)
		}
		shown, _, _ := open(t, "0")
		shown.expect(t, "resync", "1000")
		future, _, _ := open(t, "5000") // the database was replaced by an older copy
		future.expect(t, "resync", "1000")
	})
}

func TestSlowReaderIsToldToResync(t *testing.T) {
	slow := newSubscriber()
	for seq := range int64(maxPending + 10) {
		slow.push(Event{Seq: seq + 1})
	}
	events, lostTo := slow.take()
	if lostTo != maxPending || len(events) != 10 || events[0].Seq != maxPending+1 {
		t.Errorf("%d events kept, lost to %d", len(events), lostTo)
	}
	if events, lostTo = slow.take(); len(events) != 0 || lostTo != 0 {
		t.Errorf("taken twice: %d events, lost to %d", len(events), lostTo)
	}
}

func TestOverflowReachesTheStream(t *testing.T) {
	inBubble(t, func(t bubble) {
		shown, _, _ := open(t, "")
		shown.stuck = make(chan struct{}) // the browser stops reading
		t.rows.commit(1)
		t.hub.Publish(acme)
		time.Sleep(2 * coalesce) // the stream is now stuck in Write
		for seq := range int64(maxPending + 1) {
			t.rows.commit(seq + 2)
		}
		t.hub.Publish(acme)
		time.Sleep(2 * coalesce)
		close(shown.stuck)
		settle()
		shown.expect(t, "resync", fmt.Sprint(maxPending+1))
		shown.expect(t, "comment", "1", fmt.Sprint(maxPending+2))
	})
}

func TestHeartbeatAndWriteDeadlines(t *testing.T) {
	inBubble(t, func(t bubble) {
		shown, ended, _ := open(t, "")
		time.Sleep(2*heartbeat + time.Second)
		if got := strings.Count(shown.text(), ": still here"); got != 2 || ended() {
			t.Errorf("%d heartbeats in two periods", got)
		}
		for i := 0; i+1 < len(shown.deadlines); i += 2 {
			if shown.deadlines[i].IsZero() || !shown.deadlines[i+1].IsZero() {
				t.Fatalf("deadlines %v, want one for each write and none between", shown.deadlines)
			}
		}
	})
}

func TestStreamEnds(t *testing.T) {
	for name, end := range map[string]func(*feed, *Hub, *screen, context.CancelFunc){
		"the browser leaves": func(_ *feed, _ *Hub, _ *screen, leave context.CancelFunc) { leave() },
		"the server stops":   func(_ *feed, hub *Hub, _ *screen, _ context.CancelFunc) { hub.Close() },
		"the member is removed": func(rows *feed, _ *Hub, _ *screen, _ context.CancelFunc) {
			rows.set(func() { rows.denied = errors.New("removed") })
		},
		"the connection breaks": func(_ *feed, _ *Hub, shown *screen, _ context.CancelFunc) {
			shown.mu.Lock()
			defer shown.mu.Unlock()
			shown.gone = errors.New("broken pipe")
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t bubble) {
				shown, ended, leave := open(t, "")
				if ended() {
					t.Fatal("it ended at once")
				}
				end(t.rows, t.hub, shown, leave)
				time.Sleep(max(recheck, heartbeat) + time.Second)
				if !ended() {
					t.Error("the stream goes on")
				}
			})
		})
	}
}

func TestFeedThatCannotBeReadAtFirst(t *testing.T) {
	inBubble(t, func(t bubble) {
		t.rows.set(func() { t.rows.broken = errors.New("away") })
		shown, ended, _ := open(t, "")
		time.Sleep(5 * time.Second)
		shown.expect(t, "hello")
		t.rows.commit(9)
		t.rows.set(func() { t.rows.broken = nil })
		time.Sleep(slowLook + coalesce)
		synctest.Wait()
		shown.expect(t, "hello", "9")
		t.rows.set(func() { t.rows.broken = errors.New("away again") })
		t.rows.commit(10)
		t.hub.Publish(acme)
		settle()
		t.rows.set(func() { t.rows.broken = nil })
		time.Sleep(slowLook + coalesce)
		synctest.Wait()
		shown.expect(t, "comment", "10")
		if ended() {
			t.Error("the stream ended while the database was away")
		}
	})
}

func TestRefusedStreams(t *testing.T) {
	hub := New((&feed{}).source(), slog.New(slog.DiscardHandler))
	for _, lastID := range []string{"x", "-1", "1e3", "99999999999999999999"} {
		r := httptest.NewRequest(http.MethodGet, "/v1/stream?last_event_id="+lastID, nil)
		w := httptest.NewRecorder()
		hub.Serve(w, r, acme, uuid.New())
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "leave it out") {
			t.Errorf("last_event_id=%s: %d %s", lastID, w.Code, w.Body)
		}
	}
	hub.Close()
	hub.Close()
	w := httptest.NewRecorder()
	hub.Serve(w, httptest.NewRequest(http.MethodGet, "/v1/stream", nil), acme, uuid.New())
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("after Close: %d %v", w.Code, w.Header())
	}
}

func TestNotificationsNameWhoIsMeant(t *testing.T) {
	out := newOutbox()
	one := id.New()
	out.add(one)
	out.add(one)
	if got := out.take(); got != one.String() {
		t.Errorf("one organization is listed as %q", got)
	}
	for range maxListed {
		out.add(id.New())
	}
	if got := out.take(); len(got) > 7900 || strings.Count(got, ",") != maxListed-1 {
		t.Errorf("%d organizations take %d bytes", maxListed, len(got))
	}
	for range 10 * maxListed {
		out.add(id.New())
	}
	if got := out.take(); got != everyone {
		t.Errorf("too many organizations are listed as %.100q", got)
	}
}

func TestHearing(t *testing.T) {
	hub := New((&feed{}).source(), slog.New(slog.DiscardHandler))
	place := newRoom(hub, acme)
	hub.rooms[acme] = place
	for payload, woken := range map[string]bool{
		"other " + acme.String():                           true,
		"other " + id.New().String() + "," + acme.String(): true,
		"other " + everyone:                                true,
		"self " + acme.String():                            false,
		"other " + id.New().String():                       false,
		"other nonsense,,":                                 false,
		"":                                                 false,
	} {
		hub.hear("self", payload)
		if got := len(place.hint) == 1; got != woken {
			t.Errorf("%q woke the room: %t", payload, got)
		}
		select {
		case <-place.hint:
		default:
		}
	}
}

// TestOneAccountCannotTakeAllStreams opens as many as there may be of one caller, and of one
// organization; somebody else is served, and so is the caller once a stream has ended.
func TestOneAccountCannotTakeAllStreams(t *testing.T) {
	hub := New((&feed{}).source(), slog.New(slog.DiscardHandler))
	hub.PerOrg = 30
	defer hub.Close()
	greedy := uuid.New()
	var leave []func()
	for range maxPerCaller {
		place, who, err := hub.join(acme, greedy)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, func() { hub.leave(place, who, greedy) })
	}
	w := httptest.NewRecorder()
	hub.Serve(w, httptest.NewRequest(http.MethodGet, "/v1/stream", nil), acme, greedy)
	if w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "Close some") {
		t.Errorf("one more: %d %s", w.Code, w.Body)
	}
	for n := range 11 {
		if _, _, err := hub.join(acme, uuid.New()); (err == nil) != (n < 10) {
			t.Errorf("stream %d of the organization: %v", maxPerCaller+n+1, err)
		}
	}
	if _, _, err := hub.join(uuid.New(), uuid.New()); err != nil {
		t.Errorf("another organization: %v", err)
	}
	leave[0]()
	if _, _, err := hub.join(acme, greedy); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
