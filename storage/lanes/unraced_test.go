//go:build !race

package lanes

import "testing"

func brief() bool { return testing.Short() }
