package analytics

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// Make computes the report of a period and the one before, with days and hours of a zone. Incidents
// outside both are left out with their pages.
func Make(facts Facts, period Period, zone *time.Location) Report {
	f := &fold{
		facts: facts, zone: zone, incidents: make([]counted, len(facts.Incidents)),
		services: map[uuid.UUID]*Group{}, teams: map[uuid.UUID]*Group{}, people: map[uuid.UUID]*person{}, noise: map[subject]*noise{},
	}
	for n, period := range []Period{period, period.Before()} {
		f.report.Periods[n] = PeriodFigures{Period: period, Days: daysOf(period, zone)}
	}
	for n, severity := range Severities {
		f.report.Severities[n].Name = string(severity)
	}
	for n := range facts.Incidents {
		f.addIncident(n)
	}
	for _, page := range facts.Pages {
		f.addPage(page)
	}
	f.addSleep()
	return f.finish()
}

// fold is the report while it is made.
type fold struct {
	facts    Facts
	zone     *time.Location
	report   Report
	services map[uuid.UUID]*Group
	teams    map[uuid.UUID]*Group
	people   map[uuid.UUID]*person
	noise    map[subject]*noise
	awake    []awake
	// incidents are those of the facts, in their order; of others than the two periods, Incident is nil.
	incidents []counted
}

// counted is an incident with all figures to which its pages add, besides its person's.
type counted struct {
	*Incident

	period int
	by     *noise // nil where it was declared
	in     [5]*Figures
}

// person is somebody's load while it is added up.
type person struct {
	PersonLoad

	order     int
	in        *time.Location
	incidents set
	nights    [2]map[Day]*Night
	weekends  [2]map[Day]struct{}
}

// subject is what an incident is about: the same as another of its service with the same key.
type subject struct {
	service uuid.UUID
	key     string
}

type noise struct {
	Noise

	order int
}

// awake is the time that a page kept a person from sleep.
type awake struct {
	who         *person
	by          *noise // nil where the incident was declared
	period      int
	night       Day
	from, until int64 // microseconds since 1970
}

// daysOf are the days of a period, the first and the last perhaps in part.
func daysOf(period Period, zone *time.Location) []DayFigures {
	first, last := ClockIn(zone, period.Since).Day, ClockIn(zone, period.Until).Day
	days := make([]DayFigures, last-first+1)
	for n := range days {
		days[n].Day = first + Day(n)
	}
	return days
}

// periodOf is the index of the period in which an incident was triggered; ok is false for neither.
func (f *fold) periodOf(about *Incident) (n int, ok bool) {
	for n := range f.report.Periods {
		if p := f.report.Periods[n].Period; about.Triggered.After(p.Since) && !about.Triggered.After(p.Until) {
			return n, true
		}
	}
	return 0, false
}

func rank(severity alert.Severity) int { return max(0, slices.Index(Severities[:], severity)) }

func group(groups map[uuid.UUID]*Group, id uuid.UUID, name string) *Group {
	g := groups[id]
	if g == nil {
		g = &Group{ID: id, Name: name}
		groups[id] = g
	}
	return g
}

// addIncident counts an incident wherever it belongs, and remembers where for its pages.
func (f *fold) addIncident(place int) {
	about := &f.facts.Incidents[place]
	n, ok := f.periodOf(about)
	if !ok {
		return
	}
	period, service := &f.report.Periods[n], f.facts.Services[about.Service]
	day := &period.Days[ClockIn(f.zone, about.Triggered).Day-period.Days[0].Day]
	day.BySeverity[rank(about.Severity)]++
	one := counted{Incident: about, period: n, by: f.noiseOf(about), in: [5]*Figures{
		&period.Total, &day.Figures, &f.report.Severities[rank(about.Severity)].Figures[n],
		&group(f.services, about.Service, service.Name).Figures[n],
		&group(f.teams, service.Team, f.facts.Teams[service.Team]).Figures[n],
	}}
	for _, figures := range one.in {
		figures.Add(about.Triggered, about.Acknowledged, about.Resolved)
	}
	f.incidents[place] = one
	if who := f.personOf(about.AcknowledgedBy); who != nil && !about.Acknowledged.IsZero() {
		who.Loads[n].Acknowledged.Add(about.Triggered, about.Acknowledged, about.Resolved)
	}
	if one.by != nil && n == 0 {
		one.by.add(about)
	}
}

func (by *noise) add(about *Incident) {
	by.Incidents++
	if about.Acknowledged.IsZero() && !about.Resolved.IsZero() {
		by.Unanswered++
	}
	if about.Triggered.After(by.Newest.Triggered) {
		by.Newest = *about
	}
}

func (f *fold) noiseOf(about *Incident) *noise {
	if about.Key == "" {
		return nil
	}
	key := subject{about.Service, about.Key}
	by := f.noise[key]
	if by == nil {
		by = &noise{Noise{Newest: *about, ServiceName: f.facts.Services[about.Service].Name}, len(f.noise) + 1}
		f.noise[key] = by
	}
	return by
}

// personOf is nil for whoever has left.
func (f *fold) personOf(id uuid.UUID) *person {
	who, known := f.people[id]
	if !known {
		if found, here := f.facts.People[id]; here {
			who = &person{
				PersonLoad: PersonLoad{ID: id, Name: found.Name, Zone: found.Zone.String()}, order: len(f.people), in: found.Zone,
				incidents: newSet(len(f.facts.Incidents)),
				nights:    [2]map[Day]*Night{{}, {}}, weekends: [2]map[Day]struct{}{{}, {}},
			}
		}
		f.people[id] = who
	}
	return who
}

func (f *fold) addPage(page Page) {
	about := &f.incidents[page.Incident]
	if about.Incident == nil {
		return
	}
	for _, figures := range about.in {
		figures.Pages++
	}
	if about.by != nil {
		about.by.Pages[about.period]++
	}
	if about.period == 0 {
		heard := ClockIn(f.zone, page.Sent)
		f.report.Hours[heard.Day.Weekday()-1][heard.Hour]++
	}
	if who := f.personOf(page.Person); who != nil {
		f.addTo(who, about, page)
	}
}

// addTo adds a page to what its person had.
func (f *fold) addTo(who *person, about *counted, page Page) {
	n := about.period
	load := &who.Loads[n]
	load.Pages++
	if who.incidents.add(page.Incident) {
		load.Incidents++
	}
	heard := ClockIn(who.in, page.Sent)
	if saturday, ok := heard.Weekend(); ok {
		load.WeekendPages++
		who.weekends[n][saturday] = struct{}{}
	}
	began, ok := heard.Night()
	if !ok {
		return
	}
	load.NightPages++
	if about.by != nil && n == 0 {
		about.by.NightPages++
	}
	night := who.nights[n][began]
	if night == nil {
		night = &Night{Began: began}
		who.nights[n][began] = night
	}
	night.Pages++
	until := awakeUntil(page.Sent, morning(who.in, began), about.AcknowledgedBy == page.Person, about.Acknowledged, about.Ended)
	f.awake = append(f.awake, awake{who, about.by, n, began, page.Sent.UnixMicro(), until.UnixMicro()})
}

// addSleep adds up the time that people were awake. Several pages of the same time kept a person
// awake once; each alert is told of all that it took.
func (f *fold) addSleep() {
	slices.SortFunc(f.awake, func(a, b awake) int {
		return cmp.Or(cmp.Compare(a.who.order, b.who.order), cmp.Compare(a.period, b.period), cmp.Compare(a.from, b.from))
	})
	for part := range chunks(f.awake, func(a, b *awake) bool { return a.who == b.who && a.period == b.period }) {
		merge(part, func(of *awake, time time.Duration) { of.who.nights[of.period][of.night].Sleep += time })
	}
	byNoise := slices.DeleteFunc(f.awake, func(one awake) bool { return one.by == nil || one.period != 0 })
	slices.SortFunc(byNoise, func(a, b awake) int {
		return cmp.Or(cmp.Compare(a.by.order, b.by.order), cmp.Compare(a.who.order, b.who.order), cmp.Compare(a.from, b.from))
	})
	for part := range chunks(byNoise, func(a, b *awake) bool { return a.by == b.by && a.who == b.who }) {
		merge(part, func(of *awake, time time.Duration) { of.by.Sleep += time })
	}
}

// chunks are the runs of a list whose neighbours belong together.
func chunks[T any](list []T, together func(a, b *T) bool) func(func([]T) bool) {
	return func(yield func([]T) bool) {
		for first, n := 0, 1; n <= len(list); n++ {
			if n < len(list) && together(&list[n-1], &list[n]) {
				continue
			}
			if !yield(list[first:n]) {
				return
			}
			first = n
		}
	}
}

// merge gives each time of a list, which is in order, what no time before it has covered.
func merge(times []awake, give func(of *awake, time time.Duration)) {
	var covered int64
	for n := range times {
		one := &times[n]
		if from := max(one.from, covered); one.until > from {
			give(one, time.Duration(one.until-from)*time.Microsecond)
			covered = one.until
		}
	}
}

func (f *fold) finish() Report {
	f.report.Services = sorted(f.services)
	f.report.Teams = sorted(f.teams)
	for _, who := range f.people {
		if who == nil {
			continue
		}
		for n := range who.Loads {
			load, period := &who.Loads[n], &f.report.Periods[n]
			load.Weekends = len(who.weekends[n])
			for _, began := range slices.Sorted(maps.Keys(who.nights[n])) {
				night := *who.nights[n][began]
				load.Nights = append(load.Nights, night)
				load.Sleep += night.Sleep
			}
			period.Nights += len(load.Nights)
			period.Sleep += load.Sleep
		}
		f.report.People = append(f.report.People, who.PersonLoad)
	}
	slices.SortFunc(f.report.People, func(a, b PersonLoad) int {
		x, y := &a.Loads[0], &b.Loads[0]
		return cmp.Or(cmp.Compare(len(y.Nights), len(x.Nights)), cmp.Compare(y.Sleep, x.Sleep), cmp.Compare(y.Pages, x.Pages),
			strings.Compare(a.Name, b.Name), bytes.Compare(a.ID[:], b.ID[:]))
	})
	for _, by := range f.noise {
		if by.Pages[0] > 0 {
			f.report.Noise = append(f.report.Noise, by.Noise)
		}
	}
	slices.SortFunc(f.report.Noise, func(a, b Noise) int {
		return cmp.Or(cmp.Compare(b.Pages[0], a.Pages[0]), cmp.Compare(b.Sleep, a.Sleep), cmp.Compare(b.Incidents, a.Incidents),
			strings.Compare(a.Newest.Title, b.Newest.Title), bytes.Compare(a.Newest.ID[:], b.Newest.ID[:]))
	})
	return f.report
}

// sorted puts those with the most incidents first.
func sorted(groups map[uuid.UUID]*Group) []Group {
	list := make([]Group, 0, len(groups))
	for _, g := range groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Figures[0].Triggered, a.Figures[0].Triggered), cmp.Compare(b.Figures[1].Triggered, a.Figures[1].Triggered),
			strings.Compare(a.Name, b.Name), bytes.Compare(a.ID[:], b.ID[:]))
	})
	return list
}

// set is a set of places, a bit for each.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

// add reports whether the place was not there yet.
func (s set) add(place int) bool {
	word, bit := &s[place/64], uint64(1)<<(place%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
