package app

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
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
		}
	}
	return errors.Join(problems...)
}

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
