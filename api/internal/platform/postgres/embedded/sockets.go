//go:build linux || darwin

package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// socketName is fixed by PostgreSQL's protocol for its default port.
const socketName = ".s.PGSQL.5432"

// longestSocketPath is what the shortest of our systems (macOS) has room for.
const longestSocketPath = 103

// socketDir is the folder of the socket: DataDir/run, or a short path in the temporary
// folder when that is too long for a socket, or has the comma by which connection strings
// separate hosts.
func socketDir(dir string) string {
	path := filepath.Join(dir, "run")
	if len(filepath.Join(path, socketName)) > longestSocketPath || strings.Contains(path, ",") {
		sum := sha256.Sum256([]byte(dir))
		path = "/tmp/nightbell-" + hex.EncodeToString(sum[:6])
	}
	return path
}

func makeSocketDir(dir string, account account) (string, error) {
	path := socketDir(dir)
	if err := account.makeDir(path); err != nil {
		return "", fmt.Errorf("the folder of the database socket: %w", err)
	}
	return path, nil
}

// removeSockets clears what a killed server left, so that the next one does not
// take it for a running one. Only the holder of the data directory may call it.
func removeSockets(sockets string) error {
	for _, name := range []string{socketName, socketName + ".lock"} {
		if err := os.Remove(filepath.Join(sockets, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// RunningDSN is the connection string of the server that another process runs in the data
// directory; it is empty when none does.
func RunningDSN(dataDir string) string {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return ""
	}
	server := &Server{sockets: socketDir(dir)}
	if _, err := os.Stat(filepath.Join(server.sockets, socketName)); err != nil {
		return ""
	}
	return server.DSN()
}
