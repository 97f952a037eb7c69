package rpcserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/gen/nightbell/v1/nightbellv1connect"
)

var rockets, boats, network = uuid.UUID{1}, uuid.UUID{2}, uuid.UUID{3}

// largeServer believes who a call says to be of.
func largeServer(t *testing.T) *Server {
	t.Helper()
	server := New(quiet(), Recover(), MapFaults(nil))
	server.Admit = func(_ context.Context, call *Call) error {
		call.Share = map[string]Share{"rockets": {ID: rockets}, "boats": {ID: boats}, "stranger": {network, true}}[call.Header.Get("Authorization")]
		return nil
	}
	mountProbe(t, server, &probe{
		create: func(context.Context, *nightbellv1.CreateIncidentRequest) (*nightbellv1.CreateIncidentResponse, error) {
			return &nightbellv1.CreateIncidentResponse{}, nil
		},
		get: func(context.Context, *nightbellv1.GetIncidentRequest) (*nightbellv1.GetIncidentResponse, error) {
			return &nightbellv1.GetIncidentResponse{}, nil
		},
	})
	return server
}

// sent is a call in one of the forms that there are.
type sent struct{ verb, path, kind, encoding, body string }

// forms are a title of so many letters as everything that a server can be sent.
func forms(t *testing.T, letters int) map[string]sent {
	t.Helper()
	title := strings.Repeat("x", letters)
	text := `{"title":"` + title + `"}`
	binaryForm, err := proto.Marshal(&nightbellv1.CreateIncidentRequest{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	enveloped := func(flags byte, message string) string {
		return string(binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(message)))) + message
	}
	const create, get = nightbellv1connect.IncidentServiceCreateIncidentProcedure, nightbellv1connect.IncidentServiceGetIncidentProcedure
	asked, err := proto.Marshal(&nightbellv1.GetIncidentRequest{Id: title})
	if err != nil {
		t.Fatal(err)
	}
	inAddress := url.Values{
		"encoding": {"proto"}, "compression": {"gzip"}, "base64": {"1"}, "connect": {"v1"}, "message": {base64.RawURLEncoding.EncodeToString([]byte(zipped(t, string(asked))))},
	}
	return map[string]sent{
		"REST":                {"POST", "/v1/incidents", "application/json", "", text},
		"REST, gzip":          {"POST", "/v1/incidents", "application/json", "gzip", zipped(t, text)},
		"Connect":             {"POST", create, "application/json", "", text},
		"Connect, gzip":       {"POST", create, "application/json", "gzip", zipped(t, text)},
		"Connect, proto":      {"POST", create, "application/proto", "", string(binaryForm)},
		"Connect, proto gzip": {"POST", create, "application/proto", "gzip", zipped(t, string(binaryForm))},
		"gRPC":                {"POST", create, "application/grpc", "", enveloped(0, string(binaryForm))},
		"gRPC, gzip":          {"POST", create, "application/grpc", "", enveloped(1, zipped(t, string(binaryForm)))},
		"gRPC-Web":            {"POST", create, "application/grpc-web", "", enveloped(0, string(binaryForm))},
		"in the address":      {"GET", get + "?" + inAddress.Encode(), "", "", ""},
	}
}

func (s sent) as(ctx context.Context, handler http.Handler, who string) (code, all string) {
	r := httptest.NewRequestWithContext(ctx, s.verb, s.path, strings.NewReader(s.body))
	for name, value := range map[string]string{"Authorization": who, "Content-Type": s.kind, "Content-Encoding": s.encoding, "Grpc-Encoding": "gzip", "Connect-Content-Encoding": "gzip"} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var whole bytes.Buffer
	_ = w.Result().Header.Write(&whole)
	_ = w.Result().Trailer.Write(&whole)
	_, _ = io.Copy(&whole, w.Body)
	return http.StatusText(w.Code), whole.String()
}

// TestLargeBodiesOfStrangersHoldBackNoOrganization: in whichever form they come. Small ones never wait, but for
// what is packed into an address, which no browser or SDK does.
func TestLargeBodiesOfStrangersHoldBackNoOrganization(t *testing.T) {
	for name, large := range forms(t, 100_000) {
		small := forms(t, 100)[name]
		synctest.Test(t, func(t *testing.T) {
			server := largeServer(t)
			handler := server.Handler()
			_, err := server.large.strangers.places.Enter(t.Context(), network) // another is being parsed
			if err != nil {
				t.Fatal(err)
			}
			for range 3 { // no place stays taken
				for _, who := range []string{"rockets", "boats"} {
					if code, all := large.as(t.Context(), handler, who); !strings.HasPrefix(code, "OK") && code != "Created" || strings.Contains(all, "too_many_large_bodies") || strings.Contains(all, `"error"`) {
						t.Errorf("%s of %s: %s\n%s", name, who, code, all)
					}
				}
			}
			if _, all := small.as(t.Context(), handler, "stranger"); name != "in the address" && strings.Contains(all, "Too many large calls") {
				t.Errorf("%s, small: %s", name, all)
			}
			started := time.Now()
			if code, all := large.as(t.Context(), handler, "stranger"); !strings.Contains(all, "Too many large calls") || !strings.Contains(all, "Retry-After: 2") {
				t.Errorf("%s of a stranger: %s\n%s", name, code, all)
			}
			if waited := time.Since(started); waited != largeWait {
				t.Errorf("%s of a stranger waited for %s", name, waited)
			}
			left, leave := context.WithCancel(t.Context())
			leave()
			started = time.Now()
			if large.as(left, handler, "stranger"); time.Since(started) != 0 {
				t.Errorf("%s of a stranger who left waited for %s", name, time.Since(started))
			}
			if !server.large.strangers.memory.Take(network, strangeLargeBytes/2) || !server.large.organizations.memory.Take(rockets, largeBytes/2) {
				t.Errorf("%s: memory stays taken", name)
			}
		})
	}
}

// TestWaitingBodiesTakeBoundedMemory: of thousands that would be large, few wait and all others are refused at
// once; of one organization they leave room to another.
func TestWaitingBodiesTakeBoundedMemory(t *testing.T) {
	bomb := forms(t, 1_000_000)["REST, gzip"]
	for _, who := range []string{"stranger", "rockets"} {
		synctest.Test(t, func(t *testing.T) {
			server := largeServer(t)
			handler := server.Handler()
			leave, err := server.large.reading(Share{rockets, who == "stranger"}).shares.places.Enter(t.Context(), uuid.UUID{9})
			if err != nil {
				t.Fatal(err)
			}
			if who == "rockets" { // the second place
				if _, err := server.large.organizations.places.Enter(t.Context(), uuid.UUID{8}); err != nil {
					t.Fatal(err)
				}
			}
			refused, done := make(chan string, 2000), make(chan string, 2000)
			for range 2000 {
				go func() {
					code, all := bomb.as(t.Context(), handler, who)
					if strings.Contains(all, "too_many_large_bodies") {
						refused <- all
					} else {
						done <- code
					}
				}()
			}
			synctest.Wait()
			waiting := 2000 - len(refused) - len(done)
			if most := largeBytes / 2 / maxBody; waiting == 0 || waiting > most {
				t.Errorf("%d of %s wait, of at most %d", waiting, who, most)
			}
			began := time.Now()
			go func() { time.Sleep(largeWait / 2); leave() }()
			if code, all := bomb.as(t.Context(), handler, "boats"); code != "Created" || time.Since(began) > largeWait/2 {
				t.Errorf("beside those of %s another organization has %s after %s: %s", who, code, time.Since(began), all)
			}
			time.Sleep(largeWait)
			synctest.Wait()
		})
	}
}
