package alert

import (
	"testing"
	"time"

	"github.com/google/uuid"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// at is so many minutes after noon.
func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

var incidentID = uuid.UUID{1}

func TestDecide(t *testing.T) {
	for _, test := range []struct {
		name   string
		stored Stored
		want   Meaning
	}{
		{"fires for the first time", Stored{Status: Firing, StartsAt: at(1)}, OpenOrJoin},
		{"fires on", Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(1), IncidentOpen: true}, Repeat},
		{"fires again while open", Stored{Status: Firing, StartsAt: at(2), IncidentID: incidentID, IncidentStartsAt: at(1), IncidentOpen: true}, Repeat},
		{"fires on, but a person resolved it", Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(1)}, Suppressed},
		{"fires again after that", Stored{Status: Firing, StartsAt: at(2), IncidentID: incidentID, IncidentStartsAt: at(1)}, OpenOrJoin},
		{"an older start never reopens", Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(2)}, Suppressed},
		{"fires on, but its incident resolved itself", Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID}, OpenOrJoin},
		{"fires on, and its incident resolves itself just now", Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentOpen: true}, OpenOrJoin},
		{"resolved while open", Stored{Status: Resolved, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(1), IncidentOpen: true}, Cleared},
		{"resolved after it was closed", Stored{Status: Resolved, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(1)}, Ended},
		{"resolved before it fired", Stored{Status: Resolved, StartsAt: at(1)}, Ended},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Decide(test.stored); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestAbsorb(t *testing.T) {
	now := at(60)
	firing := func(start time.Time) Received { return Received{Status: Firing, StartsAt: start} }
	resolved := func(start time.Time) Received { return Received{Status: Resolved, StartsAt: start} }
	row := func(status Status, start time.Time, open bool) *Stored {
		return &Stored{Status: status, StartsAt: start, LastSeenAt: now, IncidentID: incidentID, IncidentStartsAt: start, IncidentOpen: open}
	}
	unknown := time.Time{}
	for _, test := range []struct {
		name   string
		before *Stored
		r      Received
		status Status
		start  time.Time
		want   Meaning
	}{
		{"first", nil, firing(at(1)), Firing, at(1), OpenOrJoin},
		{"first, start unknown", nil, firing(unknown), Firing, now, OpenOrJoin},
		{"resolve before firing", nil, resolved(at(1)), Resolved, at(1), Ended},
		{"repeat", row(Firing, at(1), true), firing(at(1)), Firing, at(1), Repeat},
		{"repeat in nanoseconds is no new episode", row(Firing, at(1), false), firing(at(1).Add(999)), Firing, at(1), Suppressed},
		{"repeat after the incident resolved itself", &Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentOpen: true}, firing(at(1)), Firing, at(1), OpenOrJoin},
		{"older firing", row(Firing, at(2), true), firing(at(1)), Firing, at(2), Repeat},
		{"older resolve", row(Firing, at(2), true), resolved(at(1)), Firing, at(2), Repeat},
		{"resolve", row(Firing, at(1), true), resolved(at(1)), Resolved, at(1), Cleared},
		{"firing after its resolve", row(Resolved, at(1), false), firing(at(1)), Resolved, at(1), Ended},
		{"next episode", row(Resolved, at(1), false), firing(at(2)), Firing, at(2), OpenOrJoin},
		{"unknown: repeat of the open one", row(Firing, at(1), true), firing(unknown), Firing, at(1), Repeat},
		{"unknown: fires on after a person resolved it", row(Firing, at(1), false), firing(unknown), Firing, now, OpenOrJoin},
		{"unknown: fires after its resolve", row(Resolved, at(1), false), firing(unknown), Firing, now, OpenOrJoin},
		{"unknown: resolve is about the stored one", row(Firing, at(1), true), resolved(unknown), Resolved, at(1), Cleared},
		{"unknown: never at or before the stored start", row(Resolved, at(90), false), firing(unknown), Firing, at(90).Add(time.Microsecond), OpenOrJoin},
		{"a start in the far future counts as unknown", row(Firing, at(1), true), firing(noon.AddDate(7973, 0, 0)), Firing, at(1), Repeat},
		{"a resolve from the far future, too", row(Firing, at(1), true), resolved(noon.AddDate(12, 0, 0)), Resolved, at(1), Cleared},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Absorb(test.before, test.r, now)
			if got.Status != test.status || !got.StartsAt.Equal(test.start) || Decide(got) != test.want {
				t.Errorf("%+v means %s, want %s since %s, %s", got, Decide(got), test.status, test.start, test.want)
			}
		})
	}
}

// TestEpisodeOfAnOpenIncidentIsAnswered: two alerts share an incident, one comes and
// goes and comes again, a person resolves the incident. Repeats must stay silent.
func TestEpisodeOfAnOpenIncidentIsAnswered(t *testing.T) {
	row := Stored{Status: Firing, StartsAt: at(1), IncidentID: incidentID, IncidentStartsAt: at(1), IncidentOpen: true}
	row = Absorb(&row, Received{Status: Resolved, StartsAt: at(1)}, at(2))
	row = Absorb(&row, Received{Status: Firing, StartsAt: at(3)}, at(3))
	row.IncidentOpen = false
	row = Absorb(&row, Received{Status: Firing, StartsAt: at(3)}, at(4))
	if got := Decide(row); got != Suppressed {
		t.Errorf("%+v means %s, want %s", row, got, Suppressed)
	}
}
