//go:build !linux

package main

import "syscall"

func mortal() *syscall.SysProcAttr { return new(syscall.SysProcAttr) }
