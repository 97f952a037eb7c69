package app

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAWrongVariableIsNamedWithWhatIsAllowed: the flag was named instead, below the whole help.
func TestAnEmptyDatabaseAddressIsRefused(t *testing.T) {
	for args, refused := range map[string]bool{
		"migrate up --database-url=": true, "migrate up --database-url |": true, "migrate up": false, "serve --database-url postgres://x": false,
	} {
		if err := EmptyDatabase(strings.Split(strings.ReplaceAll(args, "|", ""), " ")); (err != nil) != refused {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestAWrongVariableIsNamedWithWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for variable, c := range map[string]struct{ value, want string }{
		"NIGHTBELL_SMTP_PORT":      {"smtp", `NIGHTBELL_SMTP_PORT is "smtp"; expected a whole number, for example 587`},
		"NIGHTBELL_RETENTION_DAYS": {"90d", `NIGHTBELL_RETENTION_DAYS is "90d"; expected a whole number, for example 90`},
		"NIGHTBELL_QUOTA_CONTACTS": {"", `NIGHTBELL_QUOTA_CONTACTS is ""; expected a whole number, for example 1000`},
		"NIGHTBELL_REGISTRATION":   {"no", `NIGHTBELL_REGISTRATION is "no"; expected open, invite or closed`},
		"NIGHTBELL_LOG_LEVEL":      {"INFO", `NIGHTBELL_LOG_LEVEL is "INFO"; expected debug, info, warn or error`},
		"NIGHTBELL_DEMO_GUEST":     {"maybe", `NIGHTBELL_DEMO_GUEST is "maybe"; expected true or false`},
		"NIGHTBELL_LISTEN":         {"anything", ""},
		"NIGHTBELL_LOG_FORMAT":     {"json", ""},
	} {
		err := WrongEnvironment(func(asked string) (string, bool) { return c.value, asked == variable })
		if got := errorText(err); got != c.want {
			t.Errorf("%s=%s: %q, want %q", variable, c.value, got, c.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAMisspeltVariableIsNamed(t *testing.T) {
	t.Parallel()
	got := unknownVariables([]string{
		"NIGHTBELL_SMPT_HOST=mail.example.com", "NIGHTBELL_MAILER=x", "NIGHTBELL_SMTP_PORT=25", "NIGHTBELL_API_KEY=x", "NIGHTBELL_DEMO_PASSWORD=x", "PATH=/bin",
	})
	want := []unknownVariable{
		{"NIGHTBELL_SMPT_HOST", "no setting of this version; did you mean NIGHTBELL_SMTP_HOST?"},
		{"NIGHTBELL_MAILER", "no setting of this version; nightbell serve --help lists them"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestVariablesOfTheSDKsAreKnown: a developer's shell has them, and the server starts there too.
func TestVariablesOfTheSDKsAreKnown(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../proto/vectors/config.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct{ Options []struct{ Env []string } }
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, option := range vectors.Options {
		for _, variable := range option.Env {
			if !strings.HasPrefix(variable, "NIGHTBELL_") {
				continue
			}
			seen++
			if unknown := unknownVariables([]string{variable + "=x"}); len(unknown) > 0 {
				t.Errorf("%v", unknown)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d variables were compared", seen)
	}
}
