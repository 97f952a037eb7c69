package email

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// slowServer takes mail over a pipe and waits before it answers the command (or "." for
// the whole mail); after a wait of zero it never answers it.
func slowServer(conn net.Conn, command string, wait time.Duration) {
	defer func() { _ = conn.Close() }()
	lines := bufio.NewScanner(conn)
	inMail := false
	say := func(to, answer string) bool {
		if to == command {
			if wait == 0 {
				return false
			}
			time.Sleep(wait)
		}
		_, err := fmt.Fprint(conn, answer+"\r\n")
		return err == nil
	}
	if !say("CONNECT", "220 slow.example") {
		_ = lines.Scan() // keeps the connection open
		return
	}
	for lines.Scan() {
		verb, _, _ := strings.Cut(lines.Text(), " ")
		switch {
		case inMail && lines.Text() != ".":
			continue
		case inMail:
			inMail, verb = false, "."
		case verb == "DATA":
			inMail = true
			if !say(verb, "354 go on") {
				_ = lines.Scan()
				return
			}
			continue
		}
		if !say(verb, "250 ok") {
			_ = lines.Scan()
			return
		}
	}
}

// TestASlowMailServerGetsTheTimeOfTheRFC lets a server take minutes for each of its
// answers, on a clock that costs no time.
func TestASlowMailServerGetsTheTimeOfTheRFC(t *testing.T) {
	for _, c := range []struct {
		command string
		wait    time.Duration
		ok      bool
		unknown bool
		try     int
	}{
		{"CONNECT", 25 * time.Second, true, false, 1},
		{"CONNECT", 40 * time.Second, false, false, 1},
		{"RCPT", 40 * time.Second, false, false, 1},
		{"DATA", 40 * time.Second, false, false, 1},
		{".", 9 * time.Minute, true, false, 1},
		{"CONNECT", 50 * time.Second, true, false, 2},
		{"CONNECT", 70 * time.Second, false, false, 2},
		{"RCPT", 110 * time.Second, true, false, 3},
		{"RCPT", 130 * time.Second, false, false, 3},
		{"CONNECT", 4 * time.Minute, true, false, 4},
		{"MAIL", 4 * time.Minute, true, false, 5},
		{"RCPT", 4 * time.Minute, true, false, 100},
		{"DATA", 119 * time.Second, true, false, 4},
		{".", 9 * time.Minute, true, false, 4},
		{"RCPT", 0, false, false, 4},
		{"DATA", 0, false, false, 4},
		{".", 0, false, true, 4},
	} {
		t.Run(fmt.Sprint(c.command, " ", c.wait, " ", c.try), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := NewServer(Options{Host: "127.0.0.1", Port: 2525, From: sender})
				slow.connect = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go slowServer(theirs, c.command, c.wait)
					return ours, nil
				}
				message := page(incident(1, alert.High))
				message.Tries = c.try
				_, err := slow.Send(t.Context(), message)
				if (err == nil) != c.ok || errors.Is(err, notify.ErrUnknownOutcome) != c.unknown {
					t.Errorf("ok %t, unknown %t: %v", c.ok, c.unknown, err)
				}
				if err != nil && !errors.Is(err, notify.ErrInstallation) {
					t.Errorf("a mail server that does not answer is the installation's own failure: %v", err)
				}
				time.Sleep(c.wait) // until the server, too, has ended
			})
		})
	}
}

// TestAMailThatIsTakenEndsTheWaitOfOlderConnections: a server hung at each of them, and is back. Only who waits for
// the word about another recipient, or for the answer to a whole mail, waits on.
func TestAMailThatIsTakenEndsTheWaitOfOlderConnections(t *testing.T) {
	for _, c := range []struct {
		command, to string
		want        time.Duration
	}{
		{"CONNECT", "mara@acme.example", 40 * time.Second},
		{"MAIL", "mara@acme.example", 40 * time.Second},
		{"DATA", "mara@acme.example", 40 * time.Second},
		{"RCPT", "ada@acme.example", 40 * time.Second},
		{"RCPT", "mara@acme.example", 5 * time.Minute},
		{".", "ada@acme.example", 10 * time.Minute},
	} {
		t.Run(c.command+" "+c.to, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var connections atomic.Int32
				mails := NewServer(Options{Host: "127.0.0.1", Port: 2525, From: sender})
				mails.connect = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					if connections.Add(1) == 1 {
						go slowServer(theirs, c.command, 0)
					} else {
						go slowServer(theirs, "", 0)
					}
					return ours, nil
				}
				began, ended := time.Now(), make(chan time.Duration, 1)
				hung := page(incident(1, alert.High))
				hung.Tries, hung.To.Address = 4, c.to
				go func() {
					_, err := mails.Send(t.Context(), hung)
					if !errors.Is(err, notify.ErrInstallation) {
						t.Errorf("ended with %v", err)
					}
					ended <- time.Since(began)
				}()
				time.Sleep(40 * time.Second)
				other := page(incident(2, alert.High))
				other.To.Address = "ada@acme.example"
				if _, err := mails.Send(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				if got := <-ended; got != c.want {
					t.Errorf("ended after %s, want %s", got, c.want)
				}
			})
		})
	}
}
