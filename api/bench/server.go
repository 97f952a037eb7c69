package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startLimit = time.Minute
	stopLimit  = 30 * time.Second
)

// nightbell is the real binary under way, on a data directory of its own.
type nightbell struct {
	bin, url, dataDir string
	cmd               *exec.Cmd
	log               *os.File
	done              chan struct{}
	ended             error
	// readyAfter is the time from the start of the program to its first ready answer.
	readyAfter time.Duration
}

// serve starts the binary on an empty data directory. The caller must call remove.
func serve(ctx context.Context, bin string) (*nightbell, error) {
	// PostgreSQL runs under an account of its own when we are root, and must get here.
	dir, err := os.MkdirTemp("", "nightbell-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	bin, err = filepath.Abs(bin)
	if err != nil {
		return nil, err
	}
	n := &nightbell{bin: bin, dataDir: dir}
	if err := n.start(ctx); err != nil {
		return nil, errors.Join(err, n.remove())
	}
	return n, nil
}

// start runs the binary until it answers that it is ready.
func (n *nightbell) start(ctx context.Context) (err error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	if n.log, err = os.OpenFile(filepath.Join(n.dataDir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return err
	}
	n.url, n.done = "http://"+address, make(chan struct{})
	n.cmd = exec.Command(n.bin, "serve") //nolint:noctx // it is stopped in order, not killed
	n.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + n.dataDir, "NIGHTBELL_LISTEN=" + address, "NIGHTBELL_DATA_DIR=" + n.dataDir,
		"NIGHTBELL_EGRESS_ALLOW=127.0.0.0/8",
	}
	n.cmd.Stdout, n.cmd.Stderr = n.log, n.log
	began := time.Now()
	if err := n.cmd.Start(); err != nil {
		return err
	}
	go func() {
		n.ended = n.cmd.Wait()
		close(n.done)
	}()
	if err := n.awaitReady(ctx); err != nil {
		return err
	}
	n.readyAfter = time.Since(began)
	return nil
}

func (n *nightbell) awaitReady(ctx context.Context) error {
	deadline := time.After(startLimit)
	for !isReady(ctx, n.url) {
		select {
		case <-n.done:
			return fmt.Errorf("%s ended while starting (%w): %s", n.bin, n.ended, n.lastWords())
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			return fmt.Errorf("%s was not ready after %s: %s", n.bin, startLimit, n.lastWords())
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil
}

func isReady(ctx context.Context, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (n *nightbell) lastWords() string {
	text, _ := os.ReadFile(filepath.Join(n.dataDir, "server.log"))
	return string(text[max(0, len(text)-2000):])
}

// stop ends the server in order.
func (n *nightbell) stop() error {
	defer func() { _ = n.log.Close() }()
	_ = n.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-n.done:
		return n.ended
	case <-time.After(stopLimit):
		_ = n.cmd.Process.Kill()
		<-n.done
		return errors.New("nightbell did not stop in time")
	}
}

// remove stops the server, if it runs, and deletes its data.
func (n *nightbell) remove() error {
	var err error
	if n.cmd != nil && n.cmd.Process != nil {
		err = n.stop()
	}
	return errors.Join(err, os.RemoveAll(n.dataDir))
}

// pid is the server's; PostgreSQL's processes descend from it.
func (n *nightbell) pid() int { return n.cmd.Process.Pid }

// dsn connects to the private PostgreSQL as a role.
func (n *nightbell) dsn(role string) string {
	return fmt.Sprintf("host=%s user=%s dbname=nightbell sslmode=disable", filepath.Join(n.dataDir, "run"), role)
}

func freeAddress(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}
