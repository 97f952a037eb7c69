package auth

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// SecretSize is the length of the secret that tokens are made with, in bytes.
const SecretSize = 32

// ErrShortSecret says what NIGHTBELL_JWT_SECRET must be.
var ErrShortSecret = errors.New("NIGHTBELL_JWT_SECRET must be 32 random bytes in hex, for example from: openssl rand -hex 32")

// deriveKey makes the key for one purpose from the installation's secret, so that
// what is signed for one purpose proves nothing for another.
func deriveKey(secret []byte, purpose string) ([]byte, error) {
	if len(secret) != SecretSize {
		return nil, ErrShortSecret
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "nightbell "+purpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key for %s: %w", purpose, err)
	}
	return key, nil
}

func mac(key, message []byte) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write(message)
	return sum.Sum(nil)
}

// random256 returns 256 random bits. crypto/rand cannot fail: it ends the program
// on a machine without randomness.
func random256() []byte {
	bits := make([]byte, 32)
	_, _ = rand.Read(bits)
	return bits
}

// HashToken is what is stored of a token, key, device id or calendar address: its SHA-256, which can be looked up. A
// fast hash is enough for 256 random bits.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
