package queueservice

import (
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/storage/effort"
	"beanfield/storage/must"
)

// idleMost is how much of the server's memory an idle consumer may take.
const idleMost = 16 << 10

// bare is a client that takes no memory of this process but a descriptor.
type bare int

// connect opens a connection and sends a request on it.
func connect(t testing.TB, to netip.AddrPort, text string) bare {
	t.Helper()
	fd := must.Get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))
	must.Do(t, syscall.Connect(fd, &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}))
	must.Get(syscall.Write(fd, []byte(text)))
	return bare(fd)
}

// read reads what comes first.
func (b bare) read(t testing.TB) string {
	t.Helper()
	text := make([]byte, 1000)
	n := must.Get(syscall.Read(int(b), text))
	return string(text[:n])
}

// memory is what the process uses of heap and stacks.
func memory() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first has emptied of pools is freed by the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// each measures what n clients take, after as many again have come, until that is no more
// than a limit: what is still being given back counts against nobody, however long it takes.
func each(t testing.TB, n int, most int64, come func(i int)) {
	t.Helper()
	for i := range n {
		come(i)
	}
	before := memory()
	for i := range n {
		come(n + i)
	}
	var took int64
	must.Until(t, fmt.Sprintf("each takes at most %d bytes", most), func() bool {
		took = (memory() - before) / int64(n)
		return took <= most
	})
	t.Logf("each takes %d bytes", took)
}

func TestIdleConsumers(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	to := netip.MustParseAddrPort(h.Address)
	var all []bare
	defer func() {
		for _, b := range all {
			syscall.Close(int(b))
		}
	}()
	each(t, 400, idleMost, func(i int) {
		who := fmt.Sprintf("X-EAS-QueueService-Uid: %s%04d\r\n", strings.Repeat("u", 32), i)
		b := connect(t, to, httpfronttest.Request("GET", base+"?_watch_=true&_window_=5&_index_=0", who+handshakeText,
			""))
		all = append(all, b)
		if reply := b.read(t); reply != handshakeReply {
			t.Fatal(reply)
		}
	})
}

func TestWaitingGets(t *testing.T) {
	h, _ := newRealHouse(t, 4)
	to := netip.MustParseAddrPort(h.Address)
	all := map[string]bare{}
	most := int64(32 << 10)
	if effort.Raced { // frames are larger, so that the stack of a handler that waits is twice as large
		most = 48 << 10
	}
	each(t, 400, most, func(i int) {
		id := fmt.Sprintf("request-%d", i)
		all[id] = connect(t, to, httpfronttest.Request("GET", base+"/sink?_timeout_=1h&requestId="+id, who, ""))
		awaitGets(t, h, i+1)
	})
	h.ok("POST", base+"/sink?requestId=another", "", "is for nobody")
	for id, b := range all {
		h.ok("POST", base+"/sink?requestId="+id, "", id)
		if reply := b.read(t); !strings.HasSuffix(reply, "\r\n\r\n"+id) || !strings.Contains(reply, "Request-Id: "+id+
			"\r\n") {
			t.Errorf("%s: %q", id, reply)
		}
		syscall.Close(int(b))
	}
	if got := h.ok("GET", base+"/sink?_count_=true", "", ""); got != "1" {
		t.Errorf("%s are left, want the other", got)
	}
}

// awaitGets waits until n handlers wait.
func awaitGets(t testing.TB, h *house, n int) {
	t.Helper()
	must.Until(t, "all wait", func() bool { open, _ := h.server.Open(); return open >= n })
}
