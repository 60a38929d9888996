package beanstalk

import (
	"fmt"
	"strings"
	"testing"
)

// The answer of a truncate leaves when the log has it, however many turns it takes, and the audit log
// is told of it once.
func TestTruncateWaitsForLog(t *testing.T) {
	h, held, lines := audited(t)
	c, other := h.two()
	const n = 600 // more than a turn ends
	var in strings.Builder
	for range n {
		in.WriteString("put 0 0 60 1\r\nx\r\n")
	}
	c.send(in.String())
	for range n {
		c.inserted()
	}
	held.hold()
	other.send("truncate default\r\nlist-tube-used\r\n")
	held.await(t)
	held.free()
	other.expect(fmt.Sprint("TRUNCATED ", n))
	other.expect("USING default")
	if got := lines(); len(got) != 1 || got[0].What != "truncate" || got[0].Tube != "default" {
		t.Errorf("audited is %+v", got)
	}
}
