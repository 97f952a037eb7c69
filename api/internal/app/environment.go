package app

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/spelling"
)

// WrongEnvironment names each environment variable whose value is not of the setting's type, with
// what is allowed; nil when all are. Flags alone would name the flag, which nobody has written.
func WrongEnvironment(lookup func(string) (string, bool)) error {
	var problems []error
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		variable := field.Tag.Get("env")
		value, set := lookup(variable)
		if variable == "" || !set {
			continue
		}
		words := strings.FieldsFunc(field.Tag.Get("enum"), func(r rune) bool { return r == ',' })
		_, notANumber := strconv.Atoi(value)
		switch {
		case len(words) > 0 && !slices.Contains(words, value):
			problems = append(problems, fmt.Errorf("%s is %q; expected %s", variable, value, orList(words)))
		case field.Type.Kind() == reflect.Int && notANumber != nil:
			problems = append(problems, fmt.Errorf("%s is %q; expected a whole number, for example %s", variable, value, field.Tag.Get("default")))
		case field.Type.Kind() == reflect.Bool && !slices.Contains([]string{"true", "1", "yes", "false", "0", "no"}, strings.ToLower(value)):
			problems = append(problems, fmt.Errorf("%s is %q; expected true or false", variable, value))
		}
	}
	return errors.Join(problems...)
}

// EmptyDatabase refuses a --database-url that is there and empty, as a shell makes it of a variable that
// is not set: without one a private database would be made.
func EmptyDatabase(args []string) error {
	const flag = "--database-url"
	for i, arg := range args {
		if arg == flag+"=" || arg == flag && i+1 < len(args) && args[i+1] == "" {
			return errors.New(flag + " is empty; give it the address, or leave it out to use the private PostgreSQL of --data-dir")
		}
	}
	return nil
}

// ofOthers are the variables that commands besides Serve read, and the SDKs (proto/vectors/config.json).
var ofOthers = strings.Fields(`NIGHTBELL_URL NIGHTBELL_ACCESS_TOKEN NIGHTBELL_FAILPOINTS ` + demoPasswordVariable + `
	NIGHTBELL_API_KEY NIGHTBELL_SERVICE_KEY NIGHTBELL_BASE_URL NIGHTBELL_ENVIRONMENT NIGHTBELL_TIMEOUT_MS NIGHTBELL_AUTO_CAPTURE
	NIGHTBELL_DEBUG NIGHTBELL_RELEASE NIGHTBELL_SERVER_NAME NIGHTBELL_SAMPLE_RATE NIGHTBELL_MAX_QUEUE NIGHTBELL_MAX_RETRIES
	NIGHTBELL_FLUSH_TIMEOUT_MS NIGHTBELL_CA_FILE NIGHTBELL_SPOOL_DIR NIGHTBELL_DISABLED`)

// unknownVariable is a variable that looks like a setting and is none.
type unknownVariable struct{ name, advice string }

// unknownVariables finds what somebody may have misspelt among "name=value": a mail server that is
// set by the wrong name is no mail server. Nothing is refused for it, because the next version may
// know the name, and a rollback must start.
func unknownVariables(environ []string) []unknownVariable {
	known := slices.Clone(ofOthers)
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		known = append(known, field.Tag.Get("env"))
	}
	var unknown []unknownVariable
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		if !strings.HasPrefix(name, "NIGHTBELL_") || slices.Contains(known, name) {
			continue
		}
		advice, best := "no setting of this version; nightbell serve --help lists them", 4
		for _, candidate := range known {
			if d := spelling.Distance(name, candidate); d < best {
				advice, best = "no setting of this version; did you mean "+candidate+"?", d
			}
		}
		unknown = append(unknown, unknownVariable{name, advice})
	}
	return unknown
}

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
