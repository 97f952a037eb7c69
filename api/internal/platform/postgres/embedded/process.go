//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is the running postmaster.
type process struct {
	command *exec.Cmd
	log     *serverLog
	done    chan struct{} // closed when it has ended
	exit    error         // why; read after done
}

// prepare makes a command run as the account, with nothing of our environment.
func (a account) prepare(command *exec.Cmd) {
	command.Dir = "/" // ours may be closed to the account
	command.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=/usr/local/bin:/usr/bin:/bin"}
	// Its own process group: Ctrl-C is for Nightbell, which stops it in order.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a.other {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	dieWithParent(command.SysProcAttr)
}

func startProcess(ctx context.Context, program string, arguments []string, account account, log *slog.Logger) (*process, error) {
	p := &process{
		command: exec.Command(program, arguments...), //nolint:noctx // it outlives the context of its start
		log:     &serverLog{logger: log, ctx: context.WithoutCancel(ctx)},
		done:    make(chan struct{}),
	}
	account.prepare(p.command)
	p.command.Stderr = p.log
	p.command.WaitDelay = 2 * time.Second // do not wait for children that kept the log open
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		if errors.Is(err, syscall.EPERM) && account.other {
			return nil, fmt.Errorf("the system does not let Nightbell start PostgreSQL as %s (%w). Run Nightbell as an ordinary user", account, err)
		}
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	return p, nil
}

// run starts the server and waits for its end on one thread of its own: the
// kernel's "parent died" signal comes when that thread ends, not the process.
func (p *process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.command.Start()
	started <- err
	if err != nil {
		return
	}
	p.exit = p.command.Wait()
	close(p.done)
}

// outputOnOwnThread is like command.CombinedOutput, on a thread that lives until
// the command ends. On one of the common threads, which may end at any time, the
// command could be told that its parent died.
func outputOnOwnThread(command *exec.Cmd) (output []byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		output, err = command.CombinedOutput()
	}()
	<-done
	return output, err
}

// waitReady returns when the server takes connections. It reads the status that
// the server keeps in its pid file, as pg_ctl does, because connecting too
// early would fill the log with refusals.
func (p *process) waitReady(ctx context.Context, pidFile string) error {
	for {
		if p.isReady(pidFile) {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("PostgreSQL ended while starting (%w): %s", errors.Join(p.exit, errEnded), p.log.tail())
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL was not ready in time (%w): %s", ctx.Err(), p.log.tail())
		case <-time.After(2 * time.Millisecond):
		}
	}
}

var errEnded = errors.New("it left before taking connections")

func (p *process) isReady(pidFile string) bool {
	content, err := os.ReadFile(pidFile)
	if err != nil {
		return false
	}
	lines := strings.Split(string(content), "\n")
	const status = 7 // the eighth line
	return len(lines) > status && lines[0] == strconv.Itoa(p.command.Process.Pid) &&
		strings.TrimSpace(lines[status]) == "ready"
}

// stop ends the server in order, or at once when ctx ends first. It may be
// called again.
func (p *process) stop(ctx context.Context) error {
	if err := p.signal(syscall.SIGINT); err != nil { // "fast": end sessions, then checkpoint
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
	}
	if err := p.signal(syscall.SIGQUIT); err != nil { // "immediate": recover at the next start
		return err
	}
	<-p.done
	return nil
}

func (p *process) signal(signal syscall.Signal) error {
	err := p.command.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
