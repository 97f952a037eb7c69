package rpcserver

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// method is one RPC and the Go function behind it.
type method struct {
	descriptor protoreflect.MethodDescriptor
	authz      *nightbellv1.Authz
	procedure  string
	// most is the largest request, in bytes.
	most     int64
	request  reflect.Type
	function reflect.Value
}

// newMethod finds the Go method of an RPC. It fails when the RPC does not say who may call it, so
// that a forgotten option stops the server instead of opening a door.
func newMethod(descriptor protoreflect.MethodDescriptor, impl reflect.Value) (*method, error) {
	authz, _ := proto.GetExtension(descriptor.Options(), nightbellv1.E_Authz).(*nightbellv1.Authz)
	if authz == nil || (authz.GetPublic() == (authz.GetRole() != "")) {
		return nil, fmt.Errorf("%s must say who may call it: option (nightbell.v1.authz) with either public or a role", descriptor.FullName())
	}
	if descriptor.IsStreamingClient() {
		return nil, fmt.Errorf("%s takes a stream of requests, which the policy cannot check", descriptor.FullName())
	}
	known := &method{
		descriptor: descriptor,
		authz:      authz,
		procedure:  fmt.Sprintf("/%s/%s", descriptor.Parent().FullName(), descriptor.Name()),
		most:       mostOf(descriptor),
		function:   impl.MethodByName(string(descriptor.Name())),
	}
	if !known.function.IsValid() {
		return nil, fmt.Errorf("%s has no method %s", impl.Type(), descriptor.Name())
	}
	if descriptor.IsStreamingServer() {
		return known, nil
	}
	return known, known.checkSignature()
}

var (
	contextType = reflect.TypeFor[context.Context]()
	messageType = reflect.TypeFor[proto.Message]()
	errorType   = reflect.TypeFor[error]()
)

// checkSignature wants func(context.Context, *Request) (*Response, error) with the RPC's messages.
func (m *method) checkSignature() error {
	shape := m.function.Type()
	if shape.NumIn() != 2 || shape.NumOut() != 2 || shape.In(0) != contextType || shape.Out(1) != errorType ||
		!isMessage(shape.In(1), m.descriptor.Input()) || !isMessage(shape.Out(0), m.descriptor.Output()) {
		return fmt.Errorf("%s is served by %s, which does not fit", m.descriptor.FullName(), shape)
	}
	m.request = shape.In(1).Elem()
	return nil
}

func isMessage(candidate reflect.Type, wanted protoreflect.MessageDescriptor) bool {
	if candidate.Kind() != reflect.Pointer || !candidate.Implements(messageType) {
		return false
	}
	message, ok := reflect.TypeAssert[proto.Message](reflect.New(candidate.Elem()))
	return ok && message.ProtoReflect().Descriptor().FullName() == wanted.FullName()
}

func (m *method) newRequest() proto.Message {
	message, _ := reflect.TypeAssert[proto.Message](reflect.New(m.request))
	return message
}

func (m *method) invoke(ctx context.Context, message proto.Message) (proto.Message, error) {
	results := m.function.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(message)})
	if err, failed := reflect.TypeAssert[error](results[1]); failed {
		return nil, err
	}
	answer, ok := reflect.TypeAssert[proto.Message](results[0])
	if !ok || results[0].IsNil() {
		return nil, errNoAnswer(m.procedure)
	}
	return answer, nil
}

func errNoAnswer(procedure string) error {
	return fmt.Errorf("%s returned neither an answer nor an error", procedure)
}

func (m *method) call(ctx context.Context, transport Transport, header http.Header) *Call {
	of := requestFrom(ctx)
	of.transport, of.procedure = transport, m.procedure
	return &Call{
		Procedure:      m.procedure,
		Method:         m.descriptor,
		Authz:          m.authz,
		Header:         header,
		ResponseHeader: http.Header{},
		Peer:           of.peer,
		RequestID:      of.id,
		Transport:      transport,
		Stream:         m.descriptor.IsStreamingServer(),
	}
}

// restRoute serves one google.api.http binding of a method.
type restRoute struct {
	server    *Server
	method    *method
	verb      string
	path      string
	variables []protoreflect.FieldDescriptor
	hasBody   bool
	// location is where what the method creates can be read; empty for a method that creates nothing.
	location string
}

// restRoutes reads the annotation of a method. Every unary method must have one: what a browser
// can do, curl can do.
func restRoutes(server *Server, method *method) ([]*restRoute, error) {
	rule, _ := proto.GetExtension(method.descriptor.Options(), annotations.E_Http).(*annotations.HttpRule)
	if rule == nil {
		if method.descriptor.IsStreamingServer() {
			return nil, nil
		}
		return nil, fmt.Errorf("%s has no REST route: option (google.api.http)", method.descriptor.FullName())
	}
	if method.descriptor.IsStreamingServer() {
		return nil, fmt.Errorf("%s is a stream and cannot have a REST route", method.descriptor.FullName())
	}
	var routes []*restRoute
	for _, rule := range append([]*annotations.HttpRule{rule}, rule.GetAdditionalBindings()...) {
		route, err := newRESTRoute(server, method, rule)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method.descriptor.FullName(), err)
		}
		routes = append(routes, route)
	}
	return routes, nil
}

var variable = regexp.MustCompile(`\{([^}]*)\}`)

func newRESTRoute(server *Server, method *method, rule *annotations.HttpRule) (*restRoute, error) {
	route := &restRoute{server: server, method: method, hasBody: rule.GetBody() == "*"}
	route.verb, route.path = verbAndPath(rule)
	route.location, _ = proto.GetExtension(method.descriptor.Options(), nightbellv1.E_Location).(string)
	if err := checkLocation(route.location, method.descriptor.Output()); err != nil {
		return nil, err
	}
	switch {
	case route.path == "" || strings.ContainsAny(route.path, "*:"):
		return nil, fmt.Errorf("the path %q is not supported; use literal segments and {field}", route.path)
	case rule.GetBody() != "" && rule.GetBody() != "*", rule.GetResponseBody() != "":
		return nil, fmt.Errorf("only body: \"*\" and whole answers are supported")
	case route.hasBody && (route.verb == http.MethodGet || route.verb == http.MethodDelete):
		return nil, fmt.Errorf("%s must not have a body", route.verb)
	}
	fields := method.descriptor.Input().Fields()
	for _, found := range variable.FindAllStringSubmatch(route.path, -1) {
		field := fields.ByName(protoreflect.Name(found[1]))
		if field == nil || field.IsList() || fromText(field) != nil {
			return nil, fmt.Errorf("the path names {%s}, which is no plain field of the request", found[1])
		}
		route.variables = append(route.variables, field)
	}
	return route, route.checkQuery(fields)
}

// checkQuery makes sure that every field of a request without a body can be written in its URL.
func (t *restRoute) checkQuery(fields protoreflect.FieldDescriptors) error {
	if t.hasBody {
		return nil
	}
	for i := range fields.Len() {
		if err := fromText(fields.Get(i)); err != nil {
			return err
		}
	}
	return nil
}

func verbAndPath(rule *annotations.HttpRule) (verb, path string) {
	switch {
	case rule.GetGet() != "":
		return http.MethodGet, rule.GetGet()
	case rule.GetPost() != "":
		return http.MethodPost, rule.GetPost()
	case rule.GetPut() != "":
		return http.MethodPut, rule.GetPut()
	case rule.GetPatch() != "":
		return http.MethodPatch, rule.GetPatch()
	}
	return http.MethodDelete, rule.GetDelete()
}

// ServeHTTP answers one REST request.
func (t *restRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	call := t.method.call(ctx, REST, r.Header)
	call.ResponseHeader = w.Header()
	if err := t.server.admit(ctx, call); err != nil {
		WriteError(w, r, err)
		return
	}
	message := t.method.newRequest()
	if err := t.read(w, r, message); err != nil {
		WriteError(w, r, err)
		return
	}
	answer, err := run(withCall(ctx, call), t.server.steps, call, message, t.method.invoke)
	if err != nil {
		writeFault(w, settled(ctx, err))
		return
	}
	body, err := marshalJSON(answer)
	if err != nil {
		WriteError(w, r, fmt.Errorf("marshal the answer of %s: %w", t.method.procedure, err))
		return
	}
	writeJSON(w, t.succeed(w.Header(), answer.ProtoReflect()), body)
}

// succeed is the status of an answer, with Location set where something was created.
func (t *restRoute) succeed(header http.Header, answer protoreflect.Message) int {
	if t.location == "" {
		return http.StatusOK
	}
	header.Set("Location", variable.ReplaceAllStringFunc(t.location, func(name string) string {
		return url.PathEscape(textAt(answer, strings.Trim(name, "{}")))
	}))
	return http.StatusCreated
}

// textAt reads "team.id" of a message.
func textAt(message protoreflect.Message, path string) string {
	name, rest, deeper := strings.Cut(path, ".")
	value := message.Get(message.Descriptor().Fields().ByName(protoreflect.Name(name)))
	if deeper {
		return textAt(value.Message(), rest)
	}
	return value.String()
}

// checkLocation makes sure that the option location names fields of the answer.
func checkLocation(location string, answer protoreflect.MessageDescriptor) error {
	for _, found := range variable.FindAllStringSubmatch(location, -1) {
		at := answer
		for name := range strings.SplitSeq(found[1], ".") {
			if at == nil || at.Fields().ByName(protoreflect.Name(name)) == nil {
				return fmt.Errorf("the option location names %s, which the answer does not have", found[0])
			}
			at = at.Fields().ByName(protoreflect.Name(name)).Message()
		}
	}
	return nil
}

// read fills the request from body or query, and then from the path, which has the last word.
func (t *restRoute) read(w http.ResponseWriter, r *http.Request, message proto.Message) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.New(fault.Invalid, "invalid_query", "The parameters in the address cannot be read. Separate them by & and write other signs as %XX, for example ?limit=5&offset=10.")
	}
	if t.hasBody {
		r.Body = http.MaxBytesReader(w, r.Body, t.method.most)
		large := &requestFrom(r.Context()).large
		defer large.end()
		body, err := readBody(r, t.method.most, large, message)
		if err != nil {
			return err
		}
		t.ignoreReadOnly(message.ProtoReflect())
		maskFromBody(body, message.ProtoReflect())
		for name := range query {
			noteUnknown(message.ProtoReflect(), []fault.Field{{Path: name, Code: fault.Unknown, Message: "does not belong into the address: put it into the body"}})
		}
	} else if len(query) > 0 {
		readQuery(query, t.method.descriptor.Input().Fields(), message.ProtoReflect())
	}
	if descriptor := t.method.descriptor; r.Header.Get("If-Match") != "" && acceptsUnknown(descriptor) && t.method.authz.GetMutates() && !edit.HasETag(descriptor.Input()) {
		noteUnknown(message.ProtoReflect(), []fault.Field{{Path: "If-Match", Code: fault.Unknown, Message: "is not looked at: this call compares no versions"}})
	}
	for _, field := range t.variables {
		if setTexts(message.ProtoReflect(), field, []string{r.PathValue(string(field.Name()))}) != "" {
			return errNothingHere
		}
	}
	return nil
}

// ignoreReadOnly takes names that only the answer has out of the names that do not exist, in a
// body that has the resource's id too: somebody sends back what a GET returned. Without the id,
// such a name is a mistake, for example team instead of team_id.
func (t *restRoute) ignoreReadOnly(message protoreflect.Message) {
	unknown := takeUnknown(message)
	resource := resourceOf(t.method.descriptor)
	if id := message.Descriptor().Fields().ByName("id"); resource != nil && id != nil && message.Has(id) {
		unknown = slices.DeleteFunc(unknown, func(f fault.Field) bool { return isUnknown(f) && fieldNamed(resource.Fields(), f.Path) != nil })
	}
	noteUnknown(message, unknown)
}

// resourceOf is the one message in a method's answer, besides its warnings, or nil.
func resourceOf(method protoreflect.MethodDescriptor) protoreflect.MessageDescriptor {
	fields := method.Output().Fields()
	most := 1
	if fields.ByName("warnings") != nil {
		most++
	}
	if fields.Len() != most || fields.Get(0).IsList() || fields.Get(0).IsMap() {
		return nil
	}
	return fields.Get(0).Message()
}
