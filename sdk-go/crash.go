package nightbell

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

const (
	crashPrefix  = "crash-"
	crashSuffix  = ".nightbell.txt"
	maxCrashText = 1 << 20
)

// watchCrashes lets the runtime write what it prints when it ends the program, from
// any goroutine, into a file as well. The next start reports it: a process that
// crashed runs no code of its own.
func (c *Client) watchCrashes(dir string) {
	c.reportCrashes(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.log.warn("crash", "nightbell cannot watch for crashes", "error", err.Error())
		return
	}
	name := filepath.Join(dir, crashPrefix+strconv.Itoa(os.Getpid())+crashSuffix)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		c.log.warn("crash", "nightbell cannot watch for crashes", "error", err.Error())
		return
	}
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		_ = file.Close()
		return
	}
	c.crash = file
}

func (c *Client) unwatchCrashes() {
	if c.crash == nil {
		return
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = c.crash.Close()
	_ = os.Remove(c.crash.Name())
}

// reportCrashes queues an event for each crash of an earlier process. Its id is of
// the text, so that a report which is made twice counts once.
func (c *Client) reportCrashes(dir string) {
	files, _ := filepath.Glob(filepath.Join(dir, crashPrefix+"*"+crashSuffix))
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || info.Size() == 0 {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		text = text[:min(len(text), maxCrashText)]
		sum := sha256.Sum256(append([]byte(info.ModTime().UTC().Format(time.RFC3339Nano)), text...))
		e := &Event{
			Action: "trigger", ID: format([16]byte(sum[:16]), 8), Severity: High, OccurredAt: Timestamp{info.ModTime()},
			Tags: map[string]string{"type": "crash"}, Error: &ErrorDetails{Exceptions: []Exception{parseCrash(string(text))}},
		}
		c.enqueueEvent(e, &item{spooled: crashFile(name)})
	}
}

// crashFile is removed once its report was delivered or spooled.
func crashFile(name string) *spoolFile {
	f := &spoolFile{path: name}
	f.left.Store(1)
	return f
}

// crashLine reads the file and the line of a frame: a tab, file:line, and often an offset as +0x1f.
func crashLine(text string) (file string, line int, ok bool) {
	text, ok = strings.CutPrefix(text, "\t")
	if at := strings.LastIndex(text, " +0x"); at > strings.LastIndexByte(text, ':') {
		text = text[:at]
	}
	colon := strings.LastIndexByte(text, ':')
	if !ok || colon < 1 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[colon+1:])
	return text[:colon], line, err == nil
}

// parseCrash reads the first goroutine of what the runtime wrote.
func parseCrash(text string) Exception {
	e := Exception{Type: "panic"}
	head, stack, found := strings.Cut(text, "goroutine ")
	if !found {
		stack = text
	}
	for line := range strings.SplitSeq(head, "\n") {
		kind, message, ok := strings.Cut(line, ": ")
		if ok && (kind == "panic" || kind == "fatal error") {
			e.Type, e.Message = strings.ReplaceAll(kind, " ", "_"), strings.TrimSuffix(message, " [recovered]")
			break
		}
	}
	stack, _, _ = strings.Cut(stack, "\n\n")
	lines := strings.Split(stack, "\n")
	for n := 1; n+1 < len(lines); n++ {
		file, number, ok := crashLine(lines[n+1])
		if !ok {
			continue
		}
		function := lines[n]
		if open := strings.LastIndexByte(function, '('); open > 0 {
			function = function[:open]
		}
		if _, created, ok := strings.Cut(lines[n], "created by "); ok {
			function, _, _ = strings.Cut(created, " in goroutine")
		}
		if !strings.HasPrefix(function, "runtime.") && function != "panic" {
			e.Frames = append(e.Frames, frameOf(function, file, number))
		}
		n++
	}
	if e.Message == "" {
		e.Message = fmt.Sprintf("the program ended with %d bytes of output", len(bytes.TrimSpace([]byte(text))))
	}
	return e
}
