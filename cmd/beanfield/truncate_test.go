package main

import (
	"fmt"
	"strings"
	"testing"
)

// A truncate that was answered holds after a crash, also of jobs whose bodies the log has had before
// them, and what was put after it is there.
func TestProcessKeepsTruncate(t *testing.T) {
	data := dataDir(t)
	flags := []string{"-shards", "2", "-z", "9000000"}
	p, c := onData(t, data, flags...)
	const large = 3 << 20
	for i := range 6 {
		size := []int{large, 9}[i%2]
		c.expect(fmt.Sprintf("put-in-tube mail 0 %d 60 %d\r\n%s", i%3*1000, size, strings.Repeat("x", size)),
			fmt.Sprint("INSERTED ", i+1))
	}
	c.expect("truncate mail", "TRUNCATED 6")
	c.expect(fmt.Sprintf("put-in-tube mail 0 0 60 %d\r\n%s", large, strings.Repeat("y", large)), "INSERTED 7")
	p.kill()
	p, c = onData(t, data, flags...)
	for id := range 6 {
		c.expect(fmt.Sprint("peek ", id+1), "NOT_FOUND")
	}
	c.expect("peek 7", fmt.Sprintf("FOUND 7 %d\r\n%s", large, strings.Repeat("y", large)))
	c.expect("truncate mail", "TRUNCATED 1")
	p.stop()
}
