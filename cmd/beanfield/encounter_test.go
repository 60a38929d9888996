package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
)

// encounter compares how long clients wait for their answers in peace, and while others
// disturb them, in windows that take turns. On a machine that other programs use, run it with
// a higher priority than theirs; it reports how many processors they got nevertheless.
type encounter struct {
	b            *testing.B
	all          []*client
	pids         []int // of the processes that belong to it, beside this one
	calm, stormy phase
}

// phase is what has been measured in one of the two ways.
type phase struct {
	took    []time.Duration
	used    []time.Duration // processor time of each process, and of others
	windows int
}

const (
	windowLength = 500 * time.Millisecond
	windows      = 15 // of each kind
)

// compare measures, and reports.
func (e *encounter) compare(begin, end func()) {
	var times []float64
	for range windows {
		calm := e.window()
		begin()
		stormy := e.window()
		end()
		e.calm.add(calm)
		e.stormy.add(stormy)
		times = append(times, stormy.p(99)/calm.p(99))
	}
	slices.Sort(times)
	e.b.ReportMetric(e.calm.p(99), "calm-p99-µs")
	e.b.ReportMetric(e.stormy.p(99), "p99-µs")
	e.b.ReportMetric(times[len(times)/2], "times")
	e.b.ReportMetric(e.calm.p(100), "calm-longest-µs")
	e.b.ReportMetric(e.stormy.p(100), "longest-µs")
	e.b.ReportMetric(e.calm.share(len(e.pids)), "calm-others")
	e.b.ReportMetric(e.stormy.share(len(e.pids)), "others")
	e.b.ReportMetric(e.stormy.share(0), "server-processors")
}

// share is how many processors a process used, or others did.
func (p *phase) share(i int) float64 {
	return p.used[i].Seconds() / (float64(p.windows) * windowLength.Seconds())
}

func (p *phase) add(o phase) {
	p.took = append(p.took, o.took...)
	p.windows += o.windows
	if p.used == nil {
		p.used = make([]time.Duration, len(o.used))
	}
	for i, u := range o.used {
		p.used[i] += u
	}
}

// p is a percentile, in microseconds.
func (p *phase) p(percent int) float64 {
	slices.Sort(p.took)
	return float64(p.took[(len(p.took)-1)*percent/100]) / float64(time.Microsecond)
}

// window measures once.
func (e *encounter) window() phase {
	busy, own := e.clocks()
	p := phase{took: e.ask(windowLength), windows: 1}
	others, after := e.clocks()
	others -= busy
	for i := range own {
		others -= after[i] - own[i]
	}
	for i := range e.pids {
		p.used = append(p.used, after[i]-own[i])
	}
	p.used = append(p.used, others)
	return p
}

// clocks are the processor times of the machine, and of each process and this one.
func (e *encounter) clocks() (busy time.Duration, own []time.Duration) {
	for _, pid := range e.pids {
		f := e.fields(fmt.Sprintf("/proc/%d/stat", pid), ") ")
		own = append(own, ticks(f[11:13]))
	}
	var ru syscall.Rusage
	must.Do(e.b, syscall.Getrusage(syscall.RUSAGE_SELF, &ru))
	f := e.fields("/proc/stat", "cpu ")
	busy = ticks(slices.Concat(f[:3], f[5:8])) // without idle and iowait
	return busy, append(own, time.Duration(ru.Utime.Nano()+ru.Stime.Nano()))
}

// fields are the words of a file's first line behind what ends with after.
func (e *encounter) fields(file, after string) []string {
	text := must.Get(os.ReadFile(file))
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.Fields(line[strings.LastIndex(line, after)+len(after):])
}

// ticks is a sum of times, of which Linux counts a hundred a second.
func ticks(all []string) (sum time.Duration) {
	for _, s := range all {
		n, _ := strconv.Atoi(s)
		sum += time.Duration(n) * time.Second / 100
	}
	return sum
}

// askers are clients with tubes of their own.
func askers(p *process, addr string) (all []*client) {
	for i := range 10 {
		c := p.dial(addr)
		c.SetDeadline(time.Time{})
		c.expect(fmt.Sprintf("use t%d", i), fmt.Sprintf("USING t%d", i))
		all = append(all, c)
	}
	return all
}

// ask has each client put and delete a job every few milliseconds, and returns how long
// each put took.
func (e *encounter) ask(length time.Duration) (took []time.Duration) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, c := range e.all {
		asking.Go(func() {
			var own []time.Duration
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for end := time.Now().Add(length); time.Now().Before(end); {
				<-tick.C
				begun := time.Now()
				id, ok := strings.CutPrefix(c.ask("put 0 0 60 5\r\nhello"), "INSERTED ")
				own = append(own, time.Since(begun))
				if !ok || c.ask("delete "+id) != "DELETED" {
					c.t.Error("a job is not put and deleted")
					return
				}
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	asking.Wait()
	return took
}
