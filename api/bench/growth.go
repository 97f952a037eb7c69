package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// growthPoint is everything measured at one size. Times are the median of the rounds'
// medians, one request at a time, in milliseconds.
type growthPoint struct {
	Incidents int        `json:"incidents"`
	Services  int        `json:"services"`
	Rate      spread     `json:"alerts_per_second"`
	P50       spread     `json:"ingest_p50_ms"`
	P99       spread     `json:"ingest_p99_ms"`
	CPU       spread     `json:"cpu_s_per_1000"`
	Reads     []readTime `json:"reads"`
	Load      float64    `json:"load"`
}

// readTime is how long one read takes.
type readTime struct {
	Name string `json:"name"`
	P50  spread `json:"p50_ms"`
	P99  spread `json:"p99_ms"`
}

type growthReport struct {
	report

	Rounds int           `json:"rounds"`
	Points []growthPoint `json:"points"`
}

// read is one kind of question that a screen asks.
type read struct {
	name string
	// path is what is asked; n is how many incidents there are, id is one of them.
	path func(n int, id string) string
}

var reads = []read{
	{"list of 25", func(int, string) string { return "/v1/incidents?limit=25" }},
	{"list of 1,000", func(int, string) string { return "/v1/incidents?limit=1000" }},
	{"list of 25 open", func(int, string) string { return "/v1/incidents?status=open&limit=25" }},
	{"search for one", func(n int, _ string) string {
		return "/v1/incidents?limit=25&text=checkout-" + strconv.Itoa(n*2/5+1)
	}},
	{"counts", func(int, string) string { return "/v1/incidents/counts" }},
	{"one incident", func(_ int, id string) string { return "/v1/incidents/" + id }},
}

// growth measures the same at more and more incidents, then at more and more services,
// each on a server of its own.
func (c listCommand) growth(ctx context.Context) error {
	sizes := []struct{ incidents, services int }{
		{10_000, 16},
		{100_000, 16},
		{1_000_000, 16},
		{10_000, 1},
		{10_000, 100},
		{10_000, 10_000},
	}
	if c.Quick {
		sizes = sizes[:1]
	}
	r := growthReport{report: newReport(), Rounds: c.Rounds}
	for _, size := range sizes {
		point, err := c.grown(ctx, size.incidents, size.services)
		if err != nil {
			return fmt.Errorf("with %d incidents and %d services: %w", size.incidents, size.services, err)
		}
		fmt.Printf("%d incidents, %d services: %.0f alerts/s\n", point.Incidents, point.Services, point.Rate.Median)
		r.Points = append(r.Points, point)
	}
	r.print()
	if err := c.keep("growth.json", r); err != nil || c.Quick {
		return err
	}
	return os.WriteFile(filepath.Join(c.Out, "growth.svg"), []byte(r.plot()), 0o644)
}

// keyed is how many of the services have keys that load goes through.
const keyed = 16

func (c listCommand) grown(ctx context.Context, incidents, services int) (p growthPoint, err error) {
	rig, err := newIngestRig(ctx, c.Bin, min(services, keyed))
	defer func() { err = errors.Join(err, rig.end()) }()
	if err != nil {
		return p, err
	}
	if err := rig.db.addServices(ctx, rig.workspace, max(0, services-keyed)); err != nil {
		return p, err
	}
	if err := rig.db.fill(ctx, rig.workspace, 1, incidents); err != nil {
		return p, err
	}
	p = growthPoint{Incidents: incidents, Services: services}
	// Reads come first: what they find is then what was filled in, at every size.
	if err := c.readAll(ctx, rig, &p); err != nil {
		return p, err
	}
	var rates, p50s, p99s, cpus []float64
	for range c.Rounds {
		run, err := rig.run(ctx, ingestCase{"growth", theServer, distinctGroups, 16, min(services, keyed), 1}, 2*c.Seconds)
		if err != nil {
			return p, err
		}
		rates, p50s, p99s, cpus = append(rates, run.Rate), append(p50s, run.P50), append(p99s, run.P99), append(cpus, run.CPUDelivered)
	}
	p.Rate, p.P50, p.P99, p.CPU = spreadOf(rates, false), spreadOf(p50s, true), spreadOf(p99s, true), spreadOf(cpus, true)
	p.Load = load()
	return p, nil
}

// readAll asks every question. A token may have run out while the past was written.
func (c listCommand) readAll(ctx context.Context, rig *ingestRig, p *growthPoint) error {
	if err := rig.workspace.signIn(ctx); err != nil {
		return err
	}
	var id string
	if err := rig.db.QueryRow(ctx, `SELECT id::text FROM incident WHERE number = $1`, p.Incidents/2).Scan(&id); err != nil {
		return err
	}
	for _, one := range reads {
		var p50s, p99s []float64
		for range c.Rounds {
			o, err := drive(ctx, job{
				URLs: []string{rig.server.url + one.path(p.Incidents, id)}, Bearer: rig.workspace.token, Concurrency: 1, For: c.Seconds,
			})
			if err != nil {
				return err
			}
			if o.Refused > 0 || o.Failed > 0 || o.Accepted == 0 {
				return fmt.Errorf("%s: %d were refused, %d had no answer: %s", one.name, o.Refused, o.Failed, o.FirstError)
			}
			p50s, p99s = append(p50s, o.P50), append(p99s, o.P99)
		}
		p.Reads = append(p.Reads, readTime{Name: one.name, P50: spreadOf(p50s, true), P99: spreadOf(p99s, true)})
	}
	return nil
}

func (r growthReport) print() {
	head := []string{"incidents", "services", "alerts/s", "p50 ms", "p99 ms", "CPU s/1000"}
	for _, one := range reads {
		head = append(head, one.name)
	}
	t := table{append(head, "load")}
	for _, p := range r.Points {
		row := []string{
			strconv.Itoa(p.Incidents), strconv.Itoa(p.Services), number(p.Rate.Median), number(p.P50.Median), number(p.P99.Median), number(p.CPU.Median),
		}
		for _, one := range p.Reads {
			row = append(row, number(one.P50.Median))
		}
		t = append(t, append(row, fmt.Sprintf("%.1f", p.Load)))
	}
	t.print()
}
