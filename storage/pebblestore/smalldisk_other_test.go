//go:build !linux

package pebblestore

import "testing"

func smallDisk(t *testing.T, _ int) string {
	t.Skip("a small disk is mounted on Linux only")
	return ""
}
