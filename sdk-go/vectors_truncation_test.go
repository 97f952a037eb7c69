package nightbell

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// expand writes out the notation of truncation.json.
func expand(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = expand(v[i])
		}
		return list
	case tree:
		return expandMap(v)
	default:
		return v
	}
}

func expandMap(v tree) any {
	whole := func(m tree, key string) int { f, _ := m[key].(float64); return int(f) }
	if s, ok := v["$repeat"]; ok {
		return strings.Repeat(text(s), whole(v, "times")) + text(v["then"])
	}
	if m, ok := v["$map"].(tree); ok {
		made := tree{}
		for i := whole(m, "from"); i <= whole(m, "to"); i++ {
			made[text(m["prefix"])+strconv.Itoa(i)] = expand(m["value"])
		}
		return made
	}
	if l, ok := v["$list"].(tree); ok {
		made := []any{}
		for i := whole(l, "from"); i <= whole(l, "to"); i++ {
			made = append(made, numbered(expand(l["item"]), strconv.Itoa(i)))
		}
		return made
	}
	if parts, ok := v["$concat"].([]any); ok {
		made := []any{}
		for _, part := range parts {
			list, _ := expand(part).([]any)
			made = append(made, list...)
		}
		return made
	}
	switch v["$number"] {
	case nil:
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	default:
		n, _ := strconv.ParseInt(text(v["$number"]), 10, 64)
		return n
	}
	made := tree{}
	for key, inner := range v {
		made[key] = expand(inner)
	}
	return made
}

func numbered(v any, i string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "{i}", i)
	case tree:
		made := tree{}
		for key, inner := range v {
			made[key] = numbered(inner, i)
		}
		return made
	default:
		return v
	}
}

func TestVectorsTruncation(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description   string
			Event, Expect tree
		}
	}
	readVectors(t, "truncation", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			event, _ := expand(c.Event).(tree)
			want, _ := expand(c.Expect).(tree)
			metadata, _ := event["metadata"].(tree)
			delete(event, "metadata")
			var e Event
			decodeInto(t, event, &e)
			e.Metadata = snapshot(metadata)
			body, err := limit(&e)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := parsed(t, body).(tree)
			for _, always := range []string{"action", "id"} { // Go writes them always
				if got[always] == "" {
					delete(got, always)
				}
			}
			withoutInApp(got)
			equalJSON(t, "event", got, want)
		})
	}
}

// withoutInApp removes in_app: false, which Go writes always.
func withoutInApp(v any) {
	switch v := v.(type) {
	case tree:
		if v["in_app"] == false {
			delete(v, "in_app")
		}
		for _, inner := range v {
			withoutInApp(inner)
		}
	case []any:
		for _, inner := range v {
			withoutInApp(inner)
		}
	}
}
