package rpcserver

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// prose are fields that people and programs fill with text from elsewhere, such as a terminal:
// it is cleaned. All other strings are names, addresses and words, which have to be plain.
var prose = map[protoreflect.Name]func(string) string{
	"title": plaintext.Line, "text": plaintext.Line,
	"description": plaintext.Text, "message": plaintext.Text, "reason": plaintext.Text, "string_value": plaintext.Text,
}

// makePlain cleans prose and the values of maps in place, and returns the fields whose text a
// person has to change. Secrets may hold any character.
func makePlain(message protoreflect.Message, path string, depth int) (fields []fault.Field) {
	if depth > maxDepth {
		return nil // unstorable says so
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		at := join(path, string(field.Name()))
		switch {
		case isSecret(field):
		case field.IsMap():
			fields = append(fields, plainMap(field, value.Map(), at, depth)...)
		case field.IsList():
			for i := range value.List().Len() {
				fields = append(fields, plainItem(field, value.List().Get(i), fmt.Sprintf("%s[%d]", at, i), depth)...)
			}
		case field.Kind() == protoreflect.StringKind && prose[field.Name()] != nil:
			message.Set(field, protoreflect.ValueOfString(prose[field.Name()](value.String())))
		default:
			fields = append(fields, plainItem(field, value, at, depth)...)
		}
		return len(fields) < 10
	})
	return fields
}

func plainMap(field protoreflect.FieldDescriptor, entries protoreflect.Map, path string, depth int) (fields []fault.Field) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		if wrong := plaintext.Check(key.String()); wrong != "" {
			fields = append(fields, fault.Field{Path: path, Message: wrong})
		}
		if field.MapValue().Kind() == protoreflect.StringKind {
			entries.Set(key, protoreflect.ValueOfString(plaintext.Text(value.String())))
		} else {
			fields = append(fields, plainItem(field.MapValue(), value, path, depth)...)
		}
		return len(fields) < 10
	})
	return fields
}

func plainItem(field protoreflect.FieldDescriptor, value protoreflect.Value, path string, depth int) []fault.Field {
	switch field.Kind() {
	case protoreflect.StringKind:
		text := value.String()
		switch wrong := plaintext.Check(text); {
		case wrong != "":
			return []fault.Field{{Path: path, Message: wrong}}
		case text != "" && plaintext.Blank(text) && field.Name() == "name":
			return []fault.Field{{Path: path, Message: "is blank"}}
		}
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return makePlain(value.Message(), path, depth+1)
	}
	return nil
}

func isSecret(field protoreflect.FieldDescriptor) bool {
	secret, _ := proto.GetExtension(field.Options(), nightbellv1.E_Secret).(bool)
	return secret
}
