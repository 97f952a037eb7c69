package oncall

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// paths are the fields that a refusal names; none for no refusal.
func paths(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	refusal, ok := fault.Of(err)
	if !ok || refusal.Kind != fault.Unprocessable || refusal.Message == "" {
		t.Fatalf("%v is no refusal", err)
	}
	list := []string{}
	for _, field := range refusal.Fields {
		if !strings.HasSuffix(field.Message, ".") {
			t.Errorf("%q is no sentence", field.Message)
		}
		list = append(list, field.Path)
	}
	return list
}

func TestValidate(t *testing.T) {
	many := func(n int) (people []uuid.UUID) {
		for i := range n {
			people = append(people, person(i))
		}
		return people
	}
	for _, c := range []struct {
		name   string
		change func(r *Rotation)
		want   string
	}{
		{"as it should be", func(*Rotation) {}, ""},
		{"no name", func(r *Rotation) { r.Name = " " }, "name"},
		{"a long name", func(r *Rotation) { r.Name = strings.Repeat("ä", 201) }, "name"},
		{"a name as long as it may be", func(r *Rotation) { r.Name = strings.Repeat("ä", 200) }, ""},
		{"a name of two lines", func(r *Rotation) { r.Name = "a\nb" }, "name"},
		{"an unknown unit", func(r *Rotation) { r.Unit = "month" }, "unit"},
		{"no length", func(r *Rotation) { r.Length = 0 }, "length"},
		{"720 hours", func(r *Rotation) { r.Unit, r.Length = Hour, 720 }, ""},
		{"721 hours", func(r *Rotation) { r.Unit, r.Length = Hour, 721 }, "length"},
		{"365 days", func(r *Rotation) { r.Unit, r.Length = Day, 365 }, ""},
		{"366 days", func(r *Rotation) { r.Unit, r.Length = Day, 366 }, "length"},
		{"52 weeks", func(r *Rotation) { r.Unit, r.Length = Week, 52 }, ""},
		{"53 weeks", func(r *Rotation) { r.Unit, r.Length = Week, 53 }, "length"},
		{"midnight of the next day", func(r *Rotation) { r.Handover = 1440 }, "handover"},
		{"before midnight", func(r *Rotation) { r.Handover = -1 }, "handover"},
		{"an eighth day", func(r *Rotation) { r.Weekday = 7 }, "weekday"},
		{"no start", func(r *Rotation) { r.Start = time.Time{} }, "starts_at"},
		{"an end at the start", func(r *Rotation) { r.End = r.Start }, "ends_at"},
		{"an end just after the start", func(r *Rotation) { r.End = r.Start.Add(1) }, ""},
		{"no turns", func(r *Rotation) { r.Turns = nil }, "turns"},
		{"only vacant turns", func(r *Rotation) { r.Turns = make([]Turn, 100) }, ""},
		{"101 turns", func(r *Rotation) { r.Turns = make([]Turn, 101) }, "turns"},
		{"20 people", func(r *Rotation) { r.Turns[1].People = many(20) }, ""},
		{"21 people", func(r *Rotation) { r.Turns[1].People = many(21) }, "turns[1].user_ids"},
		{"the same person twice", func(r *Rotation) { r.Turns[1].People = []uuid.UUID{mara, wei, mara} }, "turns[1].user_ids"},
		{"21 windows", func(r *Rotation) { r.Windows = make([]Window, 21) }, "windows"},
		{"a window from nowhere", func(r *Rotation) { r.Windows = []Window{{}, {From: 1440}} }, "windows[1].from"},
		{"a window to nowhere", func(r *Rotation) { r.Windows = []Window{{To: -1}} }, "windows[0].to"},
		{"a window on no day", func(r *Rotation) { r.Windows = []Window{{Days: []time.Weekday{0, 7}}} }, "windows[0].days[1]"},
	} {
		s := single(time.UTC, Day, 1, 0, date(2026, 1, 1), mara, jonas)
		c.change(&s.Rotations[0])
		want := []string(nil)
		if c.want != "" {
			want = []string{"rotations[0]." + c.want}
		}
		if got := paths(t, Validate(s)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", c.name, got, want)
		}
	}
}

func TestValidateNamesEverything(t *testing.T) {
	s := Schedule{Rotations: []Rotation{{Name: "a"}}}
	want := "timezone rotations[0].unit rotations[0].starts_at rotations[0].turns"
	if got := strings.Join(paths(t, Validate(s)), " "); got != want {
		t.Error(got)
	}
	s = single(time.UTC, Day, 1, 0, date(2026, 1, 1), mara)
	s.Rotations = slices.Repeat(s.Rotations, 20)
	if err := Validate(s); err != nil {
		t.Error(err)
	}
	s.Rotations = append(s.Rotations, s.Rotations[0])
	if got := paths(t, Validate(s)); !slices.Equal(got, []string{"rotations"}) {
		t.Error(got)
	}
}

func TestValidateOverride(t *testing.T) {
	noon := date(2026, 11, 21)
	good := Override{Kind: Cover, Person: wei, Replaces: mara, Start: noon, End: noon.Add(1)}
	for _, c := range []struct {
		name   string
		change func(o *Override)
		want   string
	}{
		{"as it should be", func(*Override) {}, ""},
		{"take over", func(o *Override) { o.Kind, o.Replaces = TakeOver, uuid.Nil }, ""},
		{"vacant", func(o *Override) { o.Kind, o.Person, o.Replaces = Vacant, uuid.Nil, uuid.Nil }, ""},
		{"an unknown kind", func(o *Override) { o.Kind, o.Replaces = "shadow", uuid.Nil }, "kind"},
		{"nobody takes over", func(o *Override) { o.Kind, o.Person, o.Replaces = TakeOver, uuid.Nil, uuid.Nil }, "user_id"},
		{"somebody is vacant", func(o *Override) { o.Kind, o.Replaces = Vacant, uuid.Nil }, "user_id"},
		{"nobody is covered", func(o *Override) { o.Replaces = uuid.Nil }, "replaces_user_id"},
		{"somebody covers themselves", func(o *Override) { o.Replaces = wei }, "replaces_user_id"},
		{"a take-over of one", func(o *Override) { o.Kind = TakeOver }, "replaces_user_id"},
		{"no start", func(o *Override) { o.Start = time.Time{} }, "starts_at"},
		{"no length", func(o *Override) { o.End = o.Start }, "ends_at"},
		{"a long reason", func(o *Override) { o.Reason = strings.Repeat("ä", 501) }, "reason"},
	} {
		o := good
		c.change(&o)
		if got := strings.Join(paths(t, ValidateOverride(o)), " "); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		if valid := c.want == ""; valid != o.valid() && valid {
			t.Errorf("%s: valid, but not understood", c.name)
		}
	}
}
