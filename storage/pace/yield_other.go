//go:build !linux

package pace

// yieldThread leaves it to the kernel when other threads run: macOS and FreeBSD have no system call for it that package
// syscall knows.
func yieldThread() {}
