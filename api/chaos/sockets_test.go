//go:build chaos

package chaos

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// holds reports whether the program has a connection from that address of the loopback,
// by what the kernel tells.
func (n *node) holds(address string) bool {
	n.t.Helper()
	_, text, _ := net.SplitHostPort(address)
	port, err := strconv.Atoi(text)
	if err != nil {
		n.t.Fatal(err)
	}
	folder := fmt.Sprintf("/proc/%d/fd/", n.pid())
	entries, err := os.ReadDir(folder)
	if err != nil {
		n.t.Fatal(err)
	}
	own := map[string]bool{}
	for _, entry := range entries {
		if target, err := os.Readlink(folder + entry.Name()); err == nil {
			own[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = true
		}
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		n.t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) > 9 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", port)) && own[fields[9]] {
			return true
		}
	}
	return false
}
