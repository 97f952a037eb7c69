package rpcserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// Validate holds every request to the rules written in the proto files, and to those that all
// share: plain text (plaintext.go), no bottomless nesting, and no names that do not exist where the
// method has the option refuse_unknown. A broken rule is fault.Unprocessable with a sentence that
// names the fields.
func Validate() Step {
	return func(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
		unknown := takeUnknown(message.ProtoReflect())
		if !refusesUnknown(call.Method) {
			unknown = nil
		}
		unknown = append(unknown, makePlain(message.ProtoReflect(), "", 0)...)
		if err := validate(message, unknown); err != nil {
			return nil, err
		}
		return next(ctx, message)
	}
}

// validate takes the fields that are refused already.
func validate(message proto.Message, fields []fault.Field) error {
	err := protovalidate.Validate(message)
	if broken := (*protovalidate.ValidationError)(nil); errors.As(err, &broken) {
		for _, violation := range broken.Violations {
			fields = append(fields, describe(violation))
		}
	} else if err != nil {
		return err // a rule that does not compile is our mistake
	}
	fields = append(fields, unstorable(message.ProtoReflect(), "", 0)...)
	if len(fields) == 0 {
		return nil
	}
	refused := fault.New(fault.Unprocessable, "invalid_fields", sentence(fields))
	refused.Fields = fields
	return refused
}

// sentence joins what is wrong: "title is required, and severity must be ...".
func sentence(fields []fault.Field) string {
	const shown = 5
	parts := make([]string, 0, shown)
	for _, field := range fields[:min(len(fields), shown)] {
		parts = append(parts, strings.TrimSpace(field.Path+" "+field.Message))
	}
	text := strings.Join(parts, ", and ")
	if more := len(fields) - shown; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "."
}

func describe(violation *protovalidate.Violation) fault.Field {
	return fault.Field{
		Path:    protovalidate.FieldPathString(violation.Proto.GetField()),
		Message: ruleInWords(violation),
	}
}

// ruleInWords rewrites the library's messages where a person would not say them.
func ruleInWords(violation *protovalidate.Violation) string {
	value := violation.FieldValue
	if text, ok := value.Interface().(string); ok && text == "" {
		return "is required"
	}
	rule := violation.RuleValue
	switch violation.Proto.GetRuleId() {
	case "required":
		return "is required"
	case "string.in":
		return "must be " + oneOf(rule)
	case "string.max_len":
		return fmt.Sprintf("is too long: at most %d characters are allowed", rule.Uint())
	case "string.min_len":
		return fmt.Sprintf("is too short: at least %d characters are needed", rule.Uint())
	case "repeated.min_items":
		return fmt.Sprintf("needs at least %d", rule.Uint())
	case "repeated.max_items", "map.max_pairs":
		return fmt.Sprintf("has too many entries: at most %d are allowed", rule.Uint())
	}
	words := strings.TrimPrefix(violation.Proto.GetMessage(), "value ")
	words = strings.Replace(words, "greater than or equal to", "at least", 1)
	return strings.Replace(words, "less than or equal to", "at most", 1)
}

// oneOf lists the allowed words; the empty one only says that the field may be left out.
func oneOf(rule protoreflect.Value) string {
	var words []string
	list := rule.List()
	for i := range list.Len() {
		if word := list.Get(i).String(); word != "" {
			words = append(words, word)
		}
	}
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}

// maxDepth is how deep objects and lists may nest inside a field: far more than any honest
// metadata does, and far less than what makes PostgreSQL or a recursive function give up.
const maxDepth = 64

// unstorable finds the fields that hold a NUL character or nest too deeply.
func unstorable(message protoreflect.Message, path string, depth int) (fields []fault.Field) {
	if depth > maxDepth {
		return []fault.Field{{Path: path, Message: fmt.Sprintf("is nested deeper than %d levels", maxDepth)}}
	}
	message.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		at := join(path, string(field.Name()))
		switch {
		case field.IsMap():
			fields = append(fields, unstorableInMap(field, value.Map(), at, depth)...)
		case field.IsList():
			for i := range value.List().Len() {
				fields = append(fields, unstorableValue(field, value.List().Get(i), fmt.Sprintf("%s[%d]", at, i), depth)...)
			}
		default:
			fields = append(fields, unstorableValue(field, value, at, depth)...)
		}
		return len(fields) < 10
	})
	return fields
}

func unstorableInMap(field protoreflect.FieldDescriptor, entries protoreflect.Map, path string, depth int) (fields []fault.Field) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		fields = append(fields, unstorableValue(field.MapKey(), key.Value(), path, depth)...)
		fields = append(fields, unstorableValue(field.MapValue(), value, path, depth)...)
		return len(fields) < 10
	})
	return fields
}

func unstorableValue(field protoreflect.FieldDescriptor, value protoreflect.Value, path string, depth int) []fault.Field {
	switch field.Kind() {
	case protoreflect.StringKind:
		if isSecret(field) && strings.ContainsRune(value.String(), 0) { // other text is plain by now
			return []fault.Field{{Path: path, Message: "must not contain the NUL character"}}
		}
	case protoreflect.MessageKind, protoreflect.GroupKind:
		if value.Message().Descriptor().FullName() == "google.protobuf.Value" {
			return unstorable(value.Message(), path, depth) // wraps every value of an object or list
		}
		return unstorable(value.Message(), path, depth+1)
	}
	return nil
}

// join names a field inside another; the wrappers of google.protobuf.Struct are not shown.
func join(path, name string) string {
	switch {
	case path == "":
		return name
	case strings.HasSuffix(name, "_value"), name == "fields", name == "values":
		return path
	}
	return path + "." + name
}
