//go:build linux || darwin

package embedded

import (
	"context"
	"errors"
	"slices"
	"testing"
)

func TestAnAccountOfItsOwnIsMade(t *testing.T) {
	for _, c := range []struct {
		missing []string
		ran     []string
		made    bool
	}{
		{nil, []string{"useradd"}, true},
		{[]string{"useradd"}, []string{"useradd", "adduser"}, true},
		{[]string{"useradd", "adduser"}, []string{"useradd", "adduser"}, false},
	} {
		var ran []string
		err := makeAccount(t.Context(), func(_ context.Context, name string, args ...string) error {
			ran = append(ran, name)
			if args[len(args)-1] != ownAccount {
				t.Errorf("%s %q does not make %s", name, args, ownAccount)
			}
			if slices.Contains(c.missing, name) {
				return errors.New(name + " is missing")
			}
			return nil
		})
		if (err == nil) != c.made || !slices.Equal(ran, c.ran) {
			t.Errorf("without %q: ran %q, %v", c.missing, ran, err)
		}
	}
}
