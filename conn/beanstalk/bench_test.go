package beanstalk

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
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
		c.loop.turn()
		c.process(lines)
		c.loop.out = c.loop.out[:0]
	}); n != 0 {
		t.Errorf("%v allocations for 5 commands", n)
	}
}

// BenchmarkParse times one line, of the usual ones in turn.
func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	var c protocol.Command
	for i := 0; b.Loop(); i++ {
		c = grammar.Parse(usualLines[i%len(usualLines)])
	}
	if c.Word != "" {
		b.Fatal(c.Word)
	}
}

// BenchmarkNextLine times finding a line in a full buffer.
func BenchmarkNextLine(b *testing.B) {
	b.ReportAllocs()
	buf := bytes.Repeat([]byte("reserve-with-timeout 0\r\n"), readBuffer/24)
	rest := buf
	for b.Loop() {
		if _, rest, _ = protocol.NextLine(rest); len(rest) == 0 {
			rest = buf
		}
	}
}

// BenchmarkRules times what 1,000 rules add to a command: whether other rules hold, whether the
// tube in use may be put into, and what the shard asks about a job by its id.
func BenchmarkRules(b *testing.B) {
	var list []access.Rule
	for i := range 1000 {
		list = append(list, rule("one", access.Put|access.Delete, fmt.Sprintf("tube-%d-*", i)))
	}
	h, _ := newRuled(b, list...)
	c := &Conn{loop: h.server.loops[0], fd: -1}
	c.guard = &guard{id: access.Identity{}.WithToken("one")}
	c.judgeAnew()
	c.guard.used = c.guard.subject.May("tube-999-x")
	for _, measured := range []struct {
		name string
		ask  func() bool
	}{
		{"tube in use", func() bool { return !c.outdated() && c.guard != nil && c.allowed(verbPut, "") }},
		{"job by id", func() bool {
			return !c.outdated() && c.guard != nil && c.guard.authorizer(queue.Delete,
				"tube-999-x")
		}},
		{"no rules", func() bool { return !c.outdated() && c.guard == nil }},
	} {
		if measured.name == "no rules" {
			c.guard = nil
			h.server.book.Replace(nil)
		}
		b.Run(measured.name, func(b *testing.B) {
			for b.Loop() {
				if !measured.ask() {
					b.Fatal("refused")
				}
			}
		})
	}
}

// BenchmarkClients lists 8,000 clients, again and again, while another one sends short commands:
// what a client costs to list, and how long the commands take with and without it.
func BenchmarkClients(b *testing.B) {
	const many = 8000
	h := newHouse(b, func(o *houseOptions) { o.Loops = 1 })
	for range many {
		defer h.pairWith(h.server).Close()
	}
	c := h.pair()
	slowest := func() time.Duration {
		var took []time.Duration
		for range 2000 {
			began := time.Now()
			c.do("touch 9", "NOT_FOUND")
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[len(took)*99/100]
	}
	alone := slowest()
	var stop atomic.Bool
	var lists sync.WaitGroup
	lists.Go(func() {
		for !stop.Load() {
			h.server.Clients(b.Context(), nil)
		}
	})
	beside := slowest()
	stop.Store(true)
	lists.Wait()
	for b.Loop() {
		if list, ok := h.server.Clients(b.Context(), nil); !ok || len(list) != many+1 {
			b.Fatal(len(list))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/many, "ns/client")
	b.ReportMetric(float64(alone.Microseconds()), "µs-p99-alone")
	b.ReportMetric(float64(beside.Microseconds()), "µs-p99-beside")
}
