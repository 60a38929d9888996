package server

import "syscall"

// DieWithUs has a process that is started be sent a signal when this program is killed.
func DieWithUs(a *syscall.SysProcAttr, sig syscall.Signal) { a.Pdeathsig = sig }
