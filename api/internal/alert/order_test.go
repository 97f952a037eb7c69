package alert

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

var seeded = flag.Uint64("seed", 0, "run the same random cases again; 0 chooses new ones")

func randomCases(t *testing.T) *rand.Rand {
	t.Helper()
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// world is one alert, the incidents it opened and nothing else.
type world struct {
	row    *Stored
	opened int
	now    time.Time // of the newest message
}

// receive does what the story of a received alert does with the meaning.
func (w *world) receive(r Received, now time.Time) {
	next := Absorb(w.row, r, now)
	switch Decide(next) {
	case OpenOrJoin:
		w.opened++
		next.IncidentID, next.IncidentStartsAt, next.IncidentOpen, next.AnsweredFiring = uuid.UUID{byte(w.opened)}, next.StartsAt, true, false
		next.IncidentResolvedAt = time.Time{}
	case Cleared:
		next.IncidentOpen, next.IncidentResolvedAt = false, now
	}
	w.row, w.now = &next, now
}

func (w *world) open() bool { return w.row != nil && w.row.IncidentOpen }

// personResolves closes the incident, if there is one.
func (w *world) personResolves() {
	if w.open() {
		w.row.IncidentOpen, w.row.AnsweredFiring, w.row.IncidentResolvedAt = false, w.row.Status == Firing, w.now
	}
}

func (w *world) String() string {
	if w.row == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s since %s, open %v", w.row.Status, w.row.StartsAt.Format(time.TimeOnly), w.open())
}

// history is up to four episodes of an alert, each with its firings and perhaps its resolve.
func history(random *rand.Rand) []Received {
	var messages []Received
	for episode := range 1 + random.IntN(4) {
		start := at(episode)
		for range 1 + random.IntN(3) {
			messages = append(messages, Received{Key: "a", Status: Firing, StartsAt: start, Count: 1})
		}
		if random.IntN(4) > 0 {
			messages = append(messages, Received{Key: "a", Status: Resolved, StartsAt: start, EndsAt: start.Add(30 * time.Second), Count: 1})
		}
	}
	return messages
}

// TestOrderDoesNotMatter delivers one history in many orders, with duplicates and cut
// into batches, and expects the same end (test plan T04).
func TestOrderDoesNotMatter(t *testing.T) {
	random := randomCases(t)
	for range 10_000 {
		messages := history(random)
		var inOrder world
		for _, r := range messages {
			inOrder.receive(r, at(60))
		}
		for range random.IntN(4) {
			messages = append(messages, messages[random.IntN(len(messages))])
		}
		random.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		var shuffled, batched world
		for _, r := range messages {
			shuffled.receive(r, at(60))
		}
		for rest := messages; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			for _, r := range Merge(rest[:n]) {
				batched.receive(r, at(60))
			}
			rest = rest[n:]
		}
		if inOrder.String() != shuffled.String() || inOrder.String() != batched.String() {
			t.Fatalf("%v\nin order: %v\nshuffled: %v\nbatched:  %v", messages, &inOrder, &shuffled, &batched)
		}
	}
}

// TestModel compares 10,000 random sequences, in which people resolve incidents too,
// with a model that only knows the newest message and which episodes were answered
// (test plan T04).
func TestModel(t *testing.T) {
	random := randomCases(t)
	for range 10_000 {
		var real world
		newest := -1 // twice the minute of its start, and one more when resolved
		answered, fired := map[int]bool{}, map[int]bool{}
		for range 2 + random.IntN(20) {
			if random.IntN(5) == 0 {
				answered[newest] = true // no firing, no matter
				real.personResolves()
				continue
			}
			word := random.IntN(12)
			if word%2 == 0 {
				fired[word] = true
			}
			newest = max(newest, word)
			real.receive(Received{Status: []Status{Firing, Resolved}[word%2], StartsAt: at(word / 2)}, at(60))
			status, start := []Status{Firing, Resolved}[newest%2], at(newest/2)
			open := status == Firing && !answered[newest]
			if real.open() != open || real.row.Status != status || !real.row.StartsAt.Equal(start) {
				t.Fatalf("%v, want %s since %s, open %v", &real, status, start, open)
			}
			if real.opened > len(fired) {
				t.Fatalf("%d incidents for %d episodes", real.opened, len(fired))
			}
		}
	}
}

// TestAClockThatIsSetBackHidesNothing: what its host sent while it was ahead lies in the future, and
// what fires by the right time is not older for that.
func TestAClockThatIsSetBackHidesNothing(t *testing.T) {
	t.Parallel()
	var w world
	says := func(now int, status Status, start int, want string) {
		t.Helper()
		r := Received{Key: "a", Status: status, StartsAt: at(start), Count: 1}
		older := w.row != nil && IsOlder(*w.row, r, at(now))
		w.receive(r, at(now))
		if got := fmt.Sprintf("%d incidents, open %v, older %v", w.opened, w.open(), older); got != want {
			t.Errorf("minute %d, %s since minute %d: %s, want %s", now, status, start, got, want)
		}
	}
	says(60, Firing, 120, "1 incidents, open true, older false")
	says(61, Resolved, 120, "1 incidents, open false, older false")
	says(62, Firing, 120, "1 incidents, open false, older true") // a copy that came late
	says(63, Firing, 62, "2 incidents, open true, older false")
	says(64, Firing, 62, "2 incidents, open true, older false")
	w.personResolves()
	says(65, Firing, 62, "2 incidents, open false, older false")
	says(66, Resolved, 62, "2 incidents, open false, older false")
	says(68, Firing, 67, "3 incidents, open true, older false")
}

// said is what arrives at a minute. A count of person is somebody who resolves the incident then.
type said struct {
	at int
	r  Received
}

const person = -1

func firing(start int) Received {
	return Received{Key: "a", Status: Firing, StartsAt: at(start), Count: 1}
}

func resolved(start, end int) Received {
	return Received{Key: "a", Status: Resolved, StartsAt: at(start), EndsAt: at(end), Count: 1}
}

func expectAfter(t *testing.T, says []said, want string) {
	t.Helper()
	var w world
	for _, said := range says {
		if said.r.Count == person {
			w.now = at(said.at)
			w.personResolves()
			continue
		}
		w.receive(said.r, at(said.at))
	}
	if got := fmt.Sprintf("%d incidents, %s, open %v", w.opened, w.row.Status, w.open()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAClockThatIsSetBackWhileTheAlertFires: the start that is stored lies hours ahead, and outranks what its host
// says by the right time. Its end counts, and so does the next episode after a person's resolve, and no copy.
func TestAClockThatIsSetBackWhileTheAlertFires(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		says []said
		want string
	}{
		{"it ends", []said{{0, firing(300)}, {10, firing(10)}, {16, resolved(10, 15)}}, "1 incidents, resolved, open false"},
		{"it ends, and its copies come late", []said{{0, firing(300)}, {10, firing(10)}, {16, resolved(10, 15)}, {16, firing(10)}, {16, resolved(10, 15)}, {17, firing(300)}}, "1 incidents, resolved, open false"},
		{"it ends, and fires again", []said{{0, firing(300)}, {16, resolved(10, 15)}, {60, firing(59)}, {65, resolved(59, 64)}, {70, firing(70)}}, "3 incidents, firing, open true"},
		{"the end of an earlier episode, told late", []said{{0, firing(-9)}, {1, resolved(-9, 1)}, {2, firing(300)}, {3, resolved(-9, 1)}}, "2 incidents, firing, open true"},
		{"the end of an earlier episode by the wrong clock", []said{{0, firing(300)}, {1, resolved(300, 301)}, {2, firing(302)}, {3, resolved(300, 301)}}, "2 incidents, firing, open true"},
		{"an end without a time", []said{{0, firing(300)}, {16, Received{Key: "a", Status: Resolved, StartsAt: at(10)}}}, "1 incidents, firing, open true"},
		{"a person resolves, and it fires on", []said{{0, firing(300)}, {10, firing(10)}, {12, Received{Count: person}}, {20, firing(10)}, {200, firing(300)}}, "1 incidents, firing, open false"},
		{"a person resolves, and it ends", []said{{0, firing(300)}, {12, Received{Count: person}}, {20, resolved(10, 19)}, {21, firing(10)}, {21, firing(300)}}, "1 incidents, resolved, open false"},
		{"a person resolves, it ends, and fires again", []said{{0, firing(300)}, {12, Received{Count: person}}, {20, resolved(10, 19)}, {21, firing(21)}}, "2 incidents, firing, open true"},
		{"a person resolves, and it fires again", []said{{0, firing(300)}, {12, Received{Count: person}}, {20, firing(19)}}, "2 incidents, firing, open true"},
		{"again and again", []said{{0, firing(300)}, {12, Received{Count: person}}, {20, firing(19)}, {25, Received{Count: person}}, {26, firing(19)}, {30, firing(29)}}, "3 incidents, firing, open true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expectAfter(t, test.says, test.want)
		})
	}
}

// TestAWebhooksAlertCountsAfterOurClockIsSetBack: the sender's clock and ours are an hour ahead, and then both right; or
// the sender's alone is two hours ahead, and then one.
func TestAWebhooksAlertCountsAfterOurClockIsSetBack(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		says []said
		want string
	}{
		{"it was over, and fires again", []said{{60, firing(59)}, {61, resolved(59, 60)}, {5, firing(4)}}, "2 incidents, firing, open true"},
		{"and ends", []said{{60, firing(59)}, {61, resolved(59, 60)}, {5, firing(4)}, {6, firing(4)}, {8, resolved(4, 7)}}, "2 incidents, resolved, open false"},
		{"it is over before anybody repeats it", []said{{60, firing(59)}, {61, resolved(59, 60)}, {5, firing(4)}, {6, resolved(4, 5)}, {9, firing(8)}}, "3 incidents, firing, open true"},
		{"a person resolved it, and it fires again", []said{{60, firing(59)}, {61, Received{Count: person}}, {5, firing(4)}}, "2 incidents, firing, open true"},
		{"it fires on, by a new start", []said{{60, firing(59)}, {5, firing(4)}, {6, firing(4)}, {9, resolved(4, 8)}}, "1 incidents, resolved, open false"},
		{"it fires on, by the same start", []said{{60, firing(59)}, {5, firing(59)}, {6, firing(59)}, {9, resolved(59, 60)}}, "1 incidents, resolved, open false"},
		{"what a person resolved fires on, by the same start", []said{{60, firing(59)}, {61, Received{Count: person}}, {5, firing(59)}, {6, firing(59)}}, "1 incidents, firing, open false"},
		{"and is repeated so, before it begins again", []said{{60, firing(59)}, {61, Received{Count: person}}, {5, firing(59)}, {10, firing(9)}}, "2 incidents, firing, open true"},
		{"it fires again by a start of before, which is the same", []said{{60, firing(-10)}, {61, resolved(-10, 61)}, {6, firing(-10)}}, "2 incidents, firing, open true"},
		{"what a person resolved fires again by an earlier start, of a sender that is ahead", []said{{0, firing(60)}, {10, Received{Count: person}}, {20, resolved(60, 61)}, {21, firing(50)}}, "1 incidents, resolved, open false"},
		{"a sender that is two hours ahead, then one", []said{{0, firing(120)}, {1, resolved(120, 121)}, {30, firing(90)}}, "2 incidents, firing, open true"},
		{"a copy of before the end, of a sender that is ahead", []said{{0, firing(120)}, {1, resolved(120, 121)}, {1, firing(119)}}, "1 incidents, resolved, open false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expectAfter(t, test.says, test.want)
		})
	}
}

// TestEachEpisodeAfterAClockWasSetBackOpensOneIncident: random episodes of five minutes, half an hour apart. The clock
// is ahead in the first ones, and set right between two of them or while one fires; copies come within seconds.
func TestEachEpisodeAfterAClockWasSetBackOpensOneIncident(t *testing.T) {
	t.Parallel()
	random := randomCases(t)
	for range 10_000 {
		var w world
		var log []string
		ahead, setBack := 30+random.IntN(23*60), random.IntN(5*30) // minutes
		hear := func(now time.Time, r Received) {
			w.receive(r, now)
			log = append(log, fmt.Sprintf("%s: %s since %s until %s: %v, %d incidents", now.Format(time.TimeOnly), r.Status, r.StartsAt.Format(time.TimeOnly), r.EndsAt.Format(time.TimeOnly), &w, w.opened))
		}
		for episode := range 8 {
			start, before := episode*30, w.opened
			clock := func(minute int) time.Time {
				if minute < setBack {
					return at(minute + ahead).Add(7 * time.Second)
				}
				return at(minute)
			}
			fires := func(minute int) Received { // with the start that its host says at that minute
				began := clock(start)
				if minute >= setBack {
					began = at(max(start, min(setBack, minute)))
				}
				return Received{Key: "a", Status: Firing, StartsAt: began, Count: 1}
			}
			answered := random.IntN(6) // the minute in which a person resolves it; 5 for nobody
			for minute := range 5 {
				r := fires(start + minute)
				for range 1 + random.IntN(2) {
					hear(at(start+minute).Add(time.Duration(random.IntN(30))*time.Second), r)
				}
				if minute == answered {
					w.now = at(start + minute).Add(40 * time.Second)
					w.personResolves()
				}
			}
			last := fires(start + 4)
			end := last
			end.Status, end.EndsAt = Resolved, clock(start+5)
			over := at(start + 5)
			for n, copies := 0, 1+random.IntN(2); n < copies; n++ {
				hear(over.Add(time.Duration(5*n)*time.Second), end)
				if random.IntN(2) == 0 {
					hear(over.Add(time.Duration(5*n+2)*time.Second), last)
				}
			}
			settled := start > setBack // what was stored before is over
			if opened := w.opened - before; settled && opened != 1 {
				t.Fatalf("%d incidents for the episode of minute %d; the clock was %d minutes ahead until minute %d:\n%s", opened, start, ahead, setBack, strings.Join(log, "\n"))
			}
			if w.row.Status != Resolved && (start > setBack || start+5 < setBack) {
				t.Fatalf("fires on after minute %d; the clock was %d minutes ahead until minute %d:\n%s", start+5, ahead, setBack, strings.Join(log, "\n"))
			}
		}
	}
}

// TestWhatFiresAgainWithItsOldStart: Alertmanager ended the alert for want of news from Prometheus, and both have
// found each other again. A copy that was sent before the end comes within seconds of it.
func TestWhatFiresAgainWithItsOldStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		answered bool // by a person, while it fired
		after    time.Duration
		again    Status
		want     string
	}{
		{"a copy from before the end", false, 25 * time.Second, Firing, "1 incidents, resolved, open false"},
		{"again", false, 25*time.Second + 1, Firing, "2 incidents, firing, open true"},
		{"its end said again", false, time.Hour, Resolved, "1 incidents, resolved, open false"},
		{"again, after a person had resolved it", true, time.Hour, Firing, "1 incidents, firing, open false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w world
			r := Received{Key: "a", Status: Firing, StartsAt: at(1)}
			w.receive(r, at(1))
			if test.answered {
				w.personResolves()
			}
			r.Status = Resolved
			w.receive(r, at(10))
			w.receive(r, at(10).Add(5*time.Second)) // from the other of two Alertmanagers
			r.Status = test.again
			later := at(10).Add(test.after)
			if older := IsOlder(*w.row, r, later); older != (test.after <= overtaking) {
				t.Errorf("older is %v", older)
			}
			w.receive(r, later)
			if got := fmt.Sprintf("%d incidents, %s, open %v", w.opened, w.row.Status, w.open()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// TestTheStartThatIsToldBecomesEarlier: an Alertmanager was restarted during an outage, heard of it from the younger
// of two Prometheus first, and tells the earliest start once it has heard of both.
func TestTheStartThatIsToldBecomesEarlier(t *testing.T) {
	t.Parallel()
	firing := func(minute int) Received { return Received{Status: Firing, StartsAt: at(minute)} }
	resolved := func(minute, end int) Received {
		return Received{Status: Resolved, StartsAt: at(minute), EndsAt: at(end)}
	}
	for _, test := range []struct {
		name string
		says []Received // one every ten minutes
		want string
	}{
		{"its end is the end", []Received{firing(1), firing(5), resolved(1, 29)}, "1 incidents, resolved, open false"},
		{"the next outage is news", []Received{firing(1), firing(5), resolved(1, 29), firing(38)}, "2 incidents, firing, open true"},
		{"the end of an earlier episode, told late", []Received{firing(1), firing(5), resolved(1, 4)}, "1 incidents, firing, open true"},
		{"an end without a time, told late", []Received{firing(1), firing(5), {Status: Resolved, StartsAt: at(1)}}, "1 incidents, firing, open true"},
		{"it fires again", []Received{firing(5), resolved(5, 9), firing(1)}, "2 incidents, firing, open true"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var w, merged world
			for i, r := range test.says {
				now := at(10 * (i + 1))
				if older := w.row != nil && IsOlder(*w.row, r, now); older != strings.Contains(test.name, "told late") && i == len(test.says)-1 {
					t.Errorf("older is %v", older)
				}
				w.receive(r, now)
			}
			if got := fmt.Sprintf("%d incidents, %s, open %v", w.opened, w.row.Status, w.open()); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
			if last := test.says[len(test.says)-1]; last.Status == Resolved {
				for _, r := range Merge(test.says) {
					merged.receive(r, at(60))
				}
				if merged.row.Status != w.row.Status || !merged.row.StartsAt.Equal(w.row.StartsAt) {
					t.Errorf("%v in one batch, %v one by one", &merged, &w)
				}
			}
		})
	}
}

func TestMerge(t *testing.T) {
	unknown := time.Time{}
	r := func(key string, status Status, start time.Time, title string) Received {
		return Received{Key: key, Status: status, StartsAt: start, Title: title}
	}
	for _, test := range []struct {
		name string
		in   []Received
		want string
	}{
		{"nothing", nil, "[]"},
		{"sorted by key", []Received{r("b", Firing, at(1), ""), r("a", Firing, at(1), "")}, "[a firing 12:01 ×1  b firing 12:01 ×1 ]"},
		{"resolved after firing, whichever comes first", []Received{r("a", Resolved, at(1), "over"), r("a", Firing, at(1), "bad")}, "[a resolved 12:01 ×2 over]"},
		{"the later start wins", []Received{r("a", Firing, at(2), "new"), r("a", Resolved, at(1), "old")}, "[a firing 12:02 ×2 new]"},
		{"among equals the last", []Received{r("a", Firing, at(1), "one"), r("a", Firing, at(1), "two"), r("a", Firing, at(1), "three")}, "[a firing 12:01 ×3 three]"},
		{"unknown: about the one before", []Received{r("a", Firing, at(1), "bad"), r("a", Resolved, unknown, "over")}, "[a resolved 12:01 ×2 over]"},
		{"unknown: repeat", []Received{r("a", Firing, at(1), "one"), r("a", Firing, unknown, "two")}, "[a firing 12:01 ×2 two]"},
		{"unknown: fires again", []Received{r("a", Resolved, at(1), "over"), r("a", Firing, unknown, "bad")}, "[a firing unknown ×2 bad]"},
		{"unknown: both", []Received{r("a", Firing, unknown, "bad"), r("a", Resolved, unknown, "over")}, "[a resolved unknown ×2 over]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := printed(Merge(test.in)); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func printed(merged []Received) string {
	lines := []string{}
	for _, r := range merged {
		start := "unknown"
		if !r.StartsAt.IsZero() {
			start = r.StartsAt.Format("15:04")
		}
		lines = append(lines, fmt.Sprintf("%s %s %s ×%d %s", r.Key, r.Status, start, r.Count, r.Title))
	}
	return fmt.Sprint(lines)
}

func TestMergeCountsEveryMessage(t *testing.T) {
	random := randomCases(t)
	for range 1_000 {
		in := make([]Received, random.IntN(50))
		want := 0
		for i := range in {
			in[i] = Received{Key: fmt.Sprint(random.IntN(10)), Status: Firing, Count: random.IntN(4)}
			want += max(in[i].Count, 1)
		}
		got := 0
		merged := Merge(in)
		for _, r := range merged {
			got += r.Count
		}
		if got != want || !slices.IsSortedFunc(merged, func(a, b Received) int { return cmp.Compare(a.Key, b.Key) }) {
			t.Fatalf("%d messages of %d: %v", got, want, merged)
		}
	}
}

func TestALargeBatchIsStoredWithTheWorstThatFiresFirst(t *testing.T) {
	t.Parallel()
	batch := Batch{Truncated: 3}
	for n := range 6 {
		batch.Alerts = append(batch.Alerts, Received{
			Key: fmt.Sprint(n), Status: []Status{Resolved, Firing}[n%2], Severity: []Severity{Low, Critical}[n/3],
		})
	}
	batch.Alerts = append(batch.Alerts, Received{Key: "1", Status: Firing, Severity: Low})
	var order []string
	ordered := batch.ForPieces()
	for _, received := range ordered.Alerts {
		order = append(order, fmt.Sprint(received.Status, received.Key, "x", received.Count))
	}
	want := []string{"firing3x1", "firing5x1", "firing1x2", "resolved4x1", "resolved0x1", "resolved2x1"}
	if !slices.Equal(order, want) || ordered.Truncated != 3 {
		t.Errorf("%d left out, in the order %q, want %q", ordered.Truncated, order, want)
	}
}
