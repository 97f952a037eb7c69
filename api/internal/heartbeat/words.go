package heartbeat

import (
	"fmt"
	"strings"
	"time"
)

// Words are what people read about a verdict: an incident's title and description, and the line of
// its timeline.
type Words struct{ Title, Description, Line string }

// WordsFor words a verdict on the heartbeat of this name; state is as it was after the verdict.
func (r Rule) WordsFor(verdict Verdict, name string, s State) Words {
	name = `"` + name + `"`
	last := "It was never heard of."
	if !s.LastPingAt.IsZero() {
		last = "It was last heard of at " + stamp(s.LastPingAt) + "."
	}
	switch verdict {
	case WentMissing:
		line := fmt.Sprintf("Heartbeat %s was expected at %s and did not come within %s.", name, stamp(s.DueAt), span(r.Grace))
		if s.Spared {
			line = fmt.Sprintf("Heartbeat %s was expected at %s. Nightbell was not running then, waited for the next one, and none came.", name, stamp(s.DueAt))
		}
		return Words{"Heartbeat " + name + " is missing", line + " " + last, line}
	case RanTooLong:
		line := fmt.Sprintf("A run of %s has not ended within %s.", name, span(r.MaxRuntime))
		return Words{"Heartbeat " + name + " runs too long", line + " " + last, line}
	case SaidItFailed:
		line := fmt.Sprintf("Heartbeat %s reported a failure.", name)
		return Words{"Heartbeat " + name + " reports a failure", line, line}
	case Recovered:
		line := fmt.Sprintf("Heartbeat %s is back.", name)
		return Words{"Heartbeat " + name + " is back", line, line}
	case Nothing:
	}
	return Words{}
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05 UTC") }

// span is a duration as people say it: "1 h 30 min", "45 s".
func span(d time.Duration) string {
	if d < time.Second {
		return "0 s"
	}
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if n := int(d / unit.length); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d %= unit.length
		}
	}
	return strings.Join(parts, " ")
}
