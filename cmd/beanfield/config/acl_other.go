//go:build !linux

package config

// listed says that a file may have an access control list: the systems have several kinds. So nothing is refused by its
// mode alone; who may not open it learns that when it does.
func listed(string) bool { return true }
