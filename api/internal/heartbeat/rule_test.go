package heartbeat_test

import (
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/heartbeat"
)

// story is what happens to a heartbeat, second by second since began.
type story struct {
	t     *testing.T
	rule  heartbeat.Rule
	state heartbeat.State
}

func tell(t *testing.T, settings heartbeat.Settings) *story {
	t.Helper()
	rule, err := settings.Rule(began)
	if err != nil {
		t.Fatal(err)
	}
	return &story{t, rule, heartbeat.State{Status: heartbeat.New}}
}

func after(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }

func (s *story) ping(second int, signal heartbeat.Signal, run string, want heartbeat.Verdict) {
	s.t.Helper()
	var got heartbeat.Verdict
	s.state, got = s.rule.Ping(s.state, heartbeat.Ping{Signal: signal, RunID: run}, after(second))
	if got != want {
		s.t.Errorf("second %d, %s: %q, want %q", second, signal, got, want)
	}
}

// quiet looks a moment before the second, and opens looks at it.
func (s *story) opens(second int, want heartbeat.Verdict) {
	s.t.Helper()
	if _, got := s.rule.Look(s.state, after(second).Add(-time.Microsecond)); got != heartbeat.Nothing {
		s.t.Errorf("before second %d: %q", second, got)
	}
	var got heartbeat.Verdict
	if s.state, got = s.rule.Look(s.state, after(second)); got != want {
		s.t.Errorf("second %d: %q, want %q (%+v)", second, got, want, s.state)
	}
	if _, got = s.rule.Look(s.state, after(second+1_000_000)); s.state.DeadlineAt.IsZero() && got != heartbeat.Nothing {
		s.t.Errorf("it is told again: %q", got)
	}
}

func (s *story) never() {
	s.t.Helper()
	if _, got := s.rule.Look(s.state, after(100_000_000)); got != heartbeat.Nothing {
		s.t.Errorf("at last: %q (%+v)", got, s.state)
	}
}

func minute() heartbeat.Settings { return heartbeat.Settings{Every: time.Minute} }

func TestAMissOpensOnceAndAPingResolves(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.never() // nothing is missing before the first ping
	s.ping(0, heartbeat.Lives, "", heartbeat.Nothing)
	s.ping(50, heartbeat.Lives, "", heartbeat.Nothing)
	s.opens(50+60+30, heartbeat.WentMissing)
	s.never()
	s.ping(500, heartbeat.Lives, "", heartbeat.Recovered)
	s.ping(501, heartbeat.Lives, "", heartbeat.Nothing)
	s.opens(501+90, heartbeat.WentMissing)
	if want := after(501 + 90); !s.state.EpisodeAt.Equal(want) {
		t.Errorf("down since %s, want %s", s.state.EpisodeAt, want)
	}
}

func TestFailOpensAtOnceAndAgainAndOkResolves(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Fails, "", heartbeat.SaidItFailed)
	first := s.state.EpisodeAt
	s.ping(10, heartbeat.Fails, "", heartbeat.SaidItFailed)
	if !s.state.EpisodeAt.After(first) {
		t.Error("a second failure is no new episode: a person who resolved the first hears nothing")
	}
	s.opens(10+90, heartbeat.WentMissing) // and it has to come again all the same
	s.ping(200, heartbeat.Lives, "", heartbeat.Recovered)
	s.ping(210, heartbeat.Fails, "r1", heartbeat.SaidItFailed)
	s.ping(211, heartbeat.Fails, "r1", heartbeat.Nothing) // the same failure, sent again
	s.ping(212, heartbeat.Starts, "r1", heartbeat.Nothing)
	s.ping(220, heartbeat.Lives, "r2", heartbeat.Recovered)
}

// TestARunThatSaysItFailedAfterItSaidItWasWell: a step after the last one fails, or runs share a name.
func TestARunThatSaysItFailedAfterItSaidItWasWell(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "r1", heartbeat.Nothing)
	s.ping(1, heartbeat.Fails, "r1", heartbeat.SaidItFailed)
	s.ping(2, heartbeat.Fails, "r1", heartbeat.Nothing) // sent again
	s.ping(3, heartbeat.Lives, "r1", heartbeat.Nothing) // a copy that came late
	s.ping(4, heartbeat.Lives, "r2", heartbeat.Recovered)
}

// TestAllRunsMayHaveOneName: a constant run_id tells runs apart no more than none.
func TestAllRunsMayHaveOneName(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	for second := 0; second <= 240; second += 60 {
		s.ping(second, heartbeat.Lives, "job", heartbeat.Nothing)
	}
	s.opens(240+90, heartbeat.WentMissing)
	s.ping(400, heartbeat.Lives, "job", heartbeat.Recovered)
	s.ping(460, heartbeat.Fails, "job", heartbeat.SaidItFailed)
	s.ping(461, heartbeat.Fails, "job", heartbeat.Nothing) // sent again
	s.ping(520, heartbeat.Fails, "job", heartbeat.SaidItFailed)
	s.ping(580, heartbeat.Lives, "job", heartbeat.Recovered)
	s.ping(590, heartbeat.Stops, "job", heartbeat.Nothing)
	s.never()
}

// TestCopiesOfARunThatCameAfterTheNextBegan: a retry of a lost answer may be slower than the next run.
func TestCopiesOfARunThatCameAfterTheNextBegan(t *testing.T) {
	t.Parallel()
	for end, copies := range map[heartbeat.Signal][]heartbeat.Signal{
		heartbeat.Lives: {heartbeat.Starts, heartbeat.Lives},
		heartbeat.Fails: {heartbeat.Starts, heartbeat.Lives, heartbeat.Fails},
	} {
		for _, late := range copies {
			settings := minute()
			settings.MaxRuntime = 40 * time.Second
			s := tell(t, settings)
			s.ping(0, heartbeat.Starts, "r1", heartbeat.Nothing)
			verdict := heartbeat.Nothing
			if end == heartbeat.Fails {
				verdict = heartbeat.SaidItFailed
			}
			s.ping(10, end, "r1", verdict)
			s.ping(60, heartbeat.Starts, "r2", heartbeat.Nothing)
			before := s.state
			s.ping(65, late, "r1", heartbeat.Nothing)
			if s.state != before {
				t.Errorf("%s of a run that ended with %s changed the next to %+v, was %+v", late, end, s.state, before)
			}
			s.opens(100, heartbeat.RanTooLong)
		}
	}
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "r1", heartbeat.Nothing)
	s.ping(60, heartbeat.Starts, "r2", heartbeat.Nothing)
	s.ping(65, heartbeat.Fails, "r1", heartbeat.SaidItFailed) // which is no copy
}

// TestAStartAfterAnEndIsAnotherRun, which is watched and may fail as the first.
func TestAStartAfterAnEndIsAnotherRun(t *testing.T) {
	t.Parallel()
	s := tell(t, heartbeat.Settings{Every: time.Hour, MaxRuntime: 10 * time.Minute})
	s.ping(0, heartbeat.Starts, "job", heartbeat.Nothing)
	s.ping(60, heartbeat.Fails, "job", heartbeat.SaidItFailed)
	s.ping(61, heartbeat.Lives, "job", heartbeat.Nothing) // a copy that came late
	s.ping(70, heartbeat.Starts, "job", heartbeat.Nothing)
	s.ping(130, heartbeat.Lives, "job", heartbeat.Recovered)
	s.ping(200, heartbeat.Starts, "job", heartbeat.Nothing)
	s.opens(200+600, heartbeat.RanTooLong)
	s.ping(3600, heartbeat.Starts, "job", heartbeat.Nothing) // that one never ended
	s.ping(3660, heartbeat.Lives, "job", heartbeat.Recovered)
	s.opens(3660+3600+300, heartbeat.WentMissing)
}

func TestARunThatTakesTooLong(t *testing.T) {
	t.Parallel()
	s := tell(t, heartbeat.Settings{Schedule: "0 3 * * *", MaxRuntime: 30 * time.Minute})
	three := 3 * 3600
	s.ping(three+5, heartbeat.Starts, "a", heartbeat.Nothing)
	s.ping(three+6, heartbeat.Starts, "a", heartbeat.Nothing) // a copy moves nothing
	s.opens(three+5+1800, heartbeat.RanTooLong)
	s.never()
	s.ping(three+4000, heartbeat.Lives, "a", heartbeat.Recovered)
	s.opens(86400+three+300, heartbeat.WentMissing) // the next night it does not start
	s.ping(86400+three+400, heartbeat.Starts, "b", heartbeat.Recovered)
	s.ping(86400+three+401, heartbeat.Lives, "other", heartbeat.Nothing) // says nothing of b
	s.opens(86400+three+400+1800, heartbeat.RanTooLong)
	s.ping(2*86400+three, heartbeat.Starts, "c", heartbeat.Nothing) // only an end that is well resolves
	s.opens(2*86400+three+1800, heartbeat.RanTooLong)
	s.ping(2*86400+three+3600, heartbeat.Lives, "c", heartbeat.Recovered)
}

func TestAStartWithoutALimitOfTheRunStillExpectsItsEnd(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "", heartbeat.Nothing)
	s.ping(55, heartbeat.Starts, "a", heartbeat.Nothing)
	s.opens(90, heartbeat.WentMissing)
	s.ping(100, heartbeat.Starts, "b", heartbeat.Recovered)
	s.opens(190, heartbeat.WentMissing)
}

func TestStopPausesUntilTheNextPing(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "", heartbeat.Nothing)
	s.ping(10, heartbeat.Stops, "", heartbeat.Nothing)
	s.never()
	s.ping(1000, heartbeat.Lives, "", heartbeat.Nothing)
	s.opens(1090, heartbeat.WentMissing)
	s.ping(2000, heartbeat.Stops, "", heartbeat.Recovered) // it lives, and ends in order
	s.ping(3000, heartbeat.Fails, "", heartbeat.SaidItFailed)
	s.ping(3001, heartbeat.Stops, "", heartbeat.Nothing) // that undoes no failure
	s.never()
	s.ping(3002, heartbeat.Lives, "", heartbeat.Recovered)
}

func TestNothingOpensWhileAPersonHasPausedIt(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "", heartbeat.Nothing)
	s.rule.Paused = true
	s.state = s.rule.Restart(s.state, after(10))
	s.never()
	s.ping(20, heartbeat.Lives, "", heartbeat.Nothing)
	s.never()
	s.ping(30, heartbeat.Fails, "", heartbeat.Nothing)
	s.ping(40, heartbeat.Lives, "", heartbeat.Recovered)
	s.rule.Paused = false
	s.state = s.rule.Restart(s.state, after(1000))
	s.opens(1090, heartbeat.WentMissing)
}

func TestALittleTooEarlyIsTheTurnThatIsExpected(t *testing.T) {
	t.Parallel()
	s := tell(t, heartbeat.Settings{Schedule: "0 3 * * *"})
	s.ping(3*3600-20, heartbeat.Lives, "", heartbeat.Nothing)
	s.opens(86400+3*3600+300, heartbeat.WentMissing)
	s = tell(t, heartbeat.Settings{Schedule: "* * * * *", Grace: new(time.Duration(0))})
	s.ping(60, heartbeat.Lives, "", heartbeat.Nothing)
	s.opens(120, heartbeat.WentMissing)
}

// TestAnOutageOfOursIsNoMissOfTheirs: Nightbell could not be pinged from one second to another.
func TestAnOutageOfOursIsNoMissOfTheirs(t *testing.T) {
	t.Parallel()
	night := heartbeat.Settings{Schedule: "0 3 * * *"}
	for _, test := range []struct {
		name     string
		settings heartbeat.Settings
		pinged   int
		from, to int
		opens    int
	}{
		{"it was expected meanwhile: the next one is waited for", minute(), 0, 50, 100, 100 + 60 + 30},
		{"it was late already, and could still have come", minute(), 0, 70, 100, 100 + 60 + 30},
		{"it was expected a moment later, and comes a moment early", minute(), 0, 30, 57, 57 + 60 + 30},
		{"it was missing before: that is told at once", minute(), 0, 91, 500, 90},
		{"it is expected after it", minute(), 0, 10, 40, 90},
		{"with a long grace, too", heartbeat.Settings{Every: time.Minute, Grace: new(time.Hour)}, 0, 50, 100, 100 + 60 + 3600},
		{"a job of the night: an hour, not a day", night, 0, 3*3600 - 100, 3*3600 + 100, 3*3600 + 100 + 3600 + 300},
		{"a run that may have ended meanwhile", heartbeat.Settings{Every: time.Hour, MaxRuntime: 10 * time.Minute}, -1, 300, 700, 700 + 600 + 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := tell(t, test.settings)
			if test.pinged < 0 {
				s.ping(0, heartbeat.Starts, "a", heartbeat.Nothing)
			} else {
				s.ping(test.pinged, heartbeat.Lives, "", heartbeat.Nothing)
			}
			s.state = s.rule.Spare(s.state, after(test.from), after(test.to))
			want := heartbeat.WentMissing
			if test.pinged < 0 {
				want = heartbeat.RanTooLong
			}
			s.opens(test.opens, want)
		})
	}
}

func TestOutagesDoNotPutOffAMissForEver(t *testing.T) {
	t.Parallel()
	s := tell(t, minute())
	s.ping(0, heartbeat.Lives, "", heartbeat.Nothing)
	for second := 50; second < 180; second += 20 {
		s.state = s.rule.Spare(s.state, after(second), after(second+10))
	}
	s.opens(60+60+30, heartbeat.WentMissing)
}

func TestSettingsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]heartbeat.Settings{
		"nothing is expected": {}, "two things are": {Every: time.Minute, Schedule: "0 3 * * *"}, "too often": {Every: time.Millisecond},
		"too rarely": {Every: 1000 * 24 * time.Hour}, "a zone without schedule": {Every: time.Minute, TimeZone: "UTC"},
		"grace": {Every: time.Minute, Grace: new(time.Duration(-1))}, "runtime": {Every: time.Minute, MaxRuntime: 1000 * time.Hour},
	} {
		if _, err := settings.Rule(began); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
