//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench runs on Linux only: it needs epoll, /proc, and a choice of processors for a process")
	os.Exit(2)
}
