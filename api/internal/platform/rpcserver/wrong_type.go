package rpcserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
)

// wrongType finds the first field of a JSON body whose value is not of its type: its path, and
// what it must be. Both are empty when every type fits.
func wrongType(body []byte, message protoreflect.MessageDescriptor) (path, want string) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil {
		return "", ""
	}
	return wrongInObject(object, message, "")
}

func wrongInObject(object map[string]any, message protoreflect.MessageDescriptor, path string) (at, want string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		field := fieldNamed(message.Fields(), name)
		if field == nil || object[name] == nil { // null stands for an absent field
			continue
		}
		if at, want = wrongInField(object[name], field, path+string(field.Name())); want != "" {
			return at, want
		}
	}
	return "", ""
}

func wrongInField(value any, field protoreflect.FieldDescriptor, path string) (at, want string) {
	switch {
	case field.IsMap():
		object, ok := value.(map[string]any)
		for _, item := range object {
			_, wrong := wrongValue(item, field.MapValue(), path)
			ok = ok && wrong == ""
		}
		if !ok { // a key may be anybody's text, so the map is named and no key
			return path, "an object whose values are each " + nameOfType(field.MapValue())
		}
		return "", ""
	case !field.IsList():
		return wrongValue(value, field, path)
	}
	list, ok := value.([]any)
	if !ok {
		return path, "a list"
	}
	for i, item := range list {
		if at, want = wrongValue(item, field, ""); want != "" {
			return fmt.Sprintf("%s[%d]%s", path, i, at), want
		}
	}
	return "", ""
}

// wrongValue looks at one value of a field that is no list, or at one item of a list.
func wrongValue(value any, field protoreflect.FieldDescriptor, path string) (at, want string) {
	if message := field.Message(); message != nil && !isWellKnown(message) {
		if object, ok := value.(map[string]any); ok {
			return wrongInObject(object, message, path+".")
		}
	} else if fits(value, field) {
		return "", ""
	}
	return path, nameOfType(field)
}

func fits(value any, field protoreflect.FieldDescriptor) (ok bool) {
	switch field.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind:
		_, ok = value.(string)
	case protoreflect.BoolKind:
		_, ok = value.(bool)
	case protoreflect.Int32Kind:
		number, err := strconv.ParseFloat(fmt.Sprint(value), 64) // protobuf takes "5", 5 and 5.0
		ok = err == nil && number == math.Trunc(number) && math.Abs(number) <= math.MaxInt32
	case protoreflect.DoubleKind:
		_, err := strconv.ParseFloat(fmt.Sprint(value), 64)
		ok = err == nil
	case protoreflect.MessageKind:
		switch field.Message().Name() {
		case "Timestamp":
			var text string
			if text, ok = value.(string); ok {
				_, err := time.Parse(time.RFC3339Nano, text)
				ok = err == nil
			}
		case "FieldMask":
			text, err := json.Marshal(value)
			ok = err == nil && protojson.Unmarshal(text, &fieldmaskpb.FieldMask{}) == nil
		case "Struct":
			_, ok = value.(map[string]any)
		default:
			ok = true
		}
	default:
		ok = true // what no request has is left to the library's refusal
	}
	return ok
}

func nameOfType(field protoreflect.FieldDescriptor) string {
	switch field.Kind() {
	case protoreflect.StringKind:
		return "a string"
	case protoreflect.BytesKind:
		return "a string of base64"
	case protoreflect.BoolKind:
		return "true or false"
	case protoreflect.DoubleKind:
		return "a number"
	case protoreflect.MessageKind:
		if field.Message().Name() == "Timestamp" {
			return "a time such as 2026-11-22T03:00:00Z"
		}
		if field.Message().Name() == "FieldMask" {
			return "names of fields with commas between, such as name,userIds"
		}
		return "an object"
	}
	return "a whole number that fits"
}
