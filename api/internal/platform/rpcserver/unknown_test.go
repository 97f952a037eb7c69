package rpcserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
)

// schedules answers nothing, after the steps.
type schedules struct {
	nightbellv1connect.UnimplementedOnCallServiceHandler
	created *nightbellv1.CreateScheduleRequest
}

func (s *schedules) CreateSchedule(_ context.Context, request *nightbellv1.CreateScheduleRequest) (*nightbellv1.CreateScheduleResponse, error) {
	s.created = request
	return &nightbellv1.CreateScheduleResponse{}, nil
}

func (s *schedules) ListCoverageProblems(context.Context, *nightbellv1.ListCoverageProblemsRequest) (*nightbellv1.ListCoverageProblemsResponse, error) {
	return &nightbellv1.ListCoverageProblemsResponse{}, nil
}

func serveSchedules(t *testing.T) (http.Handler, *schedules) {
	t.Helper()
	server, impl := New(quiet(), MapFaults(nil), Validate()), &schedules{}
	service := nightbellv1.File_nightbell_v1_oncall_service_proto.Services().ByName("OnCallService")
	err := server.Mount(service, impl, func(options ...connect.HandlerOption) (string, http.Handler) {
		return nightbellv1connect.NewOnCallServiceHandler(impl, options...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return server.Handler(), impl
}

// A misspelt field is refused, whatever the transport, with its path and the nearest name.
func TestMisspeltFieldIsRefusedWithTheNearestName(t *testing.T) {
	handler, impl := serveSchedules(t)
	rotation := `"name":"Weeks","unit":"week","length":1,"handover":"08:00","turns":[{"user_ids":[]}]`
	for body, want := range map[string]string{
		`{"name":"A","time_zone":"Europe/Berlin"}`:                               "time_zone does not exist (did you mean timezone?).",
		`{"name":"A","rotations":[{` + rotation + `,"users":["x"]}]}`:            "rotations[0].users does not exist (did you mean turns[].users?).",
		`{"name":"A","rotations":[{` + rotation + `},{` + rotation + `,"a":1}]}`: "rotations[1].a does not exist.",
		`{"name":"A","nonsense":{"deep":[1,null]}}`:                              "nonsense does not exist.",
		`{"nane":"A"}`:                         "nane does not exist (did you mean name?), and name is required.",
		`{"name":"A","escalationPolicyID":""}`: "escalationPolicyID does not exist (did you mean escalation_policy_id?).",
	} {
		for _, path := range []string{"/v1/schedules", nightbellv1connect.OnCallServiceCreateScheduleProcedure} {
			request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code < 400 || answer.Code >= 500 || !strings.Contains(answer.Body.String(), want) {
				t.Errorf("%s of %s: %d %s", path, body, answer.Code, answer.Body)
			}
		}
	}
	if impl.created != nil {
		t.Errorf("%v was created", impl.created)
	}
}

// What an update cannot set is named, and why.
func TestAMaskThatCannotBeIsRefusedWithItsName(t *testing.T) {
	handler, _ := serveSchedules(t)
	for mask, want := range map[string]string{
		"id": "names id, which cannot be changed: leave it out.", "name,etag": "names etag, which cannot be changed: leave it out.",
		"nane": "names nane, which does not exist (did you mean name?).",
		"*":    "update_mask must be names of fields with commas between", "time_zone": "update_mask must be names of fields with commas between",
	} {
		request := httptest.NewRequest(http.MethodPost, nightbellv1connect.OnCallServiceUpdateScheduleProcedure, strings.NewReader(`{"id":"x","name":"A","update_mask":"`+mask+`"}`))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s: %d %s", mask, answer.Code, answer.Body)
		}
	}
}

func TestMisspeltParameterIsRefused(t *testing.T) {
	handler, _ := serveSchedules(t)
	for _, c := range []struct{ verb, path, want string }{
		{http.MethodGet, "/v1/on-call/problems?scheduleid=x", "scheduleid does not exist (did you mean schedule_id?)."},
		{http.MethodGet, "/v1/on-call/problems?scheduleId=x", "scheduleId does not exist (did you mean schedule_id?)."},
		{http.MethodGet, "/v1/on-call/problems?schedule_id=x&kind=gap&days=3", ""},
		{http.MethodPost, "/v1/schedules?timezone=UTC", "timezone does not belong into the address: put it into the body"},
	} {
		request := httptest.NewRequest(c.verb, c.path, strings.NewReader(`{"name":"A"}`))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if (answer.Code == http.StatusUnprocessableEntity) != (c.want != "") || !strings.Contains(answer.Body.String(), c.want) {
			t.Errorf("%s %s: %d %s", c.verb, c.path, answer.Code, answer.Body)
		}
	}
}

// What is known arrives, and nothing of the names that are not is left in the message, also
// where the method ignores them.
func TestUnknownNamesLeaveNothingInTheMessage(t *testing.T) {
	message := &nightbellv1.CreateIncidentRequest{}
	if err := readJSON([]byte(`{"title":"Down","colour":"red","metadata":{"any":1}}`), message); err != nil {
		t.Fatal(err)
	}
	found := takeUnknown(message.ProtoReflect())
	if len(found) != 1 || found[0].Path != "colour" || len(message.ProtoReflect().GetUnknown()) > 0 {
		t.Errorf("found %v, left %x", found, message.ProtoReflect().GetUnknown())
	}
	if want := (&nightbellv1.CreateIncidentRequest{Title: "Down", Metadata: message.GetMetadata()}); !proto.Equal(message, want) {
		t.Errorf("%v arrived", message)
	}
	later := []byte{0xf8, 0xff, 0xff, 0xff, 0x0f, 1, 0xa2, 0x06, 1, 'x'} // fields of a newer client
	message.ProtoReflect().SetUnknown(later)
	if found = takeUnknown(message.ProtoReflect()); found != nil || len(message.ProtoReflect().GetUnknown()) != len(later) {
		t.Errorf("found %v in the fields of a newer client", found)
	}
}

// A body of nothing but unknown names costs no more than a few of them.
func TestUnknownNamesAreBounded(t *testing.T) {
	var body strings.Builder
	body.WriteString(`{"name":"A"`)
	for i := 0; body.Len() < maxBody-20; i++ {
		fmt.Fprintf(&body, `,"x%d":0`, i)
	}
	body.WriteString(`}`)
	message := &nightbellv1.CreateScheduleRequest{}
	if err := readJSON([]byte(body.String()), message); err != nil {
		t.Fatal(err)
	}
	if got := takeUnknown(message.ProtoReflect()); len(got) != maxUnknown {
		t.Errorf("%d of them are told", len(got))
	}
}
