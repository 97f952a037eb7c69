package rpcserver

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// TestNamesThatHideSomethingAreRefused at every entrance: one rule for all methods.
func TestNamesThatHideSomethingAreRefused(t *testing.T) {
	const hidden = "holds a control or invisible character"
	for _, c := range []struct {
		message proto.Message
		want    string
	}{
		{&nightbellv1.CreateServiceRequest{Name: "Checkout\x1b[31m"}, "name " + hidden + " (U+001B)"},
		{&nightbellv1.CreateServiceRequest{Name: "Check\u202eout"}, "name " + hidden + " (U+202E)"},
		{&nightbellv1.CreateServiceRequest{Name: "Check\u200bout"}, "name " + hidden + " (U+200B)"},
		{&nightbellv1.CreateServiceRequest{Name: " \u3000 "}, "name is blank"},
		{&nightbellv1.CreateServiceRequest{Name: "Checkout", RepoUrl: "https://example.com/\n"}, "repo_url " + hidden},
		{&nightbellv1.CreateTeamRequest{Name: "Team\nBcc: eve@example.org"}, "name " + hidden},
		{&nightbellv1.RegisterRequest{Name: "Dana\u2066"}, "name " + hidden},
		{&nightbellv1.CreateContactMethodRequest{Name: "\u200f"}, "name " + hidden},
		{&nightbellv1.CreateScheduleRequest{Rotations: []*nightbellv1.Rotation{{Name: "Day\x07"}}}, "rotations[0].name " + hidden},
		{&nightbellv1.CreateIncidentRequest{Title: "\x1b\u200b", Severity: "low"}, "title is required"},
	} {
		fields := makePlain(c.message.ProtoReflect(), "", 0)
		err := validate(c.message, fields, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %q", c.message, err, c.want)
		}
	}
}

// TestProseIsCleaned: an incident is not refused because a program's output has colours.
func TestProseIsCleaned(t *testing.T) {
	metadata, err := structpb.NewStruct(map[string]any{"output": "\x1b[31mred", "lines": []any{"a\nb\u202e"}})
	if err != nil {
		t.Fatal(err)
	}
	request := &nightbellv1.CreateIncidentRequest{
		Title: "\x1b[31mDisk\r\nfull\u202e", Description: "first\r\nsecond\x07", Severity: "low",
		Tags: map[string]string{"host": "db\u200b1"}, Metadata: metadata,
	}
	if fields := makePlain(request.ProtoReflect(), "", 0); len(fields) > 0 {
		t.Fatalf("refused: %v", fields)
	}
	got := []string{
		request.GetTitle(), request.GetDescription(), request.GetTags()["host"], request.GetMetadata().GetFields()["output"].GetStringValue(),
		request.GetMetadata().GetFields()["lines"].GetListValue().GetValues()[0].GetStringValue(),
	}
	if want := []string{"[31mDisk full", "first\nsecond", "db1", "[31mred", "a\nb"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPasswordsAreNotTouched(t *testing.T) {
	const password = "tab\tand zero\u200bwidth"
	request := &nightbellv1.LoginRequest{Email: "dana@rockets.example", Password: password}
	if fields := makePlain(request.ProtoReflect(), "", 0); len(fields) > 0 || request.GetPassword() != password {
		t.Errorf("the password became %q, %v", request.GetPassword(), fields)
	}
}
