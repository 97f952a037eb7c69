package email

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/notify"
)

// silentAfter takes mail over a pipe until it has given the answer to a command, and then says no more
// and keeps the connection open.
func silentAfter(conn net.Conn, command, answer string) {
	defer func() { _ = conn.Close() }()
	lines, inMail := bufio.NewScanner(conn), false
	say := func(text string) { _, _ = fmt.Fprint(conn, text+"\r\n") }
	say("220 silent.example")
	for lines.Scan() {
		verb, _, _ := strings.Cut(lines.Text(), " ")
		if inMail && verb != "." {
			continue
		}
		inMail = verb == "DATA"
		switch {
		case verb == command:
			say(answer)
			_, _ = io.Copy(io.Discard, conn)
			return
		case inMail:
			say("354 go on")
		default:
			say("250 ok")
		}
	}
}

// TestWhatTheServerHasDecidedIsNotWaitedFor: after its answer to the mail, nothing more of the
// conversation matters.
func TestWhatTheServerHasDecidedIsNotWaitedFor(t *testing.T) {
	for _, c := range []struct {
		command, answer string
		ok, permanent   bool
	}{
		{"MAIL", "451 later", false, false},
		{"RCPT", "451 later", false, false},
		{"RCPT", "550 5.1.1 no such mailbox", false, true},
		{"DATA", "550 no", false, false},
		{".", "250 taken", true, false},
	} {
		t.Run(c.command+" "+c.answer, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				silent := NewServer(Options{Host: "127.0.0.1", Port: 2525, From: sender})
				silent.connect = func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					go silentAfter(theirs, c.command, c.answer)
					return ours, nil
				}
				start := time.Now()
				_, err := silent.Send(t.Context(), page(incident(1, alert.High)))
				if (err == nil) != c.ok || errors.Is(err, notify.ErrPermanent) != c.permanent {
					t.Errorf("ok %t, permanent %t: %v", c.ok, c.permanent, err)
				}
				if took := time.Since(start); took > 10*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}
