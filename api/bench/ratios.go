package main

import "strconv"

// sumCases gives each case that ran its figures over all rounds.
func sumCases(runs map[string][]ingestRun) []ingestResult {
	var list []ingestResult
	for _, c := range ingestCases {
		if len(runs[c.Name]) == 0 {
			continue
		}
		of := func(figure func(ingestRun) float64, smallIsGood bool) spread {
			return spreadOf(each(runs[c.Name], figure), smallIsGood)
		}
		list = append(list, ingestResult{
			ingestCase: c, Runs: runs[c.Name],
			Rate: of(rate, false), CPU: of(func(r ingestRun) float64 { return r.CPUDelivered }, true),
			P50: of(p50, true), P90: of(func(r ingestRun) float64 { return r.P90 }, true),
			P99: of(p99, true), Max: of(func(r ingestRun) float64 { return r.Max }, true),
		})
	}
	return list
}

func each(runs []ingestRun, figure func(ingestRun) float64) []float64 {
	values := make([]float64, len(runs))
	for i, run := range runs {
		values[i] = figure(run)
	}
	return values
}

func rate(r ingestRun) float64         { return r.Rate }
func p50(r ingestRun) float64          { return r.P50 }
func p99(r ingestRun) float64          { return r.P99 }
func refused(r ingestRun) float64      { return float64(r.Refused) }
func cpu(r ingestRun) float64          { return r.CPU }
func cpuDelivered(r ingestRun) float64 { return r.CPUDelivered }

// ratios compare within each round, so that a noisy machine is noisy on both sides.
func ratios(runs map[string][]ingestRun) []bar {
	compare := func(name, ours, theirs string, figure func(ingestRun) float64, limit float64, atMost bool) bar {
		var values []float64
		for i := range min(len(runs[ours]), len(runs[theirs])) {
			if base := figure(runs[theirs][i]); base > 0 {
				values = append(values, figure(runs[ours][i])/base)
			}
		}
		return newBar(name, limit, atMost, values)
	}
	return []bar{
		compare("distinct, c=16, to plain inserts", ours16, raw16, rate, 0.25, false),
		compare("events to webhooks, c=16", ours16events, ours16, rate, 0.8, false),
		compare("distinct, c=16, 16 keys, to plain inserts", ours16keys, raw16, rate, 0.25, false),
		compare("distinct of one group, c=16, to plain inserts", ours16group, raw16, rate, 0.25, false),
		compare("distinct, c=64, to plain inserts", ours64, raw64, rate, 0.25, false),
		compare("same alert to distinct, c=16", ours16same, ours16, rate, 1, false),
		compare("100 per request to 100-row inserts, c=4", ours100, raw100, rate, 0.1, false),
		compare("p50 at c=1 to a plain commit", ours1, raw1, p50, 4, true),
		newBar("refused of 160 connections on one key", 0, true, each(runs[ours160], refused)),
		newBar("CPU s per 1,000, distinct, c=16", 0.35, true, each(runs[ours16], cpu)),
		newBar("CPU s per 1,000, distinct, c=16, pages delivered", 0.35, true, each(runs[ours16], cpuDelivered)),
		newBar("CPU s per 1,000, distinct of one group, c=16", 0.35, true, each(runs[ours16group], cpuDelivered)),
	}
}

// targets are absolute, for a machine that does nothing else.
func targets(runs map[string][]ingestRun) []bar {
	return []bar{
		newBar("alerts/s, distinct, c=16, one key", 4000, false, each(runs[ours16], rate)),
		newBar("p99 ms of it", 10, true, each(runs[ours16], p99)),
		newBar("alerts/s, one group, c=16, one key", 4000, false, each(runs[ours16group], rate)),
		newBar("p99 ms of it", 10, true, each(runs[ours16group], p99)),
	}
}

func (r ingestReport) print() {
	t := table{{"case", "against", "alerts/s", "worst", "p50 ms", "p90", "p99", "max", "CPU s/1000", "load"}}
	for _, c := range r.Cases {
		last := c.Runs[len(c.Runs)-1]
		t = append(t, []string{
			c.Name, c.Target, number(c.Rate.Median), number(c.Rate.Worst), number(c.P50.Median), number(c.P90.Median),
			number(c.P99.Median), number(c.Max.Median), number(c.CPU.Median), strconv.FormatFloat(last.LoadAfter, 'f', 1, 64),
		})
	}
	t.print()
	printBars("ratio", r.Ratios)
	printBars("target", r.Targets)
}
