// Package secret seals what must be read again but never shown: webhook addresses,
// tokens, service keys. AES-256-GCM with a random nonce; what a value belongs to
// (tenant, table, column, row) is authenticated with it, so that a sealed value
// copied to another row does not open there.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// KeySize is the length of a data key in bytes.
const KeySize = 32

// version is the first byte of everything sealed, so that keys and algorithms can
// be changed while old rows stay readable.
const version = 1

// Box seals and opens with one data key. It is safe for concurrent use.
type Box struct {
	aead    cipher.AEAD
	dataKey []byte
}

// ParseKey reads a data key of 64 hexadecimal digits. The error says what is
// expected and never quotes the key.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != KeySize {
		return nil, fmt.Errorf("expected %d random bytes as %d hexadecimal digits, for example from `openssl rand -hex 32`", KeySize, 2*KeySize)
	}
	return key, nil
}

// NewBox makes a box for a data key of KeySize bytes.
func NewBox(dataKey []byte) (*Box, error) {
	if len(dataKey) != KeySize {
		return nil, fmt.Errorf("a data key has %d bytes", KeySize)
	}
	box := &Box{dataKey: dataKey}
	block, err := aes.NewCipher(box.Derive("seal"))
	if err != nil {
		return nil, err
	}
	box.aead, err = cipher.NewGCMWithRandomNonce(block)
	return box, err
}

// Derive gives a 32-byte key for one purpose, so that a key used to sign links is
// never the one that seals columns.
func (b *Box) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, b.dataKey, nil, "nightbell "+purpose, KeySize)
	if err != nil {
		panic(err) // only for lengths beyond what HKDF can give
	}
	return key
}

// Fingerprint tells data keys apart and opens nothing.
func (b *Box) Fingerprint() string { return hex.EncodeToString(b.Derive("fingerprint")[:8]) }

// Seal encrypts plaintext for its place, for example "service_key/<org>/<service>".
func (b *Box) Seal(plaintext []byte, place string) []byte {
	return b.aead.Seal([]byte{version}, nil, plaintext, []byte(place))
}

// Open decrypts what Seal made for the same place. It fails when the value was
// altered, belongs elsewhere, or was sealed with another data key.
func (b *Box) Open(sealed []byte, place string) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != version {
		return nil, errors.New("not a sealed value of a known version")
	}
	plaintext, err := b.aead.Open(nil, nil, sealed[1:], []byte(place))
	if err != nil {
		return nil, errors.New("a sealed value does not open: was NIGHTBELL_DATA_KEY changed?")
	}
	return plaintext, nil
}
