package nightbell

import (
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
	for n, rule := range file.Rules.Text {
		own := secretTexts[n]
		if own.name != rule.Name || own.pattern != rule.Pattern || own.ignoreCase != rule.IgnoreCase || own.replacement != rule.Replacement {
			t.Errorf("rule %s differs", rule.Name)
		}
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
