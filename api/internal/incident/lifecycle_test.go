package incident

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/nightbell/nightbell/api/internal/alert"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var (
	update = flag.Bool("update", false, "write testdata/lifecycle.md again")
	seeded = flag.Uint64("seed", 0, "walk these lives again; 0 chooses new ones")
)

var (
	noon  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ada   = Actor{Kind: User, ID: uuid.UUID{1}, Name: "Ada"}
	grace = Actor{Kind: User, ID: uuid.UUID{2}, Name: "Grace"}
	robot = Actor{Kind: APIKey, ID: uuid.UUID{3}, Name: "deploy bot"}
)

// inState is an incident of severity high that Ada has, in each state.
func inState(status Status) Incident {
	incident := Incident{ID: uuid.UUID{9}, Status: status, Severity: alert.High, AssigneeID: ada.ID, Version: 7}
	if status == Acknowledged {
		incident.AcknowledgedBy, incident.AcknowledgedAt, incident.AcknowledgedSeverity = ada.ID, noon.Add(-time.Minute), alert.High
	}
	if status == Resolved {
		incident.ResolvedBy, incident.ResolvedAt = ada.ID, noon.Add(-time.Minute)
	}
	return incident
}

var states = []Status{Triggered, Acknowledged, Resolved}

// commands names every command, with the cases that matter.
var commands = []struct {
	name    string
	command Command
}{
	{"acknowledge", Acknowledge{By: grace}},
	{"acknowledge what was seen as low", Acknowledge{By: grace, Seen: map[uuid.UUID]alert.Severity{{9}: alert.Low}}},
	{"acknowledge by an API key", Acknowledge{By: robot, Message: "on it"}},
	{"snooze", Snooze{By: grace, For: 2 * time.Hour}},
	{"snooze what was seen as low", Snooze{By: grace, For: 2 * time.Hour, Seen: map[uuid.UUID]alert.Severity{{9}: alert.Low}}},
	{"snooze for too long", Snooze{By: grace, For: 8 * 24 * time.Hour}},
	{"resolve", Resolve{By: grace}},
	{"merge", Merge{By: grace, IntoID: uuid.UUID{8}}},
	{"the last alert resolved", AlertsCleared{}},
	{"assign", Assign{By: grace, To: grace.ID, ToName: grace.Name}},
	{"assign who already has it", Assign{By: grace, To: ada.ID, ToName: ada.Name}},
	{"unassign", Assign{By: grace}},
	{"escalate", Escalate{By: grace}},
	{"the acknowledgement timed out", AckTimeout{ByName: "Ada"}},
	{"the acknowledgement of a key timed out", AckTimeout{}},
	{"a responder left", ResponderLeft{By: grace, Name: "Ada"}},
	{"the higher severity was not acknowledged in time", ConfirmTimeout{ByName: "Ada"}},
	{"nothing new", NothingNew{For: 25 * time.Hour}},
	{"comment", Comment{By: grace, Message: " Rolling back. "}},
	{"empty comment", Comment{By: grace, Message: " \n"}},
	{"change severity", ChangeSeverity{By: grace, To: alert.Critical}},
	{"an alert changes severity", ChangeSeverity{To: alert.Critical, Because: "by an alert"}},
	{"change severity to a lower one", ChangeSeverity{By: grace, To: alert.Low}},
	{"change severity to the same", ChangeSeverity{By: grace, To: alert.High}},
	{"change severity to an unknown word", ChangeSeverity{By: grace, To: "sev1"}},
}

func TestDecideMatchesTheGoldenMatrix(t *testing.T) {
	path := filepath.Join("testdata", "lifecycle.md")
	got := matrix(t)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; if the change is meant, run go test ./internal/incident -update\ngot:\n%s", path, got)
	}
}

func matrix(t *testing.T) string {
	t.Helper()
	var table strings.Builder
	table.WriteString("| Command | triggered | acknowledged | resolved |\n|---|---|---|---|\n")
	for _, c := range commands {
		fmt.Fprintf(&table, "| %s |", c.name)
		for _, status := range states {
			fmt.Fprintf(&table, " %s |", cell(t, inState(status), c.command))
		}
		table.WriteString("\n")
	}
	return table.String()
}

// cell says in words what a command does, and fails when the outcome holds anything that words leave out.
func cell(t *testing.T, current Incident, command Command) string {
	t.Helper()
	outcome, err := Decide(current, command, noon)
	if err != nil {
		refusal, ok := fault.Of(err)
		if !ok || !reflect.DeepEqual(outcome, Outcome{Next: current, Paging: LeavePaging}) {
			t.Fatalf("%#v on %s: %v with %+v", command, current.Status, err, outcome)
		}
		return fmt.Sprintf("refused (%s): %s", refusal.Kind, refusal.Message)
	}
	words := map[Paging]string{
		LeavePaging: "", StopPaging: ", paging stops", NextStep: ", the next step is paged now", GoOn: ", the next step is paged as soon as nothing holds it", FirstStep: ", the first step is paged now",
		TellRise: ", whoever was paged is told", AskAgain: ", whoever has it is asked to acknowledge it again",
		KnowLess:   ", and what it was before is news again when it rises",
		StopAndAsk: ", paging stops, and whoever answered is asked to acknowledge what it is now",
	}[outcome.Paging]
	if !outcome.Changed {
		return "no change" + words
	}
	event := outcome.Events[0]
	return fmt.Sprintf("%s%s; `%s` by %s: %s", outcome.Next.Status, words, event.Kind, event.Actor.Name, event.Message)
}

func TestDecideFields(t *testing.T) {
	acknowledged, _ := Decide(inState(Triggered), Acknowledge{By: grace}, noon)
	if next := acknowledged.Next; next.AcknowledgedBy != grace.ID || !next.AcknowledgedAt.Equal(noon) || next.AssigneeID != ada.ID {
		t.Errorf("acknowledge: %+v", next)
	}
	repeat, _ := Decide(acknowledged.Next, Acknowledge{By: ada}, noon.Add(time.Hour))
	if repeat.Next != acknowledged.Next {
		t.Errorf("the first acknowledgement must stay: %+v", repeat.Next)
	}
	byKey, _ := Decide(inState(Triggered), Acknowledge{By: robot}, noon)
	if byKey.Next.AcknowledgedBy != uuid.Nil || byKey.Next.AcknowledgedAt.IsZero() {
		t.Errorf("an API key is no person: %+v", byKey.Next)
	}
	escalated, _ := Decide(acknowledged.Next, Escalate{By: grace}, noon)
	if next := escalated.Next; next.AcknowledgedBy != uuid.Nil || !next.AcknowledgedAt.IsZero() {
		t.Errorf("escalated but still acknowledged: %+v", next)
	}
	resolved, _ := Decide(acknowledged.Next, Resolve{By: ada}, noon)
	if next := resolved.Next; next.ResolvedBy != ada.ID || !next.ResolvedAt.Equal(noon) || next.AcknowledgedBy != grace.ID {
		t.Errorf("resolve: %+v", next)
	}
	cleared, _ := Decide(acknowledged.Next, AlertsCleared{}, noon)
	if cleared.Next.ResolvedBy != uuid.Nil || cleared.Events[0].Actor.Kind != System {
		t.Errorf("nobody resolved it: %+v", cleared)
	}
}

// TestAcknowledgedAgainAfterTheSeverityRose: the first acknowledgement was of a lesser
// incident, so the next one counts, and only then does it wait for nobody. The time to
// acknowledge is measured to the first one all the same.
func TestAcknowledgedAgainAfterTheSeverityRose(t *testing.T) {
	low := inState(Triggered)
	low.Severity = alert.Low
	acknowledged, _ := Decide(low, Acknowledge{By: ada}, noon)
	if next := acknowledged.Next; next.AcknowledgedSeverity != alert.Low || next.WantsConfirmation() {
		t.Fatalf("%+v", next)
	}
	rose, _ := Decide(acknowledged.Next, ChangeSeverity{To: alert.Critical, Because: "by an alert"}, noon.Add(time.Minute))
	if !rose.Next.WantsConfirmation() || rose.Paging != AskAgain || rose.Next.Status != Acknowledged {
		t.Fatalf("%+v", rose)
	}
	again, _ := Decide(rose.Next, Acknowledge{By: grace}, noon.Add(2*time.Minute))
	if next := again.Next; next.WantsConfirmation() || next.AcknowledgedSeverity != alert.Critical || next.AcknowledgedBy != grace.ID ||
		!next.AcknowledgedAt.Equal(noon) || !next.AnsweredAt().Equal(noon.Add(2*time.Minute)) || again.Paging != StopPaging || again.Events[0].Message != "Acknowledged again, now that it is critical" {
		t.Errorf("%+v", again)
	}
	handedOn, _ := Decide(again.Next, Escalate{By: ada}, noon.Add(3*time.Minute))
	repeated, _ := Decide(handedOn.Next, Acknowledge{By: ada}, noon.Add(4*time.Minute))
	if next := repeated.Next; !next.AcknowledgedAt.Equal(noon.Add(4*time.Minute)) || !next.ConfirmedAt.IsZero() {
		t.Errorf("triggered again, and acknowledged: %+v", next)
	}
	late, _ := Decide(again.Next, ConfirmTimeout{ByName: "Ada"}, noon.Add(time.Hour))
	if late.Changed {
		t.Errorf("a confirmed incident timed out: %+v", late)
	}
	timedOut, _ := Decide(rose.Next, ConfirmTimeout{ByName: "Ada"}, noon.Add(time.Hour))
	if timedOut.Next.Status != Triggered || timedOut.Next.AcknowledgedSeverity != "" || timedOut.Paging != FirstStep ||
		timedOut.Events[0].Message != "Acknowledged by Ada when it was low, and not again since it is critical: paging again." {
		t.Errorf("%+v", timedOut)
	}
	if lower, _ := Decide(rose.Next, ChangeSeverity{By: ada, To: alert.Low}, noon); lower.Paging != KnowLess || lower.Next.WantsConfirmation() {
		t.Errorf("%+v", lower)
	}
}

// TestAnAnswerCountsForWhatWasSeen: whoever pressed the button while the severity rose has not seen
// that, and is asked about it; whoever saw it as it is, or worse, is not.
func TestAnAnswerCountsForWhatWasSeen(t *testing.T) {
	high := inState(Triggered)
	saw := func(severity alert.Severity) Acknowledge {
		return Acknowledge{By: grace, Seen: map[uuid.UUID]alert.Severity{high.ID: severity}}
	}
	for severity, asks := range map[alert.Severity]bool{alert.Low: true, alert.Medium: true, alert.High: false, alert.Critical: false, "": false, "sev1": false} {
		got, err := Decide(high, saw(severity), noon)
		if err != nil || got.Next.Status != Acknowledged || got.Next.WantsConfirmation() != asks || (got.Paging == StopAndAsk) != asks {
			t.Errorf("seen as %q: %+v, %v", severity, got, err)
		}
		if asks && got.Events[0].Message != "Incident acknowledged, when it was "+string(severity) {
			t.Errorf("the timeline says %q", got.Events[0].Message)
		}
	}
	asked, _ := Decide(high, saw(alert.Low), noon)
	if again, _ := Decide(asked.Next, saw(alert.Medium), noon); again.Changed || again.Paging != LeavePaging {
		t.Errorf("a second answer to less than it is ended the question: %+v", again)
	}
	if again, _ := Decide(asked.Next, saw(alert.High), noon); again.Next.WantsConfirmation() || again.Paging != StopPaging {
		t.Errorf("the answer to what it is did not count: %+v", again)
	}
	other := Acknowledge{By: grace, Seen: map[uuid.UUID]alert.Severity{{8}: alert.Low}}
	if got, _ := Decide(high, other, noon); got.Paging != StopPaging {
		t.Errorf("what was seen of another incident counted: %+v", got)
	}
}

func TestDecideIsTotal(t *testing.T) {
	for _, status := range append(states, "", "snoozed") {
		for _, c := range append(commands, struct {
			name    string
			command Command
		}{"nothing", nil}) {
			outcome, err := Decide(Incident{Status: status}, c.command, noon)
			if err == nil && !status.known() {
				t.Errorf("%s on status %q was accepted: %+v", c.name, status, outcome)
			}
		}
	}
}

// TestDecideProperties walks random lives and checks what must hold whatever happens.
func TestDecideProperties(t *testing.T) {
	seed := cmp.Or(*seeded, rand.Uint64())
	t.Logf("go test -run %s -seed %d", t.Name(), seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 5_000 {
		current, now := inState(Triggered), noon
		for range 12 {
			now = now.Add(time.Duration(random.IntN(600)) * time.Second)
			command := commands[random.IntN(len(commands))].command
			outcome, err := Decide(current, command, now)
			checkStep(t, current, command, outcome, err)
			checkRepeat(t, outcome.Next, command, now, err)
			current = outcome.Next
		}
		if t.Failed() {
			return
		}
	}
}

func checkStep(t *testing.T, before Incident, command Command, outcome Outcome, err error) {
	t.Helper()
	after := outcome.Next
	grown := 0
	if outcome.Changed {
		grown = 1
	}
	switch {
	case before.Status == Resolved && after.Status != Resolved:
		t.Errorf("%#v left resolved", command)
	case after.Version != before.Version+grown:
		t.Errorf("%#v: version %d became %d, changed %v", command, before.Version, after.Version, outcome.Changed)
	case len(outcome.Events) != grown:
		t.Errorf("%#v: %d timeline lines, changed %v", command, len(outcome.Events), outcome.Changed)
	case !outcome.Changed && after != before:
		t.Errorf("%#v changed %+v to %+v without saying so", command, before, after)
	case err != nil && outcome.Changed:
		t.Errorf("%#v was refused and changed something", command)
	case !after.Status.Open() && (outcome.Paging == NextStep || outcome.Paging == GoOn):
		t.Errorf("%#v pages for an incident that is over", command)
	case (after.Status == Resolved) == after.ResolvedAt.IsZero():
		t.Errorf("%#v: %+v breaks the table's CHECK on resolved_at", command, after)
	case after.Status != Acknowledged && !after.SnoozedUntil.IsZero():
		t.Errorf("%#v: %+v is snoozed and nobody has it", command, after)
	case after.Status == Acknowledged && after.AcknowledgedAt.IsZero():
		t.Errorf("%#v: %+v breaks the table's CHECK on acknowledged_at", command, after)
	case after.Status == Acknowledged && before.Status != Acknowledged && outcome.Paging != StopPaging && outcome.Paging != StopAndAsk:
		t.Errorf("%#v acknowledged but goes on paging", command)
	}
}

func checkRepeat(t *testing.T, after Incident, command Command, now time.Time, firstErr error) {
	t.Helper()
	switch command.(type) {
	case Comment, Escalate, ResponderLeft, Snooze:
		return // each one counts
	}
	again, err := Decide(after, command, now.Add(time.Second))
	if again.Changed || again.Next != after || (err == nil) != (firstErr == nil) {
		t.Errorf("repeating %#v on %+v: %+v, %v", command, after, again, err)
	}
}

func BenchmarkDecide(b *testing.B) {
	current := inState(Triggered)
	for b.Loop() {
		_, _ = Decide(current, Acknowledge{By: grace}, noon)
	}
}
