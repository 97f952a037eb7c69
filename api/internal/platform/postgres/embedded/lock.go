//go:build linux || darwin

package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// lockDataDir makes the directory and claims it for this process. The claim ends
// when the file is closed or the process dies, however it dies.
func lockDataDir(dir string) (*os.File, error) {
	if err := makeDataDir(dir); err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be made (%w). Choose another with --data-dir", dir, err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "postgres.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be written (%w). Choose another with --data-dir", dir, err)
	}
	if err := claim(file); err != nil {
		holder := readPID(file.Name())
		file.Close() //nolint:errcheck // nothing was written
		return nil, fmt.Errorf("another Nightbell%s is using the data directory %s. Stop it, or choose another directory with --data-dir", holder, dir)
	}
	if err := file.Truncate(0); err == nil {
		_, _ = file.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0) // only for the message above
	}
	return file, nil
}

// claim takes the file's lock. It waits a little, because a killed process keeps
// its locks until the last of its threads is gone.
func claim(file *os.File) (err error) {
	for range 50 {
		if err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// makeDataDir makes a missing directory. Others may pass through it, which the
// server's account has to, but not look.
func makeDataDir(dir string) error {
	if isDir(dir) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o711); err != nil {
		return err
	}
	return os.Chmod(dir, 0o711) // whatever the umask took
}

func readPID(path string) string {
	content, err := os.ReadFile(path)
	if err != nil || len(content) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(content)) + ")"
}
