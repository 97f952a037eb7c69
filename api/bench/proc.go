package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// tick is how exactly Linux counts a process's time (USER_HZ is 100 everywhere Go runs).
const tick = 10 * time.Millisecond

// processorTime is what a process and all that descend from it have used, those that
// have ended included.
func processorTime(root int) (time.Duration, error) {
	parents, used := map[int]int{}, map[int]int64{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	for _, path := range stats {
		pid, parent, ticks, ok := readStat(path)
		if ok {
			parents[pid], used[pid] = parent, ticks
		}
	}
	if _, running := parents[root]; !running {
		return 0, fmt.Errorf("process %d has ended", root)
	}
	var sum int64
	for pid, ticks := range used {
		if descends(pid, root, parents) {
			sum += ticks
		}
	}
	return time.Duration(sum) * tick, nil
}

func descends(pid, root int, parents map[int]int) bool {
	for pid != root && pid > 1 {
		pid = parents[pid]
	}
	return pid == root
}

// readStat reads what proc(5) calls ppid, utime, stime, cutime and cstime. A process
// that has just ended is not ok.
func readStat(path string) (pid, parent int, ticks int64, ok bool) {
	text, err := os.ReadFile(path)
	closing := bytes.LastIndexByte(text, ')') // the name before it may hold anything
	if err != nil || closing < 0 {
		return 0, 0, 0, false
	}
	pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
	fields := strings.Fields(string(text[closing+1:]))
	parent, _ = strconv.Atoi(fields[1])
	for _, field := range fields[11:15] {
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return pid, parent, ticks, true
}

// anonymousMemory is a process's RssAnon in MiB: what it holds for itself.
func anonymousMemory(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "RssAnon:"); found {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d shows no RssAnon", pid)
}

// load is how many processes wanted a processor over the last minute; below the
// number of processors, nothing waited.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0
	}
	average, _ := strconv.ParseFloat(fields[0], 64)
	return average
}

// machine is what the figures were measured on.
type machine struct {
	Processor  string  `json:"processor"`
	Processors int     `json:"processors"`
	MemoryGiB  float64 `json:"memory_gib"`
	Kernel     string  `json:"kernel"`
	Go         string  `json:"go"`
}

func thisMachine() machine {
	m := machine{Processors: runtime.NumCPU(), Go: runtime.Version()}
	m.Processor = firstField("/proc/cpuinfo", "model name")
	kib, _ := strconv.ParseFloat(strings.TrimSuffix(firstField("/proc/meminfo", "MemTotal"), " kB"), 64)
	m.MemoryGiB = round(kib/(1<<20), 1)
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	m.Kernel = strings.TrimSpace(string(release))
	return m
}

// firstField is the value of the first "name: value" line of a file.
func firstField(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
