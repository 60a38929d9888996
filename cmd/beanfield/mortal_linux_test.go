package main

import "syscall"

// mortal is what a process is started with: none outlives tests that are killed.
func mortal() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
