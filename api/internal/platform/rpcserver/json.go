package rpcserver

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// protojson takes 3.6 times as long as this: for a list of a thousand incidents that was 40 %
// of the whole call. What is not planned for here is left to it.

// errNotUTF8 is what protojson refuses too.
var errNotUTF8 = errors.New("a string of the answer is not UTF-8")

// marshalJSON writes a message as jsonOut does, without insignificant spaces.
func marshalJSON(message proto.Message) ([]byte, error) {
	p := planOf(reflect.TypeOf(message))
	if p == nil {
		return jsonOut.Marshal(message)
	}
	return p.append(make([]byte, 0, 1024), reflect.ValueOf(message))
}

// appender adds one value to dst.
type appender func(dst []byte, v reflect.Value) ([]byte, error)

// plan is how the messages of one type are written.
type plan struct {
	fields []plannedField
}

type plannedField struct {
	place int
	label string // "name":
	// optional is left out when it is nil.
	optional bool
	add      appender
}

var plans sync.Map // from reflect.Type to *plan, nil for what protojson has to write

// planOf is the plan of a pointer to a generated struct, or nil.
func planOf(pointer reflect.Type) *plan {
	if known, ok := plans.Load(pointer); ok {
		return known.(*plan) //nolint:forcetypeassert // nothing else is stored
	}
	made, ok := makePlan(pointer)
	if !ok {
		made = nil
	}
	plans.Store(pointer, made)
	return made
}

func makePlan(pointer reflect.Type) (*plan, bool) {
	message, ok := reflect.TypeAssert[proto.Message](reflect.New(pointer.Elem()))
	if !ok || strings.HasPrefix(string(message.ProtoReflect().Descriptor().FullName()), "google.protobuf.") {
		return nil, false
	}
	fields, p := message.ProtoReflect().Descriptor().Fields(), &plan{}
	for i := range fields.Len() {
		field := fields.Get(i)
		place := slices.IndexFunc(reflect.VisibleFields(pointer.Elem()), func(f reflect.StructField) bool {
			return slices.Contains(strings.Split(f.Tag.Get("protobuf"), ","), "name="+string(field.Name()))
		})
		if place < 0 { // in a oneof
			return nil, false
		}
		add, ok := appenderOf(field)
		if !ok {
			return nil, false
		}
		single := !field.IsList() && !field.IsMap()
		p.fields = append(p.fields, plannedField{
			place: place, label: strconv.Quote(string(field.Name())) + ":", optional: single && field.HasPresence(), add: add,
		})
	}
	return p, true
}

func appenderOf(field protoreflect.FieldDescriptor) (appender, bool) {
	switch {
	case field.IsMap():
		plain := field.MapKey().Kind() == protoreflect.StringKind && field.MapValue().Kind() == protoreflect.StringKind
		return appendTexts, plain
	case field.Kind() == protoreflect.MessageKind:
		one := appender(appendMessage)
		if field.Message().FullName() == "google.protobuf.Timestamp" {
			one = appendTime
		}
		return listOr(field, one), true
	}
	scalar, ok := scalars[field.Kind()]
	if !ok {
		return nil, false
	}
	if field.HasPresence() {
		return func(dst []byte, v reflect.Value) ([]byte, error) { return scalar(dst, v.Elem()) }, true
	}
	return listOr(field, scalar), true
}

var scalars = map[protoreflect.Kind]appender{
	protoreflect.StringKind: func(dst []byte, v reflect.Value) ([]byte, error) { return appendText(dst, v.String()) },
	protoreflect.BoolKind:   func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(dst, v.Bool()), nil },
	protoreflect.Int32Kind:  func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(dst, v.Int(), 10), nil },
	protoreflect.DoubleKind: func(dst []byte, v reflect.Value) ([]byte, error) { return appendNumber(dst, v.Float()), nil },
}

func listOr(field protoreflect.FieldDescriptor, one appender) appender {
	if !field.IsList() {
		return one
	}
	return func(dst []byte, v reflect.Value) (_ []byte, err error) {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = one(dst, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	}
}

func (p *plan) append(dst []byte, pointer reflect.Value) (_ []byte, err error) {
	dst = append(dst, '{')
	message := pointer.Elem()
	for i := range p.fields {
		field := &p.fields[i]
		value := message.Field(field.place)
		if field.optional && value.IsNil() {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(dst, field.label...)
		if dst, err = field.add(dst, value); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendMessage looks the plan up each time, because messages may hold themselves.
func appendMessage(dst []byte, v reflect.Value) ([]byte, error) {
	if p := planOf(v.Type()); p != nil {
		if v.IsNil() {
			return append(dst, "{}"...), nil
		}
		return p.append(dst, v)
	}
	text, err := jsonOut.Marshal(v.Interface().(proto.Message)) //nolint:forcetypeassert // the field's kind says so
	return append(dst, text...), err
}

func appendTime(dst []byte, v reflect.Value) ([]byte, error) {
	stamp := v.Interface().(*timestamppb.Timestamp) //nolint:forcetypeassert // the field's type says so
	if err := stamp.CheckValid(); err != nil {
		return nil, err
	}
	layout := `"2006-01-02T15:04:05.000000000Z"`
	switch nanos := stamp.GetNanos(); {
	case nanos == 0:
		layout = `"2006-01-02T15:04:05Z"`
	case nanos%1e6 == 0:
		layout = `"2006-01-02T15:04:05.000Z"`
	case nanos%1e3 == 0:
		layout = `"2006-01-02T15:04:05.000000Z"`
	}
	return time.Unix(stamp.GetSeconds(), int64(stamp.GetNanos())).UTC().AppendFormat(dst, layout), nil
}

// appendTexts writes a map of strings in the order of its keys.
func appendTexts(dst []byte, v reflect.Value) (_ []byte, err error) {
	texts := v.Interface().(map[string]string) //nolint:forcetypeassert // appenderOf has looked
	keys := make([]string, 0, len(texts))
	for key := range texts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare)
	dst = append(dst, '{')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendText(dst, key); err != nil {
			return nil, err
		}
		if dst, err = appendText(append(dst, ':'), texts[key]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendText(dst []byte, text string) ([]byte, error) {
	const hex = "0123456789abcdef"
	if !utf8.ValidString(text) {
		return nil, errNotUTF8
	}
	dst = append(dst, '"')
	plain := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		plain = i + 1
		if short := strings.IndexByte("\"\\\b\f\n\r\t", c); short >= 0 {
			dst = append(dst, '\\', `"\bfnrt`[short])
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, text[plain:]...), '"'), nil
}

// appendNumber writes whole numbers of a sensible size without an exponent.
func appendNumber(dst []byte, number float64) []byte {
	switch {
	case math.IsNaN(number):
		return append(dst, `"NaN"`...)
	case math.IsInf(number, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(number, -1):
		return append(dst, `"-Infinity"`...)
	case number != 0 && (math.Abs(number) < 1e-6 || math.Abs(number) >= 1e21):
		return strconv.AppendFloat(dst, number, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, number, 'f', -1, 64)
}
