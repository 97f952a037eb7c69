package embedded

import "syscall"

// dieWithParent has nothing to ask for: macOS knows no such signal. A server
// that outlived a killed Nightbell is stopped by the next start.
func dieWithParent(*syscall.SysProcAttr) {}
