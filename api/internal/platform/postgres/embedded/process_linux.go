package embedded

import "syscall"

// dieWithParent has the kernel ask for a fast shutdown when Nightbell is gone,
// even by kill -9.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGINT }
