package rpcserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// unread fails the test when somebody reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// TestWhoIsNotAdmittedIsNotRead: on every transport the refusal comes before the body is looked at.
func TestWhoIsNotAdmittedIsNotRead(t *testing.T) {
	server := New(quiet(), Recover(), MapFaults(nil))
	server.Admit = func(_ context.Context, call *Call) error {
		if call.Header.Get("Authorization") == "" {
			return fault.New(fault.Unauthenticated, "no_token", "Sign in.")
		}
		return nil
	}
	mountProbe(t, server, &probe{create: func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
		return &nightbellv1.CreateIncidentResponse{}, nil
	}})
	handler := server.Handler()
	const connectPath = nightbellv1connect.IncidentServiceCreateIncidentProcedure
	for kind, c := range map[string]struct {
		path   string
		status int
	}{
		"application/json": {"/v1/incidents", http.StatusUnauthorized}, "application/json; charset=utf-8": {connectPath, http.StatusUnauthorized},
		"application/proto": {connectPath, http.StatusUnauthorized}, "application/grpc": {connectPath, http.StatusOK}, "application/grpc-web": {connectPath, http.StatusOK},
	} {
		r := httptest.NewRequest(http.MethodPost, c.path, unread{t})
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		grpc := w.Header().Get("Grpc-Status")
		if w.Code != c.status || (c.status == http.StatusOK && grpc != "16") {
			t.Errorf("%s: %d, grpc-status %q, %s", kind, w.Code, grpc, w.Body)
		}
	}
	if got := rest(handler, http.MethodPost, "/v1/incidents", `{"title":"x"}`, "Authorization", "Bearer x"); got.status != http.StatusCreated {
		t.Errorf("who is admitted: %d %s", got.status, got.body)
	}
}

// TestWhatIsWrongWithALargeBodyCostsLittle: what lies below a name that does not exist is not unpacked.
func TestWhatIsWrongWithALargeBodyCostsLittle(t *testing.T) {
	items := strings.TrimSuffix(strings.Repeat("{},", 350_000-20), ",")
	for name, body := range map[string]string{
		"a misfit":          `{"nothing":[` + items + `],"ids":5}`,
		"unknown":           `{"nothing":[` + items + `]}`,
		"no JSON":           `{"nothing":[` + items + `]`,
		"messages in vain":  `{"seen":[` + items + `],"ids":5}`,
		"messages, no JSON": `{"seen":[` + items + `]`,
	} {
		message, sent := proto.Message(&nightbellv1.ChangeIncidentsRequest{}), []byte(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readJSON(sent, message)
		runtime.ReadMemStats(&after)
		cost := after.TotalAlloc - before.TotalAlloc
		most := uint64(8 << 20)
		if strings.HasPrefix(name, "messages") {
			most = 56 << 20 // reading them once, before what is wrong is met
		}
		if cost > most {
			t.Errorf("%s: %d KiB to refuse %d KiB", name, cost>>10, len(body)>>10)
		}
		if unknown := takeUnknown(message.ProtoReflect()); name == "unknown" && (err != nil || len(unknown) != 1 || unknown[0].Path != "nothing") {
			t.Errorf("%s: %v, %v", name, unknown, err)
		}
		if seen := (*fault.Error)(nil); name != "unknown" && (!errors.As(err, &seen) || seen.Code != "invalid_json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMethodsForAnybodyTakeSmallBodies: over Connect too, and unpacked.
func TestMethodsForAnybodyTakeSmallBodies(t *testing.T) {
	server := New(quiet(), Recover(), MapFaults(nil))
	impl := &nightbellv1connect.UnimplementedEnquiryServiceHandler{}
	if err := server.Mount(nightbellv1.File_nightbell_v1_enquiry_service_proto.Services().Get(0), impl, func(o ...connect.HandlerOption) (string, http.Handler) {
		return nightbellv1connect.NewEnquiryServiceHandler(impl, o...)
	}); err != nil {
		t.Fatal(err)
	}
	handler := server.Handler()
	large := `{"message":"` + strings.Repeat("x", maxPublicBody) + `"}`
	for name, got := range map[string]answer{
		"REST":    rest(handler, http.MethodPost, "/v1/enquiries", large, "Content-Type", "application/json"),
		"gzip":    rest(handler, http.MethodPost, "/v1/enquiries", zipped(t, large), "Content-Type", "application/json", "Content-Encoding", "gzip"),
		"Connect": rest(handler, http.MethodPost, nightbellv1connect.EnquiryServiceSubmitEnquiryProcedure, large, "Content-Type", "application/json"),
	} {
		if got.status < 400 || !strings.Contains(got.body, "larger than 64 KiB") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}
