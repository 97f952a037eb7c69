package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serverProcesses are the processes of a server on this data. All of them work
// in the data directory; a process that only has the number of an old
// postmaster, or is a zombie, does not.
func serverProcesses(_ int, database string) []int {
	data, err := os.Stat(database)
	if err != nil {
		return nil
	}
	folders, _ := filepath.Glob("/proc/[0-9]*")
	var found []int
	for _, folder := range folders {
		name, err := os.ReadFile(filepath.Join(folder, "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "postgres" {
			continue
		}
		if cwd, err := os.Stat(filepath.Join(folder, "cwd")); err == nil && os.SameFile(data, cwd) {
			pid, _ := strconv.Atoi(filepath.Base(folder)) // digits, by the pattern
			found = append(found, pid)
		}
	}
	return found
}
