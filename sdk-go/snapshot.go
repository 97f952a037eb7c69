package nightbell

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxDepth   = 6
	maxEntries = 64
	maxInteger = 1<<53 - 1
	tooDeep    = "[too deep]"
)

// snapshot copies metadata on the caller's goroutine: the program may change its
// maps right afterwards, and a map that is read and written at once ends a Go program.
// Only numbers change here; what is too much is cut later, where it can be named.
func snapshot(metadata map[string]any) map[string]any {
	if len(metadata) == 0 {
		return nil
	}
	copied, _ := copyValue(metadata, maxDepth+2).(map[string]any)
	return copied
}

// copyValue makes a tree of nil, bool, string, float64, int64, map[string]any and
// []any from anything. It calls methods of the caller's values, and survives them.
func copyValue(v any, depth int) (copied any) {
	defer func() {
		if recover() != nil {
			copied = fmt.Sprintf("[unreadable %T]", v)
		}
	}()
	if depth == 0 {
		return tooDeep
	}
	switch v := v.(type) {
	case nil, bool:
		return v
	case string:
		return strings.Clone(v)
	case float64:
		return copyFloat(v)
	case float32:
		return copyFloat(float64(v))
	case json.Number:
		return copyNumber(string(v))
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, inner := range v {
			m[strings.Clone(key)] = copyValue(inner, depth-1)
		}
		return m
	case []any:
		return copyList(len(v), func(i int) any { return v[i] }, depth)
	}
	return copyReflected(v, depth)
}

// copyList takes one entry more than is sent, so that the cut is seen later.
func copyList(length int, at func(int) any, depth int) []any {
	list := make([]any, min(length, maxEntries+1))
	for i := range list {
		list[i] = copyValue(at(i), depth-1)
	}
	return list
}

func copyReflected(v any, depth int) any {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.String:
		return strings.Clone(r.String())
	case reflect.Bool:
		return r.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return copyInteger(float64(r.Int()), strconv.FormatInt(r.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return copyInteger(float64(r.Uint()), strconv.FormatUint(r.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		return copyFloat(r.Float())
	case reflect.Slice, reflect.Array:
		if b, ok := v.([]byte); ok {
			return fmt.Sprintf("[%d bytes]", len(b))
		}
		return copyList(r.Len(), func(i int) any { return r.Index(i).Interface() }, depth)
	case reflect.Map:
		m := make(map[string]any, r.Len())
		for entries := r.MapRange(); entries.Next(); {
			m[fmt.Sprint(entries.Key().Interface())] = copyValue(entries.Value().Interface(), depth-1)
		}
		return m
	case reflect.Pointer:
		if r.IsNil() {
			return nil
		}
		return copyValue(r.Elem().Interface(), depth-1)
	case reflect.Struct:
		return copyStruct(v, depth)
	default: // a channel or a function says nothing
		return fmt.Sprintf("[%T]", v)
	}
}

// copyStruct goes through JSON, so that its keys are the ones that people know.
func copyStruct(v any, depth int) any {
	encoded, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("[%T]", v)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var tree any
	if decoder.Decode(&tree) != nil {
		return fmt.Sprintf("[%T]", v)
	}
	return copyValue(tree, depth)
}

func copyFloat(f float64) any {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return f
}

// copyInteger keeps integers that every language reads alike; others become text.
func copyInteger(f float64, text string) any {
	if math.Abs(f) > maxInteger {
		return text
	}
	return f
}

func copyNumber(text string) any {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if !strings.ContainsAny(text, ".eE") {
		return copyInteger(f, text)
	}
	return copyFloat(f)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
