//go:build chaos

package chaos

import (
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
)

// programs are the processes under test that run now.
var programs struct {
	mu   sync.Mutex
	pids map[int]bool
}

func launched(pid int) {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	if programs.pids == nil {
		programs.pids = map[int]bool{}
	}
	programs.pids[pid] = true
}

func ended(pid int) {
	programs.mu.Lock()
	defer programs.mu.Unlock()
	delete(programs.pids, pid)
}

// holder is the program that has a connection from that address of the loopback, by what
// the kernel tells; 0 when it has ended meanwhile.
func holder(address net.Addr) (pid int) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return 0
	}
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return 0
	}
	sockets := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 9 && strings.HasSuffix(fields[1], fmt.Sprintf(":%04X", tcp.Port)) {
			sockets["socket:["+fields[9]+"]"] = true
		}
	}
	programs.mu.Lock()
	defer programs.mu.Unlock()
	for pid := range programs.pids {
		folder := fmt.Sprintf("/proc/%d/fd/", pid)
		entries, err := os.ReadDir(folder)
		if err != nil {
			continue // it has ended
		}
		for _, entry := range entries {
			if target, err := os.Readlink(folder + entry.Name()); err == nil && sockets[target] {
				return pid
			}
		}
	}
	return 0
}
