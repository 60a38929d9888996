package beanstalk

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
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
	[]byte("use some.tube-of-mine"), []byte("watch some.tube-of-mine"), []byte("pause-tube some.tube 10"), []byte("kick 100"),
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
	s := stillServer(t)
	c := onlyConn(t, s)
	s.book.Replace(nil)
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

// BenchmarkServer runs cycles of put, reserve and delete through the whole
// server over loopback. Its time, and the allocations of server and clients
// together, are for one cycle.
func BenchmarkServer(b *testing.B) {
	for _, conns := range []int{1, 50} {
		for _, depth := range []int{1, 16} {
			b.Run(fmt.Sprintf("connections=%d/pipelined=%d", conns, depth), func(b *testing.B) {
				benchServer(b, conns, depth)
			})
		}
	}
}

func benchServer(b *testing.B, conns, depth int) {
	h := newHouse(b, func(o *houseOptions) { o.Loops = 0 })
	var all []*cycler
	for i := range conns {
		c := h.dial()
		tube := fmt.Sprintf("bench%d", i)
		c.do("use "+tube, "USING "+tube)
		c.do("watch "+tube, "WATCHING 2")
		c.do("ignore default", "WATCHING 1")
		all = append(all, newCycler(c.nc, depth))
	}
	b.ReportAllocs()
	b.ResetTimer()
	var done sync.WaitGroup
	for i, c := range all {
		rounds := b.N / depth / conns
		if i < b.N/depth%conns {
			rounds++
		}
		done.Go(func() {
			for range rounds {
				if err := c.round(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	done.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
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
	put := protocol.Command{Verb: verbPut}
	for _, measured := range []struct {
		name string
		ask  func() bool
	}{
		{"tube in use", func() bool { return !c.outdated() && c.guard != nil && c.allowed(&put) }},
		{"job by id", func() bool { return !c.outdated() && c.guard != nil && c.guard.judge(queue.Delete, "tube-999-x") }},
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

// cycler is a client that allocates nothing. A round is one write of depth
// puts, reserves, and deletes of the jobs that the round before has brought.
type cycler struct {
	nc    net.Conn
	depth int
	body  []byte
	out   []byte
	in    []byte
	ids   []uint64
}

func newCycler(nc net.Conn, depth int) *cycler {
	return &cycler{
		nc: nc, depth: depth, body: bytes.Repeat([]byte("b"), 100),
		out: make([]byte, 0, 1<<16), in: make([]byte, 1<<16), ids: make([]uint64, 0, depth),
	}
}

func (c *cycler) round() error {
	c.out = c.out[:0]
	for range c.depth {
		c.out = append(c.out, "put 0 0 60 100\r\n"...)
		c.out = append(c.out, c.body...)
		c.out = append(c.out, "\r\nreserve\r\n"...)
	}
	lines := 3 * c.depth
	for _, id := range c.ids {
		c.out = append(c.out, "delete "...)
		c.out = strconv.AppendUint(c.out, id, 10)
		c.out = append(c.out, "\r\n"...)
		lines++
	}
	c.ids = c.ids[:0]
	if _, err := c.nc.Write(c.out); err != nil {
		return err
	}
	return c.answers(lines)
}

// answers reads until as many lines have come, and notes the reserved ids.
func (c *cycler) answers(lines int) error {
	n := 0
	for lines > 0 {
		m, err := c.nc.Read(c.in[n:])
		if err != nil {
			return err
		}
		n += m
		data := c.in[:n]
		for lines > 0 {
			i := bytes.IndexByte(data, '\n')
			if i < 0 {
				break
			}
			if id, ok := bytes.CutPrefix(data[:i], []byte("RESERVED ")); ok {
				id, _, _ = bytes.Cut(id, []byte(" "))
				var v uint64
				for _, d := range id {
					v = v*10 + uint64(d-'0')
				}
				c.ids = append(c.ids, v)
			} else if bytes.HasPrefix(data, []byte("NOT_FOUND")) || bytes.HasPrefix(data, []byte("BAD")) {
				return fmt.Errorf("%q", data[:i])
			}
			data = data[i+1:]
			lines--
		}
		n = copy(c.in, data)
	}
	if n > 0 {
		return io.ErrUnexpectedEOF // more than was asked for
	}
	return nil
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
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			default:
				h.server.Clients(b.Context(), nil)
			}
		}
	}()
	beside := slowest()
	close(done)
	<-over
	for b.Loop() {
		if list, ok := h.server.Clients(b.Context(), nil); !ok || len(list) != many+1 {
			b.Fatal(len(list))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/many, "ns/client")
	b.ReportMetric(float64(alone.Microseconds()), "µs-p99-alone")
	b.ReportMetric(float64(beside.Microseconds()), "µs-p99-beside")
}
