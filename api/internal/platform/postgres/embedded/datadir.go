package embedded

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDataDir is where data is kept when nobody says otherwise: a system
// directory for root, because the server's account cannot enter root's home, and
// the user's own data folder for anybody else. It fails when the user has no home.
func DefaultDataDir() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib/nightbell", nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "nightbell"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("this account has no home directory to keep data in. Choose a place with --data-dir")
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "nightbell"), nil
	}
	return filepath.Join(home, ".local", "share", "nightbell"), nil
}
