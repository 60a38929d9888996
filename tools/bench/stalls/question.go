package stalls

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"beanfield/tools/bench/load"
)

// A question takes longer to answer if the server has more tubes or waiting clients. It
// is asked again and again.
type question struct {
	addr   string
	load   *load.Load
	wire   *wire
	left   int // to be answered
	asked  bool
	input  []byte
	answer []byte

	command string
	// crowd makes the tubes, or the clients.
	crowd func(ctx context.Context) error
	// right tells what is wrong with an answer.
	right func(answer []byte) error
	// leave closes what crowd opened.
	leave func()
}

// questions is how often it is asked: now and then, an answer is ready before the
// neighbour has had to wait for it.
const questions = 10

func (q *question) prepare(ctx context.Context) error {
	if err := q.crowd(ctx); err != nil {
		return err
	}
	q.left, q.asked, q.answer, q.input = questions, false, q.answer[:0], make([]byte, 256<<10)
	var err error
	q.wire, err = dialWire(q.addr)
	return err
}

func (q *question) begin() error { return nil }

func (q *question) step() (bool, error) {
	if q.left == 0 {
		return false, nil
	}
	if !q.asked {
		q.asked = true
		return true, q.wire.send(q.command)
	}
	n, err := q.wire.read(q.input)
	if n == 0 || err != nil {
		return false, err
	}
	q.answer = append(q.answer, q.input[:n]...)
	head, rest, ok := bytes.Cut(q.answer, []byte("\r\n"))
	if !ok {
		return true, nil
	}
	var size int
	if _, err := fmt.Sscanf(string(head), "OK %d", &size); err != nil || size < 0 {
		return true, fmt.Errorf("%s was answered %.80q", q.command, head)
	}
	if len(rest) < size+2 {
		return true, nil
	}
	err = q.right(rest[:size])
	q.left, q.asked, q.answer = q.left-1, false, q.answer[:0]
	return true, err
}

func (q *question) starts() time.Time { return time.Time{} }
func (q *question) over() bool        { return q.left == 0 }

func (q *question) end() {
	q.wire.close()
	q.leave()
}

// newList asks for the names of all tubes, while one connection watches very many.
func newList(addr string, ld *load.Load) *question {
	var watcher []*wire
	q := &question{addr: addr, load: ld, command: "list-tubes"}
	q.crowd = func(ctx context.Context) (err error) {
		watcher, err = dialAll(ctx, addr, 1, ld.Tubes)
		return err
	}
	q.right = func(answer []byte) error {
		if n := bytes.Count(answer, []byte("\n- "+watchedPrefix)); n != ld.Tubes {
			return fmt.Errorf("list-tubes has %d of %d tubes", n, ld.Tubes)
		}
		return nil
	}
	q.leave = func() { closeAll(watcher) }
	return q
}

// newStats asks for the counts of a tube for which very many clients wait.
func newStats(addr string, ld *load.Load) *question {
	waiting := staff{addr: addr}
	q := &question{addr: addr, load: ld, command: "stats-tube " + disturbedTube}
	q.crowd = func(ctx context.Context) error {
		if err := waiting.hireAll(ld.Connections); err != nil {
			return err
		}
		c, err := newCounter(ctx, addr)
		if err != nil {
			return err
		}
		defer c.close()
		// The waiters of the time before may still be leaving: counted with some of
		// these, they would make up the number too early.
		if err := c.await(ctx, "current-waiting", 0); err != nil {
			return err
		}
		if err := waiting.wait(); err != nil {
			return err
		}
		return c.await(ctx, "current-waiting", ld.Connections)
	}
	want := fmt.Appendf(nil, "\ncurrent-waiting: %d\n", ld.Connections)
	q.right = func(answer []byte) error {
		if !bytes.Contains(answer, want) {
			return fmt.Errorf("stats-tube has no line %q", want)
		}
		return nil
	}
	q.leave = waiting.dismiss
	return q
}
