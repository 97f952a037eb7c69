package analytics

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// story is a week of two people and two services.
type story struct {
	Facts

	period       Period
	ada, bo      uuid.UUID
	shop, search uuid.UUID
	team         uuid.UUID
}

func newStory() *story {
	s := &story{ada: uuid.New(), bo: uuid.New(), shop: uuid.New(), search: uuid.New(), team: uuid.New()}
	until := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	s.period = Period{until.AddDate(0, 0, -7), until}
	s.People = map[uuid.UUID]Person{s.ada: {"Ada", time.UTC}, s.bo: {"Bo", time.UTC}}
	s.Services = map[uuid.UUID]Service{s.shop: {Name: "Shop", Team: s.team}, s.search: {Name: "Search"}}
	s.Teams = map[uuid.UUID]string{s.team: "Core"}
	return s
}

// add makes an incident that began so long before the end of the period; acked and resolved are after
// it began, 0 for never.
func (s *story) add(service uuid.UUID, key string, ago, acked, resolved time.Duration, by uuid.UUID) *Incident {
	i := Incident{
		ID: uuid.New(), Service: service, Severity: alert.High, Key: key, Title: key,
		Triggered: s.period.Until.Add(-ago), AcknowledgedBy: by,
	}
	if acked > 0 {
		i.Acknowledged = i.Triggered.Add(acked)
	}
	if resolved > 0 {
		i.Resolved = i.Triggered.Add(resolved)
		i.Ended = i.Resolved
	}
	s.Incidents = append(s.Incidents, i)
	return &s.Incidents[len(s.Incidents)-1]
}

func (s *story) page(about int, who uuid.UUID, after time.Duration) {
	i := s.Incidents[about-1]
	s.Pages = append(s.Pages, Page{Incident: about - 1, Person: who, Sent: i.Triggered.Add(after)})
}

func (s *story) made() Report { return Make(s.Facts, s.period, time.UTC) }

func TestAnEmptyPeriodHasItsDaysAndNothingElse(t *testing.T) {
	t.Parallel()
	r := newStory().made()
	if len(r.Periods[0].Days) != 8 || r.Periods[0].Total.Triggered != 0 || len(r.Services)+len(r.Teams)+len(r.People)+len(r.Noise) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestIncidentsBelongToThePeriodInWhichTheyWereTriggered(t *testing.T) {
	t.Parallel()
	s := newStory()
	const week = 7 * 24 * time.Hour
	s.add(s.shop, "a", 0, 0, 0, uuid.Nil)                           // at the last moment
	s.add(s.shop, "a", week, 0, 0, uuid.Nil)                        // at the last moment of the week before
	s.add(s.shop, "a", 2*week, 0, 0, uuid.Nil)                      // before both
	s.add(s.search, "b", week-time.Microsecond, 0, 0, uuid.Nil)     // at the first moment
	s.add(s.shop, "a", week+time.Hour, time.Minute, 0, s.ada)       // the week before
	s.page(5, s.ada, week)                                          // its page comes later, and belongs to it
	s.page(3, s.ada, 0)                                             // of an incident of neither
	s.add(uuid.Nil, "", time.Hour, 0, 2*time.Hour, uuid.Nil)        // declared, without a service
	s.add(uuid.New(), "c", time.Hour, 0, 2*time.Hour, uuid.UUID{1}) // of a service that is gone
	r := s.made()
	if now, before := r.Periods[0].Total, r.Periods[1].Total; now.Triggered != 4 || before.Triggered != 2 || before.Pages != 1 || now.Pages != 0 {
		t.Errorf("now %+v, before %+v", now, before)
	}
	var services []string
	for _, g := range r.Services {
		services = append(services, fmt.Sprint(g.Name, g.Figures[0].Triggered, g.Figures[1].Triggered))
	}
	if got := fmt.Sprint(services); got != "[Shop1 2 1 0 1 0 Search1 0]" {
		t.Errorf("services %s", got)
	}
	if r.Severities[1].Name != "high" || r.Severities[1].Figures[0].Triggered != 4 {
		t.Errorf("severities %+v", r.Severities)
	}
	sum := 0
	for _, day := range r.Periods[0].Days {
		sum += day.Figures.Triggered
		if day.BySeverity[1] != day.Figures.Triggered {
			t.Errorf("%s: %+v", day.Day, day)
		}
	}
	if first, last := r.Periods[0].Days[0], r.Periods[0].Days[7]; sum != 4 || first.Day.String() != "2026-11-18" || first.Figures.Triggered != 1 || last.Figures.Triggered != 3 {
		t.Errorf("days %+v", r.Periods[0].Days)
	}
}

// The end of the period is a Wednesday at noon; 9 hours before it is 03:00.
func TestPagesOfANightAreOneDisturbedNight(t *testing.T) {
	t.Parallel()
	s := newStory()
	s.add(s.shop, "queue", 9*time.Hour, 5*time.Minute, time.Hour, s.ada)        // 03:00, over at 04:00
	s.add(s.shop, "disk", 9*time.Hour-10*time.Minute, 0, time.Minute, uuid.Nil) // 03:10, gone at 03:11
	s.page(1, s.ada, 0)
	s.page(1, s.ada, 2*time.Minute)
	s.page(1, s.bo, 4*time.Minute)
	s.page(2, s.ada, 0)
	s.add(s.shop, "queue", 4*24*time.Hour, 0, 0, uuid.Nil) // Saturday at noon
	s.page(3, s.bo, 0)
	s.page(3, uuid.New(), 0) // somebody who has left
	r := s.made()
	if len(r.People) != 2 || r.People[0].Name != "Ada" {
		t.Fatalf("people %+v", r.People)
	}
	ada, bo := r.People[0].Loads[0], r.People[1].Loads[0]
	if ada.Pages != 3 || ada.Incidents != 2 || ada.NightPages != 3 || len(ada.Nights) != 1 || ada.Nights[0].Began.String() != "2026-11-24" || ada.Sleep != 90*time.Minute {
		t.Errorf("Ada %+v", ada)
	}
	if *ada.Acknowledged.MTTA() != 300 || bo.Acknowledged.MTTA() != nil {
		t.Errorf("Ada answers in %v, Bo in %v", ada.Acknowledged.MTTA(), bo.Acknowledged.MTTA())
	}
	if bo.Pages != 2 || bo.NightPages != 1 || bo.Sleep != 30*time.Minute || bo.Weekends != 1 || bo.WeekendPages != 1 {
		t.Errorf("Bo %+v", bo)
	}
	if p := r.Periods[0]; p.Nights != 2 || p.Sleep != 2*time.Hour || p.Total.Pages != 6 {
		t.Errorf("period %+v", p)
	}
	if r.Hours[2][3] != 4 || r.Hours[5][12] != 2 {
		t.Errorf("hours %v", r.Hours)
	}
	queue, disk := r.Noise[0], r.Noise[1]
	if queue.Newest.ID != s.Incidents[0].ID || queue.Incidents != 2 || queue.Pages[0] != 5 || queue.NightPages != 3 || queue.Sleep != 2*time.Hour || queue.Unanswered != 0 {
		t.Errorf("queue %+v", queue)
	}
	if disk.Pages[0] != 1 || disk.Sleep != 30*time.Minute || disk.Unanswered != 1 || disk.ServiceName != "Shop" {
		t.Errorf("disk %+v", disk)
	}
}

func TestOverlappingTimesAreLostOnce(t *testing.T) {
	t.Parallel()
	at := func(minute int64) int64 { return minute * 60_000_000 }
	var given []time.Duration
	merge([]awake{{from: at(0), until: at(30)}, {from: at(10), until: at(20)}, {from: at(20), until: at(50)}, {from: at(60), until: at(61)}},
		func(_ *awake, time time.Duration) { given = append(given, time) })
	if fmt.Sprint(given) != "[30m0s 20m0s 1m0s]" {
		t.Errorf("given %v", given)
	}
}
