package email

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
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
		first   bool
	}{
		{"CONNECT", 25 * time.Second, true, false, true},
		{"CONNECT", 40 * time.Second, false, false, true},
		{"RCPT", 40 * time.Second, false, false, true},
		{"DATA", 40 * time.Second, false, false, true},
		{".", 9 * time.Minute, true, false, true},
		{"CONNECT", 4 * time.Minute, true, false, false},
		{"MAIL", 4 * time.Minute, true, false, false},
		{"RCPT", 4 * time.Minute, true, false, false},
		{"DATA", 119 * time.Second, true, false, false},
		{".", 9 * time.Minute, true, false, false},
		{"RCPT", 0, false, false, false},
		{"DATA", 0, false, false, false},
		{".", 0, false, true, false},
	} {
		t.Run(fmt.Sprint(c.command, " ", c.wait, " ", c.first), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slow := NewServer(Options{Host: "127.0.0.1", Port: 2525, From: sender})
				slow.connect = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go slowServer(theirs, c.command, c.wait)
					return ours, nil
				}
				message := page(incident(1, alert.High))
				message.Again = !c.first
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
