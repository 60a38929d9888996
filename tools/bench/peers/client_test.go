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

// A frame of AMQP with a method.
func called(bytes string) string {
	return "\x01\x00\x01\x00\x00\x00" + string(rune(len(bytes))) + bytes + "\xce"
}

const (
	published = "\x01\x00\x01\x00\x00\x00\x0e\x00\x3c\x00\x28\x00\x00\x00\x05bench\x00\xce" +
		"\x02\x00\x01\x00\x00\x00\x0f\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x10\x00\x02\xce" +
		"\x03\x00\x01\x00\x00\x00\x01x\xce"
	asked = "\x01\x00\x01\x00\x00\x00\x0d\x00\x3c\x00\x46\x00\x00\x05bench\x00\xce"
	gave  = "\x02\x00\x01\x00\x00\x00\x0f\x00\x3c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x10\x00\x02\xce" +
		"\x03\x00\x01\x00\x00\x00\x02ab\xce\x03\x00\x01\x00\x00\x00\x01c\xce"
	eight = "\x00\x00\x00\x00\x00\x00\x00"
)

// What RabbitMQ may answer: one confirm for several messages, a refusal, an empty queue and then a body in two frames,
// a push, and the end of the channel.
func TestAMQP(t *testing.T) {
	on := func(script ...string) *rabbitClient {
		return &rabbitClient{amqp: amqp{scripted(t, script...)}, kind: rabbitQueue{"classic", 2, durable}}
	}
	two := [][]byte{[]byte("x"), []byte("x")}
	ack := func(tag, multiple string) string { return called("\x00\x3c\x00\x50" + eight + tag + multiple) }
	if err := on(published+published, ack("\x02", "\x01")).put(two); err != nil {
		t.Error("one confirm for two:", err)
	}
	if err := on(published+published, ack("\x02", "\x00")+ack("\x01", "\x00")).put(two); err != nil {
		t.Error("one for each, in another order:", err)
	}
	if err := on(published, called("\x00\x3c\x00\x78"+eight+"\x01\x00")).put(two[:1]); err == nil {
		t.Error("a message that was refused counts as put")
	}
	closed := on(published, called("\x00\x14\x00\x28\x01\x94\x09NOT_FOUND")).put(two[:1])
	if closed == nil || !strings.Contains(closed.Error(), "NOT_FOUND") {
		t.Error("the channel was closed:", closed)
	}
	got := called("\x00\x3c\x00\x47" + eight + "\x07\x00\x00\x05bench\x00\x00\x00\x00")
	c := on(asked, called("\x00\x3c\x00\x48\x00"), asked, got+gave, called("\x00\x3c\x00\x50"+eight+"\x07\x00"), "")
	if all, err := c.take(1); err != nil || len(all) != 1 || string(all[0]) != "abc" {
		t.Errorf("after an empty queue: %q, %v", all, err)
	}
	if err := c.done(); err != nil {
		t.Error(err)
	}
	c = on("", called("\x00\x3c\x00\x3c\x02ct"+eight+"\x09\x00\x00\x05bench")+gave)
	if all, err := c.pushed(5); err != nil || len(all) != 1 || c.tags[0] != 9 {
		t.Errorf("pushed: %q, %v, tags %v", all, err, c.tags)
	}
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
