//go:build linux || darwin

package embedded

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
)

// keptLines is how much of the server's log an error message repeats.
const keptLines = 8

// serverLog passes the server's log on, line by line, and remembers the end.
type serverLog struct {
	logger *slog.Logger
	ctx    context.Context // of the start, for what the logger finds in it

	mu      sync.Mutex
	partial []byte
	last    []string
}

// Write implements io.Writer; it never fails.
func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = append(l.partial, p...)
	for {
		line, rest, complete := bytes.Cut(l.partial, []byte("\n"))
		if !complete {
			return len(p), nil
		}
		l.partial = rest
		l.take(strings.TrimSpace(string(line)))
	}
}

func (l *serverLog) take(line string) {
	if line == "" {
		return
	}
	l.last = append(l.last, line)
	l.last = l.last[max(0, len(l.last)-keptLines):]
	l.logger.Log(l.ctx, levelOf(line), "postgres", "line", line)
}

// levelOf: what the server says routinely is of interest only when looking for
// something.
func levelOf(line string) slog.Level {
	if strings.Contains(line, "terminating connection due to administrator command") {
		return slog.LevelDebug // our own doing: a session that was about to end when the server was stopped
	}
	switch severity, _, _ := strings.Cut(line, ":"); severity {
	case "PANIC":
		return slog.LevelError
	case "FATAL", "WARNING":
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// tail is the end of the log in one line.
func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.last) == 0 {
		return "it logged nothing"
	}
	return strings.Join(l.last, " / ")
}
