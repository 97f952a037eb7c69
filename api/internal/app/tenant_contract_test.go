package app

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/auth"
)

var update = flag.Bool("update", false, "write the golden files again")

// plainRoutes are all the routes that are no RPC, with who keeps strangers out of them.
var plainRoutes = map[string]string{
	"POST /v1/webhooks/prometheus/{service_key}": "the key is found by its hash and names one service (TestTenantWebhook)",
	"PUT /v1/webhooks/prometheus/{service_key}":  "the key is found by its hash and names one service (TestTenantWebhook)",
	"POST /v1/events":       "the key is found by its hash and names one service (TestTenantEvents)",
	"POST /v1/changes":      "the key is found by its hash and names one service (TestAChangeIsKeptOnceAndPagesNobody)",
	"POST /v1/samples":      "the key is found by its hash and names one service, or the organization in which one is looked for (TestTenantSamples)",
	"POST /v1/events/batch": "the key is found by its hash and names one service (TestTenantEvents)",

	"POST /v1/heartbeats/{name}/ping":               "the key is found by its hash and names one service (TestTenantPings)",
	"GET /v1/heartbeats/{name}/ping":                "the key is found by its hash and names one service (TestTenantPings)",
	"HEAD /v1/heartbeats/{name}/ping":               "the key is found by its hash and names one service (TestTenantPings)",
	"POST /v1/heartbeats/{name}/ping/{service_key}": "the key is found by its hash and names one service (TestTenantPings)",
	"GET /v1/heartbeats/{name}/ping/{service_key}":  "the key is found by its hash and names one service (TestTenantPings)",
	"HEAD /v1/heartbeats/{name}/ping/{service_key}": "the key is found by its hash and names one service (TestTenantPings)",

	"GET /v1/stream":         "a bearer token names the organization (TestTenantStream)",
	"GET /v1/account/export": "an access token names the person (TestAPersonTakesAlongWhatIsTheirsAlone)",
	"GET /v1/openapi.yaml":   "public and the same for everybody",
	"GET /ack/{token}":       "the token is signed and names one message (TestTenantAcknowledgeLink)",
	"POST /ack/{token}":      "the token is signed and names one message (TestTenantAcknowledgeLink)",
	"GET /verify/{token}":    "the token is signed and names one contact method (verification.TestALinkIsMailedOnceAndVerifies)",
	"POST /verify/{token}":   "the token is signed and names one contact method (verification.TestALinkIsMailedOnceAndVerifies)",
	"GET /ack/style.css":     "public and the same for everybody",
	"GET /calendar/{file}":   "the token is found by its hash and names one feed (TestTenantCalendarFeed)",
	"GET /healthz":           "public; says nothing of anybody",
	"GET /readyz":            "public; says nothing of anybody",
	"GET /metrics":           "counts over all organizations, without names",
}

// methods lists every method of the contract by its name.
func methods() []protoreflect.MethodDescriptor {
	var found []protoreflect.MethodDescriptor
	protoregistry.GlobalFiles.RangeFilesByPackage("nightbell.v1", func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			service := file.Services().Get(i)
			for j := range service.Methods().Len() {
				found = append(found, service.Methods().Get(j))
			}
		}
		return true
	})
	slices.SortFunc(found, func(a, b protoreflect.MethodDescriptor) int {
		return strings.Compare(string(a.FullName()), string(b.FullName()))
	})
	return found
}

func shortName(method protoreflect.MethodDescriptor) string {
	return fmt.Sprintf("%s.%s", method.Parent().Name(), method.Name())
}

func authzOf(method protoreflect.MethodDescriptor) *nightbellv1.Authz {
	authz, _ := proto.GetExtension(method.Options(), nightbellv1.E_Authz).(*nightbellv1.Authz)
	return authz
}

// refusesUnknown reports whether fields that the request does not have are refused.
func refusesUnknown(method protoreflect.MethodDescriptor) bool {
	accepts, _ := proto.GetExtension(method.Options(), nightbellv1.E_AcceptUnknown).(bool)
	return !accepts
}

func TestTenantContractIsWhatIsServed(t *testing.T) {
	t.Parallel()
	r := newTestServer(t)
	var declared, served, plain []string
	for _, method := range methods() {
		declared = append(declared, procedureOf(method))
	}
	for _, route := range r.served.Routes() {
		switch {
		case route.Procedure == "":
			plain = append(plain, route.Verb+" "+route.Path)
		case !route.REST:
			served = append(served, route.Procedure)
		}
	}
	sameSet(t, "methods of the contract", declared, "methods that are served", served)
	var expected []string
	for route := range plainRoutes {
		expected = append(expected, route)
	}
	sameSet(t, "plain routes of this test", expected, "plain routes that are served", plain)
}

func sameSet(t *testing.T, aName string, a []string, bName string, b []string) {
	t.Helper()
	for _, only := range a {
		if !slices.Contains(b, only) {
			t.Errorf("%s is among the %s and not among the %s", only, aName, bName)
		}
	}
	for _, only := range b {
		if !slices.Contains(a, only) {
			t.Errorf("%s is among the %s and not among the %s", only, bName, aName)
		}
	}
}

// A field that looks like a name of something and does not say of what would not be
// filled with a stranger's id.
func TestTenantFieldsThatNameThingsSaySo(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, method := range methods() {
		for field := range deepFields(method.Input()) {
			name := string(field.Name())
			isName := name == "id" || name == "cursor" || name == "page_token" || name == "key" ||
				strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
			if isName && refKind(field) == "" {
				t.Errorf("%s of %s has no option (nightbell.v1.resource_ref)", field.FullName(), method.FullName())
			}
			if refKind(field) != "" {
				seen++
			}
		}
	}
	t.Logf("%d fields name resources", seen)
}

func deepFields(message protoreflect.MessageDescriptor) func(yield func(protoreflect.FieldDescriptor) bool) {
	return func(yield func(protoreflect.FieldDescriptor) bool) {
		for field := range fieldsOf(message) {
			if !yield(field) {
				return
			}
			// What only answers have is ignored in requests.
			if filled, _ := proto.GetExtension(field.Options(), nightbellv1.E_FilledInAnswers).(bool); ours(field) && !filled {
				deepFields(field.Message())(yield)
			}
		}
	}
}

// The matrix of roles is generated from the options, so that a review sees a change of
// who may do what. TestTenantIsolation holds the server to the same options.
func TestTenantRoleMatrix(t *testing.T) {
	t.Parallel()
	var matrix strings.Builder
	fmt.Fprintf(&matrix, "%-46s %-8s %-9s %-6s %-6s %-15s %s\n", "method", "viewer", "responder", "admin", "owner", "scope of a key", "audited")
	for _, method := range methods() {
		authz := authzOf(method)
		if !authz.GetPublic() && authz.GetMutates() == isRead(method) {
			t.Errorf("%s must be either a read (idempotency_level = NO_SIDE_EFFECTS) or audited (mutates)", shortName(method))
		}
		fmt.Fprintf(&matrix, "%-46s %-8s %-9s %-6s %-6s %-15s %s\n", shortName(method),
			mayCall(authz, auth.Viewer), mayCall(authz, auth.Responder), mayCall(authz, auth.Admin), mayCall(authz, auth.Owner),
			word(authz.GetScope() != "", authz.GetScope(), "-"), word(authz.GetMutates() || authz.GetReveals(), "yes", "-"))
	}
	golden(t, "role_matrix.golden", matrix.String())
}

func mayCall(authz *nightbellv1.Authz, role auth.Role) string {
	if authz.GetPublic() {
		return "anyone"
	}
	return word(role.AtLeast(auth.Role(authz.GetRole())), "yes", "-")
}

func word(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s differs (%v). Read the difference; if it is meant, run the test with -update. It is now:\n%s", path, err, got)
	}
}
