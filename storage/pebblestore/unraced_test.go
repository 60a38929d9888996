//go:build !race

package pebblestore

import "testing"

func brief() bool { return testing.Short() }
