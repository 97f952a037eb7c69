package rpcserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/spelling"
)

// Names that a request does not have, and values of a wrong type, are found where JSON and queries
// are decoded, before it is known who calls and which method. They travel to Validate as protobuf
// unknown fields of the message, under a number that no contract may use.
const unknownNumber = protowire.MaxValidNumber

// maxUnknown is how many names are told.
const maxUnknown = 10

// noteUnknown leaves names with the message for takeUnknown.
func noteUnknown(message protoreflect.Message, unknown []fault.Field) {
	notes := message.GetUnknown()
	for _, field := range unknown[:min(len(unknown), maxUnknown)] {
		for _, text := range []string{field.Path, string(field.Code), field.Message} {
			notes = protowire.AppendString(protowire.AppendTag(notes, unknownNumber, protowire.BytesType), text)
		}
	}
	message.SetUnknown(notes)
}

// takeUnknown reads what noteUnknown left, and removes it.
func takeUnknown(message protoreflect.Message) (unknown []fault.Field) {
	var texts []string
	var rest protoreflect.RawFields
	for raw := message.GetUnknown(); len(raw) > 0; {
		number, kind, tag := protowire.ConsumeTag(raw)
		size := protowire.ConsumeFieldValue(number, kind, raw[max(tag, 0):])
		if tag < 0 || size < 0 {
			break
		}
		if text, _ := protowire.ConsumeString(raw[tag:]); number == unknownNumber && kind == protowire.BytesType {
			texts = append(texts, text)
		} else {
			rest = append(rest, raw[:tag+size]...)
		}
		raw = raw[tag+size:]
	}
	if len(texts) > 0 {
		message.SetUnknown(rest)
	}
	for note := range slices.Chunk(texts, 3) {
		if len(note) == 3 { // who sends such bytes over gRPC is told nothing
			unknown = append(unknown, fault.Field{Path: note[0], Code: fault.FieldCode(note[1]), Message: note[2]})
		}
	}
	return unknown[:min(len(unknown), maxUnknown)]
}

// acceptsUnknown reports whether the method has the option accept_unknown.
func acceptsUnknown(method protoreflect.MethodDescriptor) bool {
	accepts, _ := proto.GetExtension(method.Options(), nightbellv1.E_AcceptUnknown).(bool)
	return accepts
}

// warn lists in an answer what of the request was not used.
func warn(answer proto.Message, unused []fault.Field) {
	if len(unused) == 0 || answer == nil {
		return
	}
	message := answer.ProtoReflect()
	field := message.Descriptor().Fields().ByName("warnings")
	if field == nil {
		return
	}
	list := message.Mutable(field).List()
	for _, one := range unused {
		warning := &nightbellv1.Warning{Field: one.Path, Message: one.Message}
		list.Append(protoreflect.ValueOfMessage(warning.ProtoReflect()))
	}
}

// unknownInJSON is the first fields of a body that a message does not have, each with its path.
func unknownInJSON(body []byte, message protoreflect.MessageDescriptor) []fault.Field {
	var found unknownFields
	found.inObject(body, message, "")
	return found
}

type unknownFields []fault.Field

// inObject unpacks one level: what a stranger puts below a name that does not exist costs nothing.
func (u *unknownFields) inObject(text []byte, message protoreflect.MessageDescriptor, path string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		field := fieldNamed(message.Fields(), name)
		switch {
		case len(*u) == maxUnknown:
			return
		case field == nil:
			*u = append(*u, fault.Field{Path: path + name, Code: fault.Unknown, Message: doesNotExist(name, message)})
		case field.Message() != nil && !field.IsMap() && !isWellKnown(field.Message()):
			u.inValue(object[name], field.Message(), path+string(field.Name()))
		}
	}
}

func (u *unknownFields) inValue(text []byte, message protoreflect.MessageDescriptor, path string) {
	switch text = bytes.TrimSpace(text); {
	case bytes.HasPrefix(text, []byte("{")):
		u.inObject(text, message, path+".")
	case bytes.HasPrefix(text, []byte("[")):
		var items []json.RawMessage
		if json.Unmarshal(text, &items) != nil {
			return
		}
		for i, item := range items {
			before := len(*u)
			u.inValue(item, message, "")
			for j := range (*u)[before:] { // only what is wrong is given a path
				(*u)[before+j].Path = fmt.Sprintf("%s[%d]%s", path, i, (*u)[before+j].Path)
			}
		}
	}
}

// fieldNamed finds a field by its name or by the name that protobuf's JSON has for it.
func fieldNamed(fields protoreflect.FieldDescriptors, name string) protoreflect.FieldDescriptor {
	if field := fields.ByName(protoreflect.Name(name)); field != nil {
		return field
	}
	return fields.ByJSONName(name)
}

// isWellKnown tells the messages that have a JSON form of their own.
func isWellKnown(message protoreflect.MessageDescriptor) bool {
	return message.ParentFile().Package() == "google.protobuf"
}

// doesNotExist says so, with the nearest name that exists, if one is near.
func doesNotExist(name string, message protoreflect.MessageDescriptor) string {
	if near := nearest(name, message); near != "" {
		return "does not exist (did you mean " + near + "?)"
	}
	return "does not exist"
}

// nearest is the field of a message, or of a message in one of its fields, whose name takes
// the fewest changes; empty when all are far.
func nearest(name string, message protoreflect.MessageDescriptor) string {
	asked := plainName(name)
	best, found := len(asked)/3+2, ""
	consider := func(path, candidate string) {
		if d := spelling.Distance(asked, plainName(candidate)); d < best {
			best, found = d, path+candidate
		}
	}
	fields := message.Fields()
	for i := range fields.Len() {
		consider("", string(fields.Get(i).Name()))
	}
	for i := range fields.Len() {
		field := fields.Get(i)
		if field.Message() == nil || field.IsMap() || isWellKnown(field.Message()) {
			continue
		}
		path := string(field.Name()) + "."
		if field.IsList() {
			path = string(field.Name()) + "[]."
		}
		inner := field.Message().Fields()
		for j := range inner.Len() {
			consider(path, string(inner.Get(j).Name()))
		}
	}
	return found
}

// plainName is a name as far as spelling matters: timeZone and time_zone are timezone.
func plainName(name string) string {
	name = name[:min(len(name), 64)] // a name of a megabyte is near to nothing
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
