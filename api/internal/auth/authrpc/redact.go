package authrpc

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// redact returns a copy of the message without the values of fields that are marked
// as secret, at any depth. NUL characters, which jsonb cannot hold, become U+FFFD.
func redact(message proto.Message) proto.Message {
	copied := proto.Clone(message)
	redactFields(copied.ProtoReflect())
	return copied
}

func redactFields(message protoreflect.Message) {
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case isSecret(field):
			redactField(message, field)
		case field.IsMap():
			redactMap(field, value.Map())
		case field.IsList():
			redactList(field, value.List())
		case field.Message() != nil:
			redactFields(value.Message())
		case field.Kind() == protoreflect.StringKind:
			message.Set(field, withoutNUL(value))
		}
		return true
	})
}

func isSecret(field protoreflect.FieldDescriptor) bool {
	secret, _ := proto.GetExtension(field.Options(), nightbellv1.E_Secret).(bool)
	return secret
}

// redactField keeps that there was a value, where that can be said.
func redactField(message protoreflect.Message, field protoreflect.FieldDescriptor) {
	if field.Kind() == protoreflect.StringKind && field.Cardinality() != protoreflect.Repeated {
		message.Set(field, protoreflect.ValueOfString(redacted))
		return
	}
	message.Clear(field)
}

func redactList(field protoreflect.FieldDescriptor, list protoreflect.List) {
	for i := range list.Len() {
		switch {
		case field.Message() != nil:
			redactFields(list.Get(i).Message())
		case field.Kind() == protoreflect.StringKind:
			list.Set(i, withoutNUL(list.Get(i)))
		}
	}
}

func redactMap(field protoreflect.FieldDescriptor, entries protoreflect.Map) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		switch {
		case strings.ContainsRune(key.String(), 0):
			entries.Clear(key)
		case field.MapValue().Message() != nil:
			redactFields(value.Message())
		case field.MapValue().Kind() == protoreflect.StringKind:
			entries.Set(key, withoutNUL(value))
		}
		return true
	})
}

func withoutNUL(value protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfString(strings.ReplaceAll(value.String(), "\x00", "\uFFFD"))
}
