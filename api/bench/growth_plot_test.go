package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPlotOfGrowthIsWellFormedAndSaysItsFigures draws made-up figures.
func TestPlotOfGrowthIsWellFormedAndSaysItsFigures(t *testing.T) {
	r := growthReport{report: newReport(), Rounds: 3}
	for _, size := range [][2]int{{10_000, 16}, {100_000, 16}, {1_000_000, 16}, {10_000, 1}, {10_000, 100}, {10_000, 10_000}} {
		p := growthPoint{Incidents: size[0], Services: size[1], Rate: spread{Median: 1623.4}}
		for n, one := range reads {
			p.Reads = append(p.Reads, readTime{Name: one.name, P50: spread{Median: 0.5 * float64(n+1) * float64(size[0]) / 10_000}})
		}
		r.Points = append(r.Points, p)
	}
	drawn := r.plot()
	decoder := xml.NewDecoder(strings.NewReader(drawn))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, drawn)
		}
	}
	for _, wanted := range []string{`role="img"`, "<title id", "With 1,000,000 incidents and 16 services: 1,623 alerts per second", "prefers-color-scheme: dark", "search for one: 200"} {
		if !strings.Contains(drawn, wanted) {
			t.Errorf("the plot lacks %q", wanted)
		}
	}
	if strings.Contains(drawn, "NaN") || strings.Contains(drawn, "Inf") {
		t.Error("something is drawn nowhere")
	}
}
