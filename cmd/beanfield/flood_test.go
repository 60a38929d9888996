package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

const (
	// floodVar names the addresses with which the test binary makes handshakes, in the
	// role "flood".
	floodVar  = "BEANFIELD_TEST_FLOOD"
	floodRate = 2000 // handshakes a second
)

// BenchmarkHandshakeFlood measures how long clients without TLS wait for their answers while
// others make 2,000 TLS handshakes a second, beside how long they wait in peace.
func BenchmarkHandshakeFlood(b *testing.B) {
	for _, c := range []struct {
		name          string
		loops, fronts int
	}{{"one-loop", 1, 1}, {"one-loop-all-fronts", 1, 3}, {"two-loops", 2, 1}, {"two-loops-all-fronts", 2, 3}} {
		b.Run(c.name, func(b *testing.B) {
			a := securetest.NewAuthority(b, "authority")
			plain := freeAddress(b)
			p, _, addrs := secureProcess(b, a, a.Usual("server"),
				fmt.Sprintf("loops = %d\n[[listen]]\naddress = '%s'\n", c.loops, plain))
			f := startFlood(b, addrs[:c.fronts])
			e := &encounter{b: b, all: askers(p, plain), pids: []int{p.Process.Pid, f.Process.Pid}}
			for b.Loop() {
				e.compare(f.begin, f.end)
			}
			b.ReportMetric(float64(f.made)/f.took.Seconds(), "handshakes/s")
			b.ReportMetric(float64(e.stormy.used[0])/float64(f.made)/float64(time.Microsecond), "server-µs/handshake")
		})
	}
}

// flood is a process that makes handshakes. The server and its other clients go before it: on
// a machine of its own it would take nobody's time.
type flood struct {
	*exec.Cmd
	b     *testing.B
	in    io.Writer
	out   *bufio.Reader
	begun time.Time
	made  int
	took  time.Duration
}

func startFlood(b *testing.B, addrs []string) *flood {
	f := &flood{Cmd: exec.Command("nice", "-n", "10", os.Args[0]), b: b}
	f.Env = append(os.Environ(), roleVar+"=flood", floodVar+"="+strings.Join(addrs, " "))
	f.Stderr = os.Stderr
	in := must.Get(f.StdinPipe())
	out := must.Get(f.StdoutPipe())
	must.Do(b, f.Start())
	b.Cleanup(func() { in.Close(); f.Wait() })
	f.in, f.out = in, bufio.NewReader(out)
	return f
}

func (f *flood) begin() {
	f.begun = time.Now()
	fmt.Fprintln(f.in, "begin")
}

func (f *flood) end() {
	f.took += time.Since(f.begun)
	fmt.Fprintln(f.in, "end")
	var made int
	must.Get(fmt.Fscanln(f.out, &made))
	f.made += made
}

// playFlood makes handshakes between a line of input and the next, at a rate as far as its
// processor allows, and then prints how many.
func playFlood() {
	const hands = 16
	config := &tls.Config{InsecureSkipVerify: true, CurvePreferences: []tls.CurveID{tls.X25519}}
	addrs := strings.Fields(os.Getenv(floodVar))
	var on atomic.Bool
	var made atomic.Int64
	for i := range hands {
		go func() {
			for range time.Tick(time.Second * hands / floodRate) {
				if !on.Load() {
					continue
				}
				nc, err := net.Dial("tcp", addrs[i%len(addrs)])
				if err == nil {
					if tls.Client(nc, config).Handshake() == nil {
						made.Add(1)
					}
					nc.Close()
				}
			}
		}()
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		if !on.CompareAndSwap(false, true) {
			on.Store(false)
			fmt.Println(made.Swap(0))
		}
	}
}
