package beanstalk

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"beanfield/conn/beanstalk/event"
	"beanfield/storage/must"
)

// bodyOf makes a body in which every misplaced byte shows.
func bodyOf(n int) string {
	b := make([]byte, 0, n+8)
	rnd := rand.NewPCG(uint64(n), 5)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, rnd.Uint64())
	}
	return string(b[:n])
}

// TestBodySizes sends bodies of all sizes around those at which the way they
// are kept changes, and wants them back whole from peek and reserve.
func TestBodySizes(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = 64 << 20 })
	var sizes []int
	for _, at := range []int{0, 8, 128, 1024, 2048, firstPart, 2 * firstPart, 32 << 10, event.ReadBuffer, lastPart,
		2 * lastPart} {
		for n := max(at-3, 0); n <= at+3; n++ {
			sizes = append(sizes, n)
		}
	}
	for _, network := range []string{"unix", "tcp"} {
		c := h.connect(network)
		if network == "tcp" && !testing.Short() {
			sizes = append(sizes, 64<<20)
		}
		for _, n := range sizes {
			body := bodyOf(n)
			id := c.put(0, 0, 60, body)
			for _, line := range []string{fmt.Sprintf("peek %d", id), "peek-ready", "reserve"} {
				word := "FOUND"
				if line == "reserve" {
					word = "RESERVED"
				}
				c.send(line + "\r\n")
				if gotID, got := c.job(word); gotID != id || got != body {
					t.Fatalf("%s, %d bytes: %s brings job %d with another body of %d bytes", network, n, line, gotID,
						len(got))
				}
			}
			c.do(fmt.Sprintf("delete %d", id), "DELETED")
		}
	}
}

// B3: TestSmallBodiesTorn tears bodies of each small size in two after the line,
// in their middle, and within their CRLF.
func TestSmallBodiesTorn(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	for _, n := range []int{0, 1, 2, 100, firstPart - 1, firstPart, firstPart + 1, 3 * firstPart} {
		body := bodyOf(n)
		line := fmt.Sprintf("put 0 0 60 %d\r\n", n)
		stream := line + body + "\r\n"
		for _, cut := range []int{len(line) - 1, len(line), len(line) + n/2, len(line) + n, len(line) + n + 1} {
			c.sendAll(stream[:cut])
			c.send(stream[cut:] + "reserve\r\n")
			c.line()
			id, got := c.job("RESERVED")
			if got != body {
				t.Fatalf("%d bytes torn at %d come back as others", n, cut)
			}
			c.do(fmt.Sprintf("delete %d", id), "DELETED")
		}
	}
}

// heapInUse is the memory that the process's heap takes now.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // the first leaves what it found unused to the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// atMost waits until a measurement is no more than a limit: what is still being given back
// counts against nobody, however long that takes.
func atMost(t testing.TB, what string, limit int64, measure func() int64) {
	t.Helper()
	var got int64
	for end := time.Now().Add(patience); ; {
		if got = measure(); got <= limit {
			t.Logf("%s %d bytes", what, got)
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s %d bytes, want at most %d", what, got, limit)
		}
	}
}

// TestBodiesThatNeverCome promises a gigabyte on many connections, and sends
// ten bytes of it.
func TestBodiesThatNeverCome(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.MaxJobSize = MaxMaxJobSize })
	const clients = 200
	var all []*client
	for range clients {
		all = append(all, h.pair())
	}
	watch := h.pair()
	watch.do("list-tube-used", "USING default")
	before := heapInUse()
	for _, c := range all {
		c.send(fmt.Sprintf("put 0 0 60 %d\r\n0123456789", MaxMaxJobSize))
	}
	for id := range uint64(clients) {
		eventually(t, "the line is read", func() bool { _, ok := h.router.Owner(id + 1); return ok })
	}
	eventually(t, "the bytes are read", func() bool {
		for _, c := range all {
			if c.unread() > 0 {
				return false
			}
		}
		return true
	})
	atMost(t, "a promise and ten bytes take", firstPart+2048, func() int64 { return (heapInUse() - before) / clients })
	for _, c := range all {
		c.close()
	}
	eventually(t, "all ids are given back", func() bool { return h.server.open.Load() == 1 && h.owned() == 0 })
	if id := watch.put(0, 0, 60, "x"); id <= clients {
		t.Errorf("id %d is used twice", id)
	}
}

// TestJobTooBigInLittleMemory swallows 256 MB, and goes on.
func TestJobTooBigInLittleMemory(t *testing.T) {
	h := newHouse(t)
	c := h.pair()
	const size = 256 << 20
	piece := make([]byte, 1<<20)
	before := heapInUse()
	c.send(fmt.Sprintf("put 0 0 60 %d\r\n", size))
	var peak int64
	for i := range size / len(piece) {
		c.nc.SetWriteDeadline(time.Now().Add(patience))
		must.Get(c.nc.Write(piece))
		if i%64 == 63 {
			peak = max(peak, heapInUse()-before)
		}
	}
	c.do("\r\nlist-tube-used", "JOB_TOO_BIG\r\nUSING default")
	if peak > 1<<20 {
		t.Errorf("%d bytes were taken while swallowing", peak)
	}
}

// TestTornByDisconnect disconnects at every byte of a put, of a pipeline with puts into tubes of several shards, of a
// batch, and of reserves over two shards that find some jobs and wait for more. What was accepted is there, and nothing
// else; nobody holds anything, and no id comes twice.
func TestTornByDisconnect(t *testing.T) {
	const stock = "put-with 1 tag.k=v tube=t0\r\nx\r\nput-with 1 tag.k=v tube=t1\r\nx\r\n"
	for _, k := range []struct{ stock, stream string }{
		{"", "put 0 0 60 5\r\nhello\r\n"},
		{"", "put 0 0 60 1\r\na\r\nuse t1\r\nput 0 0 60 2\r\nbb\r\nreserve\r\nuse t2\r\n" +
			"put 0 9 60 0\r\n\r\nbury 1 0\r\nput 0 0 60 1\r\nxyz\r\n"},
		{"", "put-in-tube t1 0 0 60 1\r\na\r\nput-in-tube default 0 0 60 2\r\nbb\r\nreserve\r\n" +
			"put-in-tube t2 0 9 60 0\r\n\r\nput-in-tube t2 0 0 60 1\r\nxyz\r\n"},
		{"", "put-batch 42\r\n0 0 60 1 tube=t0\r\nx\r\n0 0 60 1 tube=t1\r\ny\r\n\r\n"},
		{stock + stock + stock, "watch t0\r\nwatch t1\r\nreserve-batch 4 0\r\nreserve-batch 4 100\r\n" +
			"reserve-batch 4 100\r\n"},
		{stock + stock + stock, "watch t0\r\nwatch t1\r\nreserve-with tag.k=v count=4 timeout=0\r\n" +
			"reserve-with tag.k=v count=4\r\nreserve-with tag.k=v\r\ncall-off\r\n"},
	} {
		h := newHouse(t)
		watch := h.pair()
		last, jobs := uint64(0), strings.Count(k.stock, "put")
		watch.send(k.stock)
		for range jobs {
			last = watch.inserted()
		}
		for cut := range len(k.stream) + 1 {
			for _, way := range []string{"close", "half"} {
				c := h.pair()
				c.send(k.stream[:cut])
				if way == "half" {
					c.closeWrite()
					io.Copy(io.Discard, c.br) // until the server closes
				}
				// A reset may make the server drop what it has not read; it
				// can only have accepted what has been sent.
				c.close()
				eventually(t, "it leaves", func() bool { return h.server.open.Load() == 1 })
				accepted := 0
				for _, word := range expected([]byte(k.stream[:cut])) {
					if strings.HasPrefix(word, "INSERTED") && !strings.HasPrefix(word, "INSERTED_BATCH") {
						accepted++
					}
				}
				if way == "half" {
					jobs += accepted
				}
				eventually(t, "its ids and jobs are settled", func() bool { return h.owned() == h.jobs() })
				if got := watch.stat("stats", "current-jobs-reserved"); got != "0" || way == "half" && h.jobs() != jobs {
					t.Fatalf("%q, cut at %d: %d jobs, want %d, and %s are reserved", k.stream, cut, h.jobs(), jobs, got)
				}
				jobs = h.jobs()
				id := watch.put(0, 0, 60, "mark")
				if id <= last {
					t.Fatalf("cut at %d: id %d after %d", cut, id, last)
				}
				last = id
				watch.do(fmt.Sprintf("delete %d", id), "DELETED")
			}
		}
		h.close()
	}
}
