package auth

import (
	"bytes"
	"strings"
	"testing"
)

func TestAPIKeys(t *testing.T) {
	seen := map[string]bool{}
	for range 500 {
		key, shown := NewAPIKey()
		if !IsAPIKey(key) || !strings.HasPrefix(key, shown) || len(shown) != 10 || seen[key] {
			t.Fatalf("key %q, shown as %q", key, shown)
		}
		seen[key] = true
	}
	for _, bits := range [][]byte{make([]byte, 32), bytes.Repeat([]byte{255}, 32)} {
		if !IsAPIKey(apiKeyPrefix + base62(bits)) {
			t.Errorf("%x is not written as a key", bits)
		}
	}
	for _, other := range []string{"", "nbk_", "nbk_short", "nbr_" + strings.Repeat("a", 43), "nbk_" + strings.Repeat("-", 43), "nbk_" + strings.Repeat("a", 44)} {
		if IsAPIKey(other) {
			t.Errorf("%q passes for a key", other)
		}
	}
}
