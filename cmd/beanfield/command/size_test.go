package command

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/manual"
)

// The command and the page sizing come to the same sums.
func TestSize(t *testing.T) {
	page, _ := manual.Page("sizing")
	for _, c := range []struct {
		jobs, body string
		row        string
		megabytes  int64
	}{
		{"1000000", "100", "| 1 million | 100 | 290 MB |", 290},
		{"5000000", "100", "| 5 million | 100 | 1.01 GB |", 1010},
		{"1000000", "1000", "| 1 million | 1,000 | 1.24 GB |", 1240},
	} {
		got := ran("size", "-jobs", c.jobs, "-body", c.body, "-tubes", "1000", "-connections", "1000", "-shards",
			"2").stdout
		var memory, disk int64
		if _, err := fmt.Sscanf(got, "memory %d MB\ndisk %d MB\n", &memory, &disk); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if off := memory - c.megabytes; off*50 > memory || off*50 < -memory || !strings.Contains(page, c.row) {
			t.Errorf("%s jobs of %s: %d MB, and the page says %s", c.jobs, c.body, memory, c.row)
		}
	}
}
