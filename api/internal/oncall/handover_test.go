package oncall_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
)

// letters names people by one letter each; - is nobody.
func letters(text string) (people []uuid.UUID) {
	for letter := range strings.SplitSeq(strings.Trim(text, "-"), "") {
		people = append(people, uuid.UUID{15: letter[0]})
	}
	return people
}

func lettersOf(people []uuid.UUID) string {
	text := ""
	for _, person := range people {
		text += string(rune(person[15]))
	}
	return text
}

// daily is a schedule in UTC whose turns change every day at noon, from noon of the 1st on.
func daily(turns ...string) oncall.Schedule {
	rotation := oncall.Rotation{Name: "Days", Unit: oncall.Day, Length: 1, Handover: 12 * 60, Start: hour(0)}
	for _, turn := range turns {
		rotation.Turns = append(rotation.Turns, oncall.Turn{People: letters(turn)})
	}
	return oncall.Schedule{Name: "Days", Zone: time.UTC, Active: true, Rotations: []oncall.Rotation{rotation}}
}

// hour is so many hours after noon of the 1st.
func hour(h float64) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(h * float64(time.Hour)))
}

func told(list []oncall.Handover) string {
	var lines []string
	for _, h := range list {
		word, until := "off", ""
		if h.On {
			word, until = "on", " until never"
			if !h.Until.IsZero() {
				until = fmt.Sprintf(" until %.4g", h.Until.Sub(hour(0)).Hours())
			}
		}
		lines = append(lines, fmt.Sprintf("%s %s at %.4g%s (%s)", lettersOf([]uuid.UUID{h.Person}), word, h.At.Sub(hour(0)).Hours(), until, lettersOf(h.Others)))
	}
	return strings.Join(lines, ", ")
}

func TestHandovers(t *testing.T) {
	with := func(s oncall.Schedule, kind oncall.OverrideKind, who string, from, to float64) oncall.Schedule {
		override := oncall.Override{Kind: kind, Start: hour(from), End: hour(to)}
		if kind != oncall.Vacant {
			override.Person = letters(who)[0]
		}
		s.Overrides = append(s.Overrides, override)
		return s
	}
	inactive := daily("A")
	inactive.Active = false
	for _, test := range []struct {
		name       string
		schedule   oncall.Schedule
		told       string
		after, now float64
		want       string
	}{
		{"nothing changes", daily("A", "B"), "A", 1, 2, ""},
		{"at the hand-over", daily("A", "B"), "A", 23, 24, "B on at 24 until 48 (A), A off at 24 (B)"},
		{"a little later", daily("A", "B"), "A", 23, 24.1, "B on at 24 until 48 (A), A off at 24 (B)"},
		{"who stays is told nothing", daily("AB", "BC"), "AB", 23, 24, "C on at 24 until 48 (A), A off at 24 (BC)"},
		{"into a gap", daily("A", "-"), "A", 23, 24, "A off at 24 ()"},
		{"out of a gap", daily("A", "-"), "", 47, 48, "A on at 48 until 72 ()"},
		{"for good", daily("A"), "", -1, 0, "A on at 0 until never ()"},
		{"again after downtime", daily("A", "B"), "A", 23, 48.5, "A on at 48 until 72 (B)"},
		{"three days of downtime", daily("A", "B", "C", "D"), "A", 1, 72.5, "D on at 72 until 96 (C)"},
		{"a hand-over that is too old", with(daily("A"), oncall.TakeOver, "B", 1, 99), "A", 0, 26, ""},
		{"an override made in advance", with(daily("A"), oncall.TakeOver, "B", 4, 6), "A", 3, 4.1, "B on at 4 until 6 (A), A off at 4 (B)"},
		{"an override made just now", with(daily("A"), oncall.TakeOver, "B", 3, 6), "A", 4, 4.1, "B on at 4.1 until 6 (A), A off at 4.1 (B)"},
		{"an override that was taken back", daily("A"), "B", 4, 4.1, "A on at 4.1 until never (B), B off at 4.1 (A)"},
		{"nobody, on purpose", with(daily("A"), oncall.Vacant, "", 4, 6), "A", 3, 4.1, "A off at 4 ()"},
		{"switched off", inactive, "A", 4, 5, "A off at 5 ()"},
		{"switched on", daily("A"), "", 4, 5, "A on at 5 until never ()"},
		{"switched on after long", daily("A"), "", 4, 500, "A on at 500 until never ()"},
		{"only the past was changed", daily("A", "B"), "B", 23, 24.1, ""},
		{"somebody else has the turn now", daily("C", "B"), "A", 4, 5, "C on at 5 until 24 (A), A off at 5 (C)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := told(oncall.Handovers(test.schedule, letters(test.told), hour(test.after), hour(test.now))); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// However the looks lie and however long nobody looked, who believes to be on call is who
// is, except for what is too old to be told, and nobody is told twice of one look.
func TestWhoWasToldIsOnCall(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		s := daily([]string{"A", "B", "AB", "-", "C"}[:2+random.IntN(4)]...)
		at := random.Float64() * 48
		believed := oncall.At(s, hour(at)).People
		for range 40 {
			next := at + random.Float64()*[]float64{0.1, 10, 23}[random.IntN(3)]
			if random.IntN(5) == 0 { // somebody takes over at once
				s.Overrides = append(s.Overrides, oncall.Override{
					ID: uuid.UUID{byte(len(s.Overrides))}, Kind: oncall.TakeOver, Person: letters("D")[0],
					Start: hour(at - 1 + random.Float64()*2), End: hour(at + 1 + random.Float64()*20), CreatedAt: hour(at),
				})
			}
			seen := map[uuid.UUID]bool{}
			current := oncall.At(s, hour(next)).People
			for _, h := range oncall.Handovers(s, believed, hour(at), hour(next)) {
				if seen[h.Person] || h.At.After(hour(next)) || hour(next).Sub(h.At) > oncall.OldestHandover || h.On != slices.Contains(current, h.Person) {
					t.Fatalf("from %g to %g: %+v", at, next, h)
				}
				seen[h.Person] = true
				believed = slices.DeleteFunc(slices.Clone(believed), func(person uuid.UUID) bool { return person == h.Person })
				if h.On {
					believed = append(believed, h.Person)
				}
			}
			if len(believed) != len(current) {
				t.Fatalf("from %g to %g %s believe to be on call, but %s are", at, next, lettersOf(believed), lettersOf(current))
			}
			at = next
		}
	}
}
