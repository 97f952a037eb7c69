package rpcserver

import (
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Route is one verb and path that the server answers.
type Route struct {
	Verb string
	// Path has the form of http.ServeMux: "/v1/incidents/{id}".
	Path string
	// Procedure is empty for a route that is no RPC.
	Procedure string
	// REST is true for the REST form of a procedure.
	REST bool
}

// table finds the handler of a request. Paths are registered without their verb, so that a wrong
// verb is answered with what would have been right. A literal segment wins over a variable one.
type table struct {
	mux   *http.ServeMux
	verbs map[string]verbs
	list  []Route
}

func newTable() *table {
	return &table{mux: http.NewServeMux(), verbs: map[string]verbs{}}
}

func (t *table) add(route Route, handler http.Handler) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil { // how ServeMux says that a path is malformed or ambiguous
			err = fmt.Errorf("route %s %s: %v", route.Verb, route.Path, panicked)
		}
	}()
	known, ok := t.verbs[route.Path]
	if !ok {
		known = verbs{}
		t.mux.Handle(route.Path, known)
		t.verbs[route.Path] = known
	}
	if _, taken := known[route.Verb]; taken {
		return fmt.Errorf("route %s %s is taken twice", route.Verb, route.Path)
	}
	known[route.Verb] = handler
	t.list = append(t.list, route)
	return nil
}

// verbs are the handlers of one path.
type verbs map[string]http.Handler

func (v verbs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, ok := v[r.Method]
	if !ok && r.Method == http.MethodHead {
		handler, ok = v[http.MethodGet]
	}
	if ok {
		handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Allow", v.allowed())
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	WriteError(w, r, fault.Newf(fault.WrongVerb, "method_not_allowed", "%s is not possible here. Use %s.", printable(r.Method), v.allowed()))
}

func (v verbs) allowed() string {
	list := append(slices.Collect(maps.Keys(v)), http.MethodOptions)
	if _, ok := v[http.MethodGet]; ok {
		list = append(list, http.MethodHead)
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

// printable keeps a made-up verb from filling an answer.
func printable(verb string) string { return verb[:min(len(verb), 16)] }

var errNothingHere = fault.New(fault.NotFound, "not_found",
	"There is nothing at this address. The calls that exist are listed at /v1/openapi.yaml.")

// otherwise answers what is not in the table.
func (s *Server) otherwise(w http.ResponseWriter, r *http.Request) {
	if s.Fallback != nil && !isAPI(r.URL.Path) {
		s.Fallback.ServeHTTP(w, r)
		return
	}
	WriteError(w, r, errNothingHere)
}

// isAPI tells the paths that programs call from those that people open.
func isAPI(path string) bool {
	return path == "/v1" || strings.HasPrefix(path, "/v1/") || strings.HasPrefix(path, "/nightbell.v1.")
}

// tidy takes the trailing slash off an API path, so that it does not matter there. A path that
// http.ServeMux would redirect with an HTML page is emptied of routes instead.
func tidy(r *http.Request) {
	if !isAPI(r.URL.Path) {
		return
	}
	if trimmed := strings.TrimSuffix(r.URL.Path, "/"); trimmed != r.URL.Path && trimmed != "" {
		clean := *r.URL
		clean.Path, clean.RawPath = trimmed, strings.TrimSuffix(r.URL.RawPath, "/")
		r.URL = &clean
	}
	if path.Clean(r.URL.Path) != r.URL.Path {
		clean := *r.URL
		clean.Path, clean.RawPath = "/v1/-", ""
		r.URL = &clean
	}
}

func isReadOnly(method protoreflect.MethodDescriptor) bool {
	options, ok := method.Options().(*descriptorpb.MethodOptions)
	return ok && options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS
}
