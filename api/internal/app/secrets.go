package app

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nightbell/nightbell/api/internal/platform/secret"
)

// keptKey gives the key from the environment, or the one kept in the data directory,
// which is made at the first start. A key file that others may read is refused.
func keptKey(fromEnvironment []byte, dataDir, name string) ([]byte, error) {
	key, err := existingKey(fromEnvironment, dataDir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(filepath.Join(dataDir, name))
	}
	return key, err
}

// existingKey is keptKey without making one: the error is then fs.ErrNotExist.
func existingKey(fromEnvironment []byte, dataDir, name string) ([]byte, error) {
	if fromEnvironment != nil {
		return fromEnvironment, nil
	}
	return readKey(filepath.Join(dataDir, name))
}

func readKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by other users. Run: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	key, err := secret.ParseKey(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}

// makeKey writes a new key. O_EXCL lets only one of two first starts win; the other
// reads what the winner wrote at its next start.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, secret.KeySize)
	_, _ = rand.Read(key) // never fails (crypto/rand)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(hex.EncodeToString(key) + "\n")
	return key, errors.Join(err, file.Sync(), file.Close())
}
