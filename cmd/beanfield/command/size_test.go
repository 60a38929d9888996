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
		got := ran(t, "size", "-jobs", c.jobs, "-body", c.body, "-tubes", "1000", "-connections", "1000", "-shards",
			"2").stdout
		var memory, disk int64
		if _, err := fmt.Sscanf(got, "memory %d MB\ndisk %d MB\n", &memory, &disk); err != nil {
			t.Fatalf("%q: %v", got, err)
		}
		if off := memory - c.megabytes; off*50 > memory || off*50 < -memory || !strings.Contains(page, c.row) {
			t.Errorf("%s jobs of %s: %d MB, and the page says %s", c.jobs, c.body, memory, c.row)
		}
	}
	ran(t, "size", "-memory", "-jobs", "10", "-body", "1000", "-tubes", "1", "-connections", "1", "-json").
		want(t, 0, `{"memory":25014050,"disk":0}`+"\n", "")
	ran(t, "size", "-jobs", "10", "-body", "100", "-shards", "1", "-json").want(t, 0,
		`{"memory":107281800,"disk":335550320}`+"\n", "")
	ran(t, "size", "-jobs", "-1").want(t, 2, "", "negative")
	ran(t, "size", "-body", "1073741825").want(t, 2, "", "negative, or too large")
	ran(t, "size", "x").want(t, 2, "", "unknown argument")
}
