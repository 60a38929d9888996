//go:build race

package queueservice

// The race detector makes frames larger, so that the stack of a handler that waits is twice as large.
const waitMost = 48 << 10
