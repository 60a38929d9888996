package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// worker is a beanstalk client that uses and watches the same tube.
type worker struct {
	connection net.Conn
	in         *bufio.Reader
}

func (x *client) worker() *worker {
	connection, err := net.Dial("tcp", workers)
	must(err)
	w := &worker{connection, bufio.NewReader(connection)}
	w.say("use " + x.queue)
	w.say("watch " + x.queue)
	w.say("ignore default")
	return w
}

func (w *worker) close() { w.connection.Close() }

// say sends a command and returns the line of its reply.
func (w *worker) say(command string) string {
	w.connection.SetDeadline(time.Now().Add(patience))
	_, err := io.WriteString(w.connection, command+"\r\n")
	must(err)
	return w.line()
}

func (w *worker) line() string {
	line, err := w.in.ReadString('\n')
	must(err)
	return strings.TrimSuffix(line, "\r\n")
}

func (w *worker) put(body string, pri, ttr int) (index uint64) {
	_, err := fmt.Sscanf(w.say(fmt.Sprintf("put %d 0 %d %d\r\n%s", pri, ttr, len(body), body)), "INSERTED %d", &index)
	must(err)
	return index
}

// reserve takes a job; 0 if there is none within the time.
func (w *worker) reserve(seconds int) (index uint64, body string) {
	reply := w.say(fmt.Sprintf("reserve-with-timeout %d", seconds))
	if reply == "TIMED_OUT" {
		return 0, ""
	}
	var size int
	_, err := fmt.Sscanf(reply, "RESERVED %d %d", &index, &size)
	must(err)
	return index, w.body(size)
}

func (w *worker) body(size int) string {
	text := make([]byte, size+2)
	_, err := io.ReadFull(w.in, text)
	must(err)
	return string(text[:size])
}

// stats asks for a dictionary, without its quotes.
func (w *worker) stats(command string) map[string]string {
	var size int
	_, err := fmt.Sscanf(w.say(command), "OK %d", &size)
	must(err)
	all := map[string]string{}
	for line := range strings.SplitSeq(w.body(size), "\n") {
		if key, value, ok := strings.Cut(line, ": "); ok {
			all[key] = strings.Trim(value, `"`)
		}
	}
	return all
}
