package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"beanfield/storage/must"
)

// BenchmarkScrape measures how long clients wait for their answers while /metrics is read in
// each half second, with 100,000 tubes, and another client asks for it and never reads.
func BenchmarkScrape(b *testing.B) {
	const tubes = 100_000
	plain, web := freeAddress(b), freeAddress(b)
	p := prepare(b, "-config", fileWith(b, fmt.Sprintf("[[listen]]\naddress = '%s'\n[http]\nlisten = ['%s']\n", plain,
		web)))
	p.start()
	crowd(b, p.dial(plain), tubes)
	e := &encounter{b: b, all: askers(p, plain), pids: []int{p.Process.Pid}}
	var scraped chan time.Duration
	var longest time.Duration
	begin := func() {
		scraped = make(chan time.Duration, 1)
		deaf := must.Get(net.Dial("tcp", web))
		b.Cleanup(func() { deaf.Close() })
		deaf.(*net.TCPConn).SetReadBuffer(4096)
		io.WriteString(deaf, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
		go func() {
			defer deaf.Close()
			begun := time.Now()
			r, err := http.Get("http://" + web + "/metrics")
			if err != nil {
				b.Error(err)
				scraped <- 0
				return
			}
			n, err := io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if err != nil || r.StatusCode != http.StatusOK || n < 100_000 {
				b.Errorf("a scrape is answered %d with %d bytes, %v", r.StatusCode, n, err)
			}
			scraped <- time.Since(begun)
		}()
	}
	for b.Loop() {
		e.compare(begin, func() { longest = max(longest, <-scraped) })
	}
	b.ReportMetric(float64(longest.Milliseconds()), "longest-scrape-ms")
}

// crowd has a client watch many tubes.
func crowd(t testing.TB, c *client, tubes int) {
	t.Helper()
	c.SetDeadline(time.Now().Add(patience))
	go func() {
		w := bufio.NewWriter(c.Conn)
		for i := range tubes {
			fmt.Fprintf(w, "watch tube-%d\r\n", i)
		}
		w.Flush()
	}()
	want := fmt.Sprintf("WATCHING %d\r\n", tubes+1)
	for {
		line := must.Get(c.r.ReadString('\n'))
		if line == want {
			return
		}
	}
}
