package stalls

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
	"beanfield/tools/bench/testserver"
)

// Every disturbance by the queue service takes place, again and again, and leaves nothing
// behind in a server that has other users.
func TestQueueDisturbances(t *testing.T) {
	s := testserver.Launch(t)
	set := generator.Settings{Say: func(string, ...any) {}}
	for _, by := range load.QueueDisturbances {
		ld := disturbedBy(by, func(ld *load.Load) { ld.Backlog = 5000 })
		must.Do(t, ld.Check())
		res, err := Measure(t.Context(), generator.Target{Addr: s.Addr, Queue: s.Queue}, ld, set)
		if err != nil {
			t.Errorf("%s: %v", by, err)
			continue
		}
		if each := res.Stalls.Each; len(each) != 2 || each[0].Disturbed.N == 0 || each[1].TookSec <= 0 {
			t.Errorf("%s: %+v", by, res.Stalls)
		}
		c := must.Get(talk.Dial(t.Context(), s.Addr))
		if err := c.Say("stats-tube "+disturbedTube, "NOT_FOUND"); err != nil {
			t.Errorf("%s: the tube is left: %v", by, err)
		}
		c.Close()
		if _, err := Measure(t.Context(), generator.Target{Addr: s.Addr, Owned: true}, ld, set); err == nil ||
			!strings.Contains(err.Error(), "-queue") {
			t.Errorf("%s: without a queue service: %v", by, err)
		}
	}
}

// An answer other than the right one ends the measurement.
func TestAnswersOfTheQueue(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	answers := make(chan string, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			for line := ""; line != "\r\n"; {
				if line, err = in.ReadString('\n'); err != nil {
					break
				}
			}
			io.WriteString(c, <-answers)
			c.Close()
		}
	}()
	for answer, right := range map[string]bool{
		"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n": true, "HTTP/1.1 404 Not Found\r\n\r\n": false,
		"HTTP/1.1 200 OK\r\n": false, "": false,
	} {
		d := &disturbance{target: generator.Target{Queue: l.Addr().String()}, turn: socket.Turn{Context: t.Context()}}
		c := must.Get(d.visit())
		d.visitors = append(d.visitors, c)
		answers <- answer
		if err := d.truncate(); err == nil != right {
			t.Errorf("%q: %v", answer, err)
		}
		d.end()
	}
}
