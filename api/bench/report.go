package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report is the part that all files of docs-mdx/bench share.
type report struct {
	Machine machine   `json:"machine"`
	Date    time.Time `json:"date"`
}

func newReport() report {
	return report{Machine: thisMachine(), Date: time.Now().UTC().Truncate(time.Second)}
}

// keep writes a report as JSON, unless this is a quick run.
func (s setting) keep(name string, report any) error {
	if s.Quick {
		return nil
	}
	text, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(s.Out, name)
	fmt.Println("\nwritten:", path)
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// spread is a figure over several rounds. Worst is the largest where little is good,
// else the smallest.
type spread struct {
	Median float64 `json:"median"`
	Worst  float64 `json:"worst"`
}

func spreadOf(values []float64, smallIsGood bool) spread {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return spread{}
	}
	s := spread{Median: round(sorted[len(sorted)/2], 4), Worst: round(sorted[0], 4)}
	if smallIsGood {
		s.Worst = round(sorted[len(sorted)-1], 4)
	}
	return s
}

// bar is a figure that must be reached. The median decides; the worst is shown.
type bar struct {
	Name string `json:"name"`
	spread

	Bar     float64 `json:"bar"`
	AtMost  bool    `json:"at_most"` // else at least
	Reached bool    `json:"reached"`
}

func newBar(name string, limit float64, atMost bool, values []float64) bar {
	b := bar{Name: name, spread: spreadOf(values, atMost), Bar: limit, AtMost: atMost}
	b.Reached = b.Median >= limit
	if atMost {
		b.Reached = b.Median <= limit
	}
	return b
}

func printBars(title string, bars []bar) {
	t := table{{title, "median", "worst", "bar", ""}}
	for _, b := range bars {
		sign, verdict := ">=", "reached"
		if b.AtMost {
			sign = "<="
		}
		if !b.Reached {
			verdict = "MISSED"
		}
		t = append(t, []string{b.Name, number(b.Median), number(b.Worst), sign + " " + number(b.Bar), verdict})
	}
	t.print()
}

// table is rows of text; the first is the head.
type table [][]string

func (t table) print() {
	widths := make([]int, len(t[0]))
	for _, row := range t {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	fmt.Println()
	for _, row := range t {
		var line strings.Builder
		fmt.Fprintf(&line, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&line, "  %*s", widths[i+1], cell)
		}
		fmt.Println(strings.TrimRight(line.String(), " "))
	}
}

// number writes a figure with three digits that mean something.
func number(f float64) string {
	switch {
	case f == math.Trunc(f), f >= 1000:
		return fmt.Sprintf("%.0f", f)
	case f >= 100:
		return fmt.Sprintf("%.1f", f)
	case f >= 1:
		return fmt.Sprintf("%.2f", f)
	default:
		return fmt.Sprintf("%.3f", f)
	}
}

func round(f float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(f*scale) / scale
}
