//go:build !race

package queueservice

const waitMost = 32 << 10
