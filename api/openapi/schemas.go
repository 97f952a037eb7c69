package main

import (
	"slices"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// role is where a message stands. One message may stand in answers and in requests, which ask
// different things of it.
type role int

const (
	answer role = iota
	request
	update // a PATCH: every field may be left out, and null clears one
)

// writer makes the schemas of messages.
type writer struct {
	d *document
	// answered are the messages that stand in answers.
	answered map[protoreflect.FullName]bool
	// calls are the methods by their requests and answers, which are described by them.
	calls map[protoreflect.FullName]protoreflect.MethodDescriptor
	// ids are the names of the operations.
	ids map[protoreflect.FullName]string
	// tolerant are the messages of requests in which fields that do not exist are accepted.
	tolerant map[protoreflect.FullName]bool
}

func newWriter(d *document, services []protoreflect.ServiceDescriptor) *writer {
	w := &writer{
		d: d, answered: map[protoreflect.FullName]bool{}, tolerant: map[protoreflect.FullName]bool{},
		calls: map[protoreflect.FullName]protoreflect.MethodDescriptor{}, ids: map[protoreflect.FullName]string{},
	}
	for method := range methodsOf(services) {
		w.calls[method.Input().FullName()], w.calls[method.Output().FullName()] = method, method
		if c, ok := newCall(method); ok {
			w.ids[method.FullName()] = idOf(c)
		}
		collect(method.Output(), w.answered)
		if accepts, _ := proto.GetExtension(method.Options(), nightbellv1.E_AcceptUnknown).(bool); accepts {
			collect(method.Input(), w.tolerant)
		}
	}
	return w
}

func collect(message protoreflect.MessageDescriptor, into map[protoreflect.FullName]bool) {
	if into[message.FullName()] {
		return
	}
	into[message.FullName()] = true
	for field := range fieldsOf(message) {
		if isOurs(field) {
			collect(field.Message(), into)
		}
	}
}

// name is that of a message's schema; "Input" sets the form in requests apart from that in answers.
func (w *writer) name(message protoreflect.MessageDescriptor, as role) string {
	if as != answer && w.answered[message.FullName()] {
		return string(message.Name()) + "Input"
	}
	return string(message.Name())
}

// ref adds the schema of a message, and of the messages in it, and refers to it.
func (w *writer) ref(message protoreflect.MessageDescriptor, as role, without ...protoreflect.Name) *schema {
	name := w.name(message, as)
	if !w.d.Components.Schemas.has(name) {
		w.d.Components.Schemas.set(name, nil) // messages may hold themselves
		w.d.Components.Schemas.set(name, w.object(message, as, without))
	}
	return &schema{Ref: "#/components/schemas/" + name}
}

func (w *writer) object(message protoreflect.MessageDescriptor, as role, without []protoreflect.Name) *schema {
	s := &schema{Type: "object", Description: w.describe(message)}
	for field := range fieldsOf(message) {
		if slices.Contains(without, field.Name()) || isMask(field) {
			continue
		}
		s.Properties.set(string(field.Name()), w.field(field, as))
		if as == answer && isAlwaysThere(field) || as == request && isNeeded(field) {
			s.Required = append(s.Required, string(field.Name()))
		}
	}
	if as != answer {
		s.AdditionalProperties = w.tolerant[message.FullName()]
	}
	return s
}

// isAlwaysThere is true for what an answer never leaves out: a message only when its field says so,
// or when it is what an answer is about; the word optional says that it may be missing there.
func isAlwaysThere(field protoreflect.FieldDescriptor) bool {
	if field.IsList() || field.IsMap() || !field.HasPresence() {
		return true
	}
	return rulesOf(field).GetRequired() || isOurs(field) && !field.HasOptionalKeyword() && strings.HasSuffix(string(field.Parent().Name()), "Response")
}

// field describes a field with its description, beside a $ref too, as OpenAPI 3.1 allows.
func (w *writer) field(field protoreflect.FieldDescriptor, as role) *schema {
	inside := as
	if as == update {
		inside = request // what is in a list or message that is replaced is whole
	}
	s := w.value(field, inside)
	if as == update && !isNeeded(field) && edit.IsSettable(field) {
		s = orNull(s)
	}
	s.Description = w.describeField(field)
	if filled, _ := proto.GetExtension(field.Options(), nightbellv1.E_FilledInAnswers).(bool); filled && as != answer {
		s.ReadOnly = true
	}
	return s
}

func (w *writer) value(field protoreflect.FieldDescriptor, as role) *schema {
	rules := rulesOf(field)
	switch {
	case field.IsMap():
		return limitMap(&schema{Type: "object", AdditionalProperties: w.single(field.MapValue(), rules.GetMap().GetValues(), as)}, rules.GetMap(), as)
	case field.IsList():
		return limitList(&schema{Type: "array", Items: w.single(field, rules.GetRepeated().GetItems(), as)}, rules.GetRepeated(), as)
	}
	return w.single(field, rules, as)
}

// single is one value, also one of a list.
func (w *writer) single(field protoreflect.FieldDescriptor, rules *validate.FieldRules, as role) *schema {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return &schema{Type: "boolean"}
	case protoreflect.DoubleKind:
		return &schema{Type: "number", Format: "double"}
	case protoreflect.Int32Kind:
		return limitNumber(&schema{Type: "integer", Format: "int32"}, rules.GetInt32(), as)
	case protoreflect.StringKind:
		return limitText(&schema{Type: "string", Format: formatOf(field, rules.GetString())}, rules.GetString(), as)
	}
	switch field.Message().FullName() {
	case "google.protobuf.Timestamp":
		return &schema{Type: "string", Format: "date-time"}
	case "google.protobuf.Struct":
		return &schema{Type: "object", AdditionalProperties: true}
	case "google.protobuf.Value":
		return &schema{}
	}
	return w.ref(field.Message(), as)
}

func orNull(s *schema) *schema {
	if s.Ref != "" {
		return &schema{AnyOf: []*schema{s, {Type: "null"}}}
	}
	nullable := *s
	nullable.Type = []any{s.Type, "null"}
	if len(s.Enum) > 0 {
		nullable.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &nullable
}

// formatOf goes by the rules and by the name: ids are UUIDs, but for those that name requests, and
// cursors.
func formatOf(field protoreflect.FieldDescriptor, rules *validate.StringRules) string {
	name := string(field.Name())
	switch {
	case name == "request_id":
		return ""
	case rules.GetUuid(), name == "id", strings.HasSuffix(name, "_id"), strings.HasSuffix(name, "_ids"), name == "ids":
		return "uuid"
	case rules.GetEmail(), name == "email":
		return "email"
	case rules.GetUri(), name == "url", strings.HasSuffix(name, "_url"), name == "href", name == "link":
		return "uri"
	}
	return ""
}

func isMask(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && field.Message().FullName() == "google.protobuf.FieldMask"
}

func isOurs(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && !field.IsMap() && field.Message().ParentFile().Package() == "nightbell.v1"
}

func fieldsOf(message protoreflect.MessageDescriptor) func(yield func(protoreflect.FieldDescriptor) bool) {
	return func(yield func(protoreflect.FieldDescriptor) bool) {
		for i := range message.Fields().Len() {
			if !yield(message.Fields().Get(i)) {
				return
			}
		}
	}
}

// describe gives the comment of a message. A request and an answer need none: they are those of
// their call.
func (w *writer) describe(message protoreflect.MessageDescriptor) string {
	method := w.calls[message.FullName()]
	switch {
	case comment(message) != "" || method == nil:
		return comment(message)
	case message == method.Input():
		return "The body of " + w.ids[method.FullName()] + "."
	default:
		return "The answer of " + w.ids[method.FullName()] + "."
	}
}

// describeField gives the comment of a field. One of a request that has none means the field of
// that name in what the call answers with, and one that holds a message means that.
func (w *writer) describeField(field protoreflect.FieldDescriptor) string {
	if text := comment(field); text != "" {
		return text
	}
	message, _ := field.Parent().(protoreflect.MessageDescriptor)
	if method := w.calls[message.FullName()]; method != nil && message == method.Input() && field.Name() != "id" {
		if resource := resourceOf(method.Output()); resource != nil && resource.Fields().ByName(field.Name()) != nil {
			return w.describeField(resource.Fields().ByName(field.Name()))
		}
	}
	if isOurs(field) && !field.IsList() {
		return comment(field.Message())
	}
	return meaning(field)
}

// comment is what stands before something in its proto file, as one paragraph.
func comment(of protoreflect.Descriptor) string {
	location := of.ParentFile().SourceLocations().ByDescriptor(of)
	text := location.LeadingComments
	if text == "" {
		text = location.TrailingComments
	}
	return strings.Join(strings.Fields(text), " ")
}
