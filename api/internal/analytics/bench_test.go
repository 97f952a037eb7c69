package analytics

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
)

// BenchmarkMake is 100,000 incidents with 300,000 pages to 20 people.
func BenchmarkMake(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	until := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	facts := Facts{People: map[uuid.UUID]Person{}, Services: map[uuid.UUID]Service{}}
	var people, services []uuid.UUID
	for range 20 {
		person, service := uuid.New(), uuid.New()
		people, services = append(people, person), append(services, service)
		facts.People[person], facts.Services[service] = Person{"Somebody", time.UTC}, Service{Name: "Service"}
	}
	for n := range 100_000 {
		began := until.Add(-time.Duration(random.Int64N(int64(80 * 24 * time.Hour))))
		facts.Incidents = append(facts.Incidents, Incident{
			ID: uuid.New(), Service: services[n%20], Severity: alert.High, Key: "alert:" + strconv.Itoa(n%500), Title: "Alert",
			Triggered: began, Acknowledged: began.Add(time.Minute), Resolved: began.Add(time.Hour), Ended: began.Add(time.Hour), AcknowledgedBy: people[n%20],
		})
		for range 3 {
			facts.Pages = append(facts.Pages, Page{n, people[random.IntN(20)], began.Add(time.Second)})
		}
	}
	random.Shuffle(len(facts.Pages), func(i, j int) { facts.Pages[i], facts.Pages[j] = facts.Pages[j], facts.Pages[i] })
	period := Period{until.AddDate(0, 0, -40), until}
	for b.Loop() {
		Make(facts, period, time.UTC)
	}
}
