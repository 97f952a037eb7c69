package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// job is what the driver is told to do.
type job struct {
	// URLs get the load by turns; without any, the load are plain inserts through DSN.
	URLs        []string
	DSN         string
	Bearer      string // for reads: GET instead of POST
	Concurrency int
	PerRequest  int
	Shape       string
	// Start is the first number of this run's alerts, so that runs never meet.
	Start uint64
	// For is how many seconds the load goes on.
	For float64
	// Requests ends the run earlier, unless it is 0.
	Requests int64
}

// outcome is what came of it.
type outcome struct {
	Accepted   int64   `json:"accepted"` // requests
	Refused    int64   `json:"refused"`  // answered otherwise than 2xx
	Failed     int64   `json:"failed"`   // not answered
	Seconds    float64 `json:"seconds"`
	P50        float64 `json:"p50_ms"`
	P90        float64 `json:"p90_ms"`
	P99        float64 `json:"p99_ms"`
	Max        float64 `json:"max_ms"`
	Bytes      int64   `json:"bytes"` // of the last answer
	FirstError string  `json:"first_error,omitempty"`
}

type loadCommand struct{}

// Run reads a job from standard input and answers with the outcome on standard output.
func (loadCommand) Run(ctx context.Context) error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	o, err := j.run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(o)
}

// drive runs a job in a process of its own.
func drive(ctx context.Context, j job) (o outcome, err error) {
	self, err := os.Executable()
	if err != nil {
		return o, err
	}
	input, err := json.Marshal(j)
	if err != nil {
		return o, err
	}
	cmd := exec.CommandContext(ctx, self, "load")
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), os.Stderr
	answer, err := cmd.Output()
	if err != nil {
		return o, fmt.Errorf("the load driver: %w", err)
	}
	return o, json.Unmarshal(answer, &o)
}

// worker does one request after the other on a connection of its own.
type worker interface {
	// do makes the request with this number and says whether it was accepted. An error
	// means that nobody knows.
	do(ctx context.Context, number uint64) (accepted bool, err error)
}

func (j job) run(ctx context.Context) (outcome, error) {
	workers, end, err := j.workers(ctx)
	defer end()
	if err != nil {
		return outcome{}, err
	}
	r := runner{job: j}
	var done sync.WaitGroup
	began := time.Now()
	r.until = began.Add(time.Duration(j.For * float64(time.Second)))
	for _, w := range workers {
		done.Go(func() { r.work(ctx, w) })
	}
	done.Wait()
	r.Seconds = time.Since(began).Seconds()
	r.sum()
	if reader, ok := workers[0].(*httpWorker); ok {
		r.Bytes = reader.answered
	}
	return r.outcome, nil
}

// runner gathers what the workers see.
type runner struct {
	job
	outcome
	until time.Time
	next  atomic.Int64

	mu    sync.Mutex
	times []time.Duration
}

func (r *runner) work(ctx context.Context, w worker) {
	times := make([]time.Duration, 0, 4096)
	var accepted, refused, failed int64
	var first error
	for began := time.Now(); began.Before(r.until) && ctx.Err() == nil; began = time.Now() {
		n := r.next.Add(1) - 1
		if r.Requests > 0 && n >= r.Requests {
			break
		}
		ok, err := w.do(ctx, r.Start+uint64(n)*uint64(r.PerRequest))
		times = append(times, time.Since(began))
		switch {
		case err != nil:
			failed++
			first = err
		case ok:
			accepted++
		default:
			refused++
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = append(r.times, times...)
	r.Accepted, r.Refused, r.Failed = r.Accepted+accepted, r.Refused+refused, r.Failed+failed
	if first != nil && r.FirstError == "" {
		r.FirstError = first.Error()
	}
}

func (r *runner) sum() {
	slices.Sort(r.times)
	r.P50, r.P90, r.P99, r.Max = at(r.times, 0.5), at(r.times, 0.9), at(r.times, 0.99), at(r.times, 1)
}

// at is a quantile of sorted times in milliseconds.
func at(sorted []time.Duration, quantile float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	index := min(len(sorted)-1, int(quantile*float64(len(sorted))))
	return round(float64(sorted[index])/float64(time.Millisecond), 3)
}
