//go:build !linux

package storage

// yieldThread is for the server, which runs on Linux; the tools run elsewhere too.
func yieldThread() {}
