package beanstalk

import (
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkHandshakeFlood measures how long clients that are connected wait for their
// answers while others make 2,000 TLS handshakes a second, beside how long they wait in
// peace. The server is a process of its own.
func BenchmarkHandshakeFlood(b *testing.B) {
	const rate, clients = 2000, 10
	s := startChild(b, 0)
	var all []*client
	for i := range clients {
		nc, err := tls.Dial("tcp", s.sealed, stranger())
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, newClient(b, nc))
		all[i].do(fmt.Sprintf("use t%d", i), fmt.Sprintf("USING t%d", i))
	}
	var peace, flood float64
	var made int
	const length = 3 * time.Second
	for b.Loop() {
		peace = p99(all, length)
		stop := make(chan struct{})
		var floods sync.WaitGroup
		floods.Go(func() { made = shakeHands(b, s.sealed, rate, stop) })
		flood = p99(all, length)
		close(stop)
		floods.Wait()
	}
	b.ReportMetric(peace, "peace-p99-µs")
	b.ReportMetric(flood, "flood-p99-µs")
	b.ReportMetric(flood/peace, "times")
	b.ReportMetric(float64(made)/length.Seconds(), "handshakes/s")
}

// p99 has each client ask something every few milliseconds, and returns how many
// microseconds an answer took, all but one in a hundred.
func p99(all []*client, length time.Duration) float64 {
	var mu sync.Mutex
	var took []time.Duration
	var asking sync.WaitGroup
	for _, c := range all {
		asking.Go(func() {
			var own []time.Duration
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for end := time.Now().Add(length); time.Now().Before(end); {
				<-tick.C
				begun := time.Now()
				c.ask("list-tube-used")
				own = append(own, time.Since(begun))
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	asking.Wait()
	slices.Sort(took)
	return float64(took[len(took)*99/100]) / float64(time.Microsecond)
}

// shakeHands makes handshakes at a rate, as far as its processor allows, and returns how
// many it has made.
func shakeHands(b *testing.B, address string, rate int, stop chan struct{}) int {
	const hands = 8
	var made [hands]int
	var all sync.WaitGroup
	for i := range hands {
		all.Go(func() {
			tick := time.NewTicker(time.Second * hands / time.Duration(rate))
			defer tick.Stop()
			for {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				nc, err := net.Dial("tcp", address)
				if err != nil {
					b.Error(err)
					return
				}
				if err := tls.Client(nc, stranger()).Handshake(); err != nil {
					b.Error(err)
				}
				nc.Close()
				made[i]++
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range made {
		sum += n
	}
	return sum
}
