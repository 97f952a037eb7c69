package auth

import (
	"math/big"
	"strings"
)

// apiKeyPrefix lets people and secret scanners recognise a key; what follows is
// 256 bits in base 62, always 43 characters.
const (
	apiKeyPrefix = "nbk_"
	apiKeyDigits = 43
	// apiKeyShown is how many characters of a key are kept to recognise it by.
	apiKeyShown = 10
	// serviceKeyPrefix is what package catalog begins service keys with.
	serviceKeyPrefix = "nbs_"
)

// NewAPIKey returns a fresh key and the beginning of it that may be shown later.
// Only the hash of the key is stored (HashToken).
func NewAPIKey() (key, shown string) {
	key = apiKeyPrefix + base62(random256())
	return key, key[:apiKeyShown]
}

// base62 writes 256 bits with digits and letters only, so that a double click
// selects the whole key.
func base62(bits []byte) string {
	text := new(big.Int).SetBytes(bits).Text(62)
	return strings.Repeat("0", apiKeyDigits-len(text)) + text
}

// LooksLikeAPIKey reports whether a bearer token means to be an API key, though it may be cut off.
func LooksLikeAPIKey(token string) bool { return strings.HasPrefix(token, apiKeyPrefix) }

// IsServiceKey reports whether a bearer token means to be a service key, which only sends alerts.
func IsServiceKey(token string) bool { return strings.HasPrefix(token, serviceKeyPrefix) }

// IsAPIKey reports whether a bearer token has the form of an API key. Whether the
// key exists is another question.
func IsAPIKey(token string) bool {
	digits, found := strings.CutPrefix(token, apiKeyPrefix)
	return found && len(digits) == apiKeyDigits && strings.IndexFunc(digits, notBase62) < 0
}

func notBase62(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}
