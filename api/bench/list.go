package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"
)

type listCommand struct {
	setting
	Incidents int           `default:"10000" help:"Incidents in the database."`
	Rounds    int           `default:"5" help:"Rounds; each runs every list once."`
	Seconds   float64       `default:"1.2" help:"How long a run takes."`
	Idle      time.Duration `default:"60s" help:"How long to watch the server idle."`
}

// listCase is one row of the table.
type listCase struct {
	Limit       int    `json:"limit"`
	Concurrency int    `json:"concurrency"`
	P50         spread `json:"p50_ms"`
	P99         spread `json:"p99_ms"`
	Rate        spread `json:"lists_per_second"`
	// CPU is processor seconds of the server and all of PostgreSQL per 1,000 lists.
	CPU spread `json:"cpu_s_per_1000"`
	// Bytes are those of the answer as it is, GzipBytes what browsers and most HTTP clients
	// ask for instead.
	Bytes     int64 `json:"bytes"`
	GzipBytes int64 `json:"gzip_bytes"`
}

type listReport struct {
	report

	Incidents  int        `json:"incidents"`
	Rounds     int        `json:"rounds"`
	Cases      []listCase `json:"cases"`
	LoadBefore float64    `json:"load_before"`
	LoadAfter  float64    `json:"load_after"`
	Targets    []bar      `json:"targets"`
}

// Run measures lists, then what the server costs when it does nothing.
func (c listCommand) Run(ctx context.Context) error {
	if c.Quick {
		c.Rounds, c.Seconds, c.Idle = 2, 0.5, 5*time.Second
	}
	if err := c.lists(ctx); err != nil {
		return err
	}
	return c.footprint(ctx)
}

func (c listCommand) lists(ctx context.Context) (err error) {
	rig, err := newIngestRig(ctx, c.Bin)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return err
	}
	if err := rig.db.fill(ctx, rig.server, rig.workspace, c.Incidents); err != nil {
		return err
	}
	r := listReport{report: newReport(), Incidents: c.Incidents, Rounds: c.Rounds, LoadBefore: load()}
	for _, concurrency := range []int{1, 4} {
		for _, limit := range []int{25, 1000} {
			one, err := rig.list(ctx, limit, concurrency, c.Rounds, c.Seconds)
			if err != nil {
				return err
			}
			r.Cases = append(r.Cases, one)
		}
	}
	r.LoadAfter = load()
	r.Targets = []bar{
		asBar("list of 25, c=1, p50 ms", 3, r.Cases[0].P50), asBar("list of 1,000, c=1, p50 ms", 20, r.Cases[1].P50),
		newBar("list of 1,000, MB", 0.6, true, []float64{float64(r.Cases[1].Bytes) / 1e6}),
	}
	r.print()
	return c.keep("list.json", r)
}

func asBar(name string, limit float64, s spread) bar {
	return bar{Name: name, spread: s, Bar: limit, AtMost: true, Reached: s.Median <= limit}
}

func (r *ingestRig) list(ctx context.Context, limit, concurrency, rounds int, seconds float64) (listCase, error) {
	result := listCase{Limit: limit, Concurrency: concurrency}
	url := r.server.url + "/v1/incidents?limit=" + strconv.Itoa(limit)
	var p50s, p99s, rates, cpus []float64
	for range rounds {
		before, err := processorTime(r.server.pid())
		if err != nil {
			return result, err
		}
		o, err := drive(ctx, job{
			URLs: []string{url}, Bearer: r.workspace.token, Concurrency: concurrency, For: seconds,
		})
		if err != nil {
			return result, err
		}
		if o.Refused > 0 || o.Failed > 0 || o.Accepted == 0 {
			return result, fmt.Errorf("%d of the lists were refused, %d had no answer: %s", o.Refused, o.Failed, o.FirstError)
		}
		after, err := processorTime(r.server.pid())
		if err != nil {
			return result, err
		}
		p50s, p99s = append(p50s, o.P50), append(p99s, o.P99)
		rates, cpus = append(rates, float64(o.Accepted)/o.Seconds), append(cpus, perThousand(after-before, o.Accepted))
		result.Bytes = o.Bytes
	}
	result.P50, result.P99 = spreadOf(p50s, true), spreadOf(p99s, true)
	result.Rate, result.CPU = spreadOf(rates, false), spreadOf(cpus, true)
	var err error
	result.GzipBytes, err = compressedSize(ctx, url, r.workspace.token)
	return result, err
}

// compressedSize is how many bytes an answer has for who takes gzip.
func compressedSize(ctx context.Context, url, bearer string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Accept-Encoding", "gzip") // set by hand, the client leaves the answer as it is
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.Header.Get("Content-Encoding") != "gzip" {
		return 0, errors.New("the list was not compressed")
	}
	return io.Copy(io.Discard, response.Body)
}

func (r listReport) print() {
	t := table{{fmt.Sprintf("list of %d incidents, load %.1f", r.Incidents, r.LoadAfter), "p50 ms", "worst", "p99", "lists/s", "CPU s/1000", "bytes", "gzip"}}
	for _, c := range r.Cases {
		t = append(t, []string{
			fmt.Sprintf("first %d, c=%d", c.Limit, c.Concurrency), number(c.P50.Median), number(c.P50.Worst), number(c.P99.Median),
			number(c.Rate.Median), number(c.CPU.Median), strconv.FormatInt(c.Bytes, 10), strconv.FormatInt(c.GzipBytes, 10),
		})
	}
	t.print()
	printBars("target", r.Targets)
}

type footprintReport struct {
	report

	FirstStartMS  []float64 `json:"first_start_ms"`
	LaterStartMS  []float64 `json:"later_start_ms"`
	IdleMiB       float64   `json:"rss_anon_idle_mib"`
	LoadedMiB     float64   `json:"rss_anon_after_20000_alerts_mib"`
	IdlePercent   float64   `json:"idle_percent_of_a_core"`
	IdleSeconds   float64   `json:"idle_seconds"`
	BinaryMB      float64   `json:"binary_mb"`
	Targets       []bar     `json:"targets"`
	LoadAtTheTime float64   `json:"load"`
}

// footprint measures starts, memory, idling and size.
func (c listCommand) footprint(ctx context.Context) (err error) {
	r := footprintReport{report: newReport()}
	for range min(c.Rounds, 3) - 1 {
		fresh, err := serve(ctx, c.Bin)
		if err != nil {
			return err
		}
		r.FirstStartMS = append(r.FirstStartMS, milliseconds(fresh.readyAfter))
		if err := fresh.remove(); err != nil {
			return err
		}
	}
	rig, err := newIngestRig(ctx, c.Bin)
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return err
	}
	r.FirstStartMS = append(r.FirstStartMS, milliseconds(rig.server.readyAfter))
	if err := c.restarts(ctx, rig, &r); err != nil {
		return err
	}
	if err := c.watchIdle(rig, &r); err != nil {
		return err
	}
	if err := loaded(ctx, rig, &r); err != nil {
		return err
	}
	size, err := os.Stat(c.Bin)
	if err != nil {
		return err
	}
	r.BinaryMB, r.LoadAtTheTime = round(float64(size.Size())/1e6, 1), load()
	r.print()
	return c.keep("footprint.json", r)
}

func milliseconds(d time.Duration) float64 { return round(float64(d)/float64(time.Millisecond), 0) }

// restarts stops and starts the server on the data that it has.
func (c listCommand) restarts(ctx context.Context, rig *ingestRig, r *footprintReport) error {
	if err := rig.db.Close(ctx); err != nil {
		return err
	}
	rig.db = nil
	for range c.Rounds {
		if err := rig.server.stop(); err != nil {
			return err
		}
		if err := rig.server.start(ctx); err != nil {
			return err
		}
		r.LaterStartMS = append(r.LaterStartMS, milliseconds(rig.server.readyAfter))
	}
	var err error
	rig.db, err = rig.server.database(ctx)
	return err
}

// watchIdle begins when the start is over.
func (c listCommand) watchIdle(rig *ingestRig, r *footprintReport) error {
	time.Sleep(2 * time.Second)
	before, err := processorTime(rig.server.pid())
	if err != nil {
		return err
	}
	if r.IdleMiB, err = anonymousMemory(rig.server.pid()); err != nil {
		return err
	}
	time.Sleep(c.Idle)
	after, err := processorTime(rig.server.pid())
	r.IdleSeconds, r.IdlePercent = c.Idle.Seconds(), round(100*float64(after-before)/float64(c.Idle), 3)
	return err
}

func loaded(ctx context.Context, rig *ingestRig, r *footprintReport) (err error) {
	if err := rig.db.fill(ctx, rig.server, rig.workspace, 20_000); err != nil {
		return err
	}
	r.LoadedMiB, err = anonymousMemory(rig.server.pid())
	return err
}

func (r *footprintReport) print() {
	r.Targets = []bar{
		newBar("first start, ms", 5000, true, r.FirstStartMS), newBar("later start, ms", 1000, true, r.LaterStartMS),
		newBar("RssAnon idle, MiB", 40, true, []float64{r.IdleMiB}), newBar("RssAnon after 20,000 alerts, MiB", 100, true, []float64{r.LoadedMiB}),
		newBar(fmt.Sprintf("idle over %.0f s, %% of a core", r.IdleSeconds), 0.5, true, []float64{r.IdlePercent}),
		newBar("binary, MB", 64, true, []float64{r.BinaryMB}),
	}
	printBars("footprint", r.Targets)
}
