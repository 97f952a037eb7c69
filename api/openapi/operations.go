package main

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

func methodsOf(services []protoreflect.ServiceDescriptor) func(yield func(protoreflect.MethodDescriptor) bool) {
	return func(yield func(protoreflect.MethodDescriptor) bool) {
		for _, service := range services {
			for i := range service.Methods().Len() {
				if !yield(service.Methods().Get(i)) {
					return
				}
			}
		}
	}
}

// call is a method as REST has it.
type call struct {
	method   protoreflect.MethodDescriptor
	authz    *nightbellv1.Authz
	verb     string
	path     string
	location string
}

func newCall(method protoreflect.MethodDescriptor) (call, bool) {
	rule, _ := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	c := call{method: method}
	c.authz, _ = proto.GetExtension(method.Options(), nightbellv1.E_Authz).(*nightbellv1.Authz)
	c.location, _ = proto.GetExtension(method.Options(), nightbellv1.E_Location).(string)
	for verb, path := range map[string]string{
		http.MethodGet: rule.GetGet(), http.MethodPost: rule.GetPost(), http.MethodPatch: rule.GetPatch(), http.MethodDelete: rule.GetDelete(),
	} {
		if path != "" {
			c.verb, c.path = verb, path
		}
	}
	return c, c.path != ""
}

func (c call) hasBody() bool { return c.verb == http.MethodPost || c.verb == http.MethodPatch }

// repeatable is true for calls that an Idempotency-Key makes harmless to repeat.
func (c call) repeatable() bool { return c.verb == http.MethodPost && c.authz.GetMutates() }

// versioned is true for calls that change only what is as it was read.
func (c call) versioned() bool { return c.method.Input().Fields().ByName("etag") != nil }

// addServices adds an operation for each method, a tag for each service, and their schemas.
func addServices(d *document, services []protoreflect.ServiceDescriptor) error {
	w := newWriter(d, services)
	editable := editableOf(services)
	for _, service := range services {
		d.Tags = append(d.Tags, tag{Name: tagOf(service), Description: comment(service)})
	}
	for method := range methodsOf(services) {
		c, ok := newCall(method)
		if !ok {
			continue
		}
		o := w.operation(c, editable)
		if err := d.add(c.path, c.verb, o); err != nil {
			return fmt.Errorf("%s: %w", method.FullName(), err)
		}
	}
	return nil
}

func (d *document) add(path, verb string, o *operation) error {
	if !d.Paths.has(path) {
		d.Paths.set(path, &pathItem{})
	}
	operations := &d.Paths.get(path).Operations
	if operations.has(strings.ToLower(verb)) {
		return fmt.Errorf("%s %s is there already", verb, path)
	}
	operations.set(strings.ToLower(verb), o)
	return nil
}

// editableOf are the resources that a method updates: answers carry their ETag.
func editableOf(services []protoreflect.ServiceDescriptor) map[protoreflect.FullName]bool {
	editable := map[protoreflect.FullName]bool{}
	for method := range methodsOf(services) {
		if resource := resourceOf(method.Output()); edit.Is(method.Input()) && resource != nil {
			editable[resource.FullName()] = true
		}
	}
	return editable
}

// resourceOf is the message that an answer is about.
func resourceOf(answer protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	for field := range fieldsOf(answer) {
		if isOurs(field) && !field.IsList() {
			return field.Message()
		}
	}
	return nil
}

func (w *writer) operation(c call, editable map[protoreflect.FullName]bool) *operation {
	o := &operation{
		Tags: []string{tagOf(c.method.Parent())}, Summary: inWords(c.method.Name()), Description: describeMethod(c.method),
		ID: idOf(c), Security: securityOf(c.authz),
	}
	fields := c.method.Input().Fields()
	var inPath []protoreflect.Name
	for _, found := range variable.FindAllStringSubmatch(c.path, -1) {
		name := protoreflect.Name(found[1])
		inPath = append(inPath, name)
		o.Parameters = append(o.Parameters, w.parameter(fields.ByName(name), "path"))
	}
	if c.hasBody() {
		o.RequestBody = w.body(c, inPath)
	} else {
		for field := range fieldsOf(c.method.Input()) {
			if !slices.Contains(inPath, field.Name()) {
				o.Parameters = append(o.Parameters, w.parameter(field, "query"))
			}
		}
	}
	if c.repeatable() {
		o.Parameters = append(o.Parameters, &parameter{Ref: "#/components/parameters/Idempotency-Key"})
	}
	if c.versioned() {
		o.Parameters = append(o.Parameters, &parameter{Ref: "#/components/parameters/If-Match"})
	}
	resource := resourceOf(c.method.Output())
	w.succeed(o, c, resource != nil && editable[resource.FullName()])
	refuse(o, c.refusals(len(inPath) > 0)...)
	return o
}

func (w *writer) parameter(field protoreflect.FieldDescriptor, in string) *parameter {
	s := w.value(field, request)
	return &parameter{Name: string(field.Name()), In: in, Required: in == "path" || isNeeded(field), Description: w.describeField(field), Schema: s}
}

// body is nil for a call that takes no fields but those of its path.
func (w *writer) body(c call, inPath []protoreflect.Name) *requestBody {
	as := request
	if edit.Is(c.method.Input()) {
		as = update
	}
	reference := w.ref(c.method.Input(), as, inPath...)
	name := strings.TrimPrefix(reference.Ref, "#/components/schemas/")
	made := w.d.Components.Schemas.get(name)
	if made.Properties.IsZero() {
		w.d.Components.Schemas.remove(name)
		return nil
	}
	return &requestBody{Required: len(made.Required) > 0 || as == update, Content: asJSON(reference)}
}

func (w *writer) succeed(o *operation, c call, tagged bool) {
	status, done := http.StatusOK, &response{Content: asJSON(w.ref(c.method.Output(), answer))}
	headers := slices.Clone(everywhere)
	if !c.authz.GetPublic() {
		headers = append(headers, limits...)
	}
	switch {
	case c.location != "":
		status, done.Description = http.StatusCreated, "It was created."
		headers = append(headers, "Location")
	case c.verb == http.MethodGet:
		done.Description = "What was asked for."
	default:
		done.Description = "It was done."
	}
	if tagged {
		headers = append(headers, "ETag")
	}
	if c.repeatable() {
		headers = append(headers, "Idempotent-Replayed")
	}
	done.carry(headers...)
	o.Responses.set(strconv.Itoa(status), done)
}

// refusals are the statuses of errors that a call can be answered with.
func (c call) refusals(named bool) []int {
	statuses := []int{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable}
	if !c.authz.GetPublic() || c.hasBody() { // a password may be wrong
		statuses = append(statuses, http.StatusUnauthorized, http.StatusForbidden)
	}
	fields := c.method.Input().Fields()
	nothingAsked := c.authz.GetPublic() && fields.Len() == 0                                   // a demo that may not be there
	if named || c.verb == http.MethodDelete || fields.ByName("token") != nil || nothingAsked { // token: of a link
		statuses = append(statuses, http.StatusNotFound)
	}
	if c.verb != http.MethodGet {
		statuses = append(statuses, http.StatusConflict)
	}
	if c.hasBody() {
		statuses = append(statuses, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
	}
	if c.versioned() || c.refusesIfMatch() {
		statuses = append(statuses, http.StatusPreconditionFailed)
	}
	return statuses
}

// refusesIfMatch reports whether a call that compares no versions does nothing when it is asked to.
func (c call) refusesIfMatch() bool {
	accepts, _ := proto.GetExtension(c.method.Options(), nightbellv1.E_AcceptUnknown).(bool)
	return c.authz.GetMutates() && !accepts
}

// securityOf names the least role of a person that may call, and the scope of a key; nobody has to
// sign in for a public call.
func securityOf(authz *nightbellv1.Authz) *[]requirement {
	list := []requirement{}
	if !authz.GetPublic() {
		list = append(list, requirement{"access_token": {authz.GetRole()}})
	}
	switch scope := authz.GetScope(); scope {
	case "":
	case "*": // any
		list = append(list, requirement{"api_key": {}})
	default:
		list = append(list, requirement{"api_key": {scope}})
	}
	return &list
}

var variable = regexp.MustCompile(`\{([^}]*)\}`)

func tagOf(service protoreflect.Descriptor) string {
	return inWords(protoreflect.Name(strings.TrimSuffix(string(service.Name()), "Service")))
}

// idOf is made of the path and of what the method does: GET /v1/incidents is incidents_list, POST
// /v1/incidents/{id}/acknowledge is incidents_acknowledge, POST /v1/incidents/{id}/links is incidents_links_add.
func idOf(c call) string {
	var words []string
	for word := range strings.SplitSeq(strings.TrimPrefix(c.path, "/v1/"), "/") {
		if !strings.HasPrefix(word, "{") {
			words = append(words, strings.ReplaceAll(word, "-", "_"))
		}
	}
	does := strings.ToLower(strings.Fields(inWords(c.method.Name()))[0])
	switch last := words[len(words)-1]; {
	case !strings.HasPrefix(last, does):
		words = append(words, does)
	case c.verb == http.MethodPost && last != does && !strings.HasPrefix(last, does+"_"):
		words = append(words, "add") // the path names what there is then: links, subscribers
	}
	return strings.Join(words, "_")
}

// inWords writes MakeDefaultEscalationPolicy as "Make default escalation policy".
func inWords(name protoreflect.Name) string {
	var words strings.Builder
	for i, letter := range string(name) {
		if i > 0 && unicode.IsUpper(letter) {
			words.WriteByte(' ')
			letter = unicode.ToLower(letter)
		}
		words.WriteRune(letter)
	}
	return abbreviations.Replace(words.String())
}

// abbreviations are tried in this order: Organization before the Org that it begins with.
var abbreviations = strings.NewReplacer("Api ", "API ", "api ", "API ", "Ai", "AI", "Organization", "Organization", "Org", "Organization",
	"On call", "On-call", " on call", " on-call", "slack", "Slack")

// describeMethod is the comment of a method, which begins with its name as Go's do.
func describeMethod(method protoreflect.MethodDescriptor) string {
	text := strings.TrimPrefix(comment(method), string(method.Name())+" ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
