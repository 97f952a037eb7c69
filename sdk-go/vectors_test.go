package nightbell

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"
)

// The vectors say what the SDKs of all languages do alike.

func readVectors(t *testing.T, family string, into any) {
	t.Helper()
	data, err := os.ReadFile("../proto/vectors/" + family + ".json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s.json: %v", family, err)
	}
}

type tree = map[string]any

// parsed makes a value comparable with parsed JSON.
func parsed(t *testing.T, v any) any {
	t.Helper()
	encoded, ok := v.([]byte)
	if !ok {
		var err error
		if encoded, err = encode(v); err != nil {
			t.Fatal(err)
		}
	}
	var result any
	if err := json.Unmarshal(encoded, &result); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
	return result
}

func equalJSON(t *testing.T, what string, got, want any) {
	t.Helper()
	got, want = parsed(t, got), parsed(t, want)
	if !reflect.DeepEqual(got, want) {
		a, _ := json.MarshalIndent(got, "", " ")
		b, _ := json.MarshalIndent(want, "", " ")
		t.Errorf("%s\n got %.4000s\nwant %.4000s", what, a, b)
	}
}

// named compares the fields that want names; null is absent.
func named(t *testing.T, got, want tree) {
	t.Helper()
	for field, value := range want {
		equalJSON(t, field, got[field], value)
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// decodeInto reads a tree into a value through JSON.
func decodeInto(t *testing.T, from, into any) {
	t.Helper()
	encoded, err := encode(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, into); err != nil {
		t.Fatalf("%v in %s", err, encoded)
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
