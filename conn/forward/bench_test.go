package forward

import (
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
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

func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkHop measures a question and its answer, over connections that are passed on or not. The processor time is
// that of client, nodes and server together; the difference to direct ones is that of the hop.
func BenchmarkHop(b *testing.B) {
	secured := certified(b, securetest.NewAuthority(b, "nodes"), "")
	for _, clients := range []int{1, 50} {
		for _, size := range []int{20, 16 << 10} {
			for _, way := range []struct {
				name    string
				cluster *Cluster
			}{{"direct", nil}, {"passed-on", &plain}, {"passed-on-tls", &secured}} {
				b.Run(fmt.Sprintf("clients=%d/bytes=%d/%s", clients, size, way.name), func(b *testing.B) {
					hop(b, way.cluster, clients, size)
				})
			}
		}
	}
}

func hop(b *testing.B, cluster *Cluster, clients, size int) {
	var cs []net.Conn
	if cluster == nil {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		for range clients {
			cs = append(cs, must.Get(net.Dial("tcp", l.Addr().String())))
			go echo(must.Get(l.Accept()))
		}
	} else {
		s := newSite(b, *cluster)
		s.Owner(s.link.Address())
		for range clients {
			cs = append(cs, s.dial())
			go echo(s.host.next(b))
		}
	}
	var all sync.WaitGroup
	before := processorTime(b)
	b.ResetTimer()
	for _, c := range cs {
		all.Go(func() {
			buf := make([]byte, size)
			for range b.N / clients {
				must.Get(c.Write(buf))
				must.Get(io.ReadFull(c, buf))
			}
			c.Close()
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}
