package config

import "syscall"

// listed says whether a file has an access control list.
func listed(path string) bool {
	n, _ := syscall.Getxattr(path, "system.posix_acl_access", nil)
	return n > 0
}
