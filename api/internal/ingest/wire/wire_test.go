package wire

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, json, want string }{
		{"plain", `"checkout"`, "checkout"},
		{"escapes", `"a\"\\\/\b\f\n\r\tz"`, "a\"\\/\b\f\n\r\tz"},
		{"unicode", `"\u00e9\u20ac"`, "é€"},
		{"surrogate pair", `"\ud83d\ude00"`, "😀"},
		{"half a pair", `"\ud83d!"`, "\uFFFD!"},
		{"two halves", `"\ud83d\ud83d\ude00"`, "\uFFFD😀"},
		{"NUL", `"a\u0000b"`, "a\uFFFDb"},
		{"invalid UTF-8", "\"a\xff\xfeb\"", "a\uFFFD\uFFFDb"},
		{"number", `12.50`, "12.50"},
		{"boolean", `true`, "true"},
		{"null", `null`, ""},
		{"object", `{"a":[1,2]}`, `{"a":[1,2]}`},
		{"long", `"` + strings.Repeat("x", 100) + `"`, strings.Repeat("x", 61) + "…"},
		{"long, cut between runes", `"x` + strings.Repeat("é", 50) + `"`, "x" + strings.Repeat("é", 30) + "…"},
		{"long escapes", `"` + strings.Repeat(`\u00e9`, 50) + `"`, strings.Repeat("é", 30) + "…"},
		{"exactly full", `"` + strings.Repeat("x", 64) + `"`, strings.Repeat("x", 64)},
		{"grows beyond the limit", `"` + strings.Repeat("\xff", 60) + `"`, strings.Repeat("\uFFFD", 20) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := Read([]byte(c.json))
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Text(64); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]string{
		"2018-08-03T09:52:26.739266876+02:00": "2018-08-03T07:52:26.739266Z",
		"2038-01-19T03:14:08Z":                "2038-01-19T03:14:08Z",
		"9999-12-31T23:59:59.999999999-12:00": "9999-12-31T23:59:59Z",
		"0001-01-01T00:00:00Z":                "0001-01-01T00:00:00Z",
		"0000-01-01T00:00:00+14:00":           "0001-01-01T00:00:00Z",
		"1969-12-31T23:59:59Z":                "1969-12-31T23:59:59Z",
		"yesterday":                           "0001-01-01T00:00:00Z",
		"":                                    "0001-01-01T00:00:00Z",
		"2026-02-30T00:00:00Z":                "0001-01-01T00:00:00Z",
	} {
		if got := Value(`"` + text + `"`).Time().Format(time.RFC3339Nano); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if !Value("1722672746").Time().IsZero() || !Value(nil).Time().IsZero() {
		t.Error("a number or nothing is not a time")
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int{
		`3`: 3, `"3"`: 3, `-1`: 0, `1e300`: 1000, `"NaN"`: 0, `"Inf"`: 1000, `"some"`: 0, `null`: 0, `[]`: 0, `2.9`: 2,
	} {
		if got := Value(text).Int(1000); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	if got := Shorten("żółć", 4); got != "żółć" {
		t.Errorf("got %q", got)
	}
	if got := Shorten("żółć!", 4); got != "żół…" {
		t.Errorf("got %q", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":      " \n",
		"broken":       `{"alerts":[}`,
		"two values":   `{} {}`,
		"NaN":          `{"a":NaN}`,
		"raw NUL":      "{\"a\":\"\x00\"}",
		"UTF-16":       "\xff\xfe{\x00}\x00",
		"bottomless":   strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
		"not finished": `{"a":"b`,
	} {
		if _, err := Read([]byte(body)); !errors.Is(err, ErrNotJSON) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := Read([]byte("\xef\xbb\xbf {} ")); err != nil {
		t.Errorf("a byte order mark should be skipped: %v", err)
	}
}

// FuzzWalk holds the walk against encoding/json: the same fields, elements and text.
func FuzzWalk(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[true,null,"x\"y\\"],"c":{"d":"\ud83d\ude00"}}`, ` [ 1 , "2" , { } , [ ] ] `,
		`"\\\\\""`, `{"":{"":""}}`, `-1.5e+10`, "\"\xff\"", `{"a":"\\","a":"]"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v, err := Read(body)
		if err != nil {
			return
		}
		checkText(t, v)
		checkWalk(t, v, 0)
	})
}

func checkText(t *testing.T, v Value) {
	t.Helper()
	for _, limit := range []int{3, 8, 64} {
		text := v.Text(limit)
		if len(text) > limit || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Fatalf("%q within %d bytes became %q", v, limit, text)
		}
	}
}

func checkWalk(t *testing.T, v Value, depth int) {
	t.Helper()
	switch {
	case depth > 50:
	case v.IsObject():
		want := map[string]json.RawMessage{}
		mustUnmarshal(t, v, &want)
		got := map[string]Value{}
		for name, field := range v.Fields() {
			got[asJSON(t, name)] = field
			checkWalk(t, field, depth+1)
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d names, want %d", v, len(got), len(want))
		}
		for name, field := range want {
			if string(got[name]) != string(field) {
				t.Fatalf("%q: field %q is %q, want %q", v, name, got[name], field)
			}
		}
	case v.IsArray():
		var want []json.RawMessage
		mustUnmarshal(t, v, &want)
		i := 0
		for element := range v.Elements() {
			if string(element) != string(want[i]) {
				t.Fatalf("%q: element %d is %q, want %q", v, i, element, want[i])
			}
			checkWalk(t, element, depth+1)
			i++
		}
		if i != len(want) {
			t.Fatalf("%q: %d elements, want %d", v, i, len(want))
		}
	case v[0] == '"':
		var want string
		mustUnmarshal(t, v, &want)
		want = strings.ReplaceAll(want, "\x00", "\uFFFD")
		if got := v.Text(3 * len(v)); got != want {
			t.Fatalf("%q: got %q, want %q", v, got, want)
		}
	}
}

// asJSON is the name as encoding/json reads it, NUL and all.
func asJSON(t *testing.T, name Name) string {
	t.Helper()
	var text string
	mustUnmarshal(t, []byte(`"`+string(name)+`"`), &text)
	return text
}

func mustUnmarshal(t *testing.T, from []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(from, into); err != nil {
		t.Fatalf("%q: %v", from, err)
	}
}
