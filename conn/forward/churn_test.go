package forward

import (
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// echo sends back what comes.
func echo(c net.Conn) {
	b := make([]byte, 64<<10)
	for {
		n, err := c.Read(b)
		if err != nil {
			return
		}
		c.Write(b[:n])
	}
}

func descriptors() int { return len(must.Get(os.ReadDir("/proc/self/fd"))) }

// Clients come, speak and leave while owners change in all ways. Whoever gets an answer gets its own, nobody hangs,
// each client leaves its place once (FW5), and no descriptor is left.
func TestChurn(t *testing.T) {
	for name, c := range map[string]Cluster{"plain": plain, "TLS": certified(t, securetest.NewAuthority(t, "nodes"),
		"")} {
		t.Run(name, func(t *testing.T) { churn(t, c) })
	}
}

func churn(t *testing.T, cluster Cluster) {
	s := newSite(t, cluster)
	own := s.front()
	var all sync.WaitGroup
	stop := make(chan struct{})
	for _, h := range []*front{s.host, own} {
		all.Go(func() {
			for {
				select {
				case v := <-h.come:
					all.Go(func() { echo(v); v.Close() })
				case <-stop:
					return
				}
			}
		})
	}
	before := descriptors()
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for range 15 {
				visitOnce(t, s)
			}
		})
	}
	changes := make(chan struct{})
	go func() {
		defer close(changes)
		for range 40 {
			switch rand.IntN(6) {
			case 0:
				s.Owner("")
			case 1:
				s.link.Local(nil)
			case 2:
				s.Local(own)
			case 3:
				s.host.say([]error{nil, ErrNotServing, io.ErrNoProgress}[rand.IntN(3)])
			}
			s.serves()
			s.Local(nil)
			s.link.Local(s.host)
			s.host.say(nil)
		}
	}()
	<-changes
	clients.Wait()
	s.holds(0)
	must.Until(t, "all descriptors are closed", func() bool { return descriptors() <= before })
	close(stop)
	all.Wait()
}

// visitOnce is a client that may leave at any time, and may be closed at any time.
func visitOnce(t *testing.T, s *site) {
	c := must.Get(net.Dial("tcp", s.where)).(*net.TCPConn)
	defer c.Close()
	want := make([]byte, 1+rand.IntN(1<<rand.IntN(18)))
	fillWith(rand.New(rand.NewPCG(rand.Uint64(), 0)), want)
	if rand.IntN(8) == 0 {
		c.SetLinger(0)
		return
	}
	go func() {
		c.Write(want)
		if len(want)%2 == 0 {
			c.CloseWrite()
		}
	}()
	got := make([]byte, len(want))
	n, _ := io.ReadFull(c, got[:1+rand.IntN(len(got))])
	if string(got[:n]) != string(want[:n]) {
		t.Error("a client gets other bytes than its own")
	}
}
