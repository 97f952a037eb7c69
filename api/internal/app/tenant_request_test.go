package app

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/timestamppb"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// targetKind stands for the four kinds of things that an escalation step can name.
const targetKind = "escalation_target"

// reference is a field of a request that names something of an organization.
type reference struct{ path, kind string }

// referencesOf finds them at any depth.
func referencesOf(message protoreflect.MessageDescriptor) []reference {
	var found []reference
	for field := range fieldsOf(message) {
		if kind := refKind(field); kind != "" {
			found = append(found, reference{string(field.Name()), kind})
		} else if ours(field) {
			for _, inner := range referencesOf(field.Message()) {
				found = append(found, reference{string(field.Name()) + "." + inner.path, inner.kind})
			}
		}
	}
	return found
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

func refKind(field protoreflect.FieldDescriptor) string {
	kind, _ := proto.GetExtension(field.Options(), nightbellv1.E_ResourceRef).(string)
	return kind
}

// ours is true for a field that holds a message of our own.
func ours(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && !field.IsMap() && field.Message().FullName().Parent() == "nightbell.v1"
}

// variant says which of the references of a request belong to somebody else; the others
// are the caller's own.
type variant struct {
	foreign []string
	target  string // which kind of escalation target is meant, where there is one
}

func (v variant) String() string {
	name := strings.Join(v.foreign, "+")
	if v.target != "" {
		name += " (" + v.target + ")"
	}
	return name
}

// variantsOf lists what a request can mix: everything foreign, and each reference alone.
// A request without references has one variant.
func variantsOf(message protoreflect.MessageDescriptor) []variant {
	references := referencesOf(message)
	all := variant{}
	for _, r := range references {
		all.foreign = append(all.foreign, r.path)
	}
	list := []variant{all}
	if len(references) > 1 {
		for _, r := range references {
			list = append(list, variant{foreign: []string{r.path}})
		}
	}
	if !slices.ContainsFunc(references, func(r reference) bool { return r.kind == targetKind }) {
		return list
	}
	var targeted []variant
	for _, v := range list {
		for _, kind := range []string{"user", "schedule", "team", "channel"} {
			targeted = append(targeted, variant{v.foreign, kind})
		}
	}
	return targeted
}

// pick chooses the id of something of a kind.
type pick func(kind string) string

// filling is how a request is filled: references by whose they are, everything else with
// the least that the contract's rules ask for.
type filling struct {
	variant      variant
	foreign, own pick
	// values replace what would be made up, by message and field.
	values map[string]string
}

func (f filling) request(method protoreflect.MethodDescriptor) proto.Message {
	kind := sure(protoregistry.GlobalTypes.FindMessageByName(method.Input().FullName()))
	message := kind.New()
	f.fill(message, "")
	return message.Interface()
}

func (f filling) fill(message protoreflect.Message, path string) {
	for field := range fieldsOf(message.Descriptor()) {
		if value := f.value(message, field, path+string(field.Name())); value.IsValid() {
			message.Set(field, value)
		}
	}
}

// value is invalid for a field that is left out.
func (f filling) value(message protoreflect.Message, field protoreflect.FieldDescriptor, path string) protoreflect.Value {
	rules, _ := proto.GetExtension(field.Options(), validate.E_Field).(*validate.FieldRules)
	switch {
	case field.Message() != nil && field.Message().FullName() == "google.protobuf.Timestamp":
		return f.time(message, field)
	case refKind(field) != "":
		return listed(message, field, protoreflect.ValueOfString(f.id(refKind(field), path)))
	case ours(field):
		if rules.GetRepeated().GetMinItems() == 0 && field.IsList() && !f.names(path) {
			return protoreflect.Value{}
		}
		inner := message.NewField(field)
		if field.IsList() {
			element := inner.List().NewElement()
			f.fill(element.Message(), path+".")
			inner.List().Append(element)
			return inner
		}
		f.fill(inner.Message(), path+".")
		return inner
	case field.Name() == "kind" && message.Descriptor().Name() == "EscalationTarget":
		return protoreflect.ValueOfString(f.variant.target)
	case field.Kind() == protoreflect.StringKind && !field.IsMap():
		return f.text(message, field, rules.GetString())
	case field.Kind() == protoreflect.Int32Kind && rules.GetInt32().GetGte() > 0:
		return protoreflect.ValueOfInt32(rules.GetInt32().GetGte())
	}
	return protoreflect.Value{}
}

// names is true when something of somebody else's is to stand inside a field.
func (f filling) names(path string) bool {
	return slices.ContainsFunc(f.variant.foreign, func(foreign string) bool { return strings.HasPrefix(foreign, path+".") })
}

// time is left out, unless there is a value for it.
func (f filling) time(message protoreflect.Message, field protoreflect.FieldDescriptor) protoreflect.Value {
	text := f.values[string(message.Descriptor().Name())+"."+string(field.Name())]
	if text == "" {
		return protoreflect.Value{}
	}
	return protoreflect.ValueOfMessage(timestamppb.New(sure(time.Parse(time.RFC3339, text))).ProtoReflect())
}

// listed puts a value into a list where the field is one.
func listed(message protoreflect.Message, field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	if !field.IsList() {
		return value
	}
	list := message.NewField(field)
	list.List().Append(value)
	return list
}

func (f filling) id(kind, path string) string {
	if kind == targetKind {
		kind = f.variant.target
	}
	switch {
	case path == "replaces_user_id": // nobody covers oneself
		kind = "other_user"
	case (kind == "rotation" || kind == "escalation_step") && !slices.Equal(f.variant.foreign, []string{path}):
		return "" // a new one: those of other schedules are refused, whosever they are
	}
	if slices.Contains(f.variant.foreign, path) {
		return f.foreign(kind)
	}
	return f.own(kind)
}

var made atomic.Uint32

// text is what the rules ask for, and nothing where they ask for nothing.
func (f filling) text(message protoreflect.Message, field protoreflect.FieldDescriptor, rules *validate.StringRules) protoreflect.Value {
	words := slices.DeleteFunc(slices.Clone(rules.GetIn()), func(word string) bool { return word == "" })
	n := made.Add(1)
	switch {
	case f.values[string(message.Descriptor().Name())+"."+string(field.Name())] != "":
		return listed(message, field, protoreflect.ValueOfString(f.values[string(message.Descriptor().Name())+"."+string(field.Name())]))
	case len(words) > 0 && len(words) == len(rules.GetIn()):
		return protoreflect.ValueOfString(words[0])
	case rules.GetEmail():
		return protoreflect.ValueOfString(fmt.Sprintf("sample-%08d@example.com", n))
	case rules.GetMinLen() > 0:
		return protoreflect.ValueOfString(fmt.Sprintf("Sample %08d", n)) // of one length, so that answers are
	}
	return protoreflect.Value{}
}
