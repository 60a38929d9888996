//go:build !linux

package server

import "syscall"

// DieWithUs can do nothing: only Linux tells a process that its parent was killed.
func DieWithUs(*syscall.SysProcAttr, syscall.Signal) {}
