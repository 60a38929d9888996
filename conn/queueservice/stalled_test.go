package queueservice

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/storage/must"
)

// stalledMost is what a connection takes whose request does not come to its end: buffers
// and stacks. To that come the headers that have arrived.
const stalledMost = 20 << 10

// halves are what clients send before they stall.
var halves = []string{
	"", "G", "GET " + base + "?_watch_=true HTTP/1.1\r\nHost: localhost\r\n" + handshakeText[:40],
	"GET " + base + "?_watch_=true HTTP/1.1\r\nHost: localhost\r\n" + handshakeText,
	"POST " + base + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\nabc",
	"POST " + base + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc",
	"GET " + base + "?_timeout_=1h HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345",
	"PUT " + base + "?_negative_=true&_indexes_=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345",
}

// ends reads until the server closes the connection, and closes it too.
func (b bare) ends(t testing.TB) {
	t.Helper()
	defer syscall.Close(int(b))
	tv := syscall.NsecToTimeval(int64(patience))
	syscall.SetsockoptTimeval(int(b), syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &tv)
	for text := make([]byte, 1000); ; {
		switch n, err := syscall.Read(int(b), text); {
		case err == syscall.EINTR:
		case err != nil && err != syscall.ECONNRESET:
			t.Fatalf("a stalled connection is not closed: %v", err)
		case n <= 0:
			return
		}
	}
}

const stalledEnv = "QUEUESERVICE_TEST_STALLED"

// Thousands of clients that stall with half a request each are closed in time. Meanwhile
// others are served, and nothing of them is left. The clients are another process, which
// has a table of descriptors of its own.
func TestCrowdThatStalls(t *testing.T) {
	if where := os.Getenv(stalledEnv); where != "" {
		server, clients, _ := strings.Cut(where, " ")
		stall(t, netip.MustParseAddrPort(server), must.Get(strconv.Atoi(clients)))
		return
	}
	clients, limit := 10_000, 3*time.Second
	if testing.Short() {
		clients, limit = 2000, time.Second
	}
	h := newHouse(t, nil, func(o *Options) { o.ReadTimeout = limit })
	child := exec.Command(os.Args[0], "-test.run=^TestCrowdThatStalls$", "-test.v", "-test.timeout=20m")
	child.Env = append(os.Environ(), fmt.Sprint(stalledEnv, "=", h.Address, " ", clients))
	done := make(chan string, 1)
	go func() {
		text, err := child.CombinedOutput()
		done <- fmt.Sprintf("%s%v", text, err)
	}()
	answered := 0
	for most := 0; ; {
		c := h.dial()
		io.WriteString(c, httpfronttest.Request("PUT", base+"?_indexes_=1", "", ""))
		if r, _, err := c.Answer("PUT"); err == nil { // else it has taken too long itself
			if answered++; r.StatusCode != 200 {
				t.Errorf("another client is answered %d", r.StatusCode)
			}
		}
		c.Close()
		most = max(most, h.Acceptor.Open())
		select {
		case text := <-done:
			if t.Logf("at most %d connections were open", most); strings.Contains(text, "--- SKIP") {
				t.Skip(text)
			} else if !strings.HasSuffix(text, "<nil>") {
				t.Error(text)
			}
			if answered == 0 {
				t.Error("no other client is answered")
			}
			h.AllLeft()
			h.NoGoroutines()
			return
		default:
		}
	}
}

// stall is the clients.
func stall(t *testing.T, server netip.AddrPort, clients int) {
	var limit syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if uint64(limit.Cur) < uint64(clients)+200 {
		t.Skipf("needs %d descriptors, RLIMIT_NOFILE is %d", clients+200, limit.Cur)
	}
	var all []bare
	for i := range clients {
		all = append(all, connect(t, server, halves[i%len(halves)]))
	}
	for _, b := range all {
		b.ends(t)
	}
}

// What a stalled connection takes is bounded, and a body that is announced takes nothing but the
// buffer for a small one, and the deeper stack of who waits for it.
func TestMemoryOfStalled(t *testing.T) {
	const announced = "POST " + base + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc"
	long := "GET " + base + " HTTP/1.1\r\nX: " + strings.Repeat("h", 100<<10)
	for text, most := range map[string]int64{halves[0]: stalledMost, halves[2]: stalledMost,
		announced: stalledMost + 3*smallBody, long: stalledMost + 3*100<<10} {
		h := newHouse(t, nil, func(o *Options) { o.ReadTimeout = time.Hour })
		to := netip.MustParseAddrPort(h.Address)
		var all []bare
		each(t, 200, most, func(i int) {
			all = append(all, connect(t, to, text))
			awaitGets(t, h, i+1)
		})
		for _, b := range all {
			syscall.Close(int(b))
		}
		h.AllLeft()
		h.Close()
	}
}

// Clients for which there are no descriptors wait until others have left. None is sent
// away.
func TestFewDescriptors(t *testing.T) {
	h := newHouse(t, nil)
	to := netip.MustParseAddrPort(h.Address)
	h.Say("PUT", base+"?_indexes_=1", "", "") // what the process needs once, it has now
	h.AllLeft()
	const clients, left = 100, 7
	var all []bare
	for range clients {
		fd := must.Get(syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0))
		all = append(all, bare(fd))
	}
	var was syscall.Rlimit
	must.Do(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	limit := was
	must.Assign(&limit.Cur, int(all[clients-1])+1+left) // sockets take the lowest numbers
	must.Do(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was)
	for _, b := range all {
		must.Do(t, syscall.Connect(int(b), &syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}))
	}
	awaitGets(t, h, left)
	for _, b := range all {
		must.Get(syscall.Write(int(b), []byte(httpfronttest.Request("PUT", base+"?_indexes_=1", "Connection: close\r\n",
			""))))
		if reply := b.read(t); !strings.HasPrefix(reply, "HTTP/1.1 200 ") {
			t.Errorf("answered %q", reply)
		}
		b.ends(t)
	}
	h.AllLeft()
}
