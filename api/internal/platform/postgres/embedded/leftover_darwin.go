package embedded

import (
	"os/exec"
	"strconv"
	"strings"
)

// serverProcesses is the postmaster of a server on this data, told from another
// process with its number by the arguments that we started it with. Its
// children end with it, or within a second after it.
func serverProcesses(postmaster int, database string) []int {
	if postmaster <= 1 {
		return nil
	}
	output, err := exec.Command("/bin/ps", "-o", "command=", "-p", strconv.Itoa(postmaster)).Output()
	if err != nil || !strings.Contains(string(output), "-D "+database) {
		return nil
	}
	return []int{postmaster}
}
