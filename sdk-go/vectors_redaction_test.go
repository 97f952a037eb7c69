package nightbell

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

func TestVectorsRedaction(t *testing.T) {
	var file struct {
		About string
		Rules struct {
			Replacement string
			Contains    []string
			EndsWith    []string `json:"ends_with"`
			Exact       []string
			Text        []struct {
				Name, Pattern, Replacement string
				IgnoreCase                 bool `json:"ignore_case"`
			}
		}
		Cases []struct {
			Description, Kind string
			RedactKeys        []string `json:"redact_keys"`
			Value, Expect     any
		}
	}
	readVectors(t, "redaction", &file)
	equalJSON(t, "contains", secretContains, file.Rules.Contains)
	equalJSON(t, "ends_with", secretEndsWith, file.Rules.EndsWith)
	equalJSON(t, "exact", secretExact, file.Rules.Exact)
	if len(secretTexts) != len(file.Rules.Text) {
		t.Fatalf("%d rules, want %d", len(secretTexts), len(file.Rules.Text))
	}
	for n, rule := range file.Rules.Text {
		flags := ""
		if rule.IgnoreCase {
			flags = "(?i)"
		}
		equalPattern(t, secretTexts[n], rule.Name, regexp.MustCompile(flags+rule.Pattern), rule.Replacement)
	}
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			r := newRedactor(c.RedactKeys)
			switch c.Kind {
			case "value":
				equalJSON(t, "value", r.value(c.Value), c.Expect)
			case "text":
				equalJSON(t, "text", r.text(text(c.Value)), c.Expect)
			case "query":
				equalJSON(t, "query", r.query(text(c.Value)), c.Expect)
			default:
				t.Fatal("unknown kind " + c.Kind)
			}
		})
	}
}

// Of these, texts are made that hold each secret, almost hold it, or hold several.
var secretPieces = []string{
	"-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----", "PRIVATE KEY-----", "RSA ", "PRIVATE KEY", "-----", "-----END ", "MIIB+/=", "-", "eyJ", "eyJhbGciOi", "abcdefgh", "ABC_12-x",
	".", "nb", "nbs_", "nbA_", "0123456789abcdef", "Bearer", "bASIC", " ", "\t", "\n", "\v", "://", ":", "@", "/", "user", "\xff", "ü",
	"password", "PassWd", "secret", "token", "api_key", "apiKey", "access_key", "accesskey", "=", "&", "\"", "'", ",", ";", "_",
	"eyJhbGciOiJI.", "abcdefgh.abcdefgh.", "eyJabcdefgh.IjoxfQ12.", "://u:", ":p@", "x", "0", strings.Repeat("y", 39), strings.Repeat("z-", 21), "~+/.", "é=", "",
}

// equalPattern compares a rule that is written by hand with its pattern, on many made texts.
func equalPattern(t *testing.T, own textRule, name string, pattern *regexp.Regexp, replacement string) {
	t.Helper()
	if own.name != name {
		t.Fatalf("rule %s stands where %s belongs", own.name, name)
	}
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(secretPieces[random.IntN(len(secretPieces))])
		}
		text := b.String()
		want := pattern.ReplaceAllString(text, replacement)
		if got := own.replace(text); got != want {
			t.Fatalf("%s makes of %q\n%q, want\n%q", name, text, got, want)
		}
		if want != text {
			found++
		}
	}
	if found < 20 {
		t.Errorf("only %d texts held %s: the pieces do not try it", found, name)
	}
}

func TestShapeOfMessages(t *testing.T) {
	pattern := regexp.MustCompile(`[A-Za-z_-]*[0-9][0-9A-Za-z_-]*`)
	random := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"a", "Z", "0", "9", "_", "-", " ", ".", "ü", "\xff", "word"}
	for range 50_000 {
		var b strings.Builder
		for range random.IntN(12) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := strings.ToValidUTF8(b.String(), "")
		if got, want := messageShape(text), pattern.ReplaceAllString(text, "#"); got != want {
			t.Fatalf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestVectorsFingerprint(t *testing.T) {
	var file struct {
		About string
		Cases []struct {
			Description, Environment, Text, Expect string

			Exceptions []Exception
		}
	}
	readVectors(t, "fingerprint", &file)
	for _, c := range file.Cases {
		t.Run(c.Description, func(t *testing.T) {
			if sum, text := fingerprint(c.Environment, c.Exceptions); sum != c.Expect {
				t.Errorf("%s of\n%s\nwant %s of\n%s", sum, text, c.Expect, c.Text)
			}
		})
	}
}
