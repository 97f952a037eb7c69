package catalog

import (
	"cmp"
	"slices"
	"time"
)

// Limits of samples.
const (
	// SamplesKept is how long samples are kept.
	SamplesKept = 30 * 24 * time.Hour
	// MostSamplePoints is how many points one call brings.
	MostSamplePoints = 1000
	// SampleNamesOfService bounds what one service piles up.
	SampleNamesOfService = 20
	// SampleNamesOfOrg bounds what all services of an organization do.
	SampleNamesOfOrg = 1000
	// samplesLate is how old a point may be, samplesAhead how far a sender's clock may be ahead.
	samplesLate, samplesAhead = 7 * 24 * time.Hour, 5 * time.Minute
)

// Point is one reading.
type Point struct {
	At    time.Time
	Value float64
}

// Minute is what is kept of the readings of a minute; Last is the one of LastAt.
type Minute struct {
	At                  time.Time
	Count               int32
	Sum, Min, Max, Last float64
	LastAt              time.Time
}

// Timely gives the first point that is too old or too far ahead to be stored at now; -1 for none.
func Timely(points []Point, now time.Time) int {
	return slices.IndexFunc(points, func(p Point) bool {
		return p.At.Before(now.Add(-samplesLate)) || p.At.After(now.Add(samplesAhead))
	})
}

// PerMinute adds points up by the minute, in the order of time.
func PerMinute(points []Point) (minutes []Minute) {
	sorted := slices.SortedStableFunc(slices.Values(points), func(a, b Point) int { return cmp.Compare(a.At.UnixMicro(), b.At.UnixMicro()) })
	for _, p := range sorted {
		at := p.At.UTC().Truncate(time.Minute)
		if n := len(minutes); n == 0 || !minutes[n-1].At.Equal(at) {
			minutes = append(minutes, Minute{At: at, Min: p.Value, Max: p.Value})
		}
		m := &minutes[len(minutes)-1]
		m.Count++
		m.Sum += p.Value
		m.Min, m.Max = min(m.Min, p.Value), max(m.Max, p.Value)
		m.Last, m.LastAt = p.Value, p.At.UTC()
	}
	return minutes
}
