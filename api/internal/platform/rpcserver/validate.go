package rpcserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"buf.build/go/protovalidate"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	nightbellv1 "github.com/nightbell/nightbell/api/gen/nightbell/v1"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/platform/rpcserver/edit"
)

// Validate holds every request to the rules of the proto files and to those that all share: plain text (plaintext.go),
// bounded nesting, no unknown names, which the option accept_unknown makes warnings. A broken rule is
// fault.Unprocessable with a sentence that names the fields.
func Validate() Step {
	return func(ctx context.Context, call *Call, message proto.Message, next Next) (proto.Message, error) {
		fields := takeUnknown(message.ProtoReflect())
		var unused []fault.Field
		if acceptsUnknown(call.Method) {
			unused = slices.DeleteFunc(slices.Clone(fields), isMisfit)
			fields = slices.DeleteFunc(fields, isUnknown)
		}
		if slices.ContainsFunc(fields, isMisfit) {
			// What follows a value of a wrong type was not read, so that nothing can be said of it.
			return nil, fault.InvalidFields(sentence(fields), fields...)
		}
		fields = append(fields, unknownInMask(call.Method, message)...)
		fields = append(fields, makePlain(message.ProtoReflect(), "", 0)...)
		if err := validate(message, fields, inAddress(call.Method)); err != nil {
			return nil, err
		}
		answer, err := next(ctx, message)
		if err == nil {
			warn(answer, unused)
		}
		return answer, err
	}
}

func isUnknown(field fault.Field) bool { return field.Code == fault.Unknown }
func isMisfit(field fault.Field) bool  { return field.Code != fault.Unknown }

// inAddress reports whether the fields of a method's requests are parameters of its address.
func inAddress(method protoreflect.MethodDescriptor) bool {
	rule, _ := proto.GetExtension(method.Options(), annotations.E_Http).(*annotations.HttpRule)
	return rule.GetGet() != ""
}

// validate takes the fields that are refused already. In an address, the only value of a parameter
// that may be repeated goes by the parameter's name.
func validate(message proto.Message, fields []fault.Field, parameters bool) error {
	updates := edit.Is(message.ProtoReflect().Descriptor())
	err := protovalidate.Validate(message)
	if broken := (*protovalidate.ValidationError)(nil); errors.As(err, &broken) {
		for _, violation := range broken.Violations {
			if updates && isLeftOut(violation, edit.Fields(message)) {
				continue
			}
			field := describe(violation)
			if name, first := strings.CutSuffix(field.Path, "[0]"); first && parameters && isAlone(message.ProtoReflect(), name) {
				field.Path = name
			}
			fields = append(fields, field)
		}
	} else if err != nil {
		return err // a rule that does not compile is our mistake
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.InvalidFields(sentence(fields), fields...)
}

func isAlone(message protoreflect.Message, list string) bool {
	field := message.Descriptor().Fields().ByName(protoreflect.Name(list))
	return field != nil && field.IsList() && message.Get(field).List().Len() == 1
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
		Code:    codeOfRule(violation),
		Message: ruleInWords(violation),
	}
}

// fieldCodes are the codes of rules; of others it is bad_format.
var fieldCodes = map[string]fault.FieldCode{
	"required": fault.Required, "in": fault.NotOneOf,
	"max_len": fault.TooLong, "max_bytes": fault.TooLong, "max_items": fault.TooLong, "max_pairs": fault.TooLong,
	"min_len": fault.OutOfRange, "min_items": fault.OutOfRange, "gt": fault.OutOfRange, "gte": fault.OutOfRange,
	"lt": fault.OutOfRange, "lte": fault.OutOfRange, "gte_lte": fault.OutOfRange,
}

func codeOfRule(violation *protovalidate.Violation) fault.FieldCode {
	if isEmptyText(violation) {
		return fault.Required
	}
	rule := violation.Proto.GetRuleId()
	return cmp.Or(fieldCodes[rule[strings.LastIndexByte(rule, '.')+1:]], fault.BadFormat)
}

func isEmptyText(violation *protovalidate.Violation) bool {
	text, ok := violation.FieldValue.Interface().(string)
	return ok && text == ""
}

// ruleInWords rewrites the library's messages where a person would not say them.
func ruleInWords(violation *protovalidate.Violation) string {
	if isEmptyText(violation) {
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
	if violation.Proto.GetRuleId() == "string.pattern" { // whose message is a regular expression
		form, _ := proto.GetExtension(violation.FieldDescriptor.Options(), nightbellv1.E_Form).(string)
		return "must be " + cmp.Or(form, "of the form that the description of this call shows")
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
