//go:build !race

package ownership

import "testing"

func brief() bool { return testing.Short() }
