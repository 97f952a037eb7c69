package rpcserver

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// readQuery fills the fields that the query names. What does not fit, and names that do not exist,
// are left with the message for Validate; an empty value of anything but text is no value.
func readQuery(query url.Values, fields protoreflect.FieldDescriptors, message protoreflect.Message) {
	var wrong []fault.Field
	for _, name := range slices.Sorted(maps.Keys(query)) {
		field, values := fields.ByName(protoreflect.Name(name)), query[name]
		switch {
		case field == nil:
			wrong = append(wrong, fault.Field{Path: name, Code: fault.Unknown, Message: doesNotExist(name, message.Descriptor())})
		case len(values) > 1 && !field.IsList():
			wrong = append(wrong, fault.Field{Path: name, Code: fault.BadFormat, Message: "must be given once: this call does not take several"})
		default:
			if expected := setTexts(message, field, values); expected != "" {
				wrong = append(wrong, fault.Field{Path: name, Code: fault.BadFormat, Message: "must be " + expected})
			}
		}
	}
	noteUnknown(message, wrong)
}

// setTexts says in words what a value should have been when it does not fit.
func setTexts(message protoreflect.Message, field protoreflect.FieldDescriptor, values []string) (expected string) {
	for _, text := range values {
		if text == "" && (field.IsList() || field.Kind() != protoreflect.StringKind) {
			continue
		}
		value, expected := parseField(message, field, text)
		if expected != "" {
			return expected
		}
		if field.IsList() {
			message.Mutable(field).List().Append(value)
		} else {
			message.Set(field, value)
		}
	}
	return ""
}

// fromText says why a field cannot be written in a URL; nil when it can.
func fromText(field protoreflect.FieldDescriptor) error {
	if isTime(field) {
		return nil
	}
	if _, plain := scalars[field.Kind()]; plain {
		return nil
	}
	return fmt.Errorf("%s is a %s and cannot be written in a URL", field.FullName(), field.Kind())
}

func isTime(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && field.Message().FullName() == "google.protobuf.Timestamp"
}

func parseField(message protoreflect.Message, field protoreflect.FieldDescriptor, text string) (value protoreflect.Value, expected string) {
	if !isTime(field) {
		return parse(field.Kind(), text)
	}
	if field.IsList() {
		value = message.NewField(field).List().NewElement()
	} else {
		value = message.NewField(field)
	}
	// A plus sign that was not escaped arrives as a space.
	instant, err := time.Parse(time.RFC3339, strings.ReplaceAll(text, " ", "+"))
	if err != nil {
		return value, "a time such as 2026-11-21T08:00:00Z"
	}
	fields := field.Message().Fields()
	value.Message().Set(fields.ByName("seconds"), protoreflect.ValueOfInt64(instant.Unix()))
	value.Message().Set(fields.ByName("nanos"), protoreflect.ValueOfInt32(int32(instant.Nanosecond())))
	return value, ""
}

// parse reads one value; expected says in words what it should have been when it is not.
func parse(kind protoreflect.Kind, text string) (value protoreflect.Value, expected string) {
	switch kind {
	case protoreflect.StringKind:
		if !utf8.ValidString(text) {
			return value, "valid UTF-8"
		}
		return protoreflect.ValueOfString(text), ""
	case protoreflect.BoolKind:
		switch text {
		case "true", "1":
			return protoreflect.ValueOfBool(true), ""
		case "false", "0":
			return protoreflect.ValueOfBool(false), ""
		}
		return value, "true or false"
	case protoreflect.DoubleKind:
		number, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
			return value, "a number"
		}
		return protoreflect.ValueOfFloat64(number), ""
	}
	number, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return value, fmt.Sprintf("a whole number between %d and %d", math.MinInt32, math.MaxInt32)
	}
	return protoreflect.ValueOfInt32(int32(number)), ""
}
