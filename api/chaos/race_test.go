//go:build chaos

package chaos

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestT14AcknowledgeRaces answers incidents around the moment when the next person is due,
// through both replicas at once, and resolves some of them meanwhile. One after the other
// they are due, so that answers need not wait for each other and reach that moment.
func TestT14AcknowledgeRaces(t *testing.T) {
	begin(t, "T14")
	w := together(t, 2)
	o := w.newTenant("raced", step{60, []string{"first"}}, step{aDay, []string{"second"}})
	clock, random := w.clock(), w.random(1)
	const atOnce, apart, near = 100, 10 * time.Millisecond, 50 * time.Millisecond
	tries, conflicts, within, farthest := length(5_000, 100), 0, 0, time.Duration(0)
	for done := 0; done < tries; done += atOnce {
		var keys []string
		var posting sync.WaitGroup
		for n := range atOnce {
			key := o.alertKey(done + n)
			keys = append(keys, key)
			posting.Go(func() { w.insist(n, o, key, firing(key)) })
			time.Sleep(apart)
		}
		posting.Wait()
		w.awaitQuiet(patience)
		races := w.nextDue(keys)
		clock.SetNow(races[0].At.Add(-1200 * time.Millisecond)) // longer than a tick: the sweep foresees the step
		ahead := time.Until(clock.Now())
		var racing sync.WaitGroup
		var mu sync.Mutex
		for _, race := range races {
			for replica, verb := range []string{"acknowledge", []string{"acknowledge", "resolve"}[random.IntN(2)]} {
				when := race.At.Add(-ahead + time.Duration(random.IntN(100)-60)*time.Millisecond) // an answer takes some of them
				racing.Go(func() {
					time.Sleep(time.Until(when))
					caller := *o
					caller.url = w.nodes[replica].url
					status, text, err := caller.try("POST", "/v1/incidents/"+race.ID+"/"+verb, map[string]string{})
					switch {
					case err == nil && status == http.StatusOK:
						w.acks.add(acknowledgement{At: elapsed(), IncidentID: race.ID})
					case err == nil && status == http.StatusConflict: // resolved meanwhile
						mu.Lock()
						conflicts++
						mu.Unlock()
					default:
						t.Errorf("%s: %d %s %v", verb, status, text, err)
					}
				})
			}
		}
		racing.Wait()
		w.awaitQuiet(patience)
		answered := w.firstAnswers(keys)
		for _, race := range races {
			away := answered[race.ID].Sub(race.At).Abs()
			if farthest = max(farthest, away); away <= near {
				within++
			}
		}
	}
	v := w.check()
	if open := w.count(`SELECT count(*) FROM incident WHERE status = 'triggered'`); open > 0 {
		t.Errorf("%d answered incidents are still triggered", open)
	}
	second := w.told(o)["second"]
	measured(t, "T14", "incidents whose first answer lay within 50 ms of the next step", fmt.Sprintf("%d of %d", within, tries), "a tenth")
	measured(t, "T14", "the first answer farthest from it", farthest, "")
	measured(t, "T14", "pages more than 1 s after an accepted answer", v.afterAnswer, "0")
	measured(t, "T14", "answered just too late: told to the second person", second, "")
	measured(t, "T14", "answers to what was resolved meanwhile", conflicts, "409")
	measured(t, "T14", "messages sent again", v.extras, "0")
	if within*10 < tries { // how many depends on the machine; a busy one answers late
		t.Errorf("%d of %d incidents were answered within %s of their next step: the race was not tried", within, tries, near)
	}
}

// moment is when something about an incident is, by the database's clock.
type moment struct {
	ID string
	At time.Time
}

// nextDue gives when the incidents about alerts go on paging, the next one first.
func (w *world) nextDue(keys []string) []moment {
	w.t.Helper()
	list := rows(w, pgx.RowToStructByPos[moment], `
		SELECT id::text, paging_due_at FROM incident WHERE title = ANY($1) AND paging_status = 'active' AND cardinality(paging_passed) = 1 ORDER BY 2`, keys)
	if len(list) != len(keys) {
		w.t.Fatalf("%d of %d incidents wait for their next step", len(list), len(keys))
	}
	return list
}

// firstAnswers gives when each of them was answered first.
func (w *world) firstAnswers(keys []string) map[string]time.Time {
	w.t.Helper()
	moments := map[string]time.Time{}
	for _, answered := range rows(w, pgx.RowToStructByPos[moment], `
		SELECT id::text, least(acknowledged_at, resolved_at) FROM incident WHERE title = ANY($1)`, keys) {
		moments[answered.ID] = answered.At
	}
	return moments
}
