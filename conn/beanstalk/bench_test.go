package beanstalk

import (
	"testing"

	"beanfield/conn/beanstalk/protocol"
)

// usualLines are commands as clients send them.
var usualLines = [][]byte{
	[]byte("put 1024 0 60 100"), []byte("reserve"), []byte("reserve-with-timeout 0"), []byte("delete 123456789"),
	[]byte("release 123456789 1024 30"), []byte("touch 123456789"), []byte("stats-job 123456789"),
	[]byte("use some.tube-of-mine"), []byte("watch some.tube-of-mine"), []byte("pause-tube some.tube 10"),
	[]byte("kick 100"),
}

// TestParserAllocatesNothing holds for right and wrong lines.
func TestParserAllocatesNothing(t *testing.T) {
	lines := append(sentLines(t), usualLines...)
	var c protocol.Command
	n := testing.AllocsPerRun(10, func() {
		for _, line := range lines {
			if len(line) <= protocol.MaxLine {
				c = grammar.Parse(line)
			}
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for %d lines, the last a command %d", n, len(lines), c.Verb)
	}
}

// TestCommandsAllocateNothing holds from a line that was read to its answer.
func TestCommandsAllocateNothing(t *testing.T) {
	c := onlyConn(t)
	c.loop.server.book.Replace(nil)
	lines := []byte("touch 99\r\npeek-ready\r\nlist-tube-used\r\nkick 1\r\nreserve-with-timeout 0\r\n")
	if n := testing.AllocsPerRun(100, func() {
		c.loop.Turn()
		c.process(lines)
		c.loop.Out = c.loop.Out[:0]
	}); n != 0 {
		t.Errorf("%v allocations for 5 commands", n)
	}
}
