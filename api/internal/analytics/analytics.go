// Package analytics computes what Analytics shows: how soon people answered, what woke them, and what
// it was about. It is pure: rows in, figures out.
//
// Entry file: report.go, which goes through the incidents and their pages once. night.go says what a
// night, a weekend and lost sleep are; how soon is incident.Figures, as on the dashboard.
// Neighbours: analyticsdb reads the rows, analyticsrpc answers the call.
package analytics

import (
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/incident"
)

// MaxDays is how long a period may be: a year, and what somebody adds to see the same month again.
const MaxDays = 400

// Incident is what the figures need of one.
type Incident struct {
	ID       uuid.UUID
	Service  uuid.UUID // Nil for none
	Severity alert.Severity
	Key      string // what it is about; empty when a person or a program declared it
	Title    string

	Triggered, Acknowledged, Resolved time.Time // zero for never
	// Ended is when it was resolved, or merged into another: nobody is kept awake for it any more.
	Ended time.Time

	AcknowledgedBy uuid.UUID // Nil for nobody who is still here
}

// Page is one message that was sent to a person about an incident.
type Page struct {
	Incident int // its place among the facts
	Person   uuid.UUID
	Sent     time.Time
}

// Person is somebody of the organization.
type Person struct {
	Name string
	Zone *time.Location
}

// Service is one of the catalog, also when it was deleted since.
type Service struct {
	Name string
	Team uuid.UUID // Nil for none
}

// Facts are the rows of both periods.
type Facts struct {
	Incidents []Incident
	Pages     []Page
	People    map[uuid.UUID]Person
	Services  map[uuid.UUID]Service
	Teams     map[uuid.UUID]string
}

// Period is what lies after Since and until Until.
type Period struct{ Since, Until time.Time }

// Before is as long a period before it.
func (p Period) Before() Period { return Period{p.Since.Add(-p.Until.Sub(p.Since)), p.Since} }

// Figures are those of incidents, and of the pages they sent to people.
type Figures struct {
	incident.Figures

	Pages int
}

// Group is a service, a team or a severity. Of its figures the first are of the period, the second of
// the one before.
type Group struct {
	ID      uuid.UUID
	Name    string
	Figures [2]Figures
}

// DayFigures are those of one day; BySeverity is in the order of Severities.
type DayFigures struct {
	Day        Day
	Figures    Figures
	BySeverity [4]int
}

// Severities are those of incidents, the worst first.
var Severities = [4]alert.Severity{alert.Critical, alert.High, alert.Medium, alert.Low}

// PeriodFigures are those of a period and of each of its days.
type PeriodFigures struct {
	Period Period
	Total  Figures
	// Nights on which somebody was paged, and their Sleep, are added up over people.
	Nights int
	Sleep  time.Duration
	Days   []DayFigures
}

// Night is one on which a person was paged.
type Night struct {
	Began Day
	Pages int
	Sleep time.Duration
}

// Load is what a person had of a period.
type Load struct {
	Pages, Incidents int
	// Acknowledged are the incidents that the person acknowledged first.
	Acknowledged incident.Figures
	Nights       []Night
	NightPages   int
	Sleep        time.Duration
	Weekends     int
	WeekendPages int
}

// PersonLoad is what a person had of the period and of the one before.
type PersonLoad struct {
	ID    uuid.UUID
	Zone  string
	Name  string
	Loads [2]Load
}

// Noise is what incidents about one thing cost: an alert, or a group of them.
type Noise struct {
	Newest      Incident
	ServiceName string
	Incidents   int
	// Unanswered ended before anybody acknowledged.
	Unanswered int
	// Pages of the period and of the one before.
	Pages      [2]int
	NightPages int
	// Sleep that two of them took together counts for both.
	Sleep time.Duration
}

// Report is all that is shown.
type Report struct {
	Periods    [2]PeriodFigures
	Severities [4]Group
	Services   []Group
	Teams      []Group
	People     []PersonLoad
	// Hours count the pages of the period by weekday, from Monday, and hour.
	Hours [7][24]int
	// Noise is what paged in the period, the most pages first.
	Noise []Noise
}
