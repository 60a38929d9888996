// Package machine knows the processors of this machine: which there are, who uses them,
// and how a program is kept on some of them. It counts a process's system calls.
package machine
