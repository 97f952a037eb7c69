package event

import (
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, body string) Event {
	t.Helper()
	fields, err := Decode([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	read, err := Read(fields, "", "a key")
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func named(warnings []Warning) (fields []string) {
	for _, one := range warnings {
		fields = append(fields, one.Field)
	}
	return fields
}

// TestOnlyPagesAreKeptAsLinks, and whoever sent others is told.
func TestOnlyPagesAreKeptAsLinks(t *testing.T) {
	t.Parallel()
	const links = `"links":[{"href":"javascript:alert(1)","text":"Dashboard"},{"href":"https://example.com/a","text":"Runbook"},{"href":"data:text/html,x"},{"text":"no href"},5]`
	event := read(t, `{"title":"t",`+links+`}`)
	if kept := string(event.Received.Event.AlertDetails); kept != `{"links":[{"href":"https://example.com/a","text":"Runbook"}]}` {
		t.Errorf("the event keeps %s", kept)
	}
	fields, err := Decode([]byte(`{"summary":"s",` + links + `}`))
	if err != nil {
		t.Fatal(err)
	}
	change, err := ReadChange(fields, "")
	if err != nil || string(change.Links) != `[{"href":"https://example.com/a","text":"Runbook"}]` || change.Link != "https://example.com/a" {
		t.Errorf("the change keeps %s, %v", change.Links, err)
	}
	for _, warnings := range [][]Warning{event.Warnings, change.Warnings} {
		if !slices.Equal(named(warnings), []string{"links"}) || !strings.Contains(warnings[0].Message, "https://") {
			t.Errorf("the sender is told %v", warnings)
		}
	}
}

// TestNoTextOfAnEventHidesOrReordersWhatIsRead, wherever it stands.
func TestNoTextOfAnEventHidesOrReordersWhatIsRead(t *testing.T) {
	t.Parallel()
	const evil = `x\u202ey\u0007z\u200b`
	event := read(t, `{"title":"`+evil+`","description":"`+evil+`","tags":{"`+evil+`":"`+evil+`"},"metadata":{"`+evil+`":["`+evil+`"]},"user":{"id":"`+evil+`"},
		"links":[{"href":"https://example.com/`+strings.ReplaceAll(evil, `\u0007`, "")+`","text":"`+evil+`"}],"operation":"`+evil+`",
		"error":{"fingerprint":"`+evil+`","exceptions":[{"type":"`+evil+`","message":"`+evil+`","frames":[{"function":"`+evil+`","code":"\t`+evil+`"}]}],"breadcrumbs":[{"message":"`+evil+`"}]}}`)
	all := event.Received.Title + event.Received.Description + event.Received.Key + event.Received.Link + string(event.Received.Event.AlertDetails) + string(event.Received.Event.IncidentDetails)
	for name, value := range event.Received.Labels {
		all += name + value
	}
	if strings.ContainsAny(all, "\u202e\u0007\u200b") || !strings.Contains(all, "xyz") || !strings.Contains(all, `\txyz`) {
		t.Errorf("it holds %q", all)
	}
}

// TestPartsOfAnErrorThatCannotBeReadAreNamed: an error that arrives empty would be looked for in vain.
func TestPartsOfAnErrorThatCannotBeReadAreNamed(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`{"exceptions":"x"}`: "error.exceptions", `{"exceptions":[5,{"type":5,"frames":"x"}]}`: "error.exceptions[0] error.exceptions[1].frames error.exceptions[1].type",
		`{"breadcrumbs":{},"fingerprint":5}`: "error.breadcrumbs error.fingerprint", `{"exceptions":null}`: "", `{"exceptions":[{"type":"a","frames":[]}]}`: "",
	} {
		if got := strings.Join(named(read(t, `{"title":"t","error":`+sent+`}`).Warnings), " "); got != want {
			t.Errorf("%s: %q, want %q", sent, got, want)
		}
	}
	if kept := read(t, `{"title":"t","error":{"exceptions":"x"}}`).Received.Event.AlertDetails; kept != nil {
		t.Errorf("of an error that cannot be read, %s is kept", kept)
	}
}
