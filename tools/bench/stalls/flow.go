package stalls

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// A flow sends n commands on a wire, and compares each reply of one line with what it
// must be. It never waits, so it can go on beside the neighbour.
type flow struct {
	wire    *wire
	n       int
	command func(b []byte, i int) []byte
	reply   func(i int) string
	made    int    // commands that are in out, or sent
	out     []byte // made and not sent yet
	got     int    // replies
	input   []byte
}

// flowChunk is what is sent at most before the neighbour has its turn.
const flowChunk = 16 << 10

// flowPace is how often a flow with nothing to do is tried again while it is prepared.
const flowPace = 100 * time.Microsecond

func newFlow(w *wire, n int, command func(b []byte, i int) []byte, reply func(i int) string) *flow {
	return &flow{wire: w, n: n, command: command, reply: reply, input: make([]byte, flowChunk)}
}

// watchFlow watches so many tubes, in addition to those that are watched already.
func watchFlow(w *wire, tubes, already int) *flow {
	return newFlow(w, tubes,
		func(b []byte, i int) []byte { return fmt.Appendf(b, "watch %s%d\r\n", watchedPrefix, i) },
		func(i int) string { return fmt.Sprintf("WATCHING %d", already+i+1) })
}

// watchedPrefix begins the names of tubes that are watched in numbers.
const watchedPrefix = "bench-watched-"

func (f *flow) over() bool { return f.got == f.n }

// step sends what the socket takes, and reads what has arrived.
func (f *flow) step() (bool, error) {
	if f.over() {
		return false, nil
	}
	for len(f.out) < flowChunk && f.made < f.n {
		f.out = f.command(f.out, f.made)
		f.made++
	}
	sent := 0
	if len(f.out) > 0 {
		var err error
		if sent, err = f.wire.write(f.out[:min(len(f.out), flowChunk)]); err != nil {
			return false, err
		}
		f.out = f.out[:copy(f.out, f.out[sent:])]
	}
	n, err := f.wire.read(f.input)
	if err != nil {
		return false, err
	}
	f.wire.in = append(f.wire.in, f.input[:n]...)
	return sent > 0 || n > 0, f.replies()
}

// replies takes all replies that have arrived.
func (f *flow) replies() error {
	rest := f.wire.in
	for {
		line, more, ok := bytes.Cut(rest, []byte("\r\n"))
		if !ok {
			break
		}
		if f.over() {
			return fmt.Errorf("a reply that nothing asked for: %.80q", line)
		}
		if want := f.reply(f.got); string(line) != want {
			return fmt.Errorf("command %d of %d was answered %.80q, want %s", f.got+1, f.n, line, want)
		}
		f.got++
		rest = more
	}
	f.wire.in = f.wire.in[:copy(f.wire.in, rest)]
	return nil
}

// run goes on until all is answered: for what comes before the measurement.
func (f *flow) run(ctx context.Context) error {
	retry := time.NewTicker(flowPace)
	defer retry.Stop()
	for !f.over() {
		worked, err := f.step()
		if err != nil {
			return err
		}
		if worked {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%d of %d commands are answered", f.got, f.n), ctx.Err())
		}
	}
	return nil
}

// dialAll opens so many wires, each of which watches the load's tubes and then the
// disturbed one. Those that were opened are returned with the error, to be closed.
func dialAll(ctx context.Context, addr string, n, tubes int) ([]*wire, error) {
	var all []*wire
	for i := range n {
		w, err := dialWire(addr)
		if err != nil {
			return all, err
		}
		all = append(all, w)
		if err := watchFlow(w, tubes, 1).run(ctx); err != nil {
			return all, fmt.Errorf("connection %d: %w", i, err)
		}
		if err := oneLine(ctx, w, "watch "+disturbedTube, fmt.Sprintf("WATCHING %d", tubes+2)); err != nil {
			return all, err
		}
	}
	return all, nil
}

// oneLine sends a command and waits for its reply.
func oneLine(ctx context.Context, w *wire, command, want string) error {
	return newFlow(w, 1,
		func(b []byte, _ int) []byte { return append(append(b, command...), "\r\n"...) },
		func(int) string { return want }).run(ctx)
}

func closeAll(wires []*wire) {
	for _, w := range wires {
		w.close()
	}
}
