package main

import (
	"fmt"
	"slices"
	"strings"
)

// plot draws the report: alerts stored per second and the time of each read, against the
// number of incidents and against the number of services.
func (r growthReport) plot() string {
	byIncidents, byServices := r.pointsBy(16), r.pointsAt(10_000)
	incidents := func(p growthPoint) int { return p.Incidents }
	services := func(p growthPoint) int { return p.Services }
	panels := []panel{
		ratePanel("Alerts stored per second, CPU s per 1,000", "incidents in the database", byIncidents, incidents),
		readPanel("Time of a read, ms", "incidents in the database", byIncidents, incidents),
		ratePanel("Alerts stored per second, CPU s per 1,000", "services, with 10,000 incidents", byServices, services),
		readPanel("Time of a read, ms", "services, with 10,000 incidents", byServices, services),
	}
	drawing := drawing{width: 960, height: 640}
	for i, p := range panels {
		drawing.place(p, float64(24+i%2*400), float64(64+i/2*282), []float64{280, 340}[i%2], 210)
	}
	return drawing.svg("How Nightbell grows", r.inWords(), fmt.Sprintf("Medians of %d rounds on %d processors (%s), everything on one machine, %s; load average %s.",
		r.Rounds, r.Machine.Processors, r.Machine.Processor, r.Date.Format("2 January 2006"), r.loads()))
}

// loads are the least and the greatest load of the machine while it was measured.
func (r growthReport) loads() string {
	var all []float64
	for _, p := range r.Points {
		all = append(all, p.Load)
	}
	return fmt.Sprintf("%.1f to %.1f", slices.Min(all), slices.Max(all))
}

// pointsBy are the points with so many services, pointsAt those with so many incidents.
func (r growthReport) pointsBy(services int) []growthPoint {
	return slices.DeleteFunc(slices.Clone(r.Points), func(p growthPoint) bool { return p.Services != services })
}

func (r growthReport) pointsAt(incidents int) []growthPoint {
	points := slices.DeleteFunc(slices.Clone(r.Points), func(p growthPoint) bool { return p.Incidents != incidents || p.Services == 16 })
	slices.SortFunc(points, func(a, b growthPoint) int { return a.Services - b.Services })
	return points
}

func ratePanel(title, under string, points []growthPoint, x func(growthPoint) int) panel {
	line := series{name: "16 connections, each alert its own incident"}
	for _, p := range points {
		line.points = append(line.points, point{float64(x(p)), p.Rate.Median, number(round(p.CPU.Median, 2)) + " s"})
	}
	return panel{title: title, under: under, lines: []series{line}}
}

func readPanel(title, under string, points []growthPoint, x func(growthPoint) int) panel {
	p := panel{title: title, under: under, logarithmic: true}
	for i, one := range reads {
		line := series{name: one.name}
		for _, at := range points {
			line.points = append(line.points, point{x: float64(x(at)), y: at.Reads[i].P50.Median})
		}
		p.lines = append(p.lines, line)
	}
	return p
}

// inWords says what the plot shows to those who do not see it.
func (r growthReport) inWords() string {
	var text strings.Builder
	for _, p := range r.Points {
		fmt.Fprintf(&text, "With %s incidents and %s services: %s alerts per second, %s processor seconds for 1,000",
			thousands(float64(p.Incidents)), thousands(float64(p.Services)), thousands(p.Rate.Median), number(p.CPU.Median))
		for _, one := range p.Reads {
			fmt.Fprintf(&text, ", %s %s ms", one.Name, number(one.P50.Median))
		}
		text.WriteString(". ")
	}
	return strings.TrimSpace(text.String())
}
