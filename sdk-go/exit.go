package nightbell

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a program: a panic or an error of fn is reported and delivered, within the
// flush timeout, before the program ends as Go ends it: with the panic's own output and
// exit code 2, or the error on standard error and exit code 1. It returns if fn does
// without an error, after everything is delivered.
func (c *Client) Main(fn func() error) {
	defer c.closeBeforeExit()
	defer c.Recover(context.Background()) //nolint:forbidigo // the beginning of a program
	err := fn()
	if err == nil {
		return
	}
	c.CaptureError(context.Background(), err, WithSeverity(High)) //nolint:forbidigo // its end
	_, _ = fmt.Fprintln(os.Stderr, err)
	c.Exit(1)
}

// HandleSignals delivers what waits when the program is told to end by SIGTERM or an
// interrupt, within the flush timeout, and lets the signal end it. It is for programs
// that handle these signals nowhere; the others call Close where they do.
func (c *Client) HandleSignals() (stop func()) {
	if !c.on() {
		return func() {}
	}
	signals := make(chan os.Signal, 1)
	ended := make(chan struct{})
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	go func() {
		select {
		case received := <-signals:
			c.closeBeforeExit()
			signal.Reset(received)
			raise(received)
		case <-ended:
		}
	}()
	return c.onClose(func() {
		signal.Stop(signals)
		close(ended)
	})
}

// raise sends the signal to this process again, now that nobody catches it.
func raise(received os.Signal) {
	process, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = process.Signal(received)
	}
	if number, ok := received.(syscall.Signal); ok && err != nil { // Windows cannot send itself one
		os.Exit(128 + int(number))
	}
}
