package alert

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// told is one event of a host: when it truly happened, was sent and was stored, in seconds. Off is how far the host's
// clock is behind ours.
type told struct {
	status                Status
	happened, sent, heard float64
	off                   float64
	silent                bool // about the time on its clock
}

func seconds(s float64) time.Time { return at(0).Add(time.Duration(s * float64(time.Second))) }

// tell stores it as intake does.
func (w *world) tell(e told) {
	action := Trigger
	if e.status == Resolved {
		action = Resolve
	}
	r := Received{Key: "a", Status: e.status, StartsAt: seconds(e.happened - e.off), Count: 1, Event: &Event{Action: action}}
	if !e.silent {
		r.SentAt = seconds(e.sent - e.off)
	}
	w.receive(r.ByOurClock(seconds(e.heard), 0), seconds(e.heard))
}

// TestAWrongClockLosesNoPage: a request is on its way for seconds, and what its host sent later by another lane is here
// before it.
func TestAWrongClockLosesNoPage(t *testing.T) {
	t.Parallel()
	firing := func(happened, sent, heard, off float64) told {
		return told{Firing, happened, sent, heard, off, false}
	}
	resolved := func(happened, sent, heard, off float64) told {
		return told{Resolved, happened, sent, heard, off, false}
	}
	for _, test := range []struct {
		name  string
		tells []told
		want  string
	}{
		{"a resolve that was slow", []told{firing(-60, -60, -59, 600), firing(1, 1, 1.05, 600), resolved(0, 0, 3, 600)}, "1 incidents, open true"},
		{"a trigger after the answer to a slow resolve", []told{firing(-60, -60, -59, 600), resolved(0, 0, 3, 600), firing(1, 3.1, 3.2, 600)}, "2 incidents, open true"},
		{"a slow resolve of a clock that is ahead", []told{firing(-60, -60, -59, -100), firing(1, 1, 1.05, -100), resolved(0, 0, 3, -100)}, "1 incidents, open true"},
		{"a resolve that is corrected, and a trigger that is not", []told{firing(-60, -60, -59, 119.8), resolved(0, 0, 0.4, 119.8), firing(60, 60, 60.1, 119.8)}, "2 incidents, open true"},
		{"a trigger that is corrected, and a resolve that is not", []told{firing(0, 0, 0.4, 119.8), resolved(60, 60, 60.1, 119.8)}, "1 incidents, open false"},
		{"a trigger of another host that is behind", []told{firing(-60, -60, -59, 0), resolved(0, 0, 0.1, 0), firing(50, 50, 50.1, 100)}, "2 incidents, open true"},
		{"and its end", []told{firing(-60, -60, -59, 0), resolved(0, 0, 0.1, 0), firing(50, 50, 50.1, 100), resolved(55, 55, 55.1, 100)}, "2 incidents, open false"},
		{"a late end by another host", []told{firing(-60, -60, -59, 0), resolved(0, 0, 0.1, 0), firing(50, 50, 50.1, 100), resolved(30, 52, 52, 0)}, "2 incidents, open true"},
		{"a late end by another host, after an end long ago", []told{firing(-600, -600, -599, 0), resolved(-500, -500, -499.9, 0), firing(50, 50, 50.1, 100), resolved(30, 52, 52, 0)}, "2 incidents, open true"},
		{"a late end by another host, of what was never heard of before", []told{firing(50, 50, 50.1, 100), resolved(30, 52, 52, 0)}, "1 incidents, open true"},
		{"a late end by another host that is ahead", []told{firing(-10, -10, -9.9, 0), resolved(-30, 0, 0.1, -60)}, "1 incidents, open true"},
		{"an end by another host that is ahead", []told{firing(-10, -10, -9.9, 0), resolved(-5, -5, -4.9, -60)}, "1 incidents, open false"},
		{"the same trigger of a clock that is behind, twice", []told{firing(0, 0, 0.1, 100), resolved(10, 10, 10.1, 0), firing(0, 12, 12.1, 100)}, "1 incidents, open false"},
		{"an end by another host, of two that are behind", []told{firing(0, 0, 0.1, 60), resolved(20, 20, 20.1, 30)}, "1 incidents, open false"},
		{"an end, after a trigger whose way was stalled", []told{firing(0, 0, 60, 0), resolved(40, 40, 62, 0)}, "1 incidents, open false"},
		{"a trigger of a host a little behind, after one of a host far behind", []told{firing(0, 0, 0.1, 60), resolved(5, 5, 5.1, 60), firing(8, 8, 8.1, 12)}, "2 incidents, open true"},
		{"two hosts that are wrong by about the same", []told{firing(-60, -60, -59, 600), resolved(0, 0, 0.1, 600), firing(1, 1, 1.1, 609)}, "2 incidents, open true"},
		{"two hosts that are wrong by about the same, with a late end", []told{firing(1, 1, 1.1, 609), resolved(0, 2, 2.05, 600)}, "1 incidents, open true"},
		{"a trigger of before the end, by a clock that is right", []told{resolved(0, 0, 0.1, 0), firing(-1, 2, 5, 0)}, "0 incidents, open false"},
		{"a trigger of before the end, by a clock that is a little behind", []told{resolved(0, 0, 0.1, 9), firing(-1, 2, 5, 9)}, "0 incidents, open false"},
		{"what happens tomorrow ends today", []told{firing(86400, 0, 0.1, 0), resolved(60, 60, 60.1, 0)}, "1 incidents, open false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var w world
			for _, e := range test.tells {
				w.tell(e)
			}
			if got := fmt.Sprintf("%d incidents, open %v", w.opened, w.open()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestWhatFiresAfterTheLastResolveStaysOpen, whatever the host's clock shows, however its requests overtake each other;
// and where none does, the last of them counts.
func TestWhatFiresAfterTheLastResolveStaysOpen(t *testing.T) {
	t.Parallel()
	random := randomCases(t)
	for range 50_000 {
		off := []float64{0, 100, 600, -600, 120, -120, 120, -120, 1.7e9, 3e5 * (random.Float64() - 0.5)}[random.IntN(10)]
		off += 24 * (random.Float64() - 0.5)
		ordered := random.IntN(3) == 0
		tells := randomLanes(random, off, ordered)
		var w world
		var log []string
		for _, e := range tells {
			w.tell(e)
			log = append(log, fmt.Sprintf("%+v: %v", e, &w))
		}
		last := slices.MaxFunc(tells, func(a, b told) int { return cmp.Compare(a.happened, b.happened) })
		if last.status == Firing && !w.open() || ordered && w.open() != (last.status == Firing) {
			t.Fatalf("a clock that is %f s behind, in order %v, open %v:\n%s", off, ordered, w.open(), strings.Join(log, "\n"))
		}
	}
}

// randomLanes is what one host tells, as it is heard.
func randomLanes(random *rand.Rand, off float64, ordered bool) (tells []told) {
	happened, heard := 0.0, 0.0
	for range 2 + random.IntN(8) {
		happened += 0.002 + []float64{0.1, 3, 60, 300}[random.IntN(4)]*random.Float64()
		if ordered {
			happened = max(happened, heard+0.002)
		}
		e := told{[]Status{Firing, Resolved}[random.IntN(2)], happened, happened, 0, off, false}
		if !ordered && random.IntN(3) == 0 { // kept back for a while
			e.sent += []float64{5, 200, 1800}[random.IntN(3)] * random.Float64()
		}
		e.heard = e.sent + 10*random.Float64()*float64(random.IntN(2)) + 0.001*random.Float64()
		heard = e.heard
		tells = append(tells, e)
	}
	slices.SortFunc(tells, func(a, b told) int { return cmp.Compare(a.heard, b.heard) })
	return tells
}

// TestOurClockThatIsSetBackSilencesNoEvent: an hour and ten minutes into a test, it is set back by an hour.
func TestOurClockThatIsSetBackSilencesNoEvent(t *testing.T) {
	t.Parallel()
	event := func(action Action, occurred, sent time.Time) Received {
		r := Received{Key: "a", Status: Firing, StartsAt: occurred, SentAt: sent, Count: 1, Event: &Event{Action: action}}
		if action == Resolve {
			r.Status = Resolved
		}
		return r
	}
	unsaid := time.Time{}
	minutes := at
	for name, says := range map[string]func(action Action, happened time.Time) Received{
		"no time":          func(action Action, _ time.Time) Received { return event(action, unsaid, unsaid) },
		"when it occurred": func(action Action, happened time.Time) Received { return event(action, happened, unsaid) },
		"its clock":        func(action Action, happened time.Time) Received { return event(action, happened, happened) },
		"its clock only":   func(action Action, happened time.Time) Received { return event(action, unsaid, happened) },
		"a clock, now right": func(action Action, happened time.Time) Received {
			return event(action, happened.Add(-time.Hour), happened.Add(-time.Hour))
		},
	} {
		for _, test := range []struct {
			name   string
			before []Action // each a minute after the other, until the clock is set back; Acknowledge for a person who resolves
			after  []Action
			want   string
		}{
			{"a trigger after a resolve", []Action{Trigger, Resolve}, []Action{Trigger}, "2 incidents, firing, open true"},
			{"a trigger after a person's resolve", []Action{Trigger, Acknowledge}, []Action{Trigger}, "2 incidents, firing, open true"},
			{"a trigger joins", []Action{Trigger}, []Action{Trigger}, "1 incidents, firing, open true"},
			{"a resolve", []Action{Trigger}, []Action{Resolve}, "1 incidents, resolved, open false"},
			{"a resolve, and a trigger", []Action{Trigger}, []Action{Resolve, Trigger}, "2 incidents, firing, open true"},
			{"a trigger joins, and a person resolves, and it fires on", []Action{Trigger}, []Action{Trigger, Acknowledge, Trigger}, "2 incidents, firing, open true"},
			{"a trigger, and its resolve", []Action{Trigger, Resolve}, []Action{Trigger, Resolve}, "2 incidents, resolved, open false"},
			{"again and again", []Action{Trigger, Resolve}, []Action{Trigger, Resolve, Trigger, Resolve, Resolve, Trigger}, "4 incidents, firing, open true"},
		} {
			t.Run(test.name+", which says "+name, func(t *testing.T) {
				t.Parallel()
				var w world
				for i, action := range append(slices.Clone(test.before), test.after...) {
					happened := minutes(70 + i) // by the host's clock, which nobody sets
					now := happened.Add(50 * time.Millisecond)
					if i >= len(test.before) {
						now = now.Add(-time.Hour)
						if name == "when it occurred" {
							happened = happened.Add(-time.Hour) // it followed the same time server
						}
					}
					if w.now = now; action == Acknowledge {
						w.personResolves()
						continue
					}
					w.receive(says(action, happened).ByOurClock(now, 0), now)
				}
				if got := fmt.Sprintf("%d incidents, %s, open %v", w.opened, w.row.Status, w.open()); got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
			})
		}
	}
}

// TestALateResolveEndsNothingAfterOurClockWasSetBack: it happened before what fires.
func TestALateResolveEndsNothingAfterOurClockWasSetBack(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]bool{"its host says its time": false, "its host does not": true} {
		var w world
		const back = 3600
		w.tell(told{Firing, 7200, 7200, 7200, 0, silent})
		w.tell(told{Resolved, 0, 7260, 7260 - back, back, silent})
		if silent {
			w.tell(told{Resolved, -3600, 7260, 7260 - back, 0, true})
		}
		if !w.open() {
			t.Errorf("where %s: %v", name, &w)
		}
	}
}

// TestATriggerOfNowComesAfterWhatAnotherDatabaseStored, whose clock was two seconds ahead until it failed over.
func TestATriggerOfNowComesAfterWhatAnotherDatabaseStored(t *testing.T) {
	t.Parallel()
	var w world
	resolve := Received{Key: "a", Status: Resolved, Count: 1, Event: &Event{Action: Resolve}}
	w.receive(Received{Key: "a", Status: Firing, Count: 1, Event: &Event{Action: Trigger}}, seconds(0))
	w.receive(resolve, seconds(62))
	w.receive(Received{Key: "a", Status: Firing, StartsAt: seconds(62), Count: 1, Event: &Event{Action: Trigger}}, seconds(61))
	if w.opened != 2 || !w.open() {
		t.Errorf("%d incidents, open %v", w.opened, w.open())
	}
}

// TestTheSameTriggerAgainOpensNothing: it was sent again without an id, as it was, after a person had resolved what the
// first one opened.
func TestTheSameTriggerAgainOpensNothing(t *testing.T) {
	t.Parallel()
	var w world
	w.tell(told{Firing, 0, 0, 0.1, 0, false})
	w.personResolves()
	w.tell(told{Firing, 0, 0, 30, 0, false})
	if w.opened != 1 || w.open() {
		t.Errorf("%d incidents, open %v", w.opened, w.open())
	}
}

// TestATriggerThatSaysNoTimeComesLast: also after what a database stored whose clock was a moment ahead.
func TestATriggerThatSaysNoTimeComesLast(t *testing.T) {
	t.Parallel()
	var w world
	w.tell(told{Firing, 0, 0, 0, 0, true})
	w.tell(told{Resolved, 100, 100, 100, 0, true})
	w.receive(Received{Key: "a", Status: Firing, Count: 1, Event: &Event{Action: Trigger}}, seconds(98))
	if w.opened != 2 || !w.open() {
		t.Errorf("%d incidents, open %v", w.opened, w.open())
	}
}

// TestAWrongClockIsCorrectedAmongWhatComesTogether: in one batch, too, what a host with a wrong clock tells is not taken
// for older than what another had kept back.
func TestAWrongClockIsCorrectedAmongWhatComesTogether(t *testing.T) {
	t.Parallel()
	one := func(status Status, happened, sent, off float64) Received {
		return Received{
			Key: "a", Status: status, StartsAt: seconds(happened - off), SentAt: seconds(sent - off),
			ArrivedAt: seconds(sent + 0.1), Count: 1, Event: &Event{Action: Trigger},
		}
	}
	now, kept := one(Firing, 600, 600, 600), one(Resolved, 300, 600, 0)
	for _, together := range [][]Received{{now, kept}, {kept, now}} {
		if merged := Merge(together); merged[0].Status != Firing {
			t.Errorf("what was kept back wins: %v", merged)
		}
	}
	// What one clock tells keeps its order, however far off it is.
	before, after := one(Resolved, 599.5, 600.5, 600), one(Firing, 600, 600, 600)
	if merged := Merge([]Received{after, before}); merged[0].Status != Firing {
		t.Errorf("a slow resolve wins: %v", merged)
	}
}

// TestWhatComesInTheSameSecondKeepsItsOrderOfArrival: many senders tell whole seconds.
func TestWhatComesInTheSameSecondKeepsItsOrderOfArrival(t *testing.T) {
	t.Parallel()
	for _, stamps := range [][]float64{{10, 10, 10, 10}, {10, 10.67, 10, 10.671}, {10.123, 10.123456, 10.123, 10.123}} {
		var w world
		for n, stamp := range stamps {
			status := []Status{Firing, Resolved}[n%2]
			w.receive(Received{Key: "a", Status: status, StartsAt: seconds(stamp), Count: 1, Event: &Event{Action: []Action{Trigger, Resolve}[n%2]}}, seconds(11+float64(n)))
			if want := n/2 + 1; w.opened != want || w.open() != (status == Firing) {
				t.Errorf("%v, after %d: %d incidents, open %v", stamps, n+1, w.opened, w.open())
			}
		}
	}
	// What a second tells does not end what began in it.
	var w world
	w.receive(Received{Key: "a", Status: Firing, StartsAt: seconds(10.67), Count: 1, Event: &Event{Action: Trigger}}, seconds(11))
	w.receive(Received{Key: "a", Status: Resolved, StartsAt: seconds(10), Count: 1, Event: &Event{Action: Resolve}}, seconds(12))
	if !w.open() {
		t.Error("a second that began before the trigger ends it")
	}
}

// TestWhatSaysNoTimeKeepsTheOrderOfItsClock: it happened when it was sent, whatever the clock shows.
func TestWhatSaysNoTimeKeepsTheOrderOfItsClock(t *testing.T) {
	t.Parallel()
	live := func(action Action, status Status, sent, off float64) Received {
		return Received{Key: "a", Status: status, SentAt: seconds(sent - off), Count: 1, Event: &Event{Action: action}}
	}
	kept := func(action Action, status Status, happened, sent, off float64) Received {
		r := live(action, status, sent, off)
		r.StartsAt = seconds(happened - off)
		return r
	}
	for _, c := range []struct {
		name string
		told []Received
		at   []float64
		open bool
	}{
		{"ahead: an end from before a trigger", []Received{live(Trigger, Firing, 0, -20), kept(Resolve, Resolved, -2, 5, -20)}, []float64{0, 5}, true},
		{"behind: a trigger from after an end", []Received{live(Trigger, Firing, -9, 3), live(Resolve, Resolved, 0, 3), kept(Trigger, Firing, 2, 3, 3)}, []float64{-9, 0, 3}, true},
		{"behind: an end from after a trigger", []Received{live(Trigger, Firing, 0, 3), kept(Resolve, Resolved, 2, 5, 3)}, []float64{0, 5}, false},
		{"an end that the next trigger overtook", []Received{live(Trigger, Firing, -1, 600), live(Resolve, Resolved, -5, 600)}, []float64{-0.9, 0}, true},
	} {
		var w world
		for n, r := range c.told {
			w.receive(r.ByOurClock(seconds(c.at[n]), 0), seconds(c.at[n]))
		}
		if w.open() != c.open {
			t.Errorf("%s: open %v", c.name, w.open())
		}
	}
}

// TestSeverityOnlyRisesAmongWhatComesTogether, whichever happened first.
func TestSeverityOnlyRisesAmongWhatComesTogether(t *testing.T) {
	t.Parallel()
	low := Received{Key: "a", Status: Firing, Severity: Low, StartsAt: seconds(60), Count: 1, Event: &Event{Action: Trigger}}
	critical := low
	critical.Severity, critical.StartsAt = Critical, seconds(0)
	for _, together := range [][]Received{{low, critical}, {critical, low}} {
		if merged := Merge(together); merged[0].Severity != Critical || !merged[0].StartsAt.Equal(seconds(60)) {
			t.Errorf("merged to %s since %s", merged[0].Severity, merged[0].StartsAt)
		}
	}
	// What arrives last counts of one instant.
	end := low
	end.Status, end.Event = Resolved, &Event{Action: Resolve}
	for _, together := range [][]Received{{low, end}, {end, low}} {
		if merged := Merge(together); merged[0].Status != together[1].Status {
			t.Errorf("%s, then %s: %s", together[0].Status, together[1].Status, merged[0].Status)
		}
	}
}

// TestAClockThatIsOffByCenturiesIsCorrected: a device that lost its time begins at 1970, and others somewhere else.
func TestAClockThatIsOffByCenturiesIsCorrected(t *testing.T) {
	t.Parallel()
	for _, year := range []int{1, 1970, 2318, 9000} {
		var w world
		w.receive(Received{Key: "a", Status: Firing, StartsAt: seconds(-60), Count: 1, Event: &Event{Action: Trigger}}, seconds(-59))
		sent := time.Date(year, 1, 1, 0, 20, 0, 0, time.UTC)
		kept := Received{Key: "a", Status: Resolved, StartsAt: sent.Add(-15 * time.Minute), EndsAt: sent.Add(-15 * time.Minute), SentAt: sent, Count: 1, Event: &Event{Action: Resolve}}
		w.receive(kept.ByOurClock(seconds(0), 0), seconds(0))
		if !w.open() {
			t.Errorf("%d: an end of a quarter of an hour ago ends what began a minute ago", year)
		}
		w.receive(Received{Key: "a", Status: Resolved, StartsAt: sent.Add(-time.Second), SentAt: sent, Count: 1, Event: &Event{Action: Resolve}}.ByOurClock(seconds(0), 0), seconds(0))
		if w.open() {
			t.Errorf("%d: an end of now ends nothing", year)
		}
	}
}
