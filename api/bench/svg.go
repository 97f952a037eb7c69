package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A small drawer of line plots: what a plotting library does not, it needs no library,
// follows the reader's light or dark scheme, and says its figures in words too.

type point struct {
	x, y float64
	note string // written below it
}

type series struct {
	name   string
	points []point
}

// panel is one plot. Its x is logarithmic, its y begins at 0 unless it is too.
type panel struct {
	title, under string
	logarithmic  bool
	lines        []series
}

// drawing collects panels.
type drawing struct {
	width, height int
	body          strings.Builder
}

// style has one colour for each line of a panel, told apart by marks and labels too.
const style = `
  .ground { fill: #ffffff } .ink { fill: #1c1917 } .faint { fill: #57534e } .grid { stroke: #d6d3d1 }
  text { font-family: system-ui, -apple-system, "Segoe UI", sans-serif; font-size: 12px; font-variant-numeric: tabular-nums }
  .title { font-size: 14px; font-weight: 600 } .head { font-size: 18px; font-weight: 600 }
  path { fill: none; stroke-width: 2 }
  .c0 { stroke: #b45309; fill: #b45309 } .c1 { stroke: #1d4ed8; fill: #1d4ed8 } .c2 { stroke: #0f766e; fill: #0f766e }
  .c3 { stroke: #be123c; fill: #be123c } .c4 { stroke: #6d28d9; fill: #6d28d9 } .c5 { stroke: #44403c; fill: #44403c }
  path.c0, path.c1, path.c2, path.c3, path.c4, path.c5 { fill: none } text.c0, text.c1, text.c2, text.c3, text.c4, text.c5 { stroke: none }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14110f } .ink { fill: #f5f5f4 } .faint { fill: #a8a29e } .grid { stroke: #3f3a36 }
    .c0 { stroke: #fbbf24; fill: #fbbf24 } .c1 { stroke: #93c5fd; fill: #93c5fd } .c2 { stroke: #5eead4; fill: #5eead4 }
    .c3 { stroke: #fda4af; fill: #fda4af } .c4 { stroke: #c4b5fd; fill: #c4b5fd } .c5 { stroke: #d6d3d1; fill: #d6d3d1 }
    path.c0, path.c1, path.c2, path.c3, path.c4, path.c5 { fill: none }
  }`

func (d *drawing) svg(title, description, note string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title description">
<title id="title">%s</title>
<desc id="description">%s</desc>
<style>%s
</style>
<rect class="ground" width="100%%" height="100%%" rx="8"/>
<text class="ink head" x="24" y="34">%[3]s</text>
%[6]s<text class="faint" x="24" y="%[7]d">%[8]s</text>
</svg>
`, d.width, d.height, html.EscapeString(title), html.EscapeString(description), style, d.body.String(), d.height-16, html.EscapeString(note))
}

// scale maps values to a length.
type scale struct {
	from, to    float64
	length      float64
	logarithmic bool
}

func (s scale) at(value float64) float64 {
	from, to := s.from, s.to
	if s.logarithmic {
		from, to, value = math.Log10(from), math.Log10(to), math.Log10(value)
	}
	return (value - from) / (to - from) * s.length
}

// place draws a panel with its upper left corner there. Labels stand to the right of the
// lines' ends.
func (d *drawing) place(p panel, left, top, width, height float64) {
	x, y := p.scales(width-50, height-50)
	left, top = left+50, top+24
	fmt.Fprintf(&d.body, "<text class=\"ink title\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", left-50, top-10, html.EscapeString(p.title))
	for _, tick := range p.ticks(y) {
		at := top + y.length - y.at(tick)
		fmt.Fprintf(&d.body, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1[3]f\"/><text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			left, left+x.length, at, left-8, at+4, thousands(round(tick, 3)))
	}
	for _, one := range p.lines[0].points {
		fmt.Fprintf(&d.body, "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", left+x.at(one.x), top+y.length+18, thousands(one.x))
	}
	fmt.Fprintf(&d.body, "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", left+x.length/2, top+y.length+36, html.EscapeString(p.under))
	labels := p.labelPlaces(y)
	for i, line := range p.lines {
		d.line(i, line, left, top, x, y)
		if len(p.lines) > 1 {
			last := line.points[len(line.points)-1]
			fmt.Fprintf(&d.body, "<text class=\"c%d\" x=\"%.1f\" y=\"%.1f\">%s: %s</text>\n", i, left+x.length+10, top+labels[i]+4, html.EscapeString(line.name), number(last.y))
		}
	}
}

func (d *drawing) line(i int, line series, left, top float64, x, y scale) {
	var path strings.Builder
	for n, one := range line.points {
		fmt.Fprintf(&path, "%s%.1f %.1f", []string{"L", "M"}[btoi(n == 0)], left+x.at(one.x), top+y.length-y.at(one.y))
	}
	fmt.Fprintf(&d.body, "<path class=\"c%d\" d=\"%s\"/>\n", i, path.String())
	for _, one := range line.points {
		px, py := left+x.at(one.x), top+y.length-y.at(one.y)
		fmt.Fprintf(&d.body, "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>%s: %s</title></circle>\n", i, px, py, html.EscapeString(line.name), number(one.y))
		if y.logarithmic {
			continue
		}
		fmt.Fprintf(&d.body, "<text class=\"ink\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", px, py-10, thousands(one.y))
		fmt.Fprintf(&d.body, "<text class=\"faint\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", px, py+20, html.EscapeString(one.note))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scales fit the panel's points.
func (p panel) scales(width, height float64) (x, y scale) {
	x = scale{from: math.Inf(1), to: math.Inf(-1), length: width, logarithmic: true}
	y = scale{length: height, logarithmic: p.logarithmic}
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, line := range p.lines {
		for _, one := range line.points {
			x.from, x.to = min(x.from, one.x), max(x.to, one.x)
			lowest, highest = min(lowest, one.y), max(highest, one.y)
		}
	}
	if p.logarithmic {
		y.from, y.to = math.Pow(10, math.Floor(math.Log10(lowest))), math.Pow(10, math.Ceil(math.Log10(highest)))
	} else {
		y.to = math.Ceil(highest*1.2/500) * 500
	}
	return x, y
}

func (p panel) ticks(y scale) (ticks []float64) {
	if p.logarithmic {
		for tick := y.from; tick <= y.to*1.01; tick *= 10 {
			ticks = append(ticks, tick)
		}
		return ticks
	}
	return []float64{0, y.to / 2, y.to}
}

// labelPlaces are the heights of the labels, from the top: beside the ends of their
// lines, but apart from each other.
func (p panel) labelPlaces(y scale) []float64 {
	const apart = 17
	places, order := make([]float64, len(p.lines)), make([]int, len(p.lines))
	for i, line := range p.lines {
		places[i], order[i] = y.length-y.at(line.points[len(line.points)-1].y), i
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, places[a]-places[b])) })
	for n := range order[1:] {
		places[order[n+1]] = max(places[order[n+1]], places[order[n]]+apart)
	}
	lowest := y.length
	for _, i := range slices.Backward(order) { // and not below the axis
		places[i] = min(places[i], lowest)
		lowest = places[i] - apart
	}
	return places
}

// thousands writes a whole number with separators, a fraction as it is.
func thousands(f float64) string {
	if f != math.Trunc(f) && f < 10 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	digits := fmt.Sprintf("%.0f", f)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
