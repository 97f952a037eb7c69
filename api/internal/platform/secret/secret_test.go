package secret_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

func TestSealedValueOpensOnlyInItsPlace(t *testing.T) {
	box, err := secret.NewBox(bytes.Repeat([]byte{7}, secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	sealed := box.Seal([]byte("xoxb-token"), "integration/a/slack")
	if opened, err := box.Open(sealed, "integration/a/slack"); err != nil || string(opened) != "xoxb-token" {
		t.Fatalf("opened %q, %v", opened, err)
	}
	for name, try := range map[string]func() ([]byte, error){
		"another place": func() ([]byte, error) { return box.Open(sealed, "integration/b/slack") },
		"altered": func() ([]byte, error) {
			return box.Open(append(bytes.Clone(sealed[:len(sealed)-1]), sealed[len(sealed)-1]^1), "integration/a/slack")
		},
		"unknown format": func() ([]byte, error) { return box.Open([]byte("plain"), "integration/a/slack") },
		"empty":          func() ([]byte, error) { return box.Open(nil, "integration/a/slack") },
	} {
		if opened, err := try(); err == nil {
			t.Errorf("%s: opened %q", name, opened)
		}
	}
	if bytes.Equal(sealed, box.Seal([]byte("xoxb-token"), "integration/a/slack")) {
		t.Error("sealing twice gave the same bytes")
	}
	if bytes.Equal(box.Derive("links"), box.Derive("seal")) {
		t.Error("two purposes share a key")
	}
}

func TestParseKeyNeverQuotesTheKey(t *testing.T) {
	_, err := secret.ParseKey("not-a-key-1234")
	if err == nil || strings.Contains(err.Error(), "not-a-key") {
		t.Fatalf("got %v", err)
	}
	if _, err := secret.ParseKey(strings.Repeat("ab", secret.KeySize)); err != nil {
		t.Fatal(err)
	}
}
