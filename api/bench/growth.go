package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// growthPoint is everything measured at one size.
type growthPoint struct {
	Incidents int     `json:"incidents"`
	Services  int     `json:"services"`
	Rate      float64 `json:"alerts_per_second"`
	P99       float64 `json:"ingest_p99_ms"`
	CPU       float64 `json:"cpu_s_per_1000"`
	List25    float64 `json:"list_25_p50_ms"`
	List1000  float64 `json:"list_1000_p50_ms"`
	Load      float64 `json:"load"`
}

type growthReport struct {
	report

	Points []growthPoint `json:"points"`
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
	r := growthReport{report: newReport()}
	for _, size := range sizes {
		point, err := c.grown(ctx, size.incidents, size.services)
		if err != nil {
			return fmt.Errorf("with %d incidents and %d services: %w", size.incidents, size.services, err)
		}
		fmt.Printf("%d incidents, %d services: %.0f alerts/s\n", point.Incidents, point.Services, point.Rate)
		r.Points = append(r.Points, point)
	}
	r.print()
	return c.keep("growth.json", r)
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
	run, err := rig.run(ctx, ingestCase{"growth", theServer, distinctGroups, 16, min(services, keyed), 1}, 5*c.Seconds)
	if err != nil {
		return p, err
	}
	p.Rate, p.P99, p.CPU = run.Rate, run.P99, run.CPUDelivered
	small, err := rig.list(ctx, 25, 1, c.Rounds, c.Seconds)
	if err != nil {
		return p, err
	}
	large, err := rig.list(ctx, 1000, 1, c.Rounds, c.Seconds)
	p.List25, p.List1000, p.Load = small.P50.Median, large.P50.Median, load()
	return p, err
}

func (r growthReport) print() {
	t := table{{"incidents", "services", "alerts/s", "p99 ms", "CPU s/1000", "list 25 p50 ms", "list 1,000 p50 ms", "load"}}
	for _, p := range r.Points {
		t = append(t, []string{
			strconv.Itoa(p.Incidents), strconv.Itoa(p.Services), number(p.Rate), number(p.P99), number(p.CPU),
			number(p.List25), number(p.List1000), fmt.Sprintf("%.1f", p.Load),
		})
	}
	t.print()
}
