package oncalldb

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/oncall"
	"github.com/nightbell/nightbell/api/internal/org"
)

// definition is what DefinitionSQL yields.
type definition struct {
	ID        uuid.UUID    `json:"id"`
	Name      string       `json:"name"`
	Timezone  string       `json:"timezone"`
	Active    bool         `json:"active"`
	Rotations []rotation   `json:"rotations"`
	Overrides []overridden `json:"overrides"`
}

type rotation struct {
	ID       uuid.UUID       `json:"id"`
	Name     string          `json:"name"`
	Unit     oncall.Unit     `json:"unit"`
	Length   int             `json:"length"`
	Handover oncall.Clock    `json:"handover"`
	Weekday  time.Weekday    `json:"weekday"`
	Start    time.Time       `json:"start"`
	End      *time.Time      `json:"end"`
	Windows  json.RawMessage `json:"windows"`
	Turns    int             `json:"turns"`
	People   []struct {
		Turn int       `json:"turn"`
		ID   uuid.UUID `json:"id"`
	} `json:"people"`
}

type overridden struct {
	ID       uuid.UUID           `json:"id"`
	Kind     oncall.OverrideKind `json:"kind"`
	Person   uuid.UUID           `json:"person"`
	Replaces uuid.UUID           `json:"replaces"`
	Reason   string              `json:"reason"`
	Start    time.Time           `json:"start"`
	End      time.Time           `json:"end"`
	Created  time.Time           `json:"created"`
}

// Parse reads what DefinitionSQL yields. A schedule comes with an error, too, and can be
// asked: the error is for the log. A zone that does not exist is UTC, and windows that
// cannot be read are always open, because a page at an odd hour is better than none.
func Parse(text []byte) (oncall.Schedule, error) {
	var d definition
	if err := json.Unmarshal(text, &d); err != nil {
		return oncall.Schedule{Zone: time.UTC}, fmt.Errorf("a schedule cannot be read: %w", err)
	}
	zone, flaw := zoneOf(d.Timezone)
	schedule := oncall.Schedule{ID: d.ID, Name: d.Name, Zone: zone, Active: d.Active}
	for _, r := range d.Rotations {
		layer, err := r.read()
		flaw = errors.Join(flaw, err)
		schedule.Rotations = append(schedule.Rotations, layer)
	}
	for _, o := range d.Overrides {
		schedule.Overrides = append(schedule.Overrides, oncall.Override{
			ID: o.ID, Kind: o.Kind, Person: o.Person, Replaces: o.Replaces, Reason: o.Reason,
			Start: o.Start.UTC(), End: o.End.UTC(), CreatedAt: o.Created.UTC(),
		})
	}
	if flaw != nil {
		flaw = fmt.Errorf("schedule %s: %w", d.ID, flaw)
	}
	return schedule, flaw
}

func (r rotation) read() (oncall.Rotation, error) {
	layer := oncall.Rotation{
		ID: r.ID, Name: r.Name, Unit: r.Unit, Length: r.Length, Handover: r.Handover, Weekday: r.Weekday,
		Turns: make([]oncall.Turn, max(r.Turns, 0)), Start: r.Start.UTC(),
	}
	if r.End != nil {
		layer.End = r.End.UTC()
	}
	for _, p := range r.People {
		if p.Turn < len(layer.Turns) {
			turn := &layer.Turns[p.Turn]
			turn.People = append(turn.People, p.ID)
		}
	}
	windows, err := ReadWindows(r.Windows)
	if err != nil {
		return layer, fmt.Errorf("rotation %s: %w", r.ID, err)
	}
	layer.Windows = windows
	return layer, nil
}

// window is how the windows of rotations and of the steps of policies are stored.
type window struct {
	Days []time.Weekday `json:"days"`
	From oncall.Clock   `json:"from"`
	To   oncall.Clock   `json:"to"`
}

// ReadWindows reads windows as they are stored, in rotations and in the steps of
// policies. It gives none with an error.
func ReadWindows(text []byte) ([]oncall.Window, error) {
	if len(text) == 0 || string(text) == "[]" {
		return nil, nil
	}
	var stored []window
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, fmt.Errorf("its windows cannot be read: %w", err)
	}
	var windows []oncall.Window
	for _, w := range stored {
		windows = append(windows, oncall.Window(w))
	}
	return windows, nil
}

// StoreWindows writes windows as ReadWindows reads them.
func StoreWindows(windows []oncall.Window) []byte {
	stored := make([]window, len(windows))
	for i, w := range windows {
		stored[i] = window{Days: append([]time.Weekday{}, w.Days...), From: w.From, To: w.To}
	}
	text, _ := json.Marshal(stored) // numbers always can be written
	return text
}

// zones are those that were asked for: reading one from its file takes longer than
// everything else here.
var zones sync.Map

// zoneOf is the zone of a name; UTC with an error when there is none.
func zoneOf(name string) (*time.Location, error) {
	if known, _ := zones.Load(name); known != nil {
		if zone, ok := known.(*time.Location); ok {
			return zone, nil
		}
	}
	zone, err := org.Zone("timezone", name)
	if err != nil {
		return time.UTC, fmt.Errorf("its time zone is unknown, so UTC is used: %w", err)
	}
	zones.Store(name, zone)
	return zone, nil
}
