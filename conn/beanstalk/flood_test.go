package beanstalk

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// floodEnv, when set, makes the test binary a client that makes handshakes with the
// address that it names. It stops when standard input ends, and prints how many it has
// made.
const floodEnv = "BEANSTALK_TEST_FLOOD"

const floodRate = 2000 // handshakes a second

// BenchmarkHandshakeFlood measures how long clients that are connected wait for their
// answers while others make 2,000 TLS handshakes a second, beside how long they wait in
// peace. The server is a process of its own. The flood is another, to which every other
// program is preferred: on a machine of its own it would take nobody's time.
func BenchmarkHandshakeFlood(b *testing.B) {
	const clients = 10
	b.Setenv(loopsEnv, strconv.Itoa(DefaultLoops()))
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
	var peace, flood, rate float64
	const length = 3 * time.Second
	for b.Loop() {
		peace = p99(all, length)
		end := startFlood(b, s.sealed)
		flood = p99(all, length)
		rate = end()
	}
	b.ReportMetric(peace, "peace-p99-µs")
	b.ReportMetric(flood, "flood-p99-µs")
	b.ReportMetric(flood/peace, "times")
	b.ReportMetric(rate, "handshakes/s")
}

// startFlood begins a flood; end ends it and returns its rate.
func startFlood(b *testing.B, address string) (end func() float64) {
	cmd := exec.Command("nice", "-n", "19", os.Args[0])
	cmd.Env = append(os.Environ(), floodEnv+"="+address)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	return func() float64 {
		in.Close()
		var made float64
		if _, err := fmt.Fscan(out, &made); err != nil {
			b.Error(err)
		}
		took := time.Since(begun)
		cmd.Wait()
		return made / took.Seconds()
	}
}

// floodMain makes handshakes, at a rate as far as its processor allows.
func floodMain(address string) {
	const hands = 8
	var made atomic.Int64
	for range hands {
		go func() {
			tick := time.NewTicker(time.Second * hands / floodRate)
			for range tick.C {
				nc, err := net.Dial("tcp", address)
				if err == nil {
					if tls.Client(nc, stranger()).Handshake() == nil {
						made.Add(1)
					}
					nc.Close()
				}
			}
		}()
	}
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(made.Load())
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
			tick := time.NewTicker(5 * time.Millisecond)
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
