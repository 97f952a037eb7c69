package app

import "testing"

// TestAWrongVariableIsNamedWithWhatIsAllowed: the flag was named instead, below the whole help.
func TestAWrongVariableIsNamedWithWhatIsAllowed(t *testing.T) {
	t.Parallel()
	for variable, c := range map[string]struct{ value, want string }{
		"NIGHTBELL_SMTP_PORT":      {"smtp", `NIGHTBELL_SMTP_PORT is "smtp"; expected a whole number, for example 587`},
		"NIGHTBELL_RETENTION_DAYS": {"90d", `NIGHTBELL_RETENTION_DAYS is "90d"; expected a whole number, for example 90`},
		"NIGHTBELL_QUOTA_CONTACTS": {"", `NIGHTBELL_QUOTA_CONTACTS is ""; expected a whole number, for example 1000`},
		"NIGHTBELL_REGISTRATION":   {"no", `NIGHTBELL_REGISTRATION is "no"; expected open, invite or closed`},
		"NIGHTBELL_LOG_LEVEL":      {"INFO", `NIGHTBELL_LOG_LEVEL is "INFO"; expected debug, info, warn or error`},
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
