package plaintext

import (
	"strings"
	"testing"
	"unicode"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		"Payments failing":          "Payments failing",
		"  two   spaces ":           "two spaces",
		"two\r\nlines\tand\va tab":  "two lines and a tab",
		"\x1b[31mred\x1b[0m \x9b2J": "[31mred[0m \uFFFD2J",
		"\u009b2Jcleared":           "2Jcleared",
		"invoice\u202egnp.exe":      "invoicegnp.exe",
		"\u2066isolated\u2069":      "isolated",
		"zero\u200bwidth\ufeff":     "zerowidth",
		"adm\u200din":               "admin",
		"tag\U000e0041":             "tag",
		"\u3164\u2800\u115f":        "",
		"=?utf-8?B?4oCu?= sale":     "= ?utf-8?B?4oCu?= sale",
		"=?\u200butf-8?q?x?=":       "= ?utf-8?q?x?=",
		"علی\u200cرضا":              "علی\u200cرضا",
		"क्\u200dष":                 "क्\u200dष",
		"family 👨\u200d👩\u200d👧 ❤\ufe0f":        "family 👨\u200d👩\u200d👧 ❤\ufe0f",
		"José Müller-Łukasz, 東京":                "José Müller-Łukasz, 東京",
		"a" + strings.Repeat("\u200b", 5) + "b": "ab",
	} {
		if got := Line(text); got != want {
			t.Errorf("Line(%q) = %q, want %q", text, got, want)
		}
		if got := Line(Line(text)); got != want {
			t.Errorf("Line of Line(%q) = %q", text, got)
		}
	}
}

func TestTextKeepsLines(t *testing.T) {
	if got, want := Text("first\r\n\tsecond\x1b[2J\u202e\n"), "first\n\tsecond[2J\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCheckSaysWhatToRemove(t *testing.T) {
	for text, want := range map[string]string{
		"Dana Whitfield":         "",
		"علی\u200cرضا":           "",
		"Dana\x1b[31m":           "U+001B",
		"Dana\u202e":             "U+202E",
		"Dana\nBcc: x":           "U+000A",
		"Da\u200bna":             "U+200B",
		"Dana\u2028":             "U+2028",
		"\xff":                   "UTF-8",
		"\u200dDana":             "U+200D",
		"Dana\u3164":             "U+3164",
		strings.Repeat("x", 500): "",
	} {
		got := Check(text)
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("Check(%q) = %q, want %q in it", text, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	if got, want := Escape("{\"a\": \"\u009b2J\u202e\U000e0041\"}\n"), `{"a": "\u009b2J\u202e\udb40\udc41"}`+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\u200d\u200db=\u200d?")
	f.Add("a\u034f\u200dष \ufe0fx")
	f.Fuzz(func(t *testing.T, text string) {
		line := Line(text)
		if line != Line(line) || Check(line) != "" || strings.Contains(line, "=?") || strings.TrimSpace(line) != line {
			t.Errorf("Line(%q) = %q is not plain: %s", text, line, Check(line))
		}
		for _, r := range Text(text) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Errorf("Text(%q) holds %U", text, r)
			}
		}
	})
}
