package event

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestServerAndSDKsTruncateAlike: what an SDK has cut arrives unchanged, and what it has not is cut
// in the same way.
func TestServerAndSDKsTruncateAlike(t *testing.T) {
	t.Parallel()
	var vectors struct {
		Cases []struct {
			Description   string
			Event, Expect json.RawMessage
		}
	}
	content, err := os.ReadFile("../../../../proto/vectors/truncation.json")
	if err == nil {
		err = json.Unmarshal(content, &vectors)
	}
	if err != nil || len(vectors.Cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, c := range vectors.Cases {
		t.Run(c.Description, func(t *testing.T) {
			t.Parallel()
			sent, want := expand(t, c.Event), expand(t, c.Expect)
			var wantCut []string
			if metadata, ok := want["metadata"].(map[string]any); ok {
				for _, field := range list(metadata["_truncated"]) {
					wantCut = append(wantCut, field.(string))
				}
				delete(metadata, "_truncated")
				if len(metadata) == 0 && sent["metadata"] == nil {
					delete(want, "metadata")
				}
			}
			if size := len(encode(sent)); size > 64<<10 {
				t.Logf("%d bytes: a server answers 413, an SDK sends what fits", size)
				sent = want
				wantCut = nil
			}
			cut := limit(sent)
			if !slices.Equal(cut, wantCut) {
				t.Errorf("cut %q, want %q", cut, wantCut)
			}
			if got, want := reread(t, sent), reread(t, want); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %.600s\nwant %.600s", encode(got), encode(want))
			}
			if again := limit(sent); len(again) > 0 {
				t.Errorf("a body within its limits lost something of %q", again)
			}
		})
	}
}

func list(value any) []any {
	all, _ := value.([]any)
	return all
}

func reread(t *testing.T, value any) map[string]any {
	t.Helper()
	fields, err := Decode(encode(value))
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

// expand reads the notation of proto/vectors/README.md.
func expand(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	fields, err := Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	expanded, _ := expandValue(fields, "").(map[string]any)
	return expanded
}

func expandValue(value any, i string) any {
	switch value := value.(type) {
	case string:
		return strings.ReplaceAll(value, "{i}", i)
	case []any:
		all := make([]any, len(value))
		for n := range value {
			all[n] = expandValue(value[n], i)
		}
		return all
	case map[string]any:
		if text, ok := value["$repeat"].(string); ok {
			then, _ := value["then"].(string)
			return strings.Repeat(text, integer(value["times"])) + then
		}
		if word, ok := value["$number"].(string); ok {
			if word == "NaN" || word == "Infinity" {
				return nil // JSON cannot say it
			}
			return json.Number(word)
		}
		if spec, ok := value["$map"].(map[string]any); ok {
			all := map[string]any{}
			for n := integer(spec["from"]); n <= integer(spec["to"]); n++ {
				all[spec["prefix"].(string)+strconv.Itoa(n)] = expandValue(spec["value"], strconv.Itoa(n))
			}
			return all
		}
		if spec, ok := value["$list"].(map[string]any); ok {
			all := []any{}
			for n := integer(spec["from"]); n <= integer(spec["to"]); n++ {
				all = append(all, expandValue(spec["item"], strconv.Itoa(n)))
			}
			return all
		}
		if parts, ok := value["$concat"].([]any); ok {
			all := []any{}
			for _, part := range parts {
				all = append(all, list(expandValue(part, i))...)
			}
			return all
		}
		all := map[string]any{}
		for name := range value {
			all[name] = expandValue(value[name], i)
		}
		return all
	default:
		return value
	}
}

func integer(value any) int {
	n, _ := value.(json.Number).Int64()
	return int(n)
}

func FuzzReadNeverPanics(f *testing.F) {
	f.Add(`{"title":"t","tags":{"a":1},"error":{"exceptions":[{"frames":[{"pre":[1]}]}]},"metadata":{"a":[1e999]}}`)
	f.Add(`{"action":"resolve","dedup_key":"x","links":[1,{"href":2}],"count":-1,"occurred_at":"x"}`)
	f.Fuzz(func(_ *testing.T, body string) {
		fields, err := Decode([]byte(body))
		if err != nil {
			return
		}
		_, _ = Read(fields, "", "a key")
	})
}
