//go:build linux || darwin

package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Place says where the data directory's cluster is: machine and path, and the inode of a
// file in it. A mounted volume keeps its inodes, a copied or unpacked folder has others. Both
// are known once the cluster exists.
func Place(dataDir string) (address, inode string, err error) {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(filepath.Join(dir, "database", "PG_VERSION"))
	if err != nil {
		return "", "", err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = strconv.FormatUint(stat.Ino, 10)
	}
	machine, _ := os.ReadFile("/etc/machine-id") // containers and macOS have none: the path has to do
	return strings.TrimSpace(string(machine)) + ":" + dir, inode, nil
}
