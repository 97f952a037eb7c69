package rpcserver

import (
	"fmt"
	"strings"

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

// makePlain cleans prose and the values of maps in place, and returns the fields that a person
// has to change: text that is not plain, and what nests too deeply. Secrets may hold any
// character but NUL, which PostgreSQL cannot store.
func makePlain(message protoreflect.Message, path string, depth int) (fields []fault.Field) {
	if depth > maxDepth {
		return []fault.Field{{Path: path, Code: fault.TooLong, Message: fmt.Sprintf("is nested deeper than %d levels", maxDepth)}}
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		at := join(path, string(field.Name()))
		switch {
		case field.IsMap():
			value.Map().Range(func(key protoreflect.MapKey, item protoreflect.Value) bool {
				fields = append(fields, plainItem(field.MapKey(), key.Value(), at, depth)...)
				if field.MapValue().Kind() == protoreflect.StringKind {
					value.Map().Set(key, protoreflect.ValueOfString(plaintext.Text(item.String())))
				} else {
					fields = append(fields, plainItem(field.MapValue(), item, at, depth)...)
				}
				return len(fields) < 10
			})
		case field.IsList():
			for i := 0; i < value.List().Len() && len(fields) < 10; i++ {
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

func plainItem(field protoreflect.FieldDescriptor, value protoreflect.Value, path string, depth int) []fault.Field {
	switch field.Kind() {
	case protoreflect.StringKind:
		if wrong := notPlain(field, value.String()); wrong != "" {
			return []fault.Field{{Path: path, Code: fault.BadFormat, Message: wrong}}
		}
	case protoreflect.MessageKind, protoreflect.GroupKind:
		if value.Message().Descriptor().FullName() != "google.protobuf.Value" { // wraps every value of an object or list
			depth++
		}
		return makePlain(value.Message(), path, depth)
	}
	return nil
}

func notPlain(field protoreflect.FieldDescriptor, text string) string {
	switch {
	case isSecret(field) && strings.ContainsRune(text, 0):
		return "must not contain the NUL character"
	case isSecret(field):
		return ""
	case text != "" && plaintext.Check(text) == "" && plaintext.Blank(text) && field.Name() == "name":
		return "is blank"
	}
	return plaintext.Check(text)
}

func isSecret(field protoreflect.FieldDescriptor) bool {
	secret, _ := proto.GetExtension(field.Options(), nightbellv1.E_Secret).(bool)
	return secret
}
