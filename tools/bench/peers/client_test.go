//go:build linux

package peers

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// scripted is a connection to a server that wants some bytes, answers with others, and so on, and then ends.
func scripted(t *testing.T, script ...string) *wire {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		defer far.Close()
		for ; len(script) > 1; script = script[2:] {
			got := make([]byte, len(script[0]))
			if _, err := io.ReadFull(far, got); err != nil || string(got) != script[0] {
				ended <- fmt.Errorf("the client sent %q, want %q: %w", got, script[0], err)
				return
			}
			if script[1] == "" {
				continue // writing nothing waits for a reader, too
			}
			if _, err := io.WriteString(far, script[1]); err != nil {
				ended <- err
				return
			}
		}
	}()
	t.Cleanup(func() {
		near.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return newWire(near)
}

// What Redis may answer: a refusal, a list that is empty at first, a job that its worker's list does not have, a stream
// of two jobs, and one on which no job came.
func TestRESP(t *testing.T) {
	on := func(script ...string) *resp { return &resp{wire: scripted(t, script...), own: "bench-1"} }
	x := [][]byte{[]byte("x")}
	push := "*3\r\n$5\r\nRPUSH\r\n$5\r\nbench\r\n$1\r\nx\r\n"
	if err := (&list{on(push, "-OOM no memory\r\n")}).put(x); err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Error("a put that was refused:", err)
	}
	move := "*5\r\n$5\r\nLMOVE\r\n$5\r\nbench\r\n$7\r\nbench-1\r\n$4\r\nLEFT\r\n$5\r\nRIGHT\r\n"
	block := "*6\r\n$6\r\nBLMOVE\r\n$5\r\nbench\r\n$7\r\nbench-1\r\n$4\r\nLEFT\r\n$5\r\nRIGHT\r\n$2\r\n60\r\n"
	remove := "*4\r\n$4\r\nLREM\r\n$7\r\nbench-1\r\n$1\r\n1\r\n$1\r\nx\r\n"
	l := &list{on(move, "$-1\r\n", block, "$1\r\nx\r\n", remove, ":0\r\n")}
	if all, err := l.take(1); err != nil || len(all) != 1 || string(all[0]) != "x" {
		t.Errorf("after an empty list: %q, %v", all, err)
	}
	if l.done() == nil {
		t.Error("a job that was not in the worker's list counts as done")
	}
	read := "*9\r\n$10\r\nXREADGROUP\r\n$5\r\nGROUP\r\n$5\r\nbench\r\n$7\r\nbench-1\r\n$5\r\nCOUNT\r\n$1\r\n2\r\n$5\r\nBLOCK\r\n" +
		"$5\r\n60000\r\n$7\r\nSTREAMS\r\n$5\r\nbench\r\n$1\r\n>\r\n"
	read = strings.Replace(read, "*9", "*11", 1)
	entry := "*2\r\n$3\r\n%s-0\r\n*2\r\n$1\r\nb\r\n$1\r\n%s\r\n"
	s := &stream{resp: on(read, "*1\r\n*2\r\n$5\r\nbench\r\n*2\r\n"+fmt.Sprintf(entry, "1", "x")+fmt.Sprintf(entry, "2", "y"),
		read, "*-1\r\n")}
	if all, err := s.take(2); err != nil || fmt.Sprintf("%q", all) != `["x" "y"]` || fmt.Sprint(s.ids) != "[1-0 2-0]" {
		t.Errorf("a stream: %q %v, %v", all, s.ids, err)
	}
	if _, err := s.take(2); !errors.Is(err, errStarved) {
		t.Error("a stream without a job:", err)
	}
}
